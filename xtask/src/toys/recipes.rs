//! CONTRIBUTING.md has a recipe for every toy, and each recipe names exactly the files that its toy
//! touches: as a numbered list, with the file first in each item.

use super::toy::{Toy, Toys};
use super::tree::Tree;
use crate::repo::Repo;
use std::collections::BTreeSet;

/// The crates that CONTRIBUTING.md names without their folder.
const BELOW_SERVER: [&str; 5] = ["core/", "store/", "cache/", "transfer/", "conformance/"];

#[test]
fn every_recipe_names_exactly_the_files_that_its_toy_touches() {
    let repo = Repo::find().unwrap();
    let contributing = std::fs::read_to_string(repo.at("CONTRIBUTING.md")).unwrap();
    let toys = Toys::read(&repo).unwrap();
    for toy in &toys.all {
        let mut tree = Tree::of(repo.at(""));
        tree.apply(&toys.fixture).unwrap();
        let touched = tree.apply(toy).unwrap();
        assert_eq!(differences(toy, &contributing, &touched), Vec::<String>::new());
        assert_eq!(touched.len(), toy.files, "{}: the target is the number of files of the recipe", toy.name);
    }
}

/// Returns the files that only a toy touches, and those that only its recipes name.
fn differences(toy: &Toy, contributing: &str, touched: &BTreeSet<String>) -> Vec<String> {
    let named: Vec<String> = toy.recipes.iter().flat_map(|recipe| files_of(contributing, recipe)).collect();
    let mut left: Vec<&String> = touched.iter().collect();
    let mut found = Vec::new();
    for pattern in &named {
        match left.iter().position(|file| fits(pattern, file)) {
            Some(at) => drop(left.remove(at)),
            None => found.push(format!("{}: only the recipe names {pattern}", toy.name)),
        }
    }
    found.extend(left.iter().map(|file| format!("{}: the recipe does not name {file}", toy.name)));
    found
}

/// Returns the files of a recipe, as patterns.
fn files_of(contributing: &str, recipe: &str) -> Vec<String> {
    let start = contributing.find(&format!("**{recipe}"));
    let start = start.unwrap_or_else(|| panic!("CONTRIBUTING.md has no recipe `{recipe}`"));
    let text = &contributing[start..];
    let end = text.find("\n\n**").unwrap_or(text.len());
    let items = text[..end]
        .lines()
        .filter(|line| line.split_once(". ").is_some_and(|(number, _)| number.parse::<usize>().is_ok()));
    items
        .map(|item| path(item.split('`').nth(1).unwrap_or_else(|| panic!("{item}: an item begins with a file"))))
        .collect()
}

/// Returns the path that CONTRIBUTING.md abbreviates.
fn path(named: &str) -> String {
    let below = BELOW_SERVER.iter().any(|name| named.starts_with(name));
    if below { format!("server/{named}") } else { named.to_owned() }
}

/// Returns `true` if a path is one of a pattern, in which `<name>` stands for a name.
fn fits(pattern: &str, path: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('<') else { return pattern == path };
    let (Some(name), Some((_, after))) = (path.strip_prefix(before), rest.split_once('>')) else { return false };
    let length = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
    // A fixed text may follow the name within one word, as in `<name>_service.proto`.
    (1..=length).any(|end| fits(after, &name[end..]))
}

#[test]
fn a_recipe_is_a_numbered_list_of_files() {
    let text = "**To do it.** Two files:\n\n1. `core/src/<name>.rs`: the rule\n   in `more.rs`\n2. `proto/a.proto`\n\nThen `gen`.\n\n**Else.**\n\n1. `b`\n";
    assert_eq!(files_of(text, "To do it."), ["server/core/src/<name>.rs", "proto/a.proto"]);
    let toy = Toy::parse("x", "about = 'x'\nrecipes = ['To do it.']\nchange = []").unwrap();
    let files = |files: &[&str]| files.iter().map(|&file| file.to_owned()).collect::<BTreeSet<String>>();
    assert!(differences(&toy, text, &files(&["proto/a.proto", "server/core/src/rule.rs"])).is_empty());
    let found = differences(&toy, text, &files(&["server/core/src/rule.rs", "c"]));
    assert_eq!(found, ["x: only the recipe names proto/a.proto", "x: the recipe does not name c"]);
}

#[test]
fn a_place_in_a_pattern_is_one_name() {
    assert!(fits("a/<x>/<y>_z.rs", "a/b/c_d_z.rs"));
    assert!(!fits("a/<x>.rs", "a/b/c.rs"));
    assert!(!fits("a/<x>.rs", "a/.rs"));
}
