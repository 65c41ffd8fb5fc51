//! The only access to Redis. Every call has a time limit. While the circuit breaker is open, calls
//! fail at once, except for single probes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fred::clients::{Client as Connection, Pool};
use fred::error::ErrorKind;
use fred::interfaces::{ClientLike, ClusterInterface, EventInterface, FunctionInterface};
use fred::types::Value;
use fred::types::config::{Config, ReconnectPolicy, ServerConfig};
use fred::types::{Builder, Key};
use riposte_sync::CircuitBreaker;
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
const PREFIX: &str = "riposte7_";
/// The time limit of a check of a user and password.
const TRIED: Duration = Duration::from_secs(1);
/// The time limit of a call in the background.
const ASIDE: Duration = Duration::from_secs(1);
/// The time limit for loading the functions on all servers.
const LOADING: Duration = Duration::from_secs(5);
/// The time limit for closing the connections.
const LEAVING: Duration = Duration::from_secs(2);
/// The pause before a connection that the client library has given up is started again.
const GIVEN_UP: Duration = Duration::from_millis(500);

/// The client of Redis, which is one server or one cluster.
#[derive(Debug)]
pub(super) struct RedisClient {
    pool: Pool,
    place: Arc<Endpoint>,
    clustered: bool,
    /// The source code of the functions that this client loads.
    library: Arc<str>,
    begin: Instant,
    breaker: CircuitBreaker,
    /// The time for which readers wait. Only a response within this time closes the circuit
    /// breaker; a later one is useless to readers.
    budget: Duration,
    /// Allows one load of the functions at a time.
    loading: tokio::sync::Mutex<()>,
    /// True if the last log line reported Redis as unavailable.
    told: Mutex<bool>,
    /// True from the start of [`Self::close`]; connections are then not opened again.
    leaving: Arc<AtomicBool>,
    /// The tasks that keep the connections open.
    keepers: Vec<AbortHandle>,
}

/// Parses an address, or returns the reason why it is invalid. The client library quotes a part of
/// the address after a colon; the reason omits this part, which may be secret.
pub(super) fn parsed(url: &str) -> Result<Config, String> {
    let told = |why: &str| why.split_once(": ").map_or(why, |(why, _)| why).to_owned();
    Config::from_url(url).map_err(|error| told(error.details()))
}

/// Returns whether the server explicitly rejects these credentials.
async fn is_denied(address: Config) -> bool {
    let mut builder = Builder::from_config(address);
    builder.with_connection_config(|of| of.connection_timeout = TRIED);
    let Ok(client) = builder.build() else { return false };
    let tried = timeout(TRIED, async {
        client.init().await?;
        client.ping::<Value>(None).await
    });
    let denied = matches!(tried.await, Ok(Err(error)) if *error.kind() == ErrorKind::Auth);
    // This client served only this check; an error while it closes is irrelevant.
    let _ = timeout(TRIED, client.quit()).await;
    denied
}

/// Keeps a connection open. The client library reconnects after most failures by itself; this
/// function starts the connection again after the others.
async fn keep(connection: Connection, leaving: Arc<AtomicBool>) {
    while !leaving.load(Ordering::Acquire) {
        // The reason for the end is ignored, because the calls that failed report it. The guard
        // ends the library's task when this task is aborted.
        let _ = AbortOnDropHandle::new(connection.connect()).await;
        tokio::time::sleep(GIVEN_UP).await;
    }
}

impl RedisClient {
    /// Creates a client, whose tasks connect and reconnect in the current runtime.
    pub(super) fn start(config: &RedisConfig) -> Result<Self, String> {
        let mut parsed = parsed(&config.url)?;
        let place = Arc::new(Endpoint::of(&parsed));
        parsed.credential_provider = Some(Arc::clone(&place) as _);
        // A server that is unavailable at the start may become available later.
        parsed.fail_fast = false;
        let clustered = matches!(parsed.server, ServerConfig::Clustered { .. });
        let mut builder = Builder::from_config(parsed);
        builder
            .with_connection_config(|of| {
                of.connection_timeout = Duration::from_secs(1);
                of.internal_command_timeout = Duration::from_secs(1);
                // A command is not sent again after a failure: its caller may no longer wait for
                // it.
                of.max_command_attempts = 1;
                // A connection authenticates only when it opens. After an authentication error a
                // new connection is needed to use the current credentials.
                of.reconnect_on_auth_error = true;
                of.unresponsive.max_timeout = Some(Duration::from_secs(2));
                of.unresponsive.interval = Duration::from_millis(500);
                of.tcp.nodelay = Some(true);
            })
            .with_performance_config(|of| {
                of.default_command_timeout = ASIDE.max(config.budget).max(config.apply_budget)
            })
            .set_policy(ReconnectPolicy::new_exponential(0, 50, 1_000, 2));
        let pool = builder.build_pool(config.connections.max(1)).map_err(|error| error.details().to_owned())?;
        let leaving = Arc::<AtomicBool>::default();
        let keeper = |of: &Connection| tokio::spawn(keep(of.clone(), Arc::clone(&leaving))).abort_handle();
        let keepers = pool.clients().iter().map(keeper).collect();
        Ok(Self {
            pool,
            place,
            clustered,
            library: config.library.clone().unwrap_or_else(|| REDIS_LIBRARY.into()),
            begin: Instant::now(),
            breaker: CircuitBreaker::default(),
            budget: config.budget,
            loading: tokio::sync::Mutex::default(),
            told: Mutex::new(false),
            leaving,
            keepers,
        })
    }

    /// Changes the credentials of new connections to those of `url`: see [`Endpoint::exchange`].
    /// Returns the reason if the address is invalid or names other servers, or if Redis rejects the
    /// credentials.
    pub(super) async fn exchange(&self, url: &str) -> Result<(), String> {
        let new = parsed(url)?;
        self.place.leads_here(&new)?;
        if is_denied(new.clone()).await {
            return Err(
                "is refused: the server does not accept this user or password; the change is tried again".to_owned()
            );
        }
        self.place.exchange(new);
        Ok(())
    }

    /// Returns whether the circuit breaker is open.
    pub(super) fn is_away(&self) -> bool {
        self.breaker.is_open()
    }

    fn succeeded(&self) {
        if self.breaker.succeeded() {
            self.tell(false);
        }
    }

    fn failed(&self, why: &str) {
        if self.breaker.failed(self.begin.elapsed()) {
            self.tell(true);
            tracing::debug!(error = why, "the call to Redis that failed last");
        }
    }

    fn tell(&self, away: bool) {
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *told != away {
            *told = away;
            if away {
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
        self.called(name, key, args, budget).await.map_err(|why| {
            if let Some(why) = why {
                self.failed(&why);
            }
            Unavailable
        })
    }

    /// Calls a function in the background, with a longer time limit. A failed call does not count
    /// for the circuit breaker, but a failure to load the functions does.
    pub(super) async fn call_aside(&self, name: &str, key: &str, args: Vec<Value>) -> Result<Value, Unavailable> {
        self.called(name, key, args, ASIDE).await.map_err(|_| Unavailable)
    }

    /// Makes a call. The error has the reason why no response came; it is `None` if the circuit
    /// breaker is open or the functions could not be loaded into Redis.
    async fn called(&self, name: &str, key: &str, args: Vec<Value>, budget: Duration) -> Result<Value, Option<String>> {
        if !self.breaker.may_try(self.begin.elapsed()) {
            return Err(None);
        }
        let begin = Instant::now();
        let mut called = timeout(budget, self.once(name, key, args.clone())).await;
        if let Ok(Err(error)) = &called
            && error.details().contains("Function not found")
        {
            self.load().await.map_err(|Unavailable| None)?;
            called = timeout(budget, self.once(name, key, args)).await;
        }
        match called {
            Ok(Ok(value)) => {
                if begin.elapsed() <= self.budget {
                    self.succeeded();
                }
                Ok(value)
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, function = name, "a function in Redis failed");
                Err(Some(error.details().to_owned()))
            }
            Err(_) => Err(Some("too slow".to_owned())),
        }
    }

    async fn once(&self, name: &str, key: &str, args: Vec<Value>) -> Result<Value, fred::error::Error> {
        self.pool.fcall(format!("{PREFIX}{name}"), vec![Key::from(key)], args).await
    }

    /// Loads the functions into the server, or into every master of the cluster.
    pub(super) async fn load(&self) -> Result<(), Unavailable> {
        let _one = self.loading.lock().await;
        let library = self.library.to_string();
        let loaded = timeout(LOADING, async {
            if self.clustered {
                let _: Result<(), _> = self.pool.next().sync_cluster().await;
                self.pool.next().function_load_cluster::<Value, _>(true, library).await
            } else {
                self.pool.next().function_load::<Value, _>(true, library).await
            }
        });
        match loaded.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the functions could not be loaded into Redis");
                self.failed(error.details());
                Err(Unavailable)
            }
            Err(_) => {
                self.failed("too slow");
                Err(Unavailable)
            }
        }
    }

    /// Waits until all connections are open, at most for `within`. The error has the reason of the
    /// last failure.
    pub(super) async fn connected(&self, within: Duration) -> Result<(), String> {
        let mut failures = self.pool.next().error_rx();
        let mut why = "it does not answer".to_owned();
        let connected = async {
            loop {
                tokio::select! {
                    ended = self.pool.wait_for_connect() => match ended {
                        Ok(()) => return,
                        Err(error) => error.details().clone_into(&mut why),
                    },
                    Ok((error, _)) = failures.recv() => error.details().clone_into(&mut why),
                }
            }
        };
        timeout(within, connected).await.map_err(|_| why)
    }

    /// Returns the round-trip time of a PING, and the output of INFO; the latter is empty if INFO
    /// fails.
    pub(super) async fn ask(&self) -> Result<(Duration, String), String> {
        let failed = |error: fred::error::Error| error.details().to_owned();
        let begin = Instant::now();
        let _: String = self.pool.next().ping(None).await.map_err(failed)?;
        let trip = begin.elapsed();
        let info: String = self.pool.next().info(None).await.unwrap_or_default();
        Ok((trip, info))
    }

    pub(super) fn is_clustered(&self) -> bool {
        self.clustered
    }

    /// Closes the connections. A server that does not confirm this in time is ignored.
    pub(super) async fn close(&self) {
        self.leaving.store(true, Ordering::Release);
        let _ = timeout(LEAVING, self.pool.quit()).await;
    }
}

impl Drop for RedisClient {
    fn drop(&mut self) {
        self.keepers.iter().for_each(AbortHandle::abort);
    }
}
