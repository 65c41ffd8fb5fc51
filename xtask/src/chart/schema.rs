//! values.schema.json: strict at every depth, and under `config` exactly the configuration of the
//! server.

mod required;
mod strict;

use super::findings::Findings;
use super::{CHART, removed};
use crate::repo::Repo;
use crate::run::output_of;
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};
use std::fs;

/// File paths, which follow from the chart's mounts, and roles, which depend on whether it makes
/// workers.
const SET_BY_THE_CHART: [(&str, &str); 7] = [
    ("/properties/server", "tls"),
    ("/properties/server", "roles"),
    ("/properties/auth", "callers_file"),
    ("/properties/store", "data_dir"),
    ("/properties/store/properties/sources/items", "url_file"),
    ("/properties/cache", "url_file"),
    ("/properties/page_tokens", "key_files"),
];

/// The place of the server's configuration in the chart's schema.
const CONFIG: &str = "/properties/config";

/// Compares the schema of `config` with the server's, or writes it. Finds places that accept
/// anything, and compares versions.
pub(super) fn check(repo: &Repo, update: bool, found: &mut Findings) -> Result<()> {
    let path = repo.at(CHART).join("values.schema.json");
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(&path)?).context("values.schema.json")?;
    let output = output_of(repo.clean(repo.server_binary()).args(["config", "schema"]))?;
    let defaults: Value = yaml_serde::from_str(&fs::read_to_string(repo.at(CHART).join("values.yaml"))?)?;
    let mut config = open_to_users(serde_json::from_str(&output).context("riposte config schema")?)?;
    required::require(&mut config, &defaults["config"], "", &mut Vec::new());
    open_removed(&mut config, removed::places(repo)?.iter().filter_map(|place| place.strip_prefix(CONFIG)));
    let at = schema.pointer_mut(CONFIG).context("values.schema.json has no config")?;
    if update {
        *at = config.clone();
        required::require(&mut schema, &defaults, "", &mut Vec::new());
        fs::write(&path, format!("{schema:#}\n"))?;
    }
    let same = schema.pointer(CONFIG) == Some(&config);
    let drifted = || anyhow!("is not what `riposte config schema` says; `cargo xtask chart --update` writes it");
    found.judge("values.schema.json, config", if same { Ok(()) } else { Err(drifted()) });
    found.judge("values.schema.json", strict::check(&schema, &removed::places(repo)?));
    found.judge("values.schema.json, defaults", required::check(&schema, &defaults));
    found.judge("Chart.yaml", versions(repo));
    Ok(())
}

/// Returns the server's schema without the keys that must not be in a ConfigMap and those that the
/// chart sets itself.
fn open_to_users(mut config: Value) -> Result<Value> {
    for (table, key) in SET_BY_THE_CHART {
        let table = config.pointer_mut(table).with_context(|| format!("the server has no {table}"))?;
        let gone = table["properties"].as_object_mut().and_then(|properties| properties.remove(key));
        ensure!(gone.is_some(), "the server has no key {key}");
    }
    drop_secrets(&mut config);
    config.as_object_mut().context("the schema is not an object")?.remove("$schema");
    Ok(config)
}

/// Opens the places of removed keys, so that the chart rejects them itself, with their successors.
/// A place below an open one needs nothing.
fn open_removed<'a>(config: &mut Value, places: impl Iterator<Item = &'a str>) {
    for place in places {
        let Some((table, key)) = place.rsplit_once("/properties/") else { continue };
        let properties = config.pointer_mut(table).and_then(|table| table.get_mut("properties"));
        if let Some(properties) = properties.and_then(Value::as_object_mut) {
            properties.entry(key).or_insert_with(|| json!({}));
        }
    }
}

/// Removes every key whose value is a secret or a list of secrets.
fn drop_secrets(schema: &mut Value) {
    let secret = |of: &Value| of["writeOnly"] == true || of["items"]["writeOnly"] == true;
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|_, of| !secret(of));
        properties.values_mut().for_each(drop_secrets);
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(of) = schema.get_mut(inner) {
            drop_secrets(of);
        }
    }
}

/// Checks the versions: chart and server are released together.
fn versions(repo: &Repo) -> Result<()> {
    let chart: Value = yaml_serde::from_str(&fs::read_to_string(repo.at(CHART).join("Chart.yaml"))?)?;
    let manifest: toml::Table = fs::read_to_string(repo.at("Cargo.toml"))?.parse()?;
    let version = manifest["workspace"]["package"]["version"].as_str().context("the workspace has no version")?;
    for key in ["version", "appVersion"] {
        ensure!(chart[key] == version, "{key} is {}, the workspace's version {version}", chart[key]);
    }
    ensure!(chart["dependencies"].as_array().is_some_and(Vec::is_empty), "it has dependencies");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_key_is_open_and_a_removed_section_covers_its_keys() {
        let mut config = json!({"properties": {"cache": {"properties": {"ttl": {"type": "string"}}}}});
        let places = ["/properties/cache", "/properties/cache/properties/age", "/properties/queues"];
        open_removed(&mut config, places.into_iter().chain(["/properties/queues/properties/depth"]));
        let cache = json!({"properties": {"ttl": {"type": "string"}, "age": {}}});
        assert_eq!(config, json!({"properties": {"cache": cache, "queues": {}}}));
    }

    #[test]
    fn secrets_mounted_paths_and_roles_leave_the_schema() {
        let text = |secret: bool| {
            if secret { json!({"type": "string", "writeOnly": true}) } else { json!({"type": "string"}) }
        };
        let files = json!({"type": "array", "items": text(false)});
        let source = json!({"url": text(true), "url_file": text(false), "tables": text(false)});
        let sources = json!({"type": "array", "items": {"properties": source}});
        let config = json!({"$schema": "x", "properties": {
            "server": {"properties": {"tls": {}, "roles": {}, "listen": text(false)}},
            "auth": {"properties": {"callers_file": text(false)}},
            "store": {"properties": {"data_dir": text(false), "sources": sources}},
            "cache": {"properties": {"url": text(true), "url_file": text(false)}},
            "page_tokens": {"properties": {"key_files": files, "keys": {"type": "array", "items": text(true)}}},
        }});
        let left = open_to_users(config).unwrap();
        let at = |path: &str| left.pointer(path).is_some();
        assert!(at("/properties/server/properties/listen"));
        assert!(!at("/properties/server/properties/tls") && !at("/properties/server/properties/roles"));
        assert!(at("/properties/store/properties/sources/items/properties/tables"));
        for table in ["store/properties/sources/items", "cache"] {
            assert!(!at(&format!("/properties/{table}/properties/url")), "{table}");
            assert!(!at(&format!("/properties/{table}/properties/url_file")), "{table}");
        }
        assert!(left["properties"]["page_tokens"]["properties"] == json!({}) && !at("/$schema"));
    }
}
