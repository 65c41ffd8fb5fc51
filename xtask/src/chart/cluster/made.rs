//! A definition of a kind, derived only from the fields in helm/definitions.yaml.

use crate::chart::custom::{Definition, Type};
use serde_json::{Map, Value, json};

/// Returns the definition in the form of the API server.
pub(super) fn made(version: &str, kind: &str, definition: &Definition) -> Value {
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    let singular = kind.to_lowercase();
    let plural = singular.strip_suffix('y').map_or_else(|| format!("{singular}s"), |stem| format!("{stem}ies"));
    let mut schema = json!({"type": "object", "properties": {}});
    for (path, of) in &definition.fields {
        set(&mut schema, path, *of);
    }
    let names = json!({"kind": kind, "singular": singular, "plural": plural});
    let versions = json!([
        {"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
    ]);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            // The API server rejects groups of Kubernetes' own projects without this annotation.
            "annotations": {"api-approved.kubernetes.io": "unapproved, made for checks"},
        },
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions},
    })
}

/// Adds a field to a schema; `[]` after a name stands for the items of a list.
fn set(schema: &mut Value, path: &str, of: Type) {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let (name, is_list) = name.strip_suffix("[]").map_or((name, false), |name| (name, true));
    if !schema["properties"].is_object() {
        *schema = json!({"type": "object", "properties": {}});
    }
    let field = &mut schema["properties"][name];
    if is_list && !field.is_object() {
        *field = json!({"type": "array", "items": Map::new()});
    }
    let field = if is_list { &mut field["items"] } else { field };
    match rest {
        Some(rest) => set(field, rest, of),
        None => *field = leaf(of),
    }
}

fn leaf(of: Type) -> Value {
    match of {
        Type::Text => json!({"type": "string"}),
        Type::Number => json!({"type": "integer"}),
        Type::Texts => json!({"type": "object", "additionalProperties": {"type": "string"}}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_a_schema() {
        let definition: Definition = yaml_serde::from_str(
            "{required: [], fields: {spec.port: number, 'spec.to[].name': text, 'spec.to[].on': texts, 'spec.all[]': text}}",
        )
        .unwrap();
        let made = made("a.example/v1", "NicePolicy", &definition);
        assert_eq!(made["metadata"]["name"], "nicepolicies.a.example");
        let spec = &made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let to = json!({"type": "object", "properties": {"name": {"type": "string"}, "on": texts}});
        assert_eq!(spec["properties"]["port"]["type"], "integer");
        assert_eq!(spec["properties"]["to"], json!({"type": "array", "items": to}));
        assert_eq!(spec["properties"]["all"], json!({"type": "array", "items": {"type": "string"}}));
    }
}
