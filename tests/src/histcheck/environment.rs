//! Starts the environment of a run: two databases, a Redis or a Redis Cluster, two servers and a
//! relay, and the proxies between them.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex, watch};

use super::fault::{Deployment, LONG_TIMEOUT_SERVER, Means, PROCESSES, Proxies, QueryMutant, RELAY};
use super::fleet::{Fleet, Launch};
use super::names;
use super::options::{Options, TableCounts};
use crate::clock::Clock;
use crate::mysql::{self, Databases};
use crate::net::Network;
use crate::redis;

/// Settings that all servers of a run share, other than those of their stores.
const SHARED_SETTINGS: [&str; 6] = [
    // A run is longer than the default edit window.
    "object_type_defaults.edit_window=always",
    // A walk may continue at any server.
    "page_tokens.keys=[\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\"]",
    "cache.kind=redis",
    // Small enough that walks by rank go beyond the rank index, and lists beyond the cached range.
    "rankings.depth=100",
    "cache.window=100",
    // The response cache also holds pages that are read rarely.
    "response_cache.threshold=5",
];

/// Starts all processes. `burst` starts and pauses the clients of a burst; `errors` receives the
/// errors in the logs of the servers. Also returns the addresses of the databases.
///
/// # Errors
/// Fails when there are no databases, or when something that the options require is unavailable.
pub(super) async fn start(
    burst: watch::Sender<bool>,
    errors: UnboundedSender<String>,
    options: &Options,
) -> Result<(Deployment, Databases)> {
    let has = |means| options.means.contains(&means);
    let databases = mysql::servers().context("there are no database servers: `cargo xtask prove` starts them")?;
    let cache = CacheServer::start(has(Means::Cluster)).await?;
    let clocks = (0..PROCESSES).filter(|_| has(Means::Clocks)).map(|_| Clock::new()?.context("there are no clocks"));
    let clocks = clocks.collect::<Result<Vec<Clock>>>()?;
    let mut networks = Vec::new();
    for number in (0..PROCESSES as u8).filter(|_| has(Means::Networks)) {
        networks.push(Network::make(number).await?);
    }
    let TableCounts { subject, index } = options.tables;
    let tables =
        crate::settings::sets([format!("store.subject_tables={subject}"), format!("store.index_tables={index}")]);
    let databases = Databases::on(&databases, tables).await?;
    let port = |url: &String| url.rsplit(':').next().and_then(|port| port.parse().ok()).context("no port");
    let ports = databases.servers.iter().map(port).collect::<Result<Vec<u16>>>()?;
    let query_mutant = QueryMutant::named(&options.mutant);
    let proxies = Proxies::to(&ports, cache.port, &networks, (options.seed, query_mutant)).await?;
    let launch = |process: usize| {
        let mut arguments = crate::settings::on_databases(&proxies.databases(process), &databases.name);
        let url = proxies.redis(process).unwrap_or_else(|| cache.url.clone());
        let mut settings: Vec<String> = SHARED_SETTINGS.map(str::to_owned).to_vec();
        let levels = names::OBJECT_TYPES.iter().zip(names::LEVELS);
        settings.extend(levels.map(|(name, levels)| format!("object_types.{name}.max_depth={levels}")));
        settings.push(format!("object_types.{}.report_threshold={}", names::REVIEWED_TYPE, names::REPORT_THRESHOLD));
        settings.push(format!("cache.url={url}"));
        settings.push(format!("server.roles={}", roles(process)));
        if process == LONG_TIMEOUT_SERVER {
            // Reads need it as well: after reads that time out, a server considers Redis
            // unavailable and no longer updates the cache. Clients wait for a read a little longer,
            // so that they see its fallback result instead.
            settings.extend(["cache.apply_timeout=1s", "cache.read_timeout=800ms"].map(str::to_owned));
        }
        let mut wrapper = Vec::new();
        if let Some(network) = networks.get(process) {
            let addresses = ["server.listen", "server.admin_listen", "server.metrics_listen"];
            settings.extend(addresses.map(|key| format!("{key}={}:0", network.server())));
            wrapper.extend(network.enter()?);
        }
        arguments.extend(crate::settings::sets(settings));
        let clock = clocks.get(process).map(Clock::variables).into_iter().flatten();
        let mut variables: Vec<_> = clock.map(|(name, value)| (name, value.to_owned())).collect();
        if !options.mutant.is_empty() && query_mutant.is_none() {
            variables.push(("RIPOSTE_MUTANT", options.mutant.clone().into()));
        }
        anyhow::Ok(Launch { arguments, variables, wrapper, errors: Some(errors.clone()) })
    };
    let fleet = Fleet::start((0..PROCESSES).map(launch).collect::<Result<_>>()?).await?;
    let deployment = Deployment::new(fleet, proxies, (clocks, networks), cache.redis, burst);
    Ok((deployment, databases))
}

/// Returns the roles of a process; all three combinations occur in deployments.
fn roles(process: usize) -> &'static str {
    match process {
        RELAY => "['worker']",
        LONG_TIMEOUT_SERVER => "['api']",
        _ => "['api', 'worker']",
    }
}

/// The Redis that stores the cache.
struct CacheServer {
    redis: Arc<Mutex<dyn redis::FaultTarget + Send>>,
    url: String,
    /// The port for a proxy; `None` for a cluster, which announces its own addresses.
    port: Option<u16>,
}

impl CacheServer {
    async fn start(cluster: bool) -> Result<Self> {
        let program = redis::Program::find().context("there is no redis-server")?;
        let start = move || {
            if cluster {
                let redis = redis::Cluster::start(&program)?;
                let url = redis.url();
                return anyhow::Ok(Self { redis: Arc::new(Mutex::new(redis)), url, port: None });
            }
            let redis = redis::Server::start(&program)?;
            let (url, port) = (redis.url(), Some(redis.port()));
            Ok(Self { redis: Arc::new(Mutex::new(redis)), url, port })
        };
        tokio::task::spawn_blocking(start).await?
    }
}
