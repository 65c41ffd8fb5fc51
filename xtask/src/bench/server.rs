//! The server programs that can be started: the one built from this tree, or an older one.

mod before;

use super::environment::TOPIC;
use super::log_lines::LogLines;
use super::variant::Variant;
use crate::repo::Repo;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

pub(super) use before::Before;

/// A server program.
#[derive(Debug)]
pub(super) enum Server {
    /// The server built from this tree, with additional `--set` arguments.
    Current(Vec<String>),
    /// A server built from an older revision, with configuration keys of its own.
    Before(Before),
}

/// The servers and tables that a server uses.
#[derive(Debug)]
pub(super) struct ServerData {
    /// The URL of the database.
    pub(super) database: String,
    /// The URL of Redis, if there is one.
    pub(super) redis: Option<String>,
    /// The brokers of the topic, if there is one.
    pub(super) brokers: Option<String>,
    pub(super) variant: Variant,
}

/// A program with its configuration and the lines of its log.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) binary: PathBuf,
    pub(super) log: LogLines,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Server {
    /// Returns the program, configured for a place.
    pub(super) fn launch(&self, repo: &Repo, place: &ServerData) -> Result<Launch> {
        match self {
            Self::Current(sets) => Ok(Launch {
                binary: repo.dist_binary(),
                log: LogLines::CURRENT,
                arguments: current(place, sets),
                variables: Vec::new(),
            }),
            Self::Before(before) => before.launch(place),
        }
    }
}

impl Launch {
    /// Adds the configuration to a command of the program. Removes the variables of a developer's
    /// own service.
    pub(super) fn configure(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("RIPOSTE_") {
                command.env_remove(&name);
            }
        }
        command.args(&self.arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
    }
}

/// Returns the configuration of this tree's server, as `--set` arguments.
fn current(place: &ServerData, sets: &[String]) -> Vec<String> {
    let ours = [
        format!("store.sources=[{{url=\"{}\"}}]", place.database),
        "server.listen=127.0.0.1:0".to_owned(),
        "server.admin_listen=127.0.0.1:0".to_owned(),
        "server.metrics_listen=127.0.0.1:0".to_owned(),
        "open_object_types=true".to_owned(),
        "log.format=json".to_owned(),
    ];
    let redis = place.redis.as_ref().map(|url| ["cache.kind=redis".to_owned(), format!("cache.url={url:?}")]);
    let topic = place.brokers.as_ref().map(|brokers| {
        [
            format!("events.kafka.brokers=[{brokers:?}]"),
            format!("events.kafka.topic={TOPIC:?}"),
            "events.kafka.create_topic=true".to_owned(),
        ]
    });
    let all = ours
        .into_iter()
        .chain(topic.into_iter().flatten())
        .chain(place.variant.shard_counts())
        .chain(redis.into_iter().flatten())
        .chain(sets.iter().cloned());
    all.flat_map(|set| ["--set".to_owned(), set]).collect()
}
