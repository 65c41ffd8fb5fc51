//! Objects of others' kinds, whose definitions no cluster here knows: each field we set must be one that its project
//! documents (helm/definitions.yaml), and each that it requires must be set.

use super::findings::Findings;
use super::objects::{Rendered, leaves, title, word};
use crate::repo::Repo;
use anyhow::{Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const FILE: &str = "helm/definitions.yaml";

/// Kinds by `apiVersion/kind`.
type Definitions = BTreeMap<String, Definition>;

/// What we know of a kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    /// Paths that must be there.
    required: Vec<String>,
    /// Paths that may be there, with the type of what stands there.
    fields: BTreeMap<String, Type>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Type {
    Text,
    Number,
    /// A text under any name.
    Texts,
}

/// Judges the objects of kinds with a dot in their group that is not Kubernetes' own.
pub(super) fn check(repo: &Repo, rendered: &Rendered, found: &mut Findings) -> Result<()> {
    let definitions: Definitions = yaml_serde::from_str(&fs::read_to_string(repo.at(FILE))?)?;
    for object in rendered.objects.iter().filter(|object| is_custom(object)) {
        found.judge(format!("{}, {}", rendered.name, title(object)), fits(&definitions, object));
    }
    Ok(())
}

/// Whether an object is of a kind that Kubernetes itself does not bring.
pub(super) fn is_custom(object: &Value) -> bool {
    let group = word(&object["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    group.contains('.') && (!group.ends_with(".k8s.io") || group.starts_with("gateway."))
}

fn fits(definitions: &Definitions, object: &Value) -> Result<()> {
    let kind = format!("{}/{}", word(&object["apiVersion"]), word(&object["kind"]));
    let definition = definitions.get(&kind);
    ensure!(definition.is_some(), "{FILE} does not know {kind}");
    let Some(Definition { required, fields }) = definition else { return Ok(()) };
    let mut paths = Vec::new();
    let mut wrong = Vec::new();
    leaves(&object["spec"], "spec", &mut |path, value| {
        let known = fields.get(path).map(|of| (*of, value)).or_else(|| {
            let around = path.rsplit_once('.')?.0;
            // A key may hold dots of its own.
            let mut around = Some(around);
            while let Some(at) = around {
                if matches!(fields.get(at), Some(Type::Texts)) {
                    return Some((Type::Text, value));
                }
                around = at.rsplit_once('.').map(|(before, _)| before);
            }
            None
        });
        let right = match known {
            Some((Type::Text, value)) => value.is_string(),
            Some((Type::Number, value)) => value.is_number(),
            Some((Type::Texts, value)) => value.as_object().is_some_and(serde_json::Map::is_empty),
            None => false,
        };
        if !right {
            wrong.push(format!("{path} = {value}"));
        }
        paths.push(path.to_owned());
    });
    ensure!(wrong.is_empty(), "unknown or of another type: {}", wrong.join(", "));
    let there = |path: &str| {
        paths.iter().any(|known| {
            known == path || known.starts_with(&format!("{path}.")) || known.starts_with(&format!("{path}["))
        })
    };
    let missing: Vec<&String> = required.iter().filter(|path| !there(path)).collect();
    ensure!(missing.is_empty(), "missing: {missing:?}");
    Ok(())
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
