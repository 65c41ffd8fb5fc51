//! The rendered objects.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// The render of one example.
#[derive(Debug)]
pub(super) struct Rendered {
    /// The name of the example.
    pub(super) name: String,
    /// Its objects, sorted by kind and name: the order and the layout of helm's output do not
    /// matter.
    pub(super) objects: Vec<Value>,
}

impl Rendered {
    /// Parses helm's output.
    pub(super) fn read(name: &str, text: &str) -> Result<Self> {
        let mut objects = documents(text).with_context(|| format!("{name} renders no YAML"))?;
        objects.sort_by_key(title);
        Ok(Self { name: name.to_owned(), objects })
    }

    /// Returns all objects as one text.
    pub(super) fn text(&self) -> Result<String> {
        let texts = self.objects.iter().map(yaml_serde::to_string).collect::<Result<Vec<_>, _>>()?;
        Ok(texts.iter().map(|text| format!("---\n{text}")).collect())
    }

    /// Returns the objects of a kind.
    pub(super) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.objects.iter().filter(move |object| object["kind"] == kind)
    }

    /// Returns the purpose and the spec of every pod that would be created.
    pub(super) fn pods(&self) -> Vec<(String, &Value)> {
        let spec = |object: &Value| match object["kind"].as_str() {
            Some("Deployment" | "Job") => Some("/spec/template/spec"),
            Some("Pod") => Some("/spec"),
            Some(_) | None => None,
        };
        let pods = self.objects.iter().filter_map(|object| Some((title(object), object.pointer(spec(object)?)?)));
        pods.collect()
    }

    /// Returns the server's configuration file that the chart made.
    pub(super) fn file(&self) -> Result<&str> {
        let mut maps = self.of_kind("ConfigMap").filter_map(|map| map["data"]["riposte.toml"].as_str());
        maps.next().with_context(|| format!("{}: no ConfigMap holds riposte.toml", self.name))
    }
}

/// Returns all non-empty documents of a YAML text.
pub(super) fn documents(text: &str) -> Result<Vec<Value>> {
    let all = yaml_serde::Deserializer::from_str(text).map(Value::deserialize).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().filter(|document| !document.is_null()).collect())
}

/// Returns kind and name of an object.
pub(super) fn title(object: &Value) -> String {
    format!("{} {}", word(&object["kind"]), word(&object["metadata"]["name"]))
}

/// Returns a text; an empty one if the value is not a text.
pub(super) fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Calls `see` with every value that contains no other, and its path; items of lists appear there
/// as `[]`.
pub(super) fn leaves(value: &Value, path: &str, see: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, inner) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(inner, &path, see);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().for_each(|inner| leaves(inner, &format!("{path}[]"), see));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            see(path, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_without_content_are_none_and_leaves_have_their_paths() {
        let text = "---\n# nothing\n---\nkind: A\nmetadata: {name: b}\nlist: [{x: 1}, {x: 2}]\nempty: {}\n";
        let found = documents(text).unwrap();
        assert_eq!((found.len(), title(&found[0])), (1, "A b".to_owned()));
        let mut paths = Vec::new();
        leaves(&found[0], "", &mut |path, _| paths.push(path.to_owned()));
        assert_eq!(paths, ["empty", "kind", "list[].x", "list[].x", "metadata.name"]);
    }
}
