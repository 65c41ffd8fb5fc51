//! The inbox, tested by a program that kills it while comments are written.

use super::python;
use crate::run::run;
use crate::test::Run;
use crate::tools;
use anyhow::Result;

/// The folder of the example.
pub(super) const NAME: &str = "inbox";

/// Tests the example with its own Python. Returns the reason of a skip.
pub(super) fn check(at: &Run<'_>) -> Result<Option<String>> {
    if tools::on_path("python3").is_none() {
        return Ok(Some("python3 is missing".into()));
    }
    let mut test = at.repo.clean(python(at, NAME)?);
    test.arg(at.repo.at("examples/tests/inbox.py")).arg(at.repo.server_binary());
    run(at.live, test.env("PYTHONDONTWRITEBYTECODE", "1")).map(|()| None)
}
