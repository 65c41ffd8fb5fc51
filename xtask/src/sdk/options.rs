//! sdk/options.yaml: the options of a client in any language.

use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The file that lists the options.
const FILE: &str = "sdk/options.yaml";

/// An option.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientOption {
    name: String,
    kind: OptionKind,
    /// The address at which `riposte dev` listens, for an option that is an address.
    dev: Option<String>,
    about: String,
    /// The environment variable of the option.
    #[serde(skip_deserializing)]
    variable: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum OptionKind {
    Text,
    Flag,
    Pem,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    options: Vec<ClientOption>,
}

/// Reads the options.
pub(super) fn read(repo: &Repo) -> Result<Vec<ClientOption>> {
    let text = std::fs::read_to_string(repo.at(FILE)).with_context(|| format!("cannot read {FILE}"))?;
    parse(&text).context(FILE)
}

fn parse(text: &str) -> Result<Vec<ClientOption>> {
    let Listed { mut options } = yaml_serde::from_str(text)?;
    for option in &mut options {
        ensure!(option.dev.is_none() || option.kind == OptionKind::Text, "{} is not an address", option.name);
        option.variable = format!("RIPOSTE_{}", option.name.to_uppercase());
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_its_variable() {
        let options = parse("options: [{name: tls_ca, kind: pem, about: The trusted authority.}]").unwrap();
        assert_eq!(options[0].variable, "RIPOSTE_TLS_CA");
    }

    #[test]
    fn a_switch_is_no_address() {
        assert!(parse("options: [{name: a, kind: flag, dev: here, about: A.}]").is_err());
    }
}
