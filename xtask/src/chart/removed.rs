//! Removed values: an installation that still sets one is shown its successor. The check covers the
//! listed values and one deliberate violation.

use super::CHART;
use super::findings::Findings;
use super::helm::Helm;
use super::rejections::refused;
use crate::live::Live;
use crate::repo::Repo;
use crate::run::run;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

/// The contents of removed.yaml.
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

/// Returns the places in the schema that stay open for removed values. Otherwise the schema would
/// reject them first, without naming the successor.
pub(super) fn places(repo: &Repo) -> Result<Vec<String>> {
    Ok(listed(repo)?.removed.iter().flat_map(|gone| places_of(&gone.path)).collect())
}

/// Returns every step of a path, because any of them may be the one that the schema no longer has.
fn places_of(path: &str) -> impl Iterator<Item = String> {
    path.split('.').scan(String::new(), |place, step| {
        place.push_str("/properties/");
        place.push_str(step);
        Some(place.clone())
    })
}

fn listed(repo: &Repo) -> Result<Listed> {
    Ok(yaml_serde::from_str(&fs::read_to_string(repo.at(CHART).join("removed.yaml"))?)?)
}

/// Sets every removed value.
pub(super) fn check(repo: &Repo, live: &Arc<Live>, helm: &Helm<'_>, found: &mut Findings) -> Result<()> {
    for gone in &listed(repo)?.removed {
        found.judge(format!("removed, {}", gone.path), names_the_successor(helm, gone));
    }
    let folder = live.folder()?;
    let chart = folder.path().join("riposte");
    run(live, repo.command("cp").arg("-r").arg(repo.at(CHART)).arg(&chart))?;
    let removed = Gone { path: "server.port".into(), instead: "service.port".into(), since: "0.2.0".into() };
    let schema = chart.join("values.schema.json");
    let mut open: Value = serde_json::from_str(&fs::read_to_string(&schema)?)?;
    let properties = open["properties"].as_object_mut().context("the schema has no properties")?;
    properties.insert("server".to_owned(), json!({}));
    fs::write(&schema, open.to_string())?;
    let listed = Listed { removed: vec![removed] };
    fs::write(chart.join("removed.yaml"), serde_json::to_string(&listed)?)?;
    found.judge("removed, as an example", names_the_successor(&helm.on(&chart), &listed.removed[0]));
    Ok(())
}

/// Fails unless the message names the successor.
fn names_the_successor(helm: &Helm<'_>, gone: &Gone) -> Result<()> {
    let Gone { path, instead, since } = gone;
    let words = [format!("{path} was removed in {since}: use {instead}")];
    refused(helm.template(&[], &[&format!("{path}=1")]), &words)
}

#[cfg(test)]
mod tests {
    use super::places_of;

    #[test]
    fn a_removed_value_keeps_every_step_of_its_path_open() {
        let places: Vec<String> = places_of("server.port").collect();
        assert_eq!(places, ["/properties/server", "/properties/server/properties/port"]);
    }
}
