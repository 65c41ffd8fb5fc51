//! Kubernetes' types in values.schema.json, which have Kubernetes' names there. A misspelt field
//! would reject valid values, and a missing one would reject a value that a user needs.

use crate::chart::findings::Findings;
use crate::chart::objects::word;
use crate::chart::{CHART, policy};
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The packages that contain the types.
const PACKAGES: [&str; 3] = ["io.k8s.api.core.v1", "io.k8s.api.networking.v1", "io.k8s.apimachinery.pkg.apis.meta.v1"];
/// The types of single values, which have no fields.
const QUANTITY: &str = "Quantity";
/// Alpha fields: a cluster silently drops them unless its administrator has enabled them.
const ALPHA: [(&str, &str); 2] = [("EnvVarSource", "fileKeyRef"), ("VolumeProjection", "podCertificate")];

/// Checks every definition that begins with a capital letter.
pub(super) fn check(repo: &Repo, definitions: &Path, found: &mut Findings) -> Result<()> {
    let known: Value = serde_json::from_str(&fs::read_to_string(definitions)?)?;
    let schema: Value = serde_json::from_str(&fs::read_to_string(repo.at(CHART).join("values.schema.json"))?)?;
    let ours = schema["definitions"].as_object().context("values.schema.json defines nothing")?;
    for (name, definition) in ours.iter().filter(|(name, _)| name.starts_with(char::is_uppercase)) {
        if name != QUANTITY {
            found.judge(format!("values.schema.json, {name}"), same(name, definition, &known["$defs"]));
        }
    }
    Ok(())
}

/// Fails unless a type has the fields that Kubernetes defines and the chart may accept, and
/// requires the fields that Kubernetes requires.
fn same(name: &str, ours: &Value, known: &Value) -> Result<()> {
    let mut places = PACKAGES.iter().filter_map(|package| known.get(format!("{package}.{name}")));
    let theirs = places.next().with_context(|| format!("Kubernetes has no {name}"))?;
    let (has, knows) = (fields(ours), fields(theirs));
    let strange: Vec<&&str> = has.difference(&knows).collect();
    ensure!(strange.is_empty(), "Kubernetes knows no {strange:?}");
    let missing: Vec<&&str> = knows.difference(&has).filter(|field| !left_out(name, field)).collect();
    ensure!(missing.is_empty(), "Kubernetes knows {missing:?} too");
    let requires = |of: &Value, field: &Value| of["required"].as_array().is_some_and(|all| all.contains(field));
    let needed = theirs["required"].as_array().into_iter().flatten();
    let missing: Vec<&str> = needed.filter(|field| !requires(ours, field)).map(word).collect();
    ensure!(missing.is_empty(), "Kubernetes asks for {missing:?}");
    Ok(())
}

/// Returns the names of all fields.
fn fields(of: &Value) -> BTreeSet<&str> {
    of["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// Returns `true` for a field that Kubernetes defines and the chart does not accept.
fn left_out(name: &str, field: &str) -> bool {
    let volume = name == "Volume" && !policy::VOLUMES.contains(&field) && field != "name";
    volume || ALPHA.contains(&(name, field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known() -> Value {
        json!({
            "io.k8s.api.core.v1.VolumeMount": {"properties": {"name": {}, "mountPath": {}}, "required": ["name"]},
            "io.k8s.api.core.v1.Volume": {"properties": {"name": {}, "secret": {}, "hostPath": {}}, "required": ["name"]},
        })
    }

    fn message(name: &str, fields: &Value, required: &Value) -> String {
        let ours = json!({"properties": fields, "required": required});
        same(name, &ours, &known()).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_type_differs_by_a_field_or_by_what_it_requires() {
        let both = json!({"name": {}, "mountPath": {}});
        assert_eq!(message("VolumeMount", &both, &json!(["name", "mountPath"])), "");
        assert_eq!(
            message("VolumeMount", &json!({"name": {}}), &json!(["name"])),
            "Kubernetes knows [\"mountPath\"] too"
        );
        let misspelt = json!({"name": {}, "mountpath": {}});
        assert_eq!(message("VolumeMount", &misspelt, &json!(["name"])), "Kubernetes knows no [\"mountpath\"]");
        assert_eq!(message("VolumeMount", &both, &json!([])), "Kubernetes asks for [\"name\"]");
        assert_eq!(message("Mount", &both, &json!(["name"])), "Kubernetes has no Mount");
    }

    #[test]
    fn a_volume_that_restricted_pods_may_not_have_is_left_out() {
        assert_eq!(message("Volume", &json!({"name": {}, "secret": {}}), &json!(["name"])), "");
        assert_eq!(message("Volume", &json!({"name": {}}), &json!(["name"])), "Kubernetes knows [\"secret\"] too");
    }
}
