//! The dependencies between crates, as cargo resolves them: the crates that a crate may reach
//! through normal dependencies.

use super::Fault;
use crate::repo::Repo;
use crate::run::output_of;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Crates, each with the crates that must not occur in its tree of normal dependencies.
const NEVER: [(&str, &[&str]); 12] = [
    (
        "riposte-core",
        &[
            "tonic",
            "prost",
            "sea-orm",
            "sqlx",
            "fred",
            "tokio",
            "opentelemetry",
            "clap",
            "riposte-store",
            "riposte-cache",
            "riposte-migrations",
            "riposte-sdk",
            "riposte-sync",
            "riposte",
        ],
    ),
    (
        "riposte-store",
        &[
            "riposte-sdk",
            "riposte",
            "riposte-cache",
            "riposte-migrations",
            "riposte-conformance",
            "fred",
            "tonic",
            "clap",
        ],
    ),
    (
        "riposte-settings",
        &[
            "riposte-core",
            "riposte-store",
            "riposte-cache",
            "riposte-migrations",
            "riposte-conformance",
            "riposte-sdk",
            "riposte",
            "tokio",
            "tonic",
            "figment",
            "clap",
        ],
    ),
    ("riposte", &["riposte-conformance"]),
    (
        "riposte-sync",
        &[
            "riposte-core",
            "riposte-store",
            "riposte-cache",
            "riposte-migrations",
            "riposte-conformance",
            "riposte-sdk",
            "riposte",
        ],
    ),
    (
        "riposte-telemetry",
        &[
            "riposte-core",
            "riposte-store",
            "riposte-cache",
            "riposte-migrations",
            "riposte-conformance",
            "riposte-sdk",
            "riposte",
            "sea-orm",
            "fred",
            "clap",
        ],
    ),
    ("riposte-conformance", &["riposte-sdk", "riposte", "riposte-store", "sea-orm", "sqlx", "tonic", "clap"]),
    ("riposte-cache", &["riposte-sdk", "riposte", "riposte-store", "sea-orm", "sqlx", "tonic", "clap"]),
    ("riposte-migrations", &["riposte-sdk", "riposte", "tonic", "clap"]),
    ("riposte-sdk", &["riposte-core", "riposte-store", "riposte-migrations", "riposte", "sea-orm", "sqlx", "clap"]),
    (
        "riposte-transfer",
        &["riposte-core", "riposte-store", "riposte-cache", "riposte-migrations", "riposte", "sea-orm", "sqlx", "fred"],
    ),
    ("riposte-bench", &["riposte-core", "riposte-store", "riposte-migrations", "riposte", "sea-orm"]),
];

/// The dependencies by the names of crates, normal ones only.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Returns the graph of the workspace with every feature on.
    pub(crate) fn of(repo: &Repo) -> Result<Self> {
        let text = output_of(&mut repo.cargo(&["metadata", "--format-version", "1", "--all-features", "--quiet"]))?;
        Self::parse(&serde_json::from_str(&text)?)
    }

    pub(super) fn parse(metadata: &Value) -> Result<Self> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let names: BTreeMap<String, String> =
            list(&metadata["packages"]).iter().map(|package| (text(&package["id"]), text(&package["name"]))).collect();
        let name = |id: &Value| names.get(&text(id)).cloned().with_context(|| format!("{id} is no package"));
        let mut graph = Self::default();
        for node in list(&metadata["resolve"]["nodes"]) {
            let edges = graph.edges.entry(name(&node["id"])?).or_default();
            for dependency in list(&node["deps"]) {
                // A null kind is a normal dependency; build and dev dependencies have a kind.
                if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                    edges.insert(name(&dependency["pkg"])?);
                }
            }
        }
        Ok(graph)
    }

    /// Returns every dependency of a crate on another.
    pub(super) fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.edges.iter().flat_map(|(from, to)| to.iter().map(move |to| (from.as_str(), to.as_str())))
    }

    /// Returns a shortest path from one crate to another, both included, if one exists.
    pub(super) fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut ways = vec![vec![from.to_owned()]];
        let mut seen = BTreeSet::from([from.to_owned()]);
        while !ways.is_empty() {
            let mut next = Vec::new();
            for way in ways {
                for name in self.edges.get(way.last()?).into_iter().flatten() {
                    let longer = [way.as_slice(), std::slice::from_ref(name)].concat();
                    if name == to {
                        return Some(longer);
                    }
                    if seen.insert(name.clone()) {
                        next.push(longer);
                    }
                }
            }
            ways = next;
        }
        None
    }
}

/// Finds every forbidden path.
pub(crate) fn check(graph: &Graph, faults: &mut Vec<Fault>) {
    for (from, never) in NEVER {
        if !graph.edges.contains_key(from) {
            faults.push(Fault::new("Cargo.toml", 0, format!("the workspace has no crate {from}")));
        }
        for to in never {
            if let Some(way) = graph.way(from, to) {
                faults.push(Fault::new("Cargo.toml", 0, format!("{from} must never reach {to}: {}", way.join(" → "))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A workspace in which the domain and the settings have one more dependency each.
    fn metadata(core: &str, settings: &str, kind: Option<&str>) -> Value {
        let names = [
            "riposte-core",
            "riposte-store",
            "riposte-cache",
            "riposte-settings",
            "riposte-sync",
            "riposte-telemetry",
            "riposte-conformance",
            "riposte-migrations",
            "riposte-sdk",
            "riposte-bench",
            "riposte-transfer",
            "riposte",
            "sha2",
            "tokio",
        ];
        let packages: Vec<Value> = names.iter().map(|name| json!({"id": format!("{name} 1"), "name": name})).collect();
        let dep = |name: &str, kind: Option<&str>| json!({"pkg": format!("{name} 1"), "dep_kinds": [{"kind": kind}]});
        let node = |name: &str, deps: Vec<Value>| json!({"id": format!("{name} 1"), "deps": deps});
        json!({"packages": packages, "resolve": {"nodes": [
            node("riposte-core", vec![dep("sha2", None), dep(core, kind)]),
            node("riposte-store", vec![dep("riposte-core", None)]),
            node("riposte-cache", vec![]),
            node("riposte-settings", vec![dep(settings, kind)]),
            node("riposte-sync", vec![]),
            node("riposte-telemetry", vec![]),
            node("riposte-conformance", vec![]),
            node("riposte", vec![]),
            node("riposte-migrations", vec![]),
            node("riposte-sdk", vec![]),
            node("riposte-bench", vec![]),
            node("riposte-transfer", vec![]),
            node("sha2", vec![]),
            node("tokio", vec![]),
        ]}})
    }

    fn found(metadata: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        check(&Graph::parse(metadata).unwrap(), &mut faults);
        faults.into_iter().map(|fault| fault.what).collect()
    }

    #[test]
    fn a_planted_runtime_in_the_domain_is_found() {
        assert_eq!(
            found(&metadata("tokio", "sha2", None)),
            ["riposte-core must never reach tokio: riposte-core → tokio"]
        );
    }

    #[test]
    fn a_planted_arrow_from_the_domain_to_the_sdk_is_found_also_behind_another_crate() {
        let found = found(&metadata("riposte-sdk", "sha2", None));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1].ends_with("riposte-store → riposte-core → riposte-sdk"));
    }

    #[test]
    fn an_arrow_from_the_settings_to_the_store_is_found() {
        assert_eq!(
            found(&metadata("sha2", "riposte-store", None)).first().map(String::as_str),
            Some("riposte-settings must never reach riposte-core: riposte-settings → riposte-store → riposte-core")
        );
    }

    #[test]
    fn dependencies_of_tests_and_of_builds_are_free() {
        assert!(found(&metadata("tokio", "sha2", Some("dev"))).is_empty());
        assert!(found(&metadata("tokio", "sha2", Some("build"))).is_empty());
    }

    #[test]
    fn the_workspace_itself_has_no_forbidden_arrow() {
        let mut faults = Vec::new();
        check(&Graph::of(&Repo::find().unwrap()).unwrap(), &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
    }
}
