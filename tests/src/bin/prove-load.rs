//! The load, the faults and the checks of `cargo xtask prove`, which starts this program with two
//! databases.

use std::process::ExitCode;

use riposte_tests::histcheck::{self, Options};

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let options = Options::read(std::env::args().skip(1))?;
    Ok(if histcheck::run(options).await? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
