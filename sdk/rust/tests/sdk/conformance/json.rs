//! JSON: filling in placeholders, comparing, walking.

use serde_json::Value;
use std::collections::BTreeMap;

/// The value with every `${name}` of its texts filled in. A name that is not known stays.
pub(crate) fn filled(value: &Value, vars: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => Value::String(filled_text(text, vars)),
        Value::Array(list) => list.iter().map(|item| filled(item, vars)).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), filled(value, vars))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

pub(crate) fn filled_text(text: &str, vars: &BTreeMap<String, String>) -> String {
    vars.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

/// Compares a response with the expected one. The error names the place of a difference.
pub(crate) fn compare(expected: &Value, actual: &Value, at: &str) -> Result<(), String> {
    match (expected, actual) {
        (Value::Object(wanted), _) if wanted.contains_key("$set") => {
            if wanted["$set"] == is_set(actual) {
                Ok(())
            } else {
                Err(format!("{at}: {actual}"))
            }
        }
        (Value::Object(wanted), _) if wanted.contains_key("$not") => match compare(&wanted["$not"], actual, at) {
            Ok(()) => Err(format!("{at}: it is {actual}")),
            Err(_) => Ok(()),
        },
        (Value::Object(wanted), Value::Object(_)) => {
            wanted.iter().try_for_each(|(key, value)| compare(value, &actual[key], &format!("{at}.{key}")))
        }
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            let mut pairs = wanted.iter().zip(found).enumerate();
            pairs.try_for_each(|(index, (wanted, found))| compare(wanted, found, &format!("{at}.{index}")))
        }
        _ if expected == actual => Ok(()),
        _ => Err(format!("{at}: {actual} instead of {expected}")),
    }
}

/// Returns true unless a value is the default; `"0"` is the default of a 64-bit integer.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty() && text != "0",
        Value::Array(list) => !list.is_empty(),
        Value::Object(object) => !object.is_empty(),
    }
}

/// The text or number at a dotted path.
pub(crate) fn at(value: &Value, path: &str) -> Result<String, String> {
    let step = |value: &Value, name: &str| match name.parse::<usize>() {
        Ok(index) => value[index].clone(),
        Err(_) => value[name].clone(),
    };
    match path.split('.').fold(value.clone(), |value, name| step(&value, name)) {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other @ (Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => Err(format!("{path}: {other}")),
    }
}
