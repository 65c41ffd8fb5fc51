//! The only access to Redis. Every call has a time limit. While the circuit breaker is open, all
//! calls but single probes fail at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fred::clients::{Client as Connection, Pool};
use fred::error::ErrorKind;
use fred::interfaces::{ClientLike, ClusterInterface, EventInterface, FunctionInterface};
use fred::types::Value;
use fred::types::config::{Config, ReconnectPolicy, ServerConfig};
use fred::types::{Builder, Key};
use riposte_sync::CircuitBreaker;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::endpoint::Endpoint;
use crate::config::RedisConfig;
use crate::port::Unavailable;

/// The source code of the functions that are loaded into Redis.
pub const REDIS_LIBRARY: &str = concat!(
    include_str!("lua/entry.lua"),
    include_str!("lua/list.lua"),
    include_str!("lua/candidates.lua"),
    include_str!("lua/change.lua"),
    include_str!("lua/likes.lua"),
    include_str!("lua/lease.lua"),
    include_str!("lua/page.lua"),
    include_str!("lua/cursor.lua"),
);

/// The prefix of the functions' names.
const PREFIX: &str = "riposte8_";
/// The time limit for checking a user and password.
const CREDENTIALS_CHECK_LIMIT: Duration = Duration::from_secs(1);
/// The time limit of a call in the background.
const BACKGROUND_LIMIT: Duration = Duration::from_secs(1);
/// The time limit for loading the functions on all servers.
const LOAD_LIMIT: Duration = Duration::from_secs(5);
/// The time limit for closing the connections.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);
/// The pause before a connection that the client library has closed is opened again.
const RECONNECT_PAUSE: Duration = Duration::from_millis(500);

/// The client of Redis, which is one server or one cluster.
#[derive(Debug)]
pub(super) struct RedisClient {
    pool: Pool,
    endpoint: Arc<Endpoint>,
    clustered: bool,
    /// The source code of the functions that this client loads.
    library: Arc<str>,
    begin: Instant,
    breaker: CircuitBreaker,
    /// The time for which readers wait. Only a response within this time closes the circuit
    /// breaker, because readers cannot use a later one.
    budget: Duration,
    /// Allows one load of the functions at a time.
    loading: tokio::sync::Mutex<()>,
    /// True if the last log line reported Redis as unavailable.
    reported_unavailable: Mutex<bool>,
    /// True from the start of [`Self::close`]; connections are then not opened again.
    closing: Arc<AtomicBool>,
    /// The number of connections that were opened again, and of changes of a cluster's layout.
    changes: Arc<AtomicU64>,
    /// The tasks that keep the connections open and count their changes.
    connection_tasks: Vec<AbortHandle>,
}

/// Parses an address, or returns the reason why it is invalid. The client library quotes a part of
/// the address after a colon; the reason omits this part, which may be secret.
pub(super) fn parse_url(url: &str) -> Result<Config, String> {
    let without_quote = |details: &str| details.split_once(": ").map_or(details, |(reason, _)| reason).to_owned();
    Config::from_url(url).map_err(|error| without_quote(error.details()))
}

/// Describes an error. The client library describes an error of the operating system by its debug
/// text, `Os { code: 111, kind: …, message: "…" }`, of which people need the message.
fn described(error: &fred::error::Error) -> String {
    let details = error.details();
    let after = |mark| details.split_once(mark).and_then(|(_, rest): (_, &str)| Some(rest.split_once('"')?.0));
    let message = match details.split_once(" { ") {
        Some(("Os", _)) => after("message: \""),
        Some(("Custom", _)) => after("error: \""),
        _ => None,
    };
    message.unwrap_or(details).to_owned()
}

/// Returns whether the server rejects the credentials of this address. Returns `false` if it does
/// not respond.
async fn is_denied(address: Config) -> bool {
    let mut builder = Builder::from_config(address);
    builder.with_connection_config(|settings| settings.connection_timeout = CREDENTIALS_CHECK_LIMIT);
    let Ok(client) = builder.build() else { return false };
    let ping = timeout(CREDENTIALS_CHECK_LIMIT, async {
        client.init().await?;
        client.ping::<Value>(None).await
    });
    let denied = matches!(ping.await, Ok(Err(error)) if *error.kind() == ErrorKind::Auth);
    // This client served only this check; an error while it closes is irrelevant.
    let _ = timeout(CREDENTIALS_CHECK_LIMIT, client.quit()).await;
    denied
}

/// Keeps a connection open. The client library reconnects by itself after most failures; this
/// function opens the connection again after all other failures.
async fn keep_connected(connection: Connection, closing: Arc<AtomicBool>, changes: Arc<AtomicU64>) {
    while !closing.load(Ordering::Acquire) {
        changes.fetch_add(1, Ordering::AcqRel);
        // The error is ignored, because the calls that failed report it. The guard ends the
        // library's task when this task is aborted.
        let _ = AbortOnDropHandle::new(connection.connect()).await;
        tokio::time::sleep(RECONNECT_PAUSE).await;
    }
}

/// Counts the connections that are opened again, and the changes of a cluster's layout.
async fn count_changes(connection: Connection, changes: Arc<AtomicU64>) {
    let (mut reconnects, mut cluster_changes) = (connection.reconnect_rx(), connection.cluster_change_rx());
    loop {
        // A receiver that is behind has missed some events, which count as one.
        let event = tokio::select! {
            event = reconnects.recv() => event.map(drop),
            event = cluster_changes.recv() => event.map(drop),
        };
        if matches!(event, Err(RecvError::Closed)) {
            return;
        }
        changes.fetch_add(1, Ordering::AcqRel);
    }
}

impl RedisClient {
    /// Creates a client, whose tasks connect and reconnect in the current runtime.
    pub(super) fn start(config: &RedisConfig) -> Result<Self, String> {
        let mut address = parse_url(&config.url)?;
        let endpoint = Arc::new(Endpoint::new(&address));
        address.credential_provider = Some(Arc::clone(&endpoint) as _);
        // A server that is unavailable at the start may become available later.
        address.fail_fast = false;
        let clustered = matches!(address.server, ServerConfig::Clustered { .. });
        let mut builder = Builder::from_config(address);
        builder
            .with_connection_config(|settings| {
                settings.connection_timeout = Duration::from_secs(1);
                settings.internal_command_timeout = Duration::from_secs(1);
                // A command is not sent again after a failure: its caller may no longer wait for
                // it.
                settings.max_command_attempts = 1;
                // A connection authenticates only when it opens. After an authentication error a
                // new connection is needed to use the current credentials.
                settings.reconnect_on_auth_error = true;
                settings.unresponsive.max_timeout = Some(Duration::from_secs(2));
                // Each connection wakes at this interval, also while nothing happens.
                settings.unresponsive.interval = Duration::from_secs(1);
                settings.tcp.nodelay = Some(true);
            })
            .with_performance_config(|settings| {
                settings.default_command_timeout = BACKGROUND_LIMIT.max(config.budget).max(config.apply_budget)
            })
            .set_policy(ReconnectPolicy::new_exponential(0, 50, 1_000, 2));
        let pool = builder.build_pool(config.connections.max(1)).map_err(|error| described(&error))?;
        let closing = Arc::<AtomicBool>::default();
        let changes = Arc::<AtomicU64>::default();
        let open = |connection: &Connection| {
            let opened = keep_connected(connection.clone(), Arc::clone(&closing), Arc::clone(&changes));
            let counted = count_changes(connection.clone(), Arc::clone(&changes));
            [tokio::spawn(counted), tokio::spawn(opened)].map(|task| task.abort_handle())
        };
        let connection_tasks = pool.clients().iter().flat_map(open).collect();
        Ok(Self {
            pool,
            endpoint,
            clustered,
            library: config.library.clone().unwrap_or_else(|| REDIS_LIBRARY.into()),
            begin: Instant::now(),
            breaker: CircuitBreaker::default(),
            budget: config.budget,
            loading: tokio::sync::Mutex::default(),
            reported_unavailable: Mutex::new(false),
            closing,
            changes,
            connection_tasks,
        })
    }

    /// Changes the credentials of new connections to those of `url`: see
    /// [`Endpoint::replace_credentials`]. Returns the reason if the address is invalid or names
    /// other servers, or if Redis rejects the credentials.
    pub(super) async fn replace_credentials(&self, url: &str) -> Result<(), String> {
        let new = parse_url(url)?;
        self.endpoint.require_same_servers(&new)?;
        if is_denied(new.clone()).await {
            return Err(
                "is refused: the server does not accept this user or password; the change is tried again".to_owned()
            );
        }
        self.endpoint.replace_credentials(new);
        Ok(())
    }

    /// Returns whether the circuit breaker is open.
    pub(super) fn is_unavailable(&self) -> bool {
        self.breaker.is_open()
    }

    /// Returns a number that changes when a connection is opened again or a cluster changes.
    pub(super) fn connection_changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    fn record_success(&self) {
        if self.breaker.succeeded() {
            self.log_availability(false);
        }
    }

    fn record_failure(&self, reason: &str) {
        if self.breaker.failed(self.begin.elapsed()) {
            self.log_availability(true);
            tracing::debug!(error = reason, "the call to Redis that failed last");
        }
    }

    /// Logs the availability of Redis if it has changed since the last log line.
    fn log_availability(&self, unavailable: bool) {
        let mut reported = self.reported_unavailable.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *reported != unavailable {
            *reported = unavailable;
            if unavailable {
                tracing::warn!("Redis is unavailable; reads go to the database");
            } else {
                tracing::info!("Redis is available again");
            }
        }
    }

    /// Calls a function on the server that stores `key`, within the time limit `budget`. A failure
    /// counts for the circuit breaker.
    pub(super) async fn call(
        &self,
        name: &str,
        key: &str,
        args: Vec<Value>,
        budget: Duration,
    ) -> Result<Value, Unavailable> {
        self.try_call(name, key, args, budget).await.map_err(|reason| {
            if let Some(reason) = reason {
                self.record_failure(&reason);
            }
            Unavailable
        })
    }

    /// Calls a function in the background, with a longer time limit. A failed call does not count
    /// for the circuit breaker, but a failure to load the functions does.
    pub(super) async fn call_in_background(
        &self,
        name: &str,
        key: &str,
        args: Vec<Value>,
    ) -> Result<Value, Unavailable> {
        self.try_call(name, key, args, BACKGROUND_LIMIT).await.map_err(|_| Unavailable)
    }

    /// Calls a function, and loads the functions first if the server lacks them. The error is the
    /// reason of the failure; it is `None` if the circuit breaker is open or the functions could
    /// not be loaded.
    async fn try_call(
        &self,
        name: &str,
        key: &str,
        args: Vec<Value>,
        budget: Duration,
    ) -> Result<Value, Option<String>> {
        if !self.breaker.may_try(self.begin.elapsed()) {
            return Err(None);
        }
        let begin = Instant::now();
        let mut result = timeout(budget, self.call_once(name, key, args.clone())).await;
        if let Ok(Err(error)) = &result
            && error.details().contains("Function not found")
        {
            self.load().await.map_err(|Unavailable| None)?;
            result = timeout(budget, self.call_once(name, key, args)).await;
        }
        match result {
            Ok(Ok(value)) => {
                if begin.elapsed() <= self.budget {
                    self.record_success();
                }
                Ok(value)
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, function = name, "a function in Redis failed");
                Err(Some(described(&error)))
            }
            Err(_) => Err(Some("too slow".to_owned())),
        }
    }

    async fn call_once(&self, name: &str, key: &str, args: Vec<Value>) -> Result<Value, fred::error::Error> {
        self.pool.fcall(format!("{PREFIX}{name}"), vec![Key::from(key)], args).await
    }

    /// Loads the functions into the server, or into every master of the cluster.
    pub(super) async fn load(&self) -> Result<(), Unavailable> {
        let _guard = self.loading.lock().await;
        let library = self.library.to_string();
        let load = timeout(LOAD_LIMIT, async {
            if self.clustered {
                let _: Result<(), _> = self.pool.next().sync_cluster().await;
                self.pool.next().function_load_cluster::<Value, _>(true, library).await
            } else {
                self.pool.next().function_load::<Value, _>(true, library).await
            }
        });
        match load.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the functions could not be loaded into Redis");
                self.record_failure(&described(&error));
                Err(Unavailable)
            }
            Err(_) => {
                self.record_failure("too slow");
                Err(Unavailable)
            }
        }
    }

    /// Waits until all connections are open, for at most `within`. The error is the reason of the
    /// last failure.
    pub(super) async fn wait_connected(&self, within: Duration) -> Result<(), String> {
        let mut failures = self.pool.next().error_rx();
        let mut reason = "it does not answer".to_owned();
        let connect = async {
            loop {
                tokio::select! {
                    result = self.pool.wait_for_connect() => match result {
                        Ok(()) => return,
                        Err(error) => reason = described(&error),
                    },
                    Ok((error, _)) = failures.recv() => reason = described(&error),
                }
            }
        };
        timeout(within, connect).await.map_err(|_| reason)
    }

    /// Returns the round-trip time of a PING, and the output of INFO, which is empty if INFO fails.
    pub(super) async fn ping_and_info(&self) -> Result<(Duration, String), String> {
        let failed = |error: fred::error::Error| described(&error);
        let begin = Instant::now();
        let _: String = self.pool.next().ping(None).await.map_err(failed)?;
        let round_trip = begin.elapsed();
        let info: String = self.pool.next().info(None).await.unwrap_or_default();
        Ok((round_trip, info))
    }

    pub(super) fn is_clustered(&self) -> bool {
        self.clustered
    }

    /// Closes the connections. A server that does not confirm this in time is ignored.
    pub(super) async fn close(&self) {
        self.closing.store(true, Ordering::Release);
        let _ = timeout(CLOSE_LIMIT, self.pool.quit()).await;
    }
}

impl Drop for RedisClient {
    fn drop(&mut self) {
        self.connection_tasks.iter().for_each(AbortHandle::abort);
    }
}
