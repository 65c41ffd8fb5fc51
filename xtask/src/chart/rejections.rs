//! Values that the chart must reject, and the messages of the rejections: helm/rejections.yaml.

use super::example;
use super::findings::Findings;
use super::helm::Helm;
use crate::live::Live;
use crate::repo::Repo;
use anyhow::{Result, anyhow, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::sync::Arc;

const FILE: &str = "helm/rejections.yaml";

/// One set of values that must not render.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RejectedValues {
    /// The reason for the rejection.
    reason: String,
    /// The example that the values would invalidate; `None` stands for the defaults alone.
    example: Option<String>,
    /// The values that are added to it.
    values: Value,
    /// The texts that helm's message must contain.
    says: Vec<String>,
}

/// Tests each of them.
pub(super) fn check(repo: &Repo, live: &Arc<Live>, helm: &Helm<'_>, found: &mut Findings) -> Result<()> {
    let all: Vec<RejectedValues> = yaml_serde::from_str(&fs::read_to_string(repo.at(FILE))?)?;
    ensure!(!all.is_empty(), "{FILE} is empty");
    let folder = live.folder()?;
    let overlay = folder.path().join("values.yaml");
    for rejected in all {
        fs::write(&overlay, rejected.values.to_string())?;
        let base = rejected.example.as_deref().map(example);
        let overlay = overlay.to_string_lossy();
        let files: Vec<&str> = base.as_deref().into_iter().chain([&*overlay]).collect();
        found.judge(format!("rejection, {}", rejected.reason), refused(helm.template(&files, &[]), &rejected.says));
    }
    Ok(())
}

/// Fails unless helm rejected the values with these texts.
pub(super) fn refused(outcome: Result<String>, says: &[String]) -> Result<()> {
    let Err(error) = outcome else { return Err(anyhow!("it renders")) };
    let message = error.to_string();
    for words in says {
        ensure!(message.contains(words), "it does not say {words:?} but {message:?}");
    }
    Ok(())
}
