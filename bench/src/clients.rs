//! The connections that the callers share.

use crate::raw::Raw;
use anyhow::{Context, Result, ensure};
use riposte_sdk::{Client, v1};

/// The addresses of the service, and the distribution of the load.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TargetArgs {
    /// The address of the service; if several are given, the callers are spread over all of them
    #[arg(long = "endpoint", value_name = "URL", required = true)]
    endpoints: Vec<String>,
    /// Connections to each endpoint
    #[arg(long, default_value_t = 4)]
    connections: usize,
    /// The object type of the subjects
    #[arg(long, default_value = "bench")]
    pub(crate) object_type: String,
    /// The prefix of the subjects' ids; existing subjects are reused [default: random]
    #[arg(long, default_value_t = random(), hide_default_value = true)]
    prefix: String,
}

/// Connections to all endpoints, assigned to the callers in turn.
#[derive(Debug)]
pub(crate) struct Clients {
    all: Vec<Client>,
}

impl TargetArgs {
    /// Returns the requested connections, which connect at their first call.
    pub(crate) fn open(&self) -> Result<Clients> {
        ensure!(self.connections > 0, "at least one connection");
        // The endpoint varies first, so that an even number of callers is spread evenly over two
        // endpoints.
        let all = (0..self.connections).flat_map(|_| &self.endpoints).map(Client::connect);
        Ok(Clients { all: all.collect::<Result<_, _>>()? })
    }

    /// Returns the same connections for messages as bytes: calls of the plain library, without the
    /// retries and deadlines of the SDK.
    pub(crate) fn open_raw(&self) -> Result<Vec<Raw>> {
        ensure!(self.connections > 0, "at least one connection");
        (0..self.connections).flat_map(|_| &self.endpoints).map(|endpoint| Raw::open(endpoint)).collect()
    }

    /// Returns the same target with other subjects.
    pub(crate) fn with_prefix(&self, prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..self.clone() }
    }

    /// Returns host and port of the first endpoint.
    pub(crate) fn address(&self) -> Result<&str> {
        let first = self.endpoints.first().and_then(|endpoint| endpoint.strip_prefix("http://"));
        first.context("an endpoint of http://host:port")
    }

    /// Returns the keys of `count` subjects.
    pub(crate) fn keys(&self, count: usize) -> Vec<v1::SubjectKey> {
        let object_id = |number| format!("{}-{number}", self.prefix);
        let key = |number| v1::SubjectKey { object_type: self.object_type.clone(), object_id: object_id(number) };
        (0..count).map(key).collect()
    }
}

fn random() -> String {
    format!("{:016x}", rand::random::<u64>())
}

impl Clients {
    /// Returns the connection of a caller, by its index.
    pub(crate) fn of(&self, caller: usize) -> &Client {
        &self.all[caller % self.all.len()]
    }
}
