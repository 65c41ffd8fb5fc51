//! The path of redis-server, and the addresses of the servers that a test run shares.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

/// The command that runs redis-server.
#[derive(Debug, Clone)]
pub struct Program {
    words: Vec<OsString>,
    base: PathBuf,
}

impl Program {
    /// Returns the program that `RIPOSTE_TEST_REDIS_SERVER` names, or the one on the path; `None`,
    /// with a notice on standard error, if neither exists.
    #[must_use]
    pub fn find() -> Option<Self> {
        let given = std::env::var_os("RIPOSTE_TEST_REDIS_SERVER").filter(|path| !path.is_empty());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path =
            || std::env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|file| file.is_file());
        let found = given.map(PathBuf::from).or_else(on_path);
        if found.is_none() {
            eprintln!("SKIPPED what needs a Redis of its own: no redis-server, and none in RIPOSTE_TEST_REDIS_SERVER");
        }
        found.map(|program| Self::new(&[program.as_os_str()], &std::env::temp_dir()))
    }

    /// Creates a value from `words`: the program, after the command that must start it, if there is
    /// one. Data folders are created in `base`.
    #[must_use]
    pub fn new(words: &[impl AsRef<std::ffi::OsStr>], base: &Path) -> Self {
        Self { words: words.iter().map(|word| word.as_ref().to_owned()).collect(), base: base.to_owned() }
    }

    /// Returns the command without arguments.
    pub(crate) fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command.args(words);
        command
    }

    /// Creates a folder for a server's data.
    pub(crate) fn folder(&self) -> Result<TempDir> {
        Ok(tempfile::Builder::new().prefix("redis").tempdir_in(&self.base)?)
    }
}

/// Returns the server that the test run shares, as `redis://127.0.0.1:port`; `None`, with a notice
/// on standard error, if it is not running.
#[must_use]
pub fn shared() -> Option<String> {
    named("RIPOSTE_TEST_REDIS")
}

/// Returns the cluster that the test run shares, as
/// `redis-cluster://127.0.0.1:port?node=127.0.0.1:port&…` with all of its nodes; `None`, with a
/// notice on standard error, if it is not running.
#[must_use]
pub fn shared_cluster() -> Option<String> {
    named("RIPOSTE_TEST_REDIS_CLUSTER")
}

fn named(variable: &str) -> Option<String> {
    let found = std::env::var_os(variable).and_then(|url| url.into_string().ok()).filter(|url| !url.is_empty());
    if found.is_none() {
        eprintln!("SKIPPED everything on {variable}: it names no server");
    }
    found
}
