//! The form of a configuration file as JSON Schema, made from the structs themselves: for editors, and for whoever checks
//! a file before a server reads it. Bounds that `validate` knows are not in it.

use super::{Config, EditWindow, Secret, Size, SourceUrl, Span, TableRange};
use schemars::{
    JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema, transform::RecursiveTransform,
};
use serde_json::Value;
use std::borrow::Cow;

/// The schema of one file (draft 7). No key is required, because files, variables and defaults lie over each other, and
/// no other key is allowed, at any depth. What is secret is `writeOnly`.
pub fn schema() -> Value {
    let mut settings = SchemaSettings::draft07().for_deserialize();
    settings.inline_subschemas = true;
    let generator = settings.with_transform(RecursiveTransform(loosen)).into_generator();
    generator.into_root_schema_for::<Config>().to_value()
}

/// A file may leave out any key and has no null; how wide a number is, its bounds say.
fn loosen(schema: &mut Schema) {
    for key in ["required", "format", "title"] {
        schema.remove(key);
    }
    let Some(Value::Array(types)) = schema.get_mut("type") else { return };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        let only = only.clone();
        schema.insert("type".to_owned(), only);
    }
}

/// Gives a type that is written as a text the schema of that text.
macro_rules! text {
    ($type:ident, $($schema:tt)+) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", $($schema)+ })
            }
        }
    };
}

text!(Span, "pattern": "^\\s*[0-9]+\\s*(ms|s|min|h|d)\\s*$");
text!(Size, "pattern": "^\\s*[0-9]+\\s*(B|KiB|MiB|GiB)\\s*$");
text!(EditWindow, "pattern": "^(always|\\s*[0-9]+\\s*(ms|s|min|h|d)\\s*)$");
text!(TableRange, "pattern": "^\\s*[0-9]+\\s*(-\\s*[0-9]+\\s*)?$");
text!(Secret, "writeOnly": true);
text!(SourceUrl, "writeOnly": true);

#[cfg(test)]
mod tests {
    use super::schema;
    use crate::config::EXAMPLE;
    use serde_json::Value;

    /// Every key of every object in the schema, as a path; `*` stands for any name and for any item.
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
        assert!(at.get("required").is_none(), "{path} requires a key");
    }

    #[test]
    fn every_key_of_the_example_is_in_the_schema_and_no_object_takes_another() {
        let schema = schema();
        let mut known = Vec::new();
        paths(&schema, "", &mut known);
        let example: toml::Table = EXAMPLE.parse().unwrap();
        fn keys(table: &toml::Table, path: &str, found: &mut Vec<String>) {
            for (name, value) in table {
                let path = format!("{path}.{name}");
                if let Some(inner) = value.as_table() {
                    keys(inner, &path, found);
                }
                found.push(path);
            }
        }
        let mut named = Vec::new();
        keys(&example, "", &mut named);
        let missing: Vec<_> = named.iter().filter(|path| !known.contains(path)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(known.contains(&".store.sources.*.url".to_owned()), "{known:?}");
        assert!(known.contains(&".object_types.*.max_depth".to_owned()), "{known:?}");
    }

    #[test]
    fn what_is_secret_is_marked() {
        let schema = schema();
        for secret in [
            "/properties/store/properties/sources/items/properties/url",
            "/properties/cache/properties/url",
            "/properties/page_tokens/properties/keys/items",
        ] {
            let of = schema.pointer(secret).unwrap();
            assert_eq!((&of["writeOnly"], &of["type"]), (&Value::Bool(true), &Value::from("string")), "{secret}");
        }
    }
}
