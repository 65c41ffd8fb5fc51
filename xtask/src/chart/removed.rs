//! Values that are gone: whoever still sets one is told its successor, those that are listed and one that is planted.

use super::CHART;
use super::findings::Findings;
use super::helm::Helm;
use super::refusals::refused;
use crate::live::Live;
use crate::repo::Repo;
use crate::run::run;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

/// removed.yaml.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    removed: Vec<Gone>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gone {
    path: String,
    instead: String,
    since: String,
}

/// Sets every value that is gone.
pub(super) fn check(repo: &Repo, live: &Arc<Live>, helm: &Helm<'_>, found: &mut Findings) -> Result<()> {
    let listed: Listed = yaml_serde::from_str(&fs::read_to_string(repo.at(CHART).join("removed.yaml"))?)?;
    for gone in &listed.removed {
        found.judge(format!("removed, {}", gone.path), told(helm, gone));
    }
    let folder = live.folder()?;
    let chart = folder.path().join("riposte");
    run(live, repo.command("cp").arg("-r").arg(repo.at(CHART)).arg(&chart))?;
    let planted = Gone { path: "server.port".into(), instead: "service.port".into(), since: "0.2.0".into() };
    let schema = chart.join("values.schema.json");
    let mut open: Value = serde_json::from_str(&fs::read_to_string(&schema)?)?;
    let properties = open["properties"].as_object_mut().context("the schema has no properties")?;
    properties.insert("server".to_owned(), json!({}));
    fs::write(&schema, open.to_string())?;
    let listed = Listed { removed: vec![planted] };
    fs::write(chart.join("removed.yaml"), serde_json::to_string(&listed)?)?;
    found.judge("removed, planted", told(&helm.on(&chart), &listed.removed[0]));
    Ok(())
}

/// Whether the successor is named.
fn told(helm: &Helm<'_>, gone: &Gone) -> Result<()> {
    let Gone { path, instead, since } = gone;
    let words = [format!("{path} was removed in {since}: use {instead}")];
    refused(helm.template(&[], &[&format!("{path}=1")]), &words)
}
