//! The load of `cargo xtask kill`, which starts this program with two databases and kills them on
//! its request.

use std::process::ExitCode;

use riposte_tests::kill::{self, Options};

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let options = Options::read(std::env::args().skip(1))?;
    Ok(if kill::run(options).await? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
