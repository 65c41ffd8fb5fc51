//! A bill of materials in the JSON form of CycloneDX 1.6, the same for the same packages.

use super::tree::{Package, Tree};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The bill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bill {
    bom_format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: Value,
    components: Vec<Component>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    version: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Value>,
    purl: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: Vec<String>,
}

/// The part of Cargo.lock that has the hashes.
#[derive(Debug, Deserialize)]
struct LockFile {
    package: Vec<LockedPackage>,
}

#[derive(Debug, Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    checksum: Option<String>,
}

impl Bill {
    /// Makes the bill of a tree, whose root is a component of this kind.
    pub(super) fn of(tree: &Tree, kind: &str, lock: &str) -> Result<Self> {
        let lock: LockFile = toml::from_str(lock).context("Cargo.lock")?;
        let named = |found: LockedPackage| Some(((found.name, found.version), found.checksum?));
        let hashes: BTreeMap<(String, String), String> = lock.package.into_iter().filter_map(named).collect();
        let component = |package: &Package, kind: &str| Component {
            kind: kind.to_owned(),
            reference: purl(package),
            name: package.name.clone(),
            version: package.version.clone(),
            licenses: licence(tree.licences.get(package).map_or("", String::as_str)),
            hashes: hashes
                .get(&(package.name.clone(), package.version.clone()))
                .map(|content| json!({ "alg": "SHA-256", "content": content }))
                .into_iter()
                .collect(),
            purl: purl(package),
        };
        let root = tree.root.as_ref().context("a tree without a root")?;
        let others = tree.edges.keys().filter(|package| *package != root);
        let dependency = |(package, on): (&Package, &std::collections::BTreeSet<Package>)| Dependency {
            reference: purl(package),
            depends_on: on.iter().map(purl).collect(),
        };
        Ok(Self {
            bom_format: "CycloneDX",
            spec_version: "1.6",
            version: 1,
            metadata: json!({ "component": component(root, kind) }),
            components: others.map(|package| component(package, "library")).collect(),
            dependencies: tree.edges.iter().map(dependency).collect(),
        })
    }

    /// Returns the text of the file.
    pub(super) fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

fn purl(package: &Package) -> String {
    // A version with metadata has a plus sign, which a package URL encodes.
    format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B"))
}

/// Returns the licence as an expression; manifests of old packages have a slash for OR.
fn licence(text: &str) -> Vec<Value> {
    let expression = text.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ");
    if expression.is_empty() { Vec::new() } else { vec![json!({ "expression": expression })] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_has_the_packages_with_licences_hashes_and_edges() {
        let tree = Tree::parse("0a v0.1.0|Apache-2.0|\n1b v1.2.3+4|MIT/Apache-2.0|\n").unwrap();
        let lock = "[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n\
                    [[package]]\nname = \"b\"\nversion = \"1.2.3+4\"\nchecksum = \"00ff\"\n";
        let text = Bill::of(&tree, "application", lock).unwrap().to_json().unwrap();
        let bill: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&json!("CycloneDX"), &json!("1.6")));
        assert_eq!(bill["metadata"]["component"]["type"], "application");
        assert_eq!(bill["metadata"]["component"]["bom-ref"], "pkg:cargo/a@0.1.0");
        assert_eq!(
            bill["components"],
            json!([{
                "type": "library",
                "bom-ref": "pkg:cargo/b@1.2.3%2B4",
                "name": "b",
                "version": "1.2.3+4",
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
                "hashes": [{ "alg": "SHA-256", "content": "00ff" }],
                "purl": "pkg:cargo/b@1.2.3%2B4",
            }])
        );
        assert_eq!(
            bill["dependencies"][0],
            json!({ "ref": "pkg:cargo/a@0.1.0", "dependsOn": ["pkg:cargo/b@1.2.3%2B4"] })
        );
    }
}
