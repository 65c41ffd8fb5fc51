//! Fresh databases, a Redis for one test, and the versions of the server that run over them.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use riposte_tests::binary::binary;
use riposte_tests::mysql::{self, Databases};
use riposte_tests::{Server, redis};
use tempfile::NamedTempFile;

use super::super::migrate::TABLES;

/// The settings of the older binary, with its own keys.
const BEFORE: &str = include_str!("before.toml");
/// Settings in addition to those of every test: servers share page tokens and the cache, a stopping
/// server still serves, and calls have the time that their callers give them.
const SETS: [&str; 6] = [
    "page_tokens.keys=[\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\"]",
    "cache.kind=redis",
    "server.drain_delay=300ms",
    "server.max_call_time=30s",
    "server.max_read_time=30s",
    "server.max_write_time=30s",
];

/// The kind of Redis that holds the cache.
#[derive(Debug, Clone, Copy)]
pub(super) enum RedisKind {
    One,
    Cluster,
}

/// A running Redis. It ends with this value.
#[derive(Debug)]
enum Redis {
    One(redis::Server),
    Cluster(redis::Cluster),
}

/// Databases with the current schema, a Redis, and the versions that run over both.
#[derive(Debug)]
pub(super) struct Deployment {
    pub(super) databases: [String; 2],
    pub(super) name: String,
    /// The older version, if one is given, and the version under test.
    pub(super) versions: Vec<Version>,
    _redis: Redis,
}

/// A binary with the arguments that configure it.
#[derive(Debug)]
pub(super) struct Version {
    binary: PathBuf,
    arguments: Vec<String>,
    _file: Option<NamedTempFile>,
}

impl Redis {
    async fn start(kind: RedisKind, program: redis::Program) -> Result<Self> {
        let start = move || match kind {
            RedisKind::One => redis::Server::start(&program).map(Self::One),
            RedisKind::Cluster => redis::Cluster::start(&program).map(Self::Cluster),
        };
        tokio::task::spawn_blocking(start).await?
    }

    fn url(&self) -> String {
        match self {
            Self::One(server) => server.url(),
            Self::Cluster(cluster) => cluster.url(),
        }
    }
}

impl Deployment {
    /// Starts a Redis and migrates fresh databases; `None`, with a message, where database servers
    /// or Redis are missing.
    pub(super) async fn fresh(kind: RedisKind) -> Result<Option<Self>> {
        let (Some(databases), Some(program)) = (mysql::servers(), redis::Program::find()) else { return Ok(None) };
        let redis = Redis::start(kind, program).await?;
        let url = format!("cache.url={}", redis.url());
        let more = riposte_tests::settings::sets(SETS.into_iter().chain([url.as_str()]))
            .into_iter()
            .chain(TABLES.map(str::to_owned));
        let Databases { name, arguments, .. } = Databases::on(&databases, more).await?;
        let now = Version { binary: binary()?, arguments, _file: None };
        let before = Version::before(&databases, &name, &redis.url())?;
        let versions = before.into_iter().chain([now]).collect();
        Ok(Some(Self { databases, name, versions, _redis: redis }))
    }
}

impl Version {
    /// The binary of RIPOSTE_TEST_BIN_BEFORE, configured by a file with the keys of that version.
    fn before(databases: &[String; 2], name: &str, cache: &str) -> Result<Option<Self>> {
        let Some(binary) = std::env::var_os("RIPOSTE_TEST_BIN_BEFORE").map(PathBuf::from) else {
            eprintln!(
                "SKIPPED the older version: RIPOSTE_TEST_BIN_BEFORE names no binary; one version stands for both"
            );
            return Ok(None);
        };
        let source = |number: usize| format!("{}/{name}", databases[number - 1]);
        let words = [("{source_1}", source(1)), ("{source_2}", source(2)), ("{cache}", cache.to_owned())];
        let text = words.iter().fold(BEFORE.to_owned(), |text, (word, value)| text.replace(word, value));
        let mut file = tempfile::Builder::new().suffix(".toml").tempfile()?;
        file.write_all(text.as_bytes())?;
        let path = file.path().to_str().context("the path of a temporary file is not UTF-8")?.to_owned();
        Ok(Some(Self { binary, arguments: vec!["--config".to_owned(), path], _file: Some(file) }))
    }

    /// Starts a server of this version.
    pub(super) async fn start(&self) -> Result<Server> {
        self.start_with(&[]).await
    }

    /// Starts a server of this version with more arguments.
    pub(super) async fn start_with(&self, more: &[&str]) -> Result<Server> {
        let arguments: Vec<String> =
            self.arguments.iter().cloned().chain(more.iter().map(|a| (*a).to_owned())).collect();
        let started = Server::serve_by(&self.binary, &arguments, &[]).await;
        started.with_context(|| format!("{} does not serve", self.binary.display()))
    }
}
