//! The dependencies between the crates of the workspace: only the edges of the table, and no cycle.
//! Dev-dependencies are free.

use super::Fault;
use super::arrows::Graph;

/// Every crate may depend on these, but for those that depend on no crate of the workspace.
const LEAVES: [&str; 2] = ["riposte-sync", "riposte-settings"];
/// The crates that depend on no crate of the workspace.
const ALONE: [&str; 4] = ["riposte-core", "riposte-sdk", "riposte-sync", "riposte-settings"];
/// The crates that a crate may depend on besides the leaves.
const ALLOWED: [(&str, &[&str]); 18] = [
    ("riposte-policy", &["riposte-core"]),
    ("riposte-telemetry", &[]),
    ("riposte-store", &["riposte-core", "riposte-telemetry"]),
    ("riposte-cache", &["riposte-core", "riposte-telemetry"]),
    ("riposte-pipeline", &["riposte-core", "riposte-telemetry"]),
    ("riposte-kafka", &["riposte-core", "riposte-telemetry"]),
    ("riposte-search", &["riposte-core", "riposte-telemetry"]),
    ("riposte-migrations", &["riposte-core", "riposte-store"]),
    ("riposte-grpc", &["riposte-core", "riposte-policy", "riposte-telemetry", "riposte-sdk"]),
    ("riposte-transfer", &["riposte-sdk"]),
    ("riposte-conformance", &["riposte-core", "riposte-cache"]),
    ("riposte-bench", &["riposte-sdk"]),
    ("riposte-tests", &["riposte-sdk", "riposte-test-redis", "riposte-test-support"]),
    ("riposte-test-redis", &[]),
    ("riposte-test-support", &[]),
    ("riposte-mutants", &["riposte", "riposte-core", "riposte-cache", "riposte-grpc"]),
    (
        "riposte-fuzz",
        &[
            "riposte",
            "riposte-cache",
            "riposte-grpc",
            "riposte-telemetry",
            "riposte-transfer",
            "riposte-sdk",
            "riposte-tests",
        ],
    ),
    ("xtask", &["riposte-test-redis", "riposte-test-support"]),
];

/// Finds edges that the table does not have, and cycles.
pub(crate) fn check(graph: &Graph, faults: &mut Vec<Fault>) {
    let ours = |name: &str| name == "xtask" || name == "riposte" || name.starts_with("riposte-");
    for (from, to) in graph.edges().filter(|(from, to)| ours(from) && ours(to)) {
        if !allowed(from, to) {
            let what = format!("{from} → {to} is no edge of the table; a new one needs a decision record");
            faults.push(Fault::new("Cargo.toml", 0, what));
        }
        if let Some(way) = graph.way(to, from) {
            faults.push(Fault::new("Cargo.toml", 0, format!("a cycle of crates: {from} → {}", way.join(" → "))));
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
    use crate::repo::Repo;
    use serde_json::{Value, json};

    fn found(edges: &[(&str, &str, Option<&str>)]) -> Vec<String> {
        let names = ["riposte", "riposte-core", "riposte-store", "riposte-cache", "riposte-sync", "riposte-new"];
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
    fn the_workspace_has_no_edge_outside_the_table() {
        let mut faults = Vec::new();
        check(&Graph::of(&Repo::find().unwrap()).unwrap(), &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
    }
}
