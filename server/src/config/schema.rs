//! The JSON Schema of a configuration file, derived from the structs, for editors and for checks of
//! a file before a server reads it. Bounds that only `validate` checks are not part of it.
//!
//! A [`Config`] is deserialized from a probe, which supplies samples to each field and records the
//! requested types. A text is tried in all forms until its type accepts one. A value that is
//! formatted as the mask is secret.

mod probe;

use super::Config;
use probe::{Probe, Tries};
use riposte_settings::MASK;
use serde::{Deserialize, de::value::Error};
use serde_json::{Value, json};

/// Pattern for the names of object types: a bound of `validate` that an editor should know too.
const OBJECT_TYPE: &str = "^[a-z][a-z0-9_]{0,31}$";

/// Returns the schema of one file (draft 7). No key is required, because files, variables and
/// defaults are merged; no unknown key is allowed, at any depth. Secrets are `writeOnly`.
///
/// # Errors
/// A text has a form that is not in [`probe::FORMS`].
pub fn schema() -> Result<Value, Error> {
    let mut tries = Tries::default();
    loop {
        let mut root = Value::Null;
        match Config::deserialize(Probe::new(&mut root, &mut tries)) {
            Ok(config) => {
                let printed = serde_json::to_value(&config).map_err(serde::de::Error::custom)?;
                mark(&mut root, &printed);
                root["properties"]["object_types"]["propertyNames"] = json!({ "pattern": OBJECT_TYPE });
                root["$schema"] = json!("http://json-schema.org/draft-07/schema#");
                return Ok(root);
            }
            // The text that was supplied last is the one that was rejected.
            Err(error) if !tries.another() => return Err(error),
            Err(_) => {}
        }
    }
}

/// Marks values that are formatted as the mask.
fn mark(schema: &mut Value, printed: &Value) {
    match printed {
        Value::Object(fields) => {
            for (name, inner) in fields {
                // A table with user-defined names has one sample.
                let found = match schema.get("properties") {
                    Some(_) => schema.pointer_mut(&format!("/properties/{name}")),
                    None => schema.get_mut("additionalProperties"),
                };
                found.into_iter().for_each(|schema| mark(schema, inner));
            }
        }
        Value::Array(items) => {
            for (inner, schema) in items.iter().zip(schema.get_mut("items")) {
                mark(schema, inner);
            }
        }
        Value::String(text) if text == MASK => schema["writeOnly"] = json!(true),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::schema;
    use crate::config::EXAMPLE;
    use serde_json::{Value, json};

    /// Collects the path of every key of every object in the schema; `*` stands for any name and
    /// any item.
    fn paths(at: &Value, path: &str, found: &mut Vec<String>) {
        if let Some(Value::Object(properties)) = at.get("properties") {
            assert_eq!(at["additionalProperties"], false, "{path} takes any key");
            for (name, inner) in properties {
                let path = format!("{path}.{name}");
                paths(inner, &path, found);
                found.push(path);
            }
        }
        for inner in [at.get("items"), at.get("additionalProperties").filter(|inner| inner.is_object())] {
            inner.into_iter().for_each(|inner| paths(inner, &format!("{path}.*"), found));
        }
    }

    fn keys(table: &toml::Table, path: &str, found: &mut Vec<String>) {
        for (name, value) in table {
            let path = format!("{path}.{name}");
            value.as_table().into_iter().for_each(|inner| keys(inner, &path, found));
            found.push(path);
        }
    }

    #[test]
    fn every_key_of_the_example_is_in_the_schema_and_no_object_takes_another() {
        let (mut known, mut named) = (Vec::new(), Vec::new());
        paths(&schema().unwrap(), "", &mut known);
        keys(&EXAMPLE.parse().unwrap(), "", &mut named);
        let missing: Vec<_> = named.iter().filter(|path| !known.contains(path)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        for path in [".store.sources.*.url", ".server.tls.cert_file", ".object_types.*.max_depth"] {
            assert!(known.contains(&path.to_owned()), "{path} is not in {known:?}");
        }
    }

    #[test]
    fn the_schema_keeps_its_golden_text() {
        let text = serde_json::to_string_pretty(&schema().unwrap()).unwrap() + "\n";
        let golden = include_str!("../../golden/config_schema.json");
        assert!(golden == text, "keys of the configuration have changed; the schema as it is now:\n{text}");
    }

    #[test]
    fn each_type_is_learned() {
        let schema = schema().unwrap();
        let at = |path: &str| schema.pointer(&format!("/properties/{}", path.replace('.', "/properties/"))).unwrap();
        assert_eq!(at("hot.enabled"), &json!({"type": "boolean"}));
        assert_eq!(at("store.index_tables"), &json!({"type": "integer", "minimum": 0, "maximum": 65_535}));
        assert_eq!(at("log.filter"), &json!({"type": "string"}));
        assert_eq!(at("telemetry.sampling_ratio"), &json!({"type": "number"}));
        assert_eq!(at("cache.kind"), &json!({"enum": ["none", "memory", "redis"]}));
        for (path, like) in [
            ("server.drain_delay", "(ms|s|min|h|d)"),
            ("hot.memory", "(B|KiB|MiB|GiB)"),
            ("server.listen", ":[0-9]+$"),
            ("object_type_defaults.edit_window", "always"),
        ] {
            assert!(at(path)["pattern"].as_str().unwrap().contains(like), "{path}: {}", at(path));
        }
        let sources = &at("store.sources")["items"]["properties"];
        assert!(sources["subject_tables"]["pattern"].as_str().unwrap().contains('-'), "{sources}");
    }

    #[test]
    fn object_types_have_names() {
        let schema = schema().unwrap();
        let of = &schema["properties"]["object_types"];
        assert_eq!(of["propertyNames"]["pattern"], "^[a-z][a-z0-9_]{0,31}$");
        assert!(of["additionalProperties"]["properties"]["max_depth"].is_object(), "{of}");
    }

    #[test]
    fn what_is_secret_is_marked_and_nothing_else() {
        let text = schema().unwrap().to_string();
        assert_eq!(text.matches("writeOnly").count(), 4, "{text}");
        let schema = schema().unwrap();
        for secret in [
            "/properties/store/properties/sources/items/properties/url",
            "/properties/cache/properties/url",
            "/properties/page_tokens/properties/keys/items",
            "/properties/telemetry/properties/headers",
        ] {
            assert_eq!(schema.pointer(secret).unwrap()["writeOnly"], true, "{secret}");
        }
    }
}
