//! Renamed configuration keys. An old key is an error that names its successor, in a file, in a
//! variable and in `--set`.

use super::{key_lines::KeyLines, tree};
use figment::value::{Dict, Value};
use riposte_settings::{ConfigError, ValueOrigin};
use std::{collections::BTreeMap, path::PathBuf};

/// The old keys and sections, each with its successor. An entry for a section covers the keys below
/// it, so a key that was renamed separately is listed before its section.
const RENAMED: [(&str, &str); 8] = [
    ("lanes.lane_queue", "write_queues.partition_queue"),
    ("lanes", "write_queues"),
    ("hot", "response_cache"),
    ("cache.timeline", "store.timeline"),
    ("cache.unmended", "cache.stale_after"),
    ("cache.states_ttl", "cache.like_states_ttl"),
    ("limits.unread_size", "limits.send_buffer_size"),
    ("limits.unread_time", "limits.send_buffer_timeout"),
];

/// The values of one source under their current keys, and an error for each old key.
pub(super) struct Replaced {
    pub(super) values: Dict,
    pub(super) faults: Vec<ConfigError>,
}

/// Moves each value of `values` that has an old key to the successor of that key, so that the value
/// itself is checked too. A value that the source also gives under the current key stays. `lines`
/// has the lines of the keys of each file.
pub(super) fn replace(mut values: Dict, source: &ValueOrigin, lines: &BTreeMap<PathBuf, KeyLines>) -> Replaced {
    let (mut faults, mut moved) = (Vec::new(), Dict::new());
    for (old, new) in old_keys(&values) {
        let path: Vec<String> = old.split('.').map(str::to_owned).collect();
        if let Some(value) = tree::get(&values, &path).cloned() {
            tree::merge(&mut moved, nest(new.split('.'), value));
        }
        tree::put(&mut values, &path, None);
        faults.push(error(&old, &new, source, lines));
    }
    for (old, new) in RENAMED {
        // What is left of a section is empty or not a table.
        if !old.contains('.') && values.remove(old).is_some() && !faults.iter().any(|fault| is_below(&fault.path, old))
        {
            faults.push(error(old, new, source, lines));
        }
    }
    tree::merge(&mut moved, values);
    Replaced { values: moved, faults }
}

/// Returns the table that contains `value` under nested `keys`.
pub(super) fn nest<'k>(keys: impl DoubleEndedIterator<Item = &'k str>, value: Value) -> Dict {
    let nested = keys.rev().fold(value, |inner, key| Value::from(Dict::from([(key.to_owned(), inner)])));
    nested.into_dict().unwrap_or_default()
}

/// Returns every old key of `values` with its successor.
fn old_keys(values: &Dict) -> Vec<(String, String)> {
    let mut found = Vec::new();
    tree::leaves(values, &mut |path, _| found.extend(successor(path).map(|new| (path.to_owned(), new))));
    found
}

/// Returns the current name of an old key, or `None` if the key is not an old one.
pub(super) fn successor(path: &str) -> Option<String> {
    let (old, new) = RENAMED.iter().find(|(old, _)| is_below(path, old))?;
    Some(format!("{new}{}", &path[old.len()..]))
}

fn is_below(path: &str, key: &str) -> bool {
    path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn error(old: &str, new: &str, source: &ValueOrigin, lines: &BTreeMap<PathBuf, KeyLines>) -> ConfigError {
    let (message, source) = match source {
        ValueOrigin::File(file, _) => {
            let line = lines.get(file).and_then(|lines| lines.line(old));
            (format!("is now {new}"), ValueOrigin::File(file.clone(), line))
        }
        ValueOrigin::Variable(_) => {
            (format!("is now {new}, as a variable {}", super::load::variable(new)), source.clone())
        }
        ValueOrigin::Flag(_) => (format!("is now {new}, as in --set {new}=…"), source.clone()),
        ValueOrigin::Default | ValueOrigin::Profile(_) => (format!("is now {new}"), source.clone()),
    };
    ConfigError::at(old, message).located(source)
}

#[cfg(test)]
mod tests;
