//! Old keys in every source, and the successor of each key of an earlier release.

use super::{RENAMED, is_below, successor};
use crate::config::{Config, EXAMPLE, Inputs, Profile};
use riposte_settings::{ConfigError, ConfigErrors};
use std::collections::BTreeSet;
use std::fs;

/// The defaults of revision ed6c35b.
const BEFORE: &str = include_str!("../golden/ed6c35b.toml");

fn errors(file: &str, variables: &[(&str, &str)], sets: &[&str]) -> Vec<ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("riposte.toml");
    fs::write(&path, file).unwrap();
    let inputs = Inputs {
        profile: Profile::Dev,
        files: vec![path],
        variables: variables.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        ..Inputs::default()
    };
    match Config::load(&inputs) {
        Ok(_) => Vec::new(),
        Err(ConfigErrors(errors)) => errors,
    }
}

/// Returns the path of every key of a file, those of commented examples included, and of every
/// table.
fn keys(text: &str) -> BTreeSet<String> {
    let (mut table, mut found) = (String::new(), BTreeSet::new());
    // Lines with a deeper indentation show another file.
    for line in text.lines().filter(|line| !line.starts_with("#  ")) {
        let line = line.trim_start_matches("# ").trim_start_matches('#').trim();
        let name = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
            (!text.is_empty() && text.chars().all(plain)).then(|| text.to_owned())
        };
        if let Some(head) = line.strip_prefix('[').and_then(|line| name(line.trim_matches(['[', ']']))) {
            table = head;
            found.insert(table.clone());
        } else if let Some(key) = line.split_once(" = ").and_then(|(key, _)| name(key)) {
            found.insert(if table.is_empty() { key } else { format!("{table}.{key}") });
        }
    }
    found
}

#[test]
fn an_old_key_names_its_successor_in_a_file_a_variable_and_a_flag() {
    for (old, new) in [
        ("lanes.lane_queue", "write_queues.partition_queue"),
        ("lanes.committers", "write_queues.committers"),
        ("hot.capacity", "response_cache.capacity"),
        ("cache.timeline", "store.timeline"),
    ] {
        let upper = |key: &str| format!("RIPOSTE__{}", key.replace('.', "__").to_uppercase());
        let from_file = errors(&format!("log.format = 'json'\n{old} = 1000\n"), &[], &[]);
        let from_variable = errors("", &[(&upper(old), "1000")], &[]);
        let from_flag = errors("", &[], &[&format!("{old}=1000")]);
        assert_eq!(from_file[0].message, format!("is now {new}"));
        assert!(from_file[0].to_string().ends_with("riposte.toml, line 2)"), "{}", from_file[0]);
        assert_eq!(from_variable[0].message, format!("is now {new}, as a variable {}", upper(new)));
        assert!(from_variable[0].to_string().ends_with(&format!("(variable {})", upper(old))), "{}", from_variable[0]);
        assert_eq!(from_flag[0].message, format!("is now {new}, as in --set {new}=…"));
        assert!(from_flag[0].to_string().ends_with(&format!("(flag --set {old})")), "{}", from_flag[0]);
        assert!([from_file, from_variable, from_flag].iter().all(|found| found[0].path == old));
    }
}

#[test]
fn an_old_section_names_its_successor_even_if_it_is_empty_or_not_a_table() {
    for file in ["[lanes]\n", "lanes = 3\n", "lanes = {}\n"] {
        let found = errors(file, &[], &[]);
        assert_eq!((found[0].path.as_str(), found[0].message.as_str()), ("lanes", "is now write_queues"), "{file}");
    }
    let found = errors("[lanes]\nlane_queue = 512\nsource_queue = 4096\n", &[], &[]);
    let paths: Vec<_> = found.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(paths, ["lanes.lane_queue", "lanes.source_queue"]);
}

#[test]
fn all_errors_are_reported_together_with_those_of_old_keys() {
    let file = "[hot]\nwindow = '5m'\ncapacity = 0\n[limits]\nunread_size = '1MiB'\nread = 4\n";
    let found = errors(file, &[("RIPOSTE__CACHE__UNMENDED", "30s")], &["server.listen=nowhere"]);
    let mut paths: Vec<_> = found.iter().map(|error| error.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "cache.unmended",
            "hot.capacity",
            "hot.window",
            "limits.read",
            "limits.send_buffer_size",
            "limits.unread_size",
            "response_cache.capacity",
            "response_cache.window",
            "server.listen",
        ]
    );
}

#[test]
fn a_value_under_the_current_key_is_not_replaced_by_one_under_the_old_key() {
    let found = errors("cache.unmended = '1d'\ncache.stale_after = '30s'\n", &[], &[]);
    let paths: Vec<_> = found.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(paths, ["cache.unmended"]);
}

#[test]
fn every_key_of_the_earlier_release_is_a_key_or_has_a_successor_that_is_one() {
    let (before, now) = (keys(BEFORE), keys(EXAMPLE));
    assert!(before.len() > 120 && before.contains("lanes.lane_queue") && before.contains("store.sources.url_file"));
    for key in &before {
        let current = successor(key).unwrap_or_else(|| key.clone());
        assert!(now.contains(&current), "{key} became {current}, which is no key");
    }
    for (old, new) in RENAMED {
        assert!(before.contains(old) && !now.contains(old) && now.contains(new), "{old} to {new}");
    }
}

#[test]
fn an_entry_for_a_key_precedes_that_of_its_section() {
    for (index, (old, _)) in RENAMED.iter().enumerate() {
        assert!(RENAMED[..index].iter().all(|(earlier, _)| !is_below(old, earlier)), "{old} is never reached");
    }
}

/// The chart rejects the same keys, before a server reads them.
#[test]
fn the_chart_lists_the_same_keys() {
    let listed = include_str!("../../../../helm/riposte/removed.yaml");
    let value = |line: &'static str, key: &str| line.trim_start().strip_prefix(key).map(str::to_owned);
    let paths = listed.lines().filter_map(|line| value(line, "- path: config."));
    let successors = listed.lines().filter_map(|line| value(line, "instead: config."));
    let pairs: Vec<_> = paths.zip(successors).collect();
    assert_eq!(pairs, RENAMED.map(|(old, new)| (old.to_owned(), new.to_owned())));
}
