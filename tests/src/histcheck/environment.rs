//! Starts the environment of a run: two databases, a Redis or a Redis Cluster, two servers and a
//! relay, and the proxies between them.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use riposte_test_support::kafka::{self, Kafka};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex, watch};

use super::fault::{Deployment, LONG_TIMEOUT_SERVER, Means, PROCESSES, Proxies, QueryMutant, RELAY};
use super::fleet::{Fleet, Launch};
use super::history::FIXED_LIST;
use super::load::{FilterFakes, write_list};
use super::names;
use super::options::{Options, TableCounts};
use super::topic;
use crate::clock::Clock;
use crate::mysql::{self, Databases};
use crate::net::Network;
use crate::redis;

/// Settings that all servers of a run share, other than those of their stores.
const SHARED_SETTINGS: [&str; 7] = [
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
    // The word list changes during a run.
    "auth.reload_interval=1s",
];

/// Starts all processes. `burst` starts and pauses the clients of a burst; `errors` receives the
/// errors in the logs of the servers. Also returns the addresses of the databases, and the filters.
///
/// # Errors
/// Fails when there are no databases, or when something that the options require is unavailable.
pub(super) async fn start(
    burst: watch::Sender<bool>,
    errors: UnboundedSender<String>,
    options: &Options,
) -> Result<(Deployment, Databases, FilterFakes)> {
    let has = |means| options.means.contains(&means);
    let databases = mysql::servers().context("there are no database servers: `cargo xtask prove` starts them")?;
    let cache = CacheServer::start(has(Means::Cluster)).await?;
    let clocks = (0..PROCESSES).filter(|_| has(Means::Clocks)).map(|_| Clock::new()?.context("there are no clocks"));
    let clocks = clocks.collect::<Result<Vec<Clock>>>()?;
    let mut networks = Vec::new();
    for number in (0..PROCESSES as u8).filter(|_| has(Means::Networks)) {
        networks.push(Network::make(number).await?);
    }
    let kafka = if has(Means::Topic) { Some(start_kafka().await?) } else { None };
    let topic = kafka.as_ref().map(topic::settings);
    let TableCounts { subject, index } = options.tables;
    let tables =
        crate::settings::sets([format!("store.subject_tables={subject}"), format!("store.index_tables={index}")]);
    let databases = Databases::on(&databases, tables).await?;
    let port = |url: &String| url.rsplit(':').next().and_then(|port| port.parse().ok()).context("no port");
    let ports = databases.servers.iter().map(port).collect::<Result<Vec<u16>>>()?;
    let query_mutant = QueryMutant::named(&options.mutant);
    let word_list = word_list(options)?;
    write_list(&word_list, 0)?;
    let fixed_list = word_list.with_file_name("fixed.jsonl");
    std::fs::write(&fixed_list, FIXED_LIST)?;
    let proxies = Proxies::to(&ports, cache.port, &networks, (options.seed, query_mutant)).await?;
    let filters = (0..PROCESSES).map(|process| match networks.get(process) {
        Some(network) => network.listen(),
        None => Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?),
    });
    let filters = filters.collect::<Result<Vec<TcpListener>>>()?;
    let endpoints: Vec<_> = filters.iter().map(TcpListener::local_addr).collect::<std::io::Result<_>>()?;
    let filters = FilterFakes::start(filters)?;
    let member_key = member_key(&options.folder)?;
    let launch = |process: usize| {
        let mut arguments = crate::settings::on_databases(&proxies.databases(process), &databases.name);
        let url = proxies.redis(process).unwrap_or_else(|| cache.url.clone());
        let mut settings: Vec<String> = SHARED_SETTINGS.map(str::to_owned).to_vec();
        let levels = names::OBJECT_TYPES.iter().zip(names::LEVELS);
        settings.extend(levels.map(|(name, levels)| format!("object_types.{name}.max_depth={levels}")));
        settings.push(format!("object_types.{}.report_threshold={}", names::REVIEWED_TYPE, names::REPORT_THRESHOLD));
        let list = |name, types: &[&str], file: &Path| {
            format!("{{name=\"{name}\", object_types={types:?}, file=\"{}\"}}", file.display())
        };
        let words = list("words", &[names::JUDGED_TYPE], &word_list);
        let fixed = list("fixed", &[names::JUDGED_TYPE, names::FILTERED_TYPE], &fixed_list);
        settings.push(format!("policy.lists=[{words}, {fixed}]"));
        settings.push(format!("filter.endpoint={}", endpoints[process]));
        settings.push(format!("filter.member_key_file={}", member_key.display()));
        settings.push("filter.timeout=500ms".to_owned());
        let fallbacks = [(names::FILTERED_TYPE, "hold"), (names::SHOWN_TYPE, "flag"), (names::STRICT_TYPE, "refuse")];
        settings.extend(fallbacks.map(|(name, fallback)| format!("object_types.{name}.filter={fallback}")));
        settings.extend(topic.iter().flatten().cloned());
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
    let deployment = Deployment::new(fleet, proxies, (clocks, networks), (cache.redis, kafka), burst);
    Ok((deployment, databases, filters))
}

/// Starts the broker of the topic.
async fn start_kafka() -> Result<Kafka> {
    let program = kafka::Program::find().context("there are no jars of Kafka")?;
    tokio::task::spawn_blocking(move || Kafka::start(&program, 1)).await?
}

/// Returns the file of the word list.
///
/// # Errors
/// Fails when the folder of the run does not exist.
pub(super) fn word_list(options: &Options) -> Result<PathBuf> {
    Ok(std::path::absolute(&options.folder)?.join("words.jsonl"))
}

/// Writes the key of the tokens by which the filter knows members.
fn member_key(folder: &Path) -> Result<PathBuf> {
    let file = std::path::absolute(folder)?.join("member-key");
    std::fs::write(&file, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")?;
    Ok(file)
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
