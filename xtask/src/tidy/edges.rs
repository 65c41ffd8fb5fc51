//! The dependencies between the crates of the workspace: only the edges of the table, and no cycle.
//! Beside them the few dependencies on other crates that the wrappers of deny.toml do not forbid.
//! Dev-dependencies are free.

use super::Violation;
use crate::repo::Repo;
use crate::run::output_of;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Every crate may depend on these, but for those that depend on no crate of the workspace.
const LEAVES: [&str; 2] = ["riposte-sync", "riposte-settings"];
/// The crates that depend on no crate of the workspace.
const ALONE: [&str; 4] = ["riposte-core", "riposte-sdk", "riposte-sync", "riposte-settings"];
/// The crates that a crate may depend on besides the leaves.
const ALLOWED: [(&str, &[&str]); 19] = [
    ("riposte-policy", &["riposte-core"]),
    ("riposte-clients", &["riposte-core", "riposte-sdk"]),
    ("riposte-telemetry", &[]),
    ("riposte-store", &["riposte-core", "riposte-telemetry"]),
    ("riposte-cache", &["riposte-core", "riposte-telemetry"]),
    ("riposte-pipeline", &["riposte-core", "riposte-policy", "riposte-telemetry"]),
    ("riposte-kafka", &["riposte-core", "riposte-telemetry"]),
    ("riposte-search", &["riposte-core", "riposte-telemetry"]),
    ("riposte-migrations", &["riposte-core", "riposte-store"]),
    ("riposte-grpc", &["riposte-core", "riposte-policy", "riposte-telemetry", "riposte-sdk"]),
    ("riposte-transfer", &["riposte-sdk"]),
    ("riposte-conformance", &["riposte-core", "riposte-cache"]),
    ("riposte-bench", &["riposte-sdk"]),
    ("riposte-tests", &["riposte-fakes", "riposte-sdk", "riposte-test-support"]),
    ("riposte-test-support", &[]),
    ("riposte-fakes", &["riposte-sdk"]),
    ("riposte-mutants", &["riposte", "riposte-core", "riposte-cache", "riposte-grpc"]),
    (
        "riposte-fuzz",
        &[
            "riposte",
            "riposte-cache",
            "riposte-grpc",
            "riposte-policy",
            "riposte-store",
            "riposte-telemetry",
            "riposte-transfer",
            "riposte-sdk",
            "riposte-tests",
        ],
    ),
    ("xtask", &["riposte-test-support"]),
];

/// Crates, each with those of other authors that must not occur in its tree. Too many crates depend
/// on these for a list of wrappers, or the tests of the crate use them.
const NEVER: [(&str, &[&str]); 3] = [
    ("riposte-core", &["tokio", "prost", "opentelemetry"]),
    ("riposte-settings", &["tokio", "figment"]),
    ("riposte-conformance", &["sea-orm"]),
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

    fn parse(metadata: &Value) -> Result<Self> {
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
    fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.edges.iter().flat_map(|(from, to)| to.iter().map(move |to| (from.as_str(), to.as_str())))
    }

    /// Returns a shortest path from one crate to another, both included, if one exists.
    fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
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

/// Finds edges that the table does not have, cycles, and forbidden paths.
pub(crate) fn check(graph: &Graph, faults: &mut Vec<Violation>) {
    for (from, never) in NEVER {
        if !graph.edges.contains_key(from) {
            faults.push(Violation::new("Cargo.toml", 0, format!("the workspace has no crate {from}")));
        }
        for (to, way) in never.iter().filter_map(|to| Some((to, graph.way(from, to)?))) {
            faults.push(Violation::new("Cargo.toml", 0, format!("{from} must never reach {to}: {}", way.join(" → "))));
        }
    }
    let ours = |name: &str| name == "xtask" || name == "riposte" || name.starts_with("riposte-");
    for (from, to) in graph.edges().filter(|(from, to)| ours(from) && ours(to)) {
        if !allowed(from, to) {
            let what = format!("{from} → {to} is no edge of the table; a new one needs a decision record");
            faults.push(Violation::new("Cargo.toml", 0, what));
        }
        if let Some(way) = graph.way(to, from) {
            faults.push(Violation::new("Cargo.toml", 0, format!("a cycle of crates: {from} → {}", way.join(" → "))));
        }
    }
}

fn allowed(from: &str, to: &str) -> bool {
    if ALONE.contains(&from) {
        return false;
    }
    if from == "riposte" {
        return to != "riposte-conformance";
    }
    let own = ALLOWED.iter().find(|(name, _)| *name == from);
    own.is_some_and(|(_, own)| LEAVES.contains(&to) || own.contains(&to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(edges: &[(&str, &str, Option<&str>)]) -> Vec<String> {
        let names = [
            "riposte",
            "riposte-core",
            "riposte-settings",
            "riposte-conformance",
            "riposte-store",
            "riposte-cache",
            "riposte-sync",
            "riposte-new",
            "async-io",
            "tokio",
        ];
        let packages: Vec<Value> = names.iter().map(|name| json!({"id": name, "name": name})).collect();
        let deps = |of: &str| -> Vec<Value> {
            let own = edges.iter().filter(|(from, ..)| *from == of);
            own.map(|(_, to, kind)| json!({"pkg": to, "dep_kinds": [{"kind": kind}]})).collect()
        };
        let nodes: Vec<Value> = names.iter().map(|name| json!({"id": name, "deps": deps(name)})).collect();
        let graph = Graph::parse(&json!({"packages": packages, "resolve": {"nodes": nodes}})).unwrap();
        let mut faults = Vec::new();
        check(&graph, &mut faults);
        faults.into_iter().map(|fault| fault.what).collect()
    }

    #[test]
    fn an_edge_outside_the_table_is_found() {
        let bad = [("riposte-cache", "riposte-store"), ("riposte-core", "riposte-sync"), ("riposte-new", "riposte")];
        for (from, to) in bad {
            assert!(found(&[(from, to, None)])[0].starts_with(&format!("{from} → {to}")), "{from} {to}");
        }
    }

    #[test]
    fn a_cycle_of_crates_is_found_and_dev_dependencies_make_none() {
        let there = ("riposte", "riposte-store", None);
        let back = found(&[there, ("riposte-store", "riposte", None)]);
        assert!(back.iter().any(|what| what.starts_with("a cycle of crates")), "{back:?}");
        assert!(
            found(&[there, ("riposte-store", "riposte", Some("dev")), ("riposte", "riposte-sync", None)]).is_empty()
        );
    }

    #[test]
    fn a_runtime_in_the_domain_is_found_also_behind_another_crate() {
        let edges = |kind| [("riposte-core", "async-io", kind), ("async-io", "tokio", None)];
        assert_eq!(found(&edges(None)), ["riposte-core must never reach tokio: riposte-core → async-io → tokio"]);
        assert!(found(&edges(Some("dev"))).is_empty() && found(&edges(Some("build"))).is_empty());
    }

    #[test]
    fn the_workspace_has_no_edge_outside_the_table() {
        let mut faults = Vec::new();
        check(&Graph::of(&Repo::find().unwrap()).unwrap(), &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
    }
}
