//! Each crate by itself. In a workspace build cargo joins the features that all crates ask for, so a Cargo.toml may
//! miss a feature for years until somebody builds that crate alone.

use super::Run;
use super::summary::Report;
use crate::run::{output_of, run};
use anyhow::Result;
use serde_json::Value;

/// Compiles every member of the workspace alone, without running it.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let text = output_of(&mut at.repo.cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let mut failed = Vec::new();
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for name in &names {
        if run(at.live, &mut at.repo.cargo(&["check", "--release", "--locked", "--quiet", "--package", name])).is_err()
        {
            failed.push(*name);
        }
    }
    let note = if failed.is_empty() { String::new() } else { format!("not alone: {}", failed.join(", ")) };
    Ok(Report { passed: names.len() - failed.len(), failed: failed.len(), note, ..Report::default() })
}
