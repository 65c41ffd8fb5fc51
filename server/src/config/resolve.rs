//! Deserialization of the merged tree that reports every error, not only the first.
//!
//! A deserializer stops at its first error. Each error is therefore recorded, the value at its path
//! is replaced by the default or removed, and the tree is read again until it is accepted. Then the
//! values themselves are validated.

use super::{Config, tree};
use figment::{
    error::{Actual, Kind},
    value::{Dict, Value},
};
use riposte_settings::ConfigError;
use serde::Deserialize;

/// The form of an address.
const ADDRESS: &str = "an IP address and a port, as 127.0.0.1:7171";

/// More errors than a person fixes at once; further ones appear at the next run.
const MAX_ERRORS: usize = 500;

/// Returns the configuration that `tree` describes, and all its errors. Values from `defaults`
/// replace broken ones, so that the rest can be checked; only a configuration without errors is
/// usable. Returns `None` if the tree cannot be repaired.
pub(super) fn resolve(tree: &Dict, defaults: &Dict) -> (Option<Config>, Vec<ConfigError>) {
    let mut tree = tree.clone();
    let mut faults = Vec::new();
    for _ in 0..MAX_ERRORS {
        let mut inherited = tree.clone();
        // The defaults of object types are read before the types that inherit them (`_` sorts
        // before `s`), so an error in them is found and repaired once, there.
        tree::inherit(&mut inherited, "object_type_defaults", "object_types");
        match Config::deserialize(&Value::from(inherited)) {
            Ok(config) => {
                let value_errors = config.validate();
                faults.extend(
                    value_errors.into_iter().filter(|fault| !follows(&faults, &fault.path)).collect::<Vec<_>>(),
                );
                return (Some(config), faults);
            }
            Err(error) => {
                let mut path = error.path;
                let missing = matches!(error.kind, Kind::MissingField(_));
                if let Kind::MissingField(name) = &error.kind {
                    path.push(name.to_string());
                }
                let name = path.join(".");
                let is_repeated = faults.iter().any(|fault: &ConfigError| fault.path == name);
                if !is_repeated && !is_above(&faults, &name) {
                    let keys =
                        if matches!(error.kind, Kind::InvalidType(..)) { known_keys(defaults, &path) } else { None };
                    let keys = keys.map(|keys| format!("; its keys are {keys}")).unwrap_or_default();
                    faults.push(ConfigError::at(name, explain(&error.kind) + &keys));
                }
                repair(&mut tree, defaults, &mut path, is_repeated, missing);
            }
        }
    }
    (None, faults)
}

/// Returns the keys of the table at a path; `None` where the defaults have no table.
fn known_keys(defaults: &Dict, path: &[String]) -> Option<String> {
    let of_type = match path {
        [types, _, rest @ ..] if types == "object_types" && !rest.is_empty() => {
            [&["object_type_defaults".to_owned()], rest].concat()
        }
        path => path.to_vec(),
    };
    let Value::Dict(_, table) = tree::get(defaults, &of_type)? else { return None };
    Some(table.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
}

/// Returns true if an error at `path` only follows from one already reported: one at, above or
/// below it, or an unknown kind, whose rules are not those of the default in its place.
fn follows(faults: &[ConfigError], path: &str) -> bool {
    let has_its_kind = |fault: &ConfigError| {
        let section = fault.path.strip_suffix("kind").filter(|section| section.ends_with('.'));
        section.is_some_and(|section| path.starts_with(section))
    };
    is_covered(faults, path) || faults.iter().any(has_its_kind)
}

/// Returns true if an error at `path` is above one already reported. It follows from its repair: of
/// a value that is broken itself, nothing inside is read.
fn is_above(faults: &[ConfigError], path: &str) -> bool {
    faults.iter().any(|fault| fault.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

/// Returns true if an error at `path` is at, above or below one already reported.
fn is_covered(faults: &[ConfigError], path: &str) -> bool {
    let is_within = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    faults.iter().any(|fault| is_within(&fault.path, path) || is_within(path, &fault.path))
}

fn repair(tree: &mut Dict, defaults: &Dict, path: &mut Vec<String>, is_repeated: bool, missing: bool) {
    if is_repeated && !missing {
        // The replacement is rejected as well, so the enclosing list or table is replaced.
        path.pop();
    }
    let default = tree::get(defaults, path).cloned();
    tree::put(tree, path, default.or_else(|| missing.then(|| Value::from(""))));
}

/// Describes an error. Values are never quoted, because they may be secret.
fn explain(kind: &Kind) -> String {
    match kind {
        Kind::Message(message) if message == "invalid socket address syntax" => format!("must be {ADDRESS}"),
        Kind::Message(message) => message.clone(),
        Kind::InvalidType(found, expected) => {
            format!("must be {}, not {}", describe_expected(expected), describe_found(found))
        }
        Kind::InvalidValue(_, expected) => format!("is out of bounds: must be {}", describe_expected(expected)),
        Kind::InvalidLength(_, expected) => format!("has a wrong length: must be {}", describe_expected(expected)),
        Kind::UnknownVariant(name, known) => {
            let meant = nearest(name, known).map(|best| format!("; did you mean `{best}`?")).unwrap_or_default();
            format!("must be one of: {}{meant}", known.join(", "))
        }
        Kind::UnknownField(name, known) => unknown(name, known),
        Kind::MissingField(_) => "is missing".to_owned(),
        Kind::DuplicateField(_) => "is given twice".to_owned(),
        Kind::ISizeOutOfRange(_) | Kind::USizeOutOfRange(_) => "is out of bounds".to_owned(),
        Kind::Unsupported(_) | Kind::UnsupportedKey(..) => "has an unsupported type".to_owned(),
    }
}

/// Describes an unknown key, with the known key that was probably meant.
fn unknown(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(best) => format!("unknown key; did you mean `{best}`?"),
        None => format!("unknown key; known here: {}", known.join(", ")),
    }
}

/// Returns the known name of which `name` is probably a misspelling.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let likeness = |candidate: &&&str| strsim::jaro_winkler(name, candidate);
    let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) > 0.8).then_some(*best)
}

fn describe_expected(expected: &str) -> &str {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "socket address" => ADDRESS,
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        "path string" => "a text",
        "a string" | "string" => "a text (write a number in quotes)",
        _ if expected.starts_with("struct ") => "a table",
        _ if expected.starts_with("enum ") => "a text",
        _ => expected,
    }
}

fn describe_found(found: &Actual) -> &'static str {
    match found {
        Actual::Bool(_) => "true or false",
        Actual::Unsigned(_) | Actual::Signed(_) => "a whole number",
        Actual::Float(_) => "a fraction",
        Actual::Char(_) | Actual::Str(_) => "a text",
        Actual::Seq => "a list",
        Actual::Map => "a table",
        Actual::Bytes(_)
        | Actual::Unit
        | Actual::Option
        | Actual::NewtypeStruct
        | Actual::Enum
        | Actual::UnitVariant
        | Actual::NewtypeVariant
        | Actual::TupleVariant
        | Actual::StructVariant
        | Actual::Other(_) => "something else",
    }
}
