//! A build of each crate by itself, with its default features and without them. In a workspace
//! build cargo unites the features of all crates, so a Cargo.toml may lack a feature for years
//! until that crate is built alone.

use super::Run;
use super::summary::Report;
use crate::run::{output_of, run};
use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The crates that users may build alone: the product and the SDK. Tests, benchmarks and tasks are
/// built in the workspace only.
const BUILT_ALONE: [&str; 3] = ["server/", "migrations/", "sdk/"];

/// Compiles each of these workspace members alone, without running it.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let text = output_of(&mut at.repo.cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let mut failed = Vec::new();
    let root = format!("{}/", at.repo.at("").display().to_string().trim_end_matches('/'));
    let shipped = |package: &&Value| {
        let manifest = package["manifest_path"].as_str().and_then(|path| path.strip_prefix(&root));
        manifest.is_some_and(|path| BUILT_ALONE.iter().any(|folder| path.starts_with(folder)))
    };
    let mut builds = Vec::new();
    for package in packages.iter().filter(shipped) {
        let name = package["name"].as_str().context("a package without a name")?;
        builds.push((name, &[][..]));
        if package["features"]["default"].as_array().is_some_and(|features| !features.is_empty()) {
            builds.push((name, &["--no-default-features"]));
        }
    }
    ensure!(builds.len() >= 6, "the workspace has only {builds:?} to build alone");
    for (name, features) in &builds {
        let mut check = at.repo.cargo(&["check", "--release", "--locked", "--quiet", "--package", name]);
        if run(at.live, check.args(*features)).is_err() {
            failed.push([&[*name], *features].concat().join(" "));
        }
    }
    let note = if failed.is_empty() { String::new() } else { format!("not alone: {}", failed.join(", ")) };
    Ok(Report { passed: builds.len() - failed.len(), failed: failed.len(), note, ..Report::default() })
}
