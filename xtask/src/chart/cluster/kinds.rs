//! Custom kinds as their projects define them, as far as a Go module contains the definition; the
//! others are derived from helm/definitions.yaml.

use super::api::Api;
use super::made::made;
use crate::chart::custom::definitions;
use crate::chart::findings::Findings;
use crate::chart::objects::{documents, title, word};
use crate::repo::Repo;
use crate::tools;
use anyhow::Result;
use serde_json::Value;
use std::fs;

/// The location of a project's definitions.
struct Source {
    /// The suffix of these kinds' groups.
    group: &'static str,
    module: &'static str,
    version: &'static str,
    files: &'static [&'static str],
}

const SOURCES: [Source; 3] = [
    Source {
        group: "monitoring.coreos.com",
        module: "github.com/prometheus-operator/prometheus-operator",
        version: "0.85.0",
        files: &[
            "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
            "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
            "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
        ],
    },
    Source {
        group: "gateway.networking.k8s.io",
        module: "sigs.k8s.io/gateway-api",
        version: "1.6.3",
        files: &["config/crd/standard/gateway.networking.k8s.io_grpcroutes.yaml"],
    },
    Source {
        group: "istio.io",
        module: "istio.io/api",
        version: "1.31.1",
        files: &["kubernetes/customresourcedefinitions.gen.yaml"],
    },
];

/// Defines every custom kind that the chart may render, and waits until the server serves it.
/// Returns a line that lists the kinds with the source of each definition.
pub(super) fn define(repo: &Repo, api: &Api<'_>, found: &mut Findings) -> Result<String> {
    let theirs = theirs(repo, found)?;
    let (mut own, mut ours) = (0, Vec::new());
    let definitions = definitions(repo)?;
    for (kind, definition) in &definitions {
        let (version, kind) = kind.rsplit_once('/').unwrap_or_default();
        let mut of_their_project = theirs.iter().filter(|defined| defines(defined, version, kind));
        let defined = match of_their_project.next() {
            Some(defined) => {
                own += 1;
                defined.clone()
            }
            None => {
                ours.push(format!("{version} {kind}"));
                made(version, kind, definition)
            }
        };
        let path = api.place(&defined, "")?;
        found.judge(title(&defined), api.apply(&path, &defined).map(drop));
    }
    for kind in definitions.keys() {
        let (version, kind) = kind.rsplit_once('/').unwrap_or_default();
        api.until_served(version, kind)?;
    }
    Ok(format!("{own} kinds as their projects define them, as helm/definitions.yaml does: {}", ours.join(", ")))
}

/// Returns all definitions that the modules contain.
fn theirs(repo: &Repo, found: &mut Findings) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for Source { group, module, version, files } in SOURCES {
        let folder = match tools::module(repo, module, version) {
            Ok(folder) => folder,
            Err(error) => {
                found.skip(format!("the definitions of {group}: {module} {version} does not come ({error:#})"));
                continue;
            }
        };
        for file in files {
            let read = documents(&fs::read_to_string(folder.join(file))?)?;
            let wanted = |defined: &Value| {
                defined["kind"] == "CustomResourceDefinition" && word(&defined["spec"]["group"]).ends_with(group)
            };
            all.extend(read.into_iter().filter(wanted));
        }
    }
    Ok(all)
}

/// Returns `true` if `defined` is the definition of a kind and serves that version.
fn defines(defined: &Value, version: &str, kind: &str) -> bool {
    let spec = &defined["spec"];
    let (group, version) = version.split_once('/').unwrap_or_default();
    let mut versions = spec["versions"].as_array().into_iter().flatten();
    spec["group"] == group
        && spec["names"]["kind"] == kind
        && versions.any(|of| of["name"] == version && of["served"] == true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_definition_is_of_one_kind_and_of_versions_that_are_served() {
        let versions = json!([{"name": "v1", "served": true}, {"name": "v1alpha1", "served": false}]);
        let defined = json!({"spec": {"group": "a.example", "names": {"kind": "A"}, "versions": versions}});
        assert!(defines(&defined, "a.example/v1", "A"));
        for (version, kind) in [("a.example/v1", "B"), ("b.example/v1", "A"), ("a.example/v1alpha1", "A")] {
            assert!(!defines(&defined, version, kind), "{version} {kind}");
        }
    }
}
