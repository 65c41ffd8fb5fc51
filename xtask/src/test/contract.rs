//! The checks of the contract by buf.

use super::Run;
use super::summary::Report;
use crate::repo::Repo;
use crate::run::run;
use crate::tools;
use anyhow::Result;

/// Checks lint and format always, and breaking changes against a version that callers may depend
/// on.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let buf = tools::buf(at.repo, at.live)?;
    let checks: [&[&str]; 2] = [&["lint"], &["format", "--diff", "--exit-code"]];
    let mut failed = Vec::new();
    for arguments in checks {
        if let Err(error) = run(at.live, at.repo.command(&buf).args(arguments)) {
            failed.push(error.to_string());
        }
    }
    let baseline = baseline(at.repo);
    if let Some(commit) = &baseline {
        let against = format!(".git#ref={commit}");
        if let Err(error) = run(at.live, at.repo.command(&buf).args(["breaking", "--against", &against])) {
            failed.push(error.to_string());
        }
    }
    let checks = checks.len() + usize::from(baseline.is_some());
    let note = match &baseline {
        Some(commit) if failed.is_empty() => format!("lint, format, breaking against {commit}"),
        Some(_) | None if failed.is_empty() => "lint, format".to_owned(),
        Some(_) | None => failed.join("; "),
    };
    let report = Report { passed: checks - failed.len(), failed: failed.len(), note, ..Report::default() };
    Ok(match baseline {
        Some(_) => report,
        None => report.but_skipped("buf breaking: no earlier version of the contract in the history"),
    })
}

/// Returns the last release, or the previous commit if there is no release; `None` if this version
/// has no contract.
fn baseline(repo: &Repo) -> Option<String> {
    let release = repo.git(&["describe", "--tags", "--abbrev=0", "--match", "v*"]);
    let commit = release.or_else(|_| repo.git(&["rev-parse", "--short", "--verify", "--quiet", "HEAD^"])).ok()?;
    repo.git(&["cat-file", "-e", &format!("{commit}:buf.yaml")]).ok().map(|_| commit)
}
