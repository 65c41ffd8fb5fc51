//! A check that a schema is strict: it describes the allowed value of every place, so that it
//! rejects a typo at any depth.

use anyhow::{Result, ensure};
use serde_json::Value;

/// Places that cannot be described: whole objects of any kind, the value of a patch at any path,
/// and the global values of a parent chart.
const FREE: [&str; 3] =
    ["/definitions/patches/items/properties/value", "/properties/extraObjects/items", "/properties/global"];
/// The place whose keys the server names; the server also checks the keys that users name.
const CONFIG: &str = "/properties/config/";

/// Fails unless every place is described, except those that cannot be and those in `removed`, which
/// stay open for a while.
pub(super) fn check(schema: &Value, removed: &[String]) -> Result<()> {
    let (mut faults, mut free) = (Vec::new(), Vec::new());
    walk(schema, "", &mut |at, takes| {
        if FREE.contains(&at) {
            free.push(at.to_owned());
        } else if !removed.iter().any(|place| place == at) {
            faults.push(format!("{} takes {takes}", if at.is_empty() { "the top" } else { at }));
        }
    });
    // A needless exception would hide the next open place at that path.
    let needless = FREE.iter().filter(|at| !free.iter().any(|open| open == *at));
    faults.extend(needless.map(|at| format!("{at} takes nothing unknown, and need not be excepted")));
    ensure!(faults.is_empty(), "{}", faults.join(", "));
    Ok(())
}

/// Calls `see` with every place that accepts more than is described, as a JSON pointer, and with a
/// description of what it accepts. Schemas under `if`, `allOf` and the like only narrow the schema
/// that contains them.
fn walk(schema: &Value, at: &str, see: &mut impl FnMut(&str, &str)) {
    if let Some(takes) = more(schema, at) {
        see(at, takes);
    }
    for table in ["definitions", "properties", "patternProperties"] {
        for (name, inner) in schema[table].as_object().into_iter().flatten() {
            walk(inner, &format!("{at}/{table}/{}", name.replace('~', "~0").replace('/', "~1")), see);
        }
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(name).filter(|inner| inner.is_object()) {
            walk(inner, &format!("{at}/{name}"), see);
        }
    }
}

/// Returns a description of the undescribed values that a place accepts.
fn more(schema: &Value, at: &str) -> Option<&'static str> {
    // In this draft a reference disables all keywords of the same object.
    if schema.get("$ref").is_some() {
        return None;
    }
    if ["type", "enum", "const"].iter().all(|word| schema.get(word).is_none()) {
        return Some("anything");
    }
    if may_be(schema, "array") && !schema["items"].is_object() {
        return Some("any item");
    }
    if !may_be(schema, "object") {
        return None;
    }
    let mut patterns = schema["patternProperties"].as_object().into_iter().flatten().map(|(pattern, _)| pattern);
    match &schema["additionalProperties"] {
        // A pattern without both anchors also matches inside any longer name.
        Value::Bool(false) if patterns.any(|pattern| !(pattern.starts_with('^') && pattern.ends_with('$'))) => {
            Some("any name that holds its pattern")
        }
        Value::Bool(false) => None,
        Value::Object(_) if at.starts_with(CONFIG) => None,
        Value::Object(_) => Some("any name"),
        Value::Null | Value::Bool(true) | Value::Number(_) | Value::String(_) | Value::Array(_) => Some("any key"),
    }
}

/// Returns `true` if the place may hold a value of this type.
fn may_be(schema: &Value, kind: &str) -> bool {
    let among = |kinds: &Vec<Value>| kinds.iter().any(|of| of == kind);
    schema["type"] == kind || schema["type"].as_array().is_some_and(among)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns every open place of a schema, with a description of what it accepts.
    fn open(schema: &Value) -> Vec<String> {
        let mut found = Vec::new();
        walk(schema, "", &mut |at, takes| found.push(format!("{at}: {takes}")));
        found
    }

    fn closed(properties: &Value) -> Value {
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }

    #[test]
    fn described_places_are_strict() {
        let named = json!({"type": "object", "patternProperties": {"^[a-z/]+$": {"type": "string"}}, "additionalProperties": false});
        let complete = json!({"type": ["integer", "string"], "pattern": "^[0-9]+%$"});
        let narrowed = json!({"type": "array", "items": {"$ref": "#/definitions/x"}, "if": {"minItems": 2}, "then": {"maxItems": 3}});
        let all = json!({"a": named, "b": complete, "c": {"enum": ["x", "y"]}, "d": narrowed});
        assert_eq!(open(&closed(&all)), [""; 0]);
    }

    #[test]
    fn every_kind_of_open_place_is_found_at_any_depth() {
        let place = |inner: Value| closed(&json!({"x": {"type": "array", "items": closed(&json!({"y": inner}))}}));
        for (inner, takes) in [
            (json!({}), "anything"),
            (json!(true), "anything"),
            (json!({"$comment": "Kubernetes knows it.", "properties": {}}), "anything"),
            (json!({"type": "object"}), "any key"),
            (json!({"$comment": "Kubernetes knows it.", "type": "object"}), "any key"),
            (json!({"type": ["object", "null"], "additionalProperties": true}), "any key"),
            (json!({"type": "object", "additionalProperties": {"type": "string"}}), "any name"),
            (
                json!({"type": "object", "patternProperties": {"[a-z]": {"type": "string"}}, "additionalProperties": false}),
                "any name that holds its pattern",
            ),
            (json!({"type": "array"}), "any item"),
            (json!({"type": "array", "items": true}), "any item"),
            (json!({"type": "array", "items": [{"type": "string"}]}), "any item"),
        ] {
            let found = open(&place(inner.clone()));
            assert_eq!(found, [format!("/properties/x/items/properties/y: {takes}")], "{inner}");
        }
    }

    #[test]
    fn definitions_patterns_and_values_of_names_are_checked() {
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "definitions": {"a": {"type": "object"}},
            "patternProperties": {"^a/b~$": {"type": "array"}},
            "properties": {"config": closed(&json!({"types": {"type": "object", "additionalProperties": {"type": "object"}}}))},
        });
        let found = [
            "/definitions/a: any key",
            "/properties/config/properties/types/additionalProperties: any key",
            "/patternProperties/^a~1b~0$: any item",
        ];
        assert_eq!(open(&schema), found);
    }

    #[test]
    fn only_places_that_cannot_be_described_are_exceptions() {
        let open = json!({"type": "object"});
        let patches = json!({"type": "array", "items": closed(&json!({"value": {}}))});
        let objects = json!({"type": "array", "items": open});
        let mut schema = closed(&json!({"extraObjects": objects, "global": open, "gone": {}}));
        schema["definitions"] = json!({"patches": patches});
        check(&schema, &["/properties/gone".to_owned()]).unwrap();
        assert!(check(&schema, &[]).unwrap_err().to_string().contains("/properties/gone takes anything"));
        schema["properties"]["global"] = closed(&json!({}));
        let message = check(&schema, &["/properties/gone".to_owned()]).unwrap_err().to_string();
        assert!(message.contains("/properties/global takes nothing unknown"), "{message}");
    }
}
