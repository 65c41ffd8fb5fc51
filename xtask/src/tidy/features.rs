//! One set of features: each crate of the server has the same features when the server is built
//! alone, as `cargo run --release` builds it, and when it is built with all tests. Otherwise both
//! builds share nothing from that crate on, and the checks compile most dependencies twice.

use super::Violation;
use crate::build::EVERYTHING;
use crate::repo::Repo;
use crate::run::output_of;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// The server alone.
const ALONE: [&str; 5] = ["--package", "riposte", "--edges", "normal,build", "--locked"];
/// The edges of a build with tests.
const WITH_TESTS: [&str; 2] = ["--edges", "normal,build,dev"];
/// One line for each crate: its name and version, and its features.
const LINES: [&str; 4] = ["--prefix", "none", "--format", "{p}\t{f}"];

/// The features of the crates of a build, by name and version. A crate has several sets if it
/// belongs to the server and to a build script or macro.
type Features = BTreeMap<String, BTreeSet<String>>;

/// Finds the crates of the server with other features in a build with all tests.
pub(super) fn check(repo: &Repo, faults: &mut Vec<Violation>) -> Result<()> {
    let tree = |args: &[&str]| output_of(repo.cargo(&["tree"]).args(args).args(LINES));
    // The profile is no concern of the tree.
    let everything = EVERYTHING.iter().copied().filter(|arg| *arg != "--release");
    let with_tests = everything.chain(WITH_TESTS).collect::<Vec<_>>();
    compare(&features(&tree(&ALONE)?), &features(&tree(&with_tests)?), faults);
    Ok(())
}

fn features(tree: &str) -> Features {
    let mut features = Features::new();
    // A crate whose dependencies were shown before ends with a mark.
    for (name, set) in tree.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('\t')) {
        features.entry(name.to_owned()).or_default().insert(set.to_owned());
    }
    features
}

fn compare(alone: &Features, with_tests: &Features, faults: &mut Vec<Violation>) {
    for (name, sets) in alone {
        let others = with_tests.get(name).cloned().unwrap_or_default();
        for set in sets.difference(&others) {
            let others = others.iter().map(String::as_str).collect::<Vec<_>>().join("; or ");
            let what = format!(
                "the server takes {name} with the features `{set}`, and the build with all tests takes `{others}`: it and \
                 what depends on it are compiled twice. Do without the difference, or take it in server/Cargo.toml, too"
            );
            faults.push(Violation::new("Cargo.toml", 0, what));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "riposte v0.1.0 (/repo/server)\t\nserde v1.0.2\tderive,std\ntokio v1.4.0\tnet,time\n";

    fn found(with_tests: &str) -> Vec<String> {
        let mut faults = Vec::new();
        compare(&features(SERVER), &features(with_tests), &mut faults);
        faults.into_iter().map(|fault| fault.what).collect()
    }

    #[test]
    fn a_feature_that_only_the_tests_take_is_found() {
        let faults = found(&SERVER.replace("net,time", "net,test-util,time"));
        assert_eq!(faults.len(), 1, "{faults:?}");
        let start = "the server takes tokio v1.4.0 with the features `net,time`, and the build with all tests takes \
                     `net,test-util,time`: ";
        assert!(faults[0].starts_with(start), "{faults:?}");
    }

    #[test]
    fn crates_and_sets_of_the_tests_alone_are_free() {
        assert!(found(SERVER).is_empty());
        assert!(
            found(&format!("{SERVER}proptest v1.0.0\tstd\ntokio v1.4.0\tnet,time (*)\nserde v1.0.2\tstd\n")).is_empty()
        );
    }

    #[test]
    fn the_server_and_the_tests_are_one_build() {
        let mut faults = Vec::new();
        check(&Repo::find().unwrap(), &mut faults).unwrap();
        assert!(faults.is_empty(), "{faults:?}");
    }
}
