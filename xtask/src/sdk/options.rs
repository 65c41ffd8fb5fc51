//! sdk/options.yaml: the options of a client in any language, and its bound for reconnections.

use super::language::Language;
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The file that lists the options.
const FILE: &str = "sdk/options.yaml";

/// The longest time until an SDK reaches a server at an address that its name did not have before.
const NEW_ADDRESSES_MS: u64 = 35_000;

/// The complete file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientOptions {
    options: Vec<ClientOption>,
    /// The pattern of a host that no proxy leads to.
    loopback: String,
    reconnect: Reconnect,
}

/// An option.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ClientOption {
    name: String,
    kind: OptionKind,
    /// The address at which `riposte dev` listens, for an option that is an address.
    dev: Option<String>,
    /// The values of one of several values; the first is the default.
    #[serde(default)]
    values: Vec<String>,
    /// The languages that do not have the option.
    #[serde(default)]
    without: Vec<String>,
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
    #[serde(rename = "choice")]
    Candidates,
}

/// The waits between two attempts to connect, in milliseconds, and what they add up to.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Reconnect {
    within_ms: u64,
    first_ms: [u64; 2],
    growth_percent: u64,
    longest_ms: u64,
    jitter_percent: u64,
    resolve_ms: u64,
}

/// Reads the options.
pub(super) fn read(repo: &Repo) -> Result<ClientOptions> {
    let text = std::fs::read_to_string(repo.at(FILE)).with_context(|| format!("cannot read {FILE}"))?;
    parse(&text).context(FILE)
}

fn parse(text: &str) -> Result<ClientOptions> {
    let mut listed: ClientOptions = yaml_serde::from_str(text)?;
    for option in &mut listed.options {
        let name = &option.name;
        ensure!(option.dev.is_none() || option.kind == OptionKind::Text, "{name} is not an address");
        ensure!(
            (option.kind == OptionKind::Candidates) == (option.values.len() > 1),
            "{name} needs values to select from"
        );
        for language in &option.without {
            ensure!(
                Language::all().iter().any(|known| known.name() == language),
                "{name}: no SDK is called {language}"
            );
        }
        option.variable = format!("RIPOSTE_{}", name.to_uppercase());
    }
    listed.reconnect.check()?;
    Ok(listed)
}

impl Reconnect {
    /// Two of the longest waits, with their random part, lie within the bound, and a name is
    /// resolved soon enough for new addresses to be reached within [`NEW_ADDRESSES_MS`].
    fn check(&self) -> Result<()> {
        let [least, most] = self.first_ms;
        ensure!(0 < least && least < most && most <= self.longest_ms, "the first wait is out of order");
        let longest = self.longest_ms * (100 + self.jitter_percent) / 100;
        ensure!(2 * longest <= self.within_ms, "two waits of {longest} ms exceed {} ms", self.within_ms);
        let resolved = self.resolve_ms + self.within_ms;
        ensure!(resolved <= NEW_ADDRESSES_MS, "new addresses of a name are reached after {resolved} ms");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECONNECT: &str = "{within_ms: 5000, first_ms: [100, 1000], growth_percent: 160, longest_ms: 2000, \
                             jitter_percent: 20, resolve_ms: 30000}";

    fn parse_with(options: &str, reconnect: &str) -> Result<ClientOptions> {
        parse(&format!("{{options: [{options}], loopback: localhost, reconnect: {reconnect}}}"))
    }

    #[test]
    fn an_option_has_its_variable() {
        let read = parse_with("{name: tls_ca, kind: pem, about: The trusted authority.}", RECONNECT).unwrap();
        assert_eq!(read.options[0].variable, "RIPOSTE_TLS_CA");
    }

    #[test]
    fn an_option_that_contradicts_its_kind_is_refused() {
        for option in [
            "{name: a, kind: flag, dev: here, about: A.}",
            "{name: a, kind: choice, about: A.}",
            "{name: a, kind: text, values: [b, c], about: A.}",
            "{name: a, kind: text, without: [cobol], about: A.}",
        ] {
            assert!(parse_with(option, RECONNECT).is_err(), "{option}");
        }
    }

    /// No test has a resolver whose names change, in five languages: what each of them resolves by
    /// is set, and its README says it. Go and Java have the 30 s as the default of their libraries.
    #[test]
    fn every_sdk_resolves_a_name_again_as_its_readme_says() {
        let repo = Repo::find().unwrap();
        let text = |path: &str| {
            std::fs::read_to_string(repo.at(path)).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let says = |path: &str, words: &str| assert!(text(path).contains(words), "{path} does not say: {words}");
        let seconds = read(&repo).unwrap().reconnect.resolve_ms / 1000;
        let again = format!("resolves the name again after {seconds} s");
        for language in ["go", "python", "typescript"] {
            says(&format!("sdk/{language}/README.md"), &again);
        }
        says(
            "sdk/java/README.md",
            &format!("resolves the name again after `networkaddress.cache.ttl`, {seconds} s by default"),
        );
        says("sdk/rust/README.md", "resolves the name again after 20 s");
        let set = "\"grpc.dns_min_time_between_resolutions_ms\"";
        says("sdk/python/src/riposte_sdk/_options.py", &format!("({set}, RESOLVE_MS)"));
        says("sdk/typescript/src/connection.ts", &format!("{set}: config.RESOLVE_AFTER"));
        says("sdk/rust/src/client/balance.rs", "const REFRESH: Duration = Duration::from_secs(20);");
    }

    #[test]
    fn waits_that_exceed_the_bound_are_refused() {
        assert!(parse_with("", RECONNECT).is_ok());
        for (from, to) in [
            ("longest_ms: 2000", "longest_ms: 2100"),
            ("[100, 1000]", "[1000, 100]"),
            ("resolve_ms: 30000", "resolve_ms: 30001"),
        ] {
            assert!(parse_with("", &RECONNECT.replace(from, to)).is_err(), "{to}");
        }
    }
}
