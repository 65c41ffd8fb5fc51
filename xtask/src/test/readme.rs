//! The commands of the README that build and install, in a fresh clone, where no uncommitted or
//! ignored file can make them work by chance.

mod install;

use super::Run;
use super::summary::Report;
use crate::repo::Repo;
use crate::run::{output_of, run};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// The two commands of the README, word for word.
const COMMANDS: [&str; 2] = ["cargo run --release -- dev", "cargo xtask test"];

/// Folders that git ignores because builds and checks make them.
const LEFT_BY_BUILDS: [&str; 5] = [".tools", "target", "dist", "node_modules", ".ruff_cache"];

/// Runs both commands in the repository at its last commit. It uses this folder if it contains
/// nothing but that commit and build output, as in a checkout of the CI; otherwise a clone, with
/// this build directory.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let Ok(commit) = at.repo.git(&["rev-parse", "--short", "--verify", "--quiet", "HEAD"]) else {
        return Ok(Report::default().but_skipped("README in a fresh clone: nothing is committed yet"));
    };
    let folder = at.live.folder()?;
    let clean = is_fresh(&at.repo.git(&["status", "--porcelain", "--ignored"])?);
    let fresh = if clean { at.repo.at("") } else { folder.path().join("riposte") };
    if !clean {
        run(at.live, at.repo.command("git").args(["clone", "--quiet", "--no-hardlinks", "."]).arg(&fresh))?;
    }
    let readme = std::fs::read_to_string(fresh.join("README.md")).context("there is no README.md")?;
    says_both(&readme)?;
    check_both(at, &fresh)?;
    lists_its_steps(at.repo, &fresh)?;
    let (installed, skipped) = install::check(at.repo, at.live, &fresh, &readme)?;
    let place = if clean { "this checkout" } else { "a clone" };
    let note = format!("{place} of {commit}");
    Ok(Report { passed: 2 + installed, skipped, note, ..Report::default() })
}

/// Returns `true` if git's list of changed, new and ignored files contains only folders that builds
/// leave.
fn is_fresh(status: &str) -> bool {
    let built = |path: &str| {
        let folder = path.strip_suffix('/').and_then(|path| path.rsplit('/').next());
        folder.is_some_and(|name| LEFT_BY_BUILDS.contains(&name))
    };
    status.lines().all(|line| line.strip_prefix("!! ").is_some_and(built))
}

fn says_both(readme: &str) -> Result<()> {
    for command in COMMANDS {
        ensure!(readme.lines().any(|line| line.contains(command)), "README.md does not say `{command}`");
    }
    Ok(())
}

/// Checks the first command with `--exec`: the service starts and responds, and the exit code is
/// returned. The ports are free ones, because a developer's own service may use the default ones.
fn check_both(at: &Run<'_>, clone: &Path) -> Result<()> {
    let mut words = COMMANDS[0].split_whitespace().skip(1).collect::<Vec<_>>();
    words.extend(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--exec", "--"]);
    let mut dev = at.repo.cargo(&words);
    dev.args(["sh", "-c", r#"exec "$0" healthcheck --target "$RIPOSTE_TARGET""#]).arg(at.repo.server_binary());
    run(at.live, dev.current_dir(clone).env("CARGO_TARGET_DIR", at.repo.target()))
        .context("the README's first command does not answer in a fresh clone")
}

/// Checks the second command up to its list of steps: a complete run would run this step again.
fn lists_its_steps(repo: &Repo, clone: &Path) -> Result<()> {
    let words = COMMANDS[1].split_whitespace().skip(1).chain(["--list"]).collect::<Vec<_>>();
    let mut list = repo.cargo(&words);
    let output = output_of(list.current_dir(clone).env("CARGO_TARGET_DIR", repo.target()))
        .context("the README's second command does not start in a fresh clone")?;
    ensure!(output.contains("readme"), "the list of steps is strange: {output}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_checkout_without_local_files_is_fresh() {
        assert!(is_fresh(""));
        assert!(is_fresh("!! .tools/\n!! sdk/java/target/\n!! sdk/typescript/node_modules/\n!! target/"));
        assert!(!is_fresh("!! target/\n M README.md"));
        assert!(!is_fresh("?? notes.md"));
        assert!(!is_fresh("!! .env"));
        assert!(!is_fresh("!! sdk/python/target"));
    }

    /// Returns the rows of the table of frictions, each with the tests that it names and their
    /// files.
    fn frictions(page: &str) -> Vec<Vec<(String, String)>> {
        let rows = page.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit());
        let named = |row: &str| {
            let shown = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default().to_owned();
            let mut parts = shown.split('`').map(str::to_owned).collect::<Vec<_>>().into_iter().skip(1);
            let mut tests = Vec::new();
            let mut waiting = Vec::new();
            while let (Some(test), Some(rest)) = (parts.next(), parts.next()) {
                waiting.push(test);
                if let Some((_, file)) = rest.split_once("](../") {
                    let file = file.split(')').next().unwrap_or_default();
                    tests.extend(waiting.drain(..).map(|test| (test, file.to_owned())));
                }
            }
            tests
        };
        rows.map(named).collect()
    }

    #[test]
    fn every_test_that_the_table_of_the_first_hour_names_exists() {
        let repo = Repo::find().unwrap();
        let page = std::fs::read_to_string(repo.at("docs/testing.md")).unwrap();
        let table = page.split("\n## ").find(|part| part.starts_with("The first hour\n")).unwrap();
        let frictions = frictions(table);
        assert_eq!(frictions.len(), 18);
        assert!(frictions.iter().flatten().count() >= 14, "{frictions:?}");
        for (test, file) in frictions.iter().flatten() {
            let text = std::fs::read_to_string(repo.at(file)).unwrap_or_default();
            assert!(text.contains(test.as_str()), "{file} has no {test}");
        }
    }

    #[test]
    fn a_readme_that_lost_a_command_is_found() {
        assert!(says_both("```\ncargo run --release -- dev\ncargo xtask test\n```").is_ok());
        assert!(says_both("cargo run -- dev\ncargo xtask test").is_err());
    }
}
