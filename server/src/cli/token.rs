//! `riposte token`: a new bearer token for a caller.

use super::output;
use riposte_grpc::auth::TokenHash;
use std::process::ExitCode;

const HELP: &str = "\
The token is printed once; the server stores only its hash. Give the token to the caller \
(RIPOSTE_TOKEN for the SDKs), and add the second line to the caller's table in auth.callers_file. \
To change a token, add the new hash, give the caller the new token, then remove the old hash.";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {}

impl Args {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let (token, hash) = TokenHash::new_token();
        output::write(&format!("{token}\ntokens_sha256 = [\"{hash}\"]\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}
