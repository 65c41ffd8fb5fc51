//! The output of `cargo tree`.

use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};

/// The form of a line, after its depth: name and version, licence, and a bar that separates them
/// from the mark of a package whose dependencies stand at an earlier line.
pub(super) const FORMAT: &str = "{p}|{l}|";

/// A package: its name and its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
}

/// A package with all that it depends on.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) root: Option<Package>,
    /// The licence of each package, as its manifest has it.
    pub(super) licences: BTreeMap<Package, String>,
    /// The packages that each package depends on.
    pub(super) edges: BTreeMap<Package, BTreeSet<Package>>,
}

impl Tree {
    /// Reads lines of a depth and [`FORMAT`].
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut tree = Self::default();
        let mut above: Vec<Package> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
            let (depth, rest) = line.split_at(digits);
            let depth: usize = depth.parse().with_context(|| format!("no depth: {line}"))?;
            let (package, licence) = described(rest).with_context(|| format!("no package: {line}"))?;
            ensure!(depth <= above.len(), "a package without what depends on it: {line}");
            above.truncate(depth);
            tree.licences.insert(package.clone(), licence.to_owned());
            tree.edges.entry(package.clone()).or_default();
            match above.last() {
                Some(parent) => {
                    tree.edges.entry(parent.clone()).or_default().insert(package.clone());
                }
                None => tree.root = Some(package.clone()),
            }
            above.push(package);
        }
        ensure!(tree.root.is_some(), "cargo tree has written nothing");
        Ok(tree)
    }
}

/// Returns the package and the licence of a line; the version may be followed by a path.
fn described(rest: &str) -> Option<(Package, &str)> {
    let mut parts = rest.split('|');
    let (package, licence) = (parts.next()?, parts.next()?);
    let mut words = package.split(' ');
    let (name, version) = (words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned());
    Some((Package { name, version }, licence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_edges_and_licences_are_read_from_lines_with_depths() {
        let text = "0a v0.1.0 (/w/a)|Apache-2.0|\n1b v1.2.3|MIT/Apache-2.0|\n2c v0.9.0|MIT|\n1c v0.9.0|MIT| (*)\n";
        let tree = Tree::parse(text).unwrap();
        let package = |name: &str, version: &str| Package { name: name.to_owned(), version: version.to_owned() };
        let (a, b, c) = (package("a", "0.1.0"), package("b", "1.2.3"), package("c", "0.9.0"));
        assert_eq!(tree.root, Some(a.clone()));
        assert_eq!(tree.edges[&a], BTreeSet::from([b.clone(), c.clone()]));
        assert_eq!((&tree.edges[&b], tree.edges[&c].len()), (&BTreeSet::from([c.clone()]), 0));
        assert_eq!(tree.licences[&b], "MIT/Apache-2.0");
    }

    #[test]
    fn lines_that_are_no_packages_are_errors() {
        for text in ["", "a v1.0.0|MIT|", "0a|MIT|", "0a v1.0.0|MIT|\n2b v1.0.0|MIT|"] {
            assert!(Tree::parse(text).is_err(), "{text:?}");
        }
    }
}
