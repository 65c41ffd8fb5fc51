//! Objects of custom kinds, which no local cluster defines: each field that the chart sets must be
//! documented by the kind's project (helm/definitions.yaml), and each field that the project
//! requires must be set.

use super::findings::Findings;
use super::objects::{Rendered, leaves, title, word};
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const FILE: &str = "helm/definitions.yaml";

/// Kinds by `apiVersion/kind`.
pub(super) type Definitions = BTreeMap<String, Definition>;

/// The known fields of a kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// Paths that must be set.
    pub(super) required: Vec<String>,
    /// Paths that may be set, with the types of their values.
    pub(super) fields: BTreeMap<String, Type>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    Text,
    Number,
    /// A map of any name to a text.
    Texts,
}

/// Reads all known definitions.
pub(super) fn definitions(repo: &Repo) -> Result<Definitions> {
    Ok(yaml_serde::from_str(&fs::read_to_string(repo.at(FILE))?)?)
}

/// Checks the objects whose group contains a dot and is not one of Kubernetes' own.
pub(super) fn check(repo: &Repo, rendered: &Rendered, found: &mut Findings) -> Result<()> {
    let definitions = definitions(repo)?;
    for object in rendered.objects.iter().filter(|object| is_custom(object)) {
        found.judge(format!("{}, {}", rendered.name, title(object)), fits(&definitions, object));
    }
    Ok(())
}

/// Returns `true` if Kubernetes itself does not define the object's kind.
pub(super) fn is_custom(object: &Value) -> bool {
    let group = word(&object["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    group.contains('.') && (!group.ends_with(".k8s.io") || group.starts_with("gateway."))
}

fn fits(definitions: &Definitions, object: &Value) -> Result<()> {
    let kind = format!("{}/{}", word(&object["apiVersion"]), word(&object["kind"]));
    let Definition { required, fields } =
        definitions.get(&kind).with_context(|| format!("{FILE} does not know {kind}"))?;
    let (mut paths, mut wrong) = (Vec::new(), Vec::new());
    leaves(&object["spec"], "spec", &mut |path, value| {
        let right = match type_at(fields, path) {
            Some(Type::Text) => value.is_string(),
            Some(Type::Number) => value.is_number(),
            Some(Type::Texts) => value.as_object().is_some_and(serde_json::Map::is_empty),
            None => false,
        };
        if !right {
            wrong.push(format!("{path} = {value}"));
        }
        paths.push(path.to_owned());
    });
    ensure!(wrong.is_empty(), "unknown or of another type: {}", wrong.join(", "));
    let below = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    let there = |path: &str| paths.iter().any(|known| known.strip_prefix(path).is_some_and(below));
    let missing: Vec<&String> = required.iter().filter(|path| !there(path)).collect();
    ensure!(missing.is_empty(), "missing: {missing:?}");
    Ok(())
}

/// Returns the type that is allowed at a path.
fn type_at(fields: &BTreeMap<String, Type>, path: &str) -> Option<Type> {
    if let Some(of) = fields.get(path) {
        return Some(*of);
    }
    // Names in a map of texts may contain dots.
    let mut around = path;
    while let Some((before, _)) = around.rsplit_once('.') {
        if matches!(fields.get(before), Some(Type::Texts)) {
            return Some(Type::Text);
        }
        around = before;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_fields_wrong_types_and_gaps_are_found() {
        let definitions: Definitions = yaml_serde::from_str(
            "a.example/v1/A: {required: [spec.port], fields: {spec.port: number, spec.on.labels: texts, 'spec.to[].name': text}}",
        )
        .unwrap();
        let object =
            |spec: Value| json!({"apiVersion": "a.example/v1", "kind": "A", "metadata": {"name": "x"}, "spec": spec});
        let good = json!({"port": 1, "on": {"labels": {"app.kubernetes.io/name": "x"}}, "to": [{"name": "y"}]});
        fits(&definitions, &object(good)).unwrap();
        for spec in [
            json!({"port": "1"}),
            json!({"port": 1, "prot": 1}),
            json!({"on": {"labels": {}}}),
            json!({"port": 1, "to": [{"nam": "y"}]}),
        ] {
            assert!(fits(&definitions, &object(spec.clone())).is_err(), "{spec}");
        }
        assert!(is_custom(&json!({"apiVersion": "gateway.networking.k8s.io/v1"})));
        assert!(
            !is_custom(&json!({"apiVersion": "networking.k8s.io/v1"})) && !is_custom(&json!({"apiVersion": "apps/v1"}))
        );
    }
}
