//! A check that a schema requires every key with a default of the chart. Helm removes a key that a
//! user sets to null, and a template that lacks it would fail without naming the key.

use anyhow::{Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;

/// Compares `schema` with the chart's `defaults`.
pub(super) fn check(schema: &Value, defaults: &Value) -> Result<()> {
    let mut complete = schema.clone();
    let mut added = Vec::new();
    require(&mut complete, defaults, "", &mut added);
    ensure!(added.is_empty(), "does not require {}; `cargo xtask chart --update` adds it", added.join(", "));
    Ok(())
}

/// Makes `schema` require the contents of `defaults`, at every depth that it describes itself. A
/// null is intended for a field that goes to Kubernetes unchanged (a `$ref`) and for an entry under
/// a name that the user chose.
pub(super) fn require(schema: &mut Value, defaults: &Value, at: &str, added: &mut Vec<String>) {
    let (Some(defaults), Some(properties)) = (defaults.as_object(), schema["properties"].as_object()) else { return };
    let known: Vec<String> = defaults.keys().filter(|key| properties.contains_key(*key)).cloned().collect();
    for key in &known {
        require(&mut schema["properties"][key], &defaults[key], &format!("{at}/{key}"), added);
    }
    let stands = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let mut required: BTreeSet<String> = stands.collect();
    added.extend(known.into_iter().filter(|key| required.insert(key.clone())).map(|key| format!("{at}/{key}")));
    if !required.is_empty() {
        schema["required"] = required.into_iter().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_default_of_ours_is_required_and_nothing_else() {
        let mut schema = json!({"properties": {
            "mesh": {"required": ["z"], "properties": {"type": {"type": "string"}, "z": {}}},
            "resources": {"$ref": "#/definitions/resources"},
            "labels": {"patternProperties": {}},
            "without": {},
        }});
        let defaults = json!({"mesh": {"type": "none"}, "resources": {"requests": {}}, "labels": {"a": "b"}});
        let message = check(&schema, &defaults).unwrap_err().to_string();
        assert!(message.contains("/mesh/type, /labels, /mesh, /resources;"), "{message}");
        require(&mut schema, &defaults, "", &mut Vec::new());
        check(&schema, &defaults).unwrap();
        assert_eq!(schema["required"], json!(["labels", "mesh", "resources"]));
        assert_eq!(schema["properties"]["mesh"]["required"], json!(["type", "z"]));
        assert!(schema["properties"]["resources"].get("required").is_none());
    }
}
