//! Variables that look like settings of the server and are none: `RIPOSTE_SERVER_LISTEN`, with one
//! underscore, would be ignored without a word.

use super::load::variable;
use super::show::EXAMPLE;
use super::tree;
use figment::value::{Dict, Value};
use std::ffi::OsString;

/// The variables of clients and of tools, which the server does not read. Their names are near to
/// keys, and are no mistakes.
const OTHERS: [&str; 12] = [
    "RIPOSTE_ADMIN_TARGET",
    "RIPOSTE_CONFORMANCE",
    "RIPOSTE_DEV_BINARY",
    "RIPOSTE_INSECURE_TOKEN",
    "RIPOSTE_MEMBER_SALT",
    "RIPOSTE_MODEL",
    "RIPOSTE_PROXY",
    "RIPOSTE_TARGET",
    "RIPOSTE_TLS_CA",
    "RIPOSTE_TLS_CERT",
    "RIPOSTE_TLS_KEY",
    "RIPOSTE_TOKEN",
];

/// Similarity of names from which one is taken for a misspelling of the other, at most 1.
const NEAR: f64 = 0.93;

/// Returns a sentence for each variable of this process that is no variable of Riposte and whose
/// name is near to that of a setting. Variables that Kubernetes makes of a service called `riposte`
/// (`RIPOSTE_SERVICE_HOST`, `RIPOSTE_PORT_7171_TCP`) are none of them.
pub fn misspelt_variables() -> Vec<String> {
    misspelt(&std::env::vars_os().collect::<Vec<_>>())
}

fn misspelt(variables: &[(OsString, OsString)]) -> Vec<String> {
    let keys = keys(EXAMPLE);
    let mut found: Vec<String> = variables.iter().filter_map(|(name, _)| warning(name.to_str()?, &keys)).collect();
    found.sort();
    found
}

fn warning(name: &str, keys: &[String]) -> Option<String> {
    let rest = name.strip_prefix("RIPOSTE_")?;
    let is_other = OTHERS.contains(&name) || rest.starts_with('_') || rest.starts_with("TEST_");
    if is_other || name.contains("_SERVICE_") || name.contains("_PORT") {
        return None;
    }
    let written = rest.to_uppercase();
    let likeness = |key: &&String| strsim::jaro_winkler(&written, &key.replace("__", "_").replace("RIPOSTE_", ""));
    let best = keys.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    let message = || format!("{name} is not a variable of Riposte and has no effect; did you mean {best}?");
    (likeness(&best) >= NEAR).then(message)
}

/// Returns the variables of all settings.
fn keys(defaults: &str) -> Vec<String> {
    let values: Dict = toml::from_str(defaults).unwrap_or_default();
    let mut keys = Vec::new();
    tree::leaves(&values, &mut |path: &str, _: &Value| keys.push(variable(path)));
    keys
}

#[cfg(test)]
mod tests {
    use super::misspelt;
    fn warnings(names: &[&str]) -> Vec<String> {
        let variables: Vec<_> = names.iter().map(|name| (name.into(), "x".into())).collect();
        misspelt(&variables)
    }

    #[test]
    fn a_variable_with_one_underscore_is_reported_with_the_one_that_was_meant() {
        let found = warnings(&["RIPOSTE_SERVER_LISTEN", "RIPOSTE_LOG_FILTR"]);
        assert!(found[0].ends_with("did you mean RIPOSTE__LOG__FILTER?"), "{found:?}");
        assert!(found[1].ends_with("did you mean RIPOSTE__SERVER__LISTEN?"), "{found:?}");
    }

    #[test]
    fn variables_of_clients_of_tests_and_of_kubernetes_are_never_reported() {
        let others = [
            "RIPOSTE_TARGET",
            "RIPOSTE_TOKEN",
            "RIPOSTE_TLS_KEY",
            "RIPOSTE_TEST_SERVER_LISTEN",
            "RIPOSTE_SERVICE_HOST",
            "RIPOSTE_SERVER_SERVICE_PORT",
            "RIPOSTE_PORT_7171_TCP_ADDR",
            "RIPOSTE__SERVER__LISTEN",
            "RIPOSTE_HOME",
            "PATH",
        ];
        assert_eq!(warnings(&others), Vec::<String>::new());
    }
}
