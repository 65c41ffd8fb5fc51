//! A server built from an older revision, and the file with the configuration of that revision.

use super::{Launch, ServerData};
use crate::bench::log_lines::LogLines;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The prefix of every configuration variable.
const PREFIX: &str = "RIPOSTE__";

/// An older program with its settings.
#[derive(Debug, Clone)]
pub(in crate::bench) struct Before {
    binary: PathBuf,
    settings: Settings,
}

/// The file of settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// `RIPOSTE__…` variables; `{database}`, `{subject_tables}` and `{index_tables}` are filled in.
    environment: BTreeMap<String, String>,
    log: LogLines,
}

impl Before {
    /// Checks that the program exists and reads its settings.
    pub(in crate::bench) fn open(binary: &Path, settings: &Path) -> Result<Self> {
        let binary = std::path::absolute(binary)?;
        ensure!(binary.is_file(), "no server program at {}", binary.display());
        let read = || -> Result<Settings> { Settings::parse(&std::fs::read_to_string(settings)?) };
        Ok(Self { binary, settings: read().with_context(|| format!("the settings {}", settings.display()))? })
    }

    /// Returns the program, configured for a place.
    pub(super) fn launch(&self, place: &ServerData) -> Result<Launch> {
        Ok(Launch {
            binary: self.binary.clone(),
            log: self.settings.log.clone(),
            arguments: Vec::new(),
            variables: self.settings.variables(place)?,
        })
    }
}

impl Settings {
    fn parse(text: &str) -> Result<Self> {
        let settings: Self = toml::from_str(text)?;
        let foreign = settings.environment.keys().find(|name| !name.starts_with(PREFIX));
        ensure!(foreign.is_none(), "{} does not begin with {PREFIX}", foreign.map_or("", String::as_str));
        Ok(settings)
    }

    fn variables(&self, place: &ServerData) -> Result<Vec<(String, String)>> {
        let ServerData { database, redis, brokers: _, variant } = place;
        ensure!(redis.is_none(), "an older server is not measured with Redis");
        let (subjects, index) = variant.table_counts();
        let fill = |(name, value): (&String, &String)| {
            let filled = value
                .replace("{subject_tables}", &subjects.to_string())
                .replace("{index_tables}", &index.to_string())
                .replace("{database}", database);
            ensure!(!filled.contains(['{', '}']), "{name} has an unknown placeholder: {value}");
            Ok((name.clone(), filled))
        };
        self.environment.iter().map(fill).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::variant::{Tables, Variant};
    use crate::repo::Repo;

    fn place() -> ServerData {
        let variant = Variant { tables: Tables::Many, ..Variant::PLAIN };
        ServerData { database: "mysql://root@127.0.0.1:5/riposte".into(), redis: None, brokers: None, variant }
    }

    fn settings(environment: &str) -> Result<Settings> {
        let log = "listening = \"a\"\nserving = \"b\"\ngrpc = \"c\"\nmetrics = \"d\"";
        Settings::parse(&format!("[environment]\n{environment}\n[log]\n{log}\n"))
    }

    #[test]
    fn the_settings_in_the_repository_are_filled_in_for_a_place() {
        let folder = Repo::find().unwrap().at("bench/before");
        let mut read = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let variables = Settings::parse(&text).unwrap().variables(&place()).unwrap();
            let has = |wanted: &str| variables.iter().any(|(_, value)| value == wanted);
            assert!(has("mysql://root@127.0.0.1:5/riposte") && has("50") && has("200"), "{variables:?}");
            read += 1;
        }
        assert!(read > 0);
    }

    #[test]
    fn an_unknown_placeholder_is_an_error_that_names_its_variable() {
        let wrong = settings("RIPOSTE__STORE__X = \"{tables}\"").unwrap();
        let error = wrong.variables(&place()).unwrap_err();
        assert_eq!(error.to_string(), "RIPOSTE__STORE__X has an unknown placeholder: {tables}");
    }

    #[test]
    fn a_variable_that_the_server_does_not_read_is_refused() {
        assert_eq!(settings("PATH = \"/\"").unwrap_err().to_string(), "PATH does not begin with RIPOSTE__");
        assert!(settings("RIPOSTE__A = \"1\"").is_ok());
    }
}
