//! The values of all sources in one tree, before they become a [`super::Config`].

use figment::value::{Dict, Tag, Value};

/// Returns the value at `path`; a number selects the item of a list.
pub(super) fn get<'t>(root: &'t Dict, path: &[String]) -> Option<&'t Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(root.get(first)?, |value, key| match value {
        Value::Dict(_, table) => table.get(key),
        Value::Array(_, items) => items.get(key.parse::<usize>().ok()?),
        Value::String(..) | Value::Char(..) | Value::Bool(..) | Value::Num(..) | Value::Empty(..) => None,
    })
}

/// Puts `value` at `path`, or removes the existing value. An item of a list is never removed,
/// because that would shift the items after it: it becomes an empty text. Nothing happens if the
/// parents of `path` do not exist.
pub(super) fn put(root: &mut Dict, path: &[String], value: Option<Value>) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        match value {
            Some(value) => root.insert(first.clone(), value),
            None => root.remove(first),
        };
        return;
    }
    match root.get_mut(first) {
        Some(Value::Dict(_, table)) => put(table, rest, value),
        Some(Value::Array(_, items)) => put_in_list(items, rest, value),
        Some(Value::String(..) | Value::Char(..) | Value::Bool(..) | Value::Num(..) | Value::Empty(..)) | None => {}
    }
}

fn put_in_list(items: &mut [Value], path: &[String], value: Option<Value>) {
    let Some((index, rest)) = path.split_first() else {
        return;
    };
    let Some(item) = index.parse().ok().and_then(|index: usize| items.get_mut(index)) else {
        return;
    };
    if rest.is_empty() {
        *item = value.unwrap_or_else(|| Value::from(""));
    } else if let Value::Dict(_, table) = item {
        put(table, rest, value);
    }
}

/// Merges `overlay` into `base`. Tables are merged key by key; anything else is replaced, a list as
/// a whole. Only a table with numeric keys amends single items of a list, so that one variable can
/// change an item of a list from a file.
pub(super) fn merge(base: &mut Dict, overlay: Dict) {
    for (key, value) in overlay {
        match base.get_mut(&key) {
            Some(old) => merge_value(old, value),
            None => drop(base.insert(key, value)),
        }
    }
}

fn merge_value(base: &mut Value, overlay: Value) {
    match (base, overlay) {
        (Value::Dict(tag, table), Value::Dict(newer, overlay)) => {
            *tag = newer;
            merge(table, overlay);
        }
        (Value::Array(_, items), Value::Dict(_, amendments))
            if !amendments.is_empty() && amendments.keys().all(|key| key.parse::<usize>().is_ok()) =>
        {
            amend(items, amendments);
        }
        (base, overlay) => *base = overlay,
    }
}

/// Changes the items that `amendments` number; the number after the last item appends one.
fn amend(items: &mut Vec<Value>, amendments: Dict) {
    for (key, value) in amendments {
        match key.parse::<usize>().ok().filter(|index| *index < items.len()) {
            Some(index) => merge_value(&mut items[index], value),
            None => items.push(value),
        }
    }
}

/// Gives each table in `tables` the keys of `defaults` that it lacks.
pub(super) fn inherit(root: &mut Dict, defaults: &str, tables: &str) {
    let Some(Value::Dict(_, defaults)) = root.get(defaults).cloned() else {
        return;
    };
    let Some(Value::Dict(_, tables)) = root.get_mut(tables) else {
        return;
    };
    for table in tables.values_mut() {
        if let Value::Dict(_, table) = table {
            fill(table, &defaults);
        }
    }
}

/// Gives a table the keys of `defaults` that it lacks, at any depth.
fn fill(table: &mut Dict, defaults: &Dict) {
    for (key, value) in defaults {
        match (table.get_mut(key), value) {
            (Some(Value::Dict(_, inner)), Value::Dict(_, defaults)) => fill(inner, defaults),
            (Some(_), _) => {}
            (None, _) => drop(table.insert(key.clone(), value.clone())),
        }
    }
}

/// Calls `leaf` with every value that contains no other, and its path. Empty tables are skipped.
pub(super) fn leaves(root: &Dict, leaf: &mut impl FnMut(&str, &Value)) {
    fn walk(path: &str, value: &Value, leaf: &mut impl FnMut(&str, &Value)) {
        match value {
            Value::Dict(_, table) => table.iter().for_each(|(key, value)| walk(&join(path, key), value, leaf)),
            Value::Array(_, items) if items.iter().any(|item| item.as_dict().is_some()) => {
                items.iter().enumerate().for_each(|(index, item)| walk(&join(path, &index.to_string()), item, leaf));
            }
            Value::Empty(..) => {}
            Value::String(..) | Value::Char(..) | Value::Bool(..) | Value::Num(..) | Value::Array(..) => {
                leaf(path, value);
            }
        }
    }
    walk("", &Value::Dict(Tag::Default, root.clone()), leaf);
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
