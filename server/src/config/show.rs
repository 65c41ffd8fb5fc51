//! Output of a configuration, with its origins and without its secrets.

use super::{Loaded, tree};
use figment::value::Value;

/// The annotated file with every default, which `riposte config example` writes.
pub const EXAMPLE: &str = include_str!("default.toml");

/// Returns every value as one line `key = value` of TOML; with `sources`, each is followed by a
/// comment with its source. The input is the validated tree of structs, whose secrets cannot be
/// formatted in the clear.
pub fn show(loaded: &Loaded, sources: bool) -> String {
    let printable = Value::serialize(&loaded.config).ok().and_then(Value::into_dict).unwrap_or_default();
    let mut lines = Vec::new();
    tree::leaves(&printable, &mut |path, value| {
        let text = toml::Value::try_from(value).map(|value| value.to_string()).unwrap_or_default();
        lines.push((format!("{path} = {text}"), loaded.source_of(path)));
    });
    let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0);
    let format = |(line, source)| {
        if sources { format!("{line:width$}  # {source}\n") } else { format!("{line}\n") }
    };
    lines.into_iter().map(format).collect()
}
