//! The checks of all dependencies by cargo-deny.

use super::Run;
use super::summary::Report;
use crate::run::run;
use crate::tools;
use anyhow::Result;
use std::path::PathBuf;

/// Checks bans, licences and sources always. Checks advisories only if their database
/// exists here, and reports its age, because an old copy must not pass for a current one.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let deny = tools::cargo_deny(at.repo, at.live)?;
    let flags = ["--all-features", "--locked", "--log-level", "error"];
    run(at.live, at.repo.command(&deny).args(flags).args(["check", "bans", "licenses", "sources"]))?;
    let report = Report::success("bans, licences, sources");
    let Some(database) = advisories() else {
        return Ok(report.but_skipped("advisories: no advisory database on this machine"));
    };
    let newest = at.repo.command("git").arg("-C").arg(&database).args(["log", "-1", "--format=%cs"]).output();
    let date = newest.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default();
    run(at.live, at.repo.command(&deny).args(flags).args(["check", "--disable-fetch", "advisories"]))?;
    Ok(Report { passed: 2, note: format!("{}, advisories as of {date}", report.note), ..Report::default() })
}

/// Returns the first clone of an advisory database in cargo's home.
fn advisories() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")))?;
    std::fs::read_dir(home.join("advisory-dbs")).ok()?.flatten().map(|entry| entry.path()).find(|path| path.is_dir())
}
