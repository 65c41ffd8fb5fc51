//! `cargo xtask gen`: all files that are generated and checked in, those of the server and those of
//! the SDKs. The build itself needs neither protoc nor buf. Run it after a change of a .proto file,
//! of the telemetry registry, of a migration step or of methods.yaml.

use crate::generate;
use crate::generate::files::Files;
use crate::live::Live;
use crate::repo::Repo;
use crate::sdk::{self, Language};
use anyhow::Result;
use std::sync::Arc;

/// Updates all generated files. With `check` it changes nothing and fails with the names
/// of the files that differ. Returns the languages left out, each with its reason.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, check: bool) -> Result<Vec<String>> {
    let all = generate::descriptors(repo, live)?;
    let mut files = Files::default();
    generate::add_server(repo, &all, &mut files)?;
    let skipped = sdk::generate(repo, live, &Language::all(), &all, &mut files)?;
    files.write_or_check(repo, check)?;
    Ok(skipped)
}
