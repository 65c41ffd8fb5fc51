//! Short configuration files to begin with: complete, but for the lines that are marked.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use rand::Rng;

const SQLITE: &str = include_str!("minimal/sqlite.toml");
const MYSQL: &str = include_str!("minimal/mysql.toml");
const REDIS: &str = include_str!("minimal/redis.toml");
const CALLERS: &str = include_str!("minimal/callers.toml");

/// The database and the cache of a short configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MinimalStore {
    /// One process on one machine
    Sqlite,
    /// MySQL or MariaDB, any number of processes
    Mysql,
    /// The same, with Redis as the cache of all processes
    #[value(name = "mysql+redis")]
    MysqlRedis,
}

/// Returns a short configuration file with a page token key of its own.
pub fn minimal(store: MinimalStore) -> String {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    let (text, name) = match store {
        MinimalStore::Sqlite => (SQLITE.to_owned(), "SQLite"),
        MinimalStore::Mysql => ([MYSQL, CALLERS].concat(), "MySQL or MariaDB"),
        MinimalStore::MysqlRedis => ([MYSQL, REDIS, CALLERS].concat(), "MySQL or MariaDB, with Redis"),
    };
    text.replace("<STORE>", name).replace("<KEY>", &STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::{MinimalStore, minimal};
    use crate::config::{Config, Inputs};
    use clap::ValueEnum;

    /// The mark of a line that has to be completed.
    const MARK: &str = "FILL IN";

    fn check(text: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("riposte.toml");
        std::fs::write(&path, text).unwrap();
        let inputs = Inputs { production: true, files: vec![path], ..Inputs::default() };
        Config::load(&inputs).map(|loaded| loaded.config).map_err(|errors| errors.to_string())
    }

    #[test]
    fn a_short_file_is_valid_once_its_marked_lines_are_completed_and_names_each_line_before() {
        for store in MinimalStore::value_variants() {
            let text = minimal(*store);
            assert!(text.lines().count() <= 45, "{store:?} has {} lines", text.lines().count());
            let errors = check(&text).unwrap_err();
            let mut completed = Vec::new();
            for line in text.lines() {
                let Some((key, _)) = line.split_once(" = \"\"").filter(|_| line.contains(MARK)) else {
                    completed.push(line.to_owned());
                    continue;
                };
                assert!(errors.contains(key), "{store:?} does not say that {key} is empty: {errors}");
                let value = match (key, completed.iter().any(|line| line == "[cache]")) {
                    ("url", true) => "redis://cache.example:6379",
                    ("url", false) => "mysql://riposte:word@db.example:3306/riposte",
                    _ => "/etc/riposte/file",
                };
                completed.push(format!("{key} = \"{value}\""));
            }
            check(&completed.join("\n")).unwrap();
        }
    }

    #[test]
    fn each_file_has_a_key_of_its_own() {
        assert_ne!(minimal(MinimalStore::Mysql), minimal(MinimalStore::Mysql));
    }
}
