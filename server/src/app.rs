//! The composition root: the one place that names concrete types and puts them together.

mod accept;
mod backpressure;
mod components;
mod connection_limit;
mod credentials;
mod listener;
mod metrics_server;
mod readiness;
mod reload;
mod threads;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use riposte_core::ports::EventConsumer;
use riposte_store::{SqlStore, StoreKind};
use riposte_telemetry::Metrics;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::admission::Admission;
use crate::audit::{AuditLog, AuditSettings};
use crate::cache_stack::CacheStack;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::decorators::Decorators;
use crate::listener::{ServerRole, ServerRoles, ServerSettings};
use crate::middleware::{InjectedFaults, ReadinessGate};
use crate::observers::observe_store;
use crate::response_cache::ResponseCache;
use crate::rpc::{self, PageTokenCodec, Services};
use crate::write::watch::WatchHub;
use crate::write::{
    BackgroundRoles, BackgroundTasks, MemberHistoryConsumer, Notifier, RankIndexConsumer, ResponseCacheConsumer,
    WriteQueues,
};
use components::{Components, DerivedState};
use credentials::ServerCredentials;
use listener::{Listener, ListenerConfig};
use metrics_server::MetricsServer;
use readiness::{HealthStatus, ReadinessWatch};
use reload::{Reloaders, WatchedFiles};
use threads::DataThreads;

/// The maximum number of connections that wait to be accepted, as far as the system allows
/// (`net.core.somaxconn`, usually 4,096).
const BACKLOG: u32 = 4_096;

/// The inputs of a server.
#[derive(Debug, Clone)]
pub struct AppInputs<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The receiver of all measurements.
    pub metrics: Metrics,
    /// The injection of faults, if calls may request it.
    pub faults: Option<InjectedFaults>,
    /// The replacements for parts of the server.
    pub decorators: &'a Decorators,
}

/// A running server: its store, and the listeners over it.
#[derive(Debug)]
pub struct App {
    store: SqlStore,
    copies: CacheStack,
    lanes: Arc<WriteQueues>,
    data: DataThreads,
    public: Listener,
    admin: Listener,
    readiness: ReadinessWatch,
    scrape: Option<MetricsServer>,
    feed: BackgroundTasks,
    keeper: JoinHandle<()>,
    reload: JoinHandle<()>,
    hub: WatchHub,
    audit: AuditLog,
    roles: ServerRoles,
    drain_delay: Duration,
    drain_timeout: Duration,
}

/// The time in which the audit log may write its last records, which no call waits for.
const AUDIT_ENDS: Duration = Duration::from_secs(2);

/// The addresses on which a server listens.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// The public services.
    pub grpc: SocketAddr,
    /// The admin service.
    pub admin: SocketAddr,
    /// The metrics, over HTTP, if they can be scraped.
    pub metrics: Option<SocketAddr>,
}

impl App {
    /// Opens the store and both listeners. Calls are admitted once the store can be used: see
    /// [`App::wait_ready`].
    ///
    /// The schema of an embedded store is migrated here, since no other process could do it;
    /// servers of the MySQL family are never migrated here.
    ///
    /// # Errors
    /// When a port is taken, a file that the configuration names cannot be used, or the store
    /// cannot be opened.
    pub async fn start(inputs: AppInputs<'_>) -> anyhow::Result<Self> {
        let AppInputs { config, metrics, faults, decorators } = inputs;
        let (clock, files) = (Arc::new(SystemClock), WatchedFiles::look(config));
        let door = ServerCredentials::open(config, Arc::clone(&clock) as _, metrics.clone())?;
        let answers = Handle::current();
        let data = DataThreads::start()?;
        let (store, copies) = open_store(config, &data, &metrics, decorators).await?;
        let admission = Admission::new(&config.admission(), metrics.clone());
        let settings = &config.response_cache;
        let pages = ResponseCache::new(settings.limits(config.server.times().read), settings.rates(), metrics.clone());
        let base = Components {
            config,
            store: &store,
            copies: &copies,
            policies: &Arc::new(config.policies()),
            clock: &clock,
            metrics: &metrics,
            decorators,
        };
        let (derived, gate) = (base.derived(), ReadinessGate::default());
        let hub = WatchHub::new(store.outbox(), metrics.clone());
        let relay = base.relay(&derived, event_consumers(&base, &derived, &hub, &pages));
        let bells = Notifier::new(relay.outbox.sources());
        let lanes = Arc::new(data.enter(|| base.lanes(&bells, &answers)));
        let tokens = PageTokenCodec::new(config.page_tokens.ring()?).bound_by(decorators.token_binding.clone());
        let reader = copies.reader(&store);
        let services = Services {
            audit: open_audit(&config.audit, &clock, &metrics)?,
            comments: base.reads(Arc::clone(&reader), copies.rankings(&derived.rankings)),
            rows: base.reads(store.reader(), Arc::clone(&derived.rankings)),
            mutations: base.mutations(Arc::clone(&reader), &lanes, &pages),
            maintenance: base.maintenance(reader, &derived),
            tokens: Arc::new(tokens.clone()),
            clock: Arc::clone(&clock) as _,
            limits: base.limits(),
            hub: hub.clone(),
            copies: copies.cached(),
            pages: pages.clone(),
            metrics: metrics.clone(),
            admission,
        };
        let [hot, recording] = base.layers(&services, gate.clone(), door.guard.clone(), faults);
        let [public, admin] = sockets(&config.server)?;
        let scrape = MetricsServer::open(config, &metrics)?;
        let unread = config.limits.send_buffer();
        let surface =
            |routes, layer| ListenerConfig::new(routes, layer, config, door.tls.clone(), unread.clone(), &metrics);
        let public = Listener::start(public, surface(rpc::public(&services), hot))?;
        let admin = Listener::start(admin, surface(rpc::admin(&services), recording).for_operators())?;
        let reload = files.watch(Reloaders::new(config, door, store.clone(), copies.clone(), tokens), metrics.clone());
        let health = HealthStatus::of(config, vec![public.health(), admin.health()]);
        let readiness = ReadinessWatch::watch(store.clone(), gate, health, metrics);
        let tasks = background_roles(&config.server.roles);
        let beside = copies.tasks(&relay.outbox, &relay.clock, &relay.metrics);
        let feed = data.enter(|| BackgroundTasks::start(&relay, &bells, beside, &readiness.signal(), tasks));
        Ok(Self {
            store,
            copies,
            lanes,
            data,
            public,
            admin,
            readiness,
            scrape,
            feed,
            keeper: tokio::spawn(pages.keep()),
            reload,
            hub,
            audit: services.audit,
            roles: config.server.roles.clone(),
            drain_delay: config.server.drain_delay.duration(),
            drain_timeout: config.server.drain_timeout.duration(),
        })
    }

    /// Returns the addresses on which the server listens, with the actual ports.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        let metrics = self.scrape.as_ref().map(MetricsServer::address);
        Addresses { grpc: self.public.address(), admin: self.admin.address(), metrics }
    }

    /// Waits until every data source has the schema of this version and health is SERVING.
    pub async fn wait_ready(&self) {
        self.readiness.ready().await;
    }

    /// Stops the server: health turns to NOT_SERVING, calls are accepted a while longer so that
    /// load balancers notice, running calls finish within their time (calls that only watch are
    /// ended, so that they continue on another server), and the store is closed. A server that
    /// serves no calls does not wait for load balancers and releases its leases at once.
    pub async fn stop(mut self) {
        let health = self.readiness.stop().await;
        if self.roles.has(ServerRole::Api) {
            tokio::time::sleep(self.drain_delay).await;
        } else {
            self.feed.resign().await;
        }
        self.hub.close();
        health.end().await;
        tokio::join!(self.public.stop(self.drain_timeout), self.admin.stop(self.drain_timeout));
        // No call waits for these commands any more. Those that the store does not accept within
        // this time are lost as in a crash.
        if tokio::time::timeout(self.drain_timeout, self.lanes.close()).await.is_err() {
            tracing::warn!(
                "the drain timeout ended while writes were queued; a repeat of each one executes it or returns its result"
            );
        }
        if tokio::time::timeout(AUDIT_ENDS, self.audit.flush()).await.is_err() {
            tracing::warn!("the audit log could not be flushed in time; its last records may be missing");
        }
        self.feed.stop().await;
        self.keeper.abort();
        self.reload.abort();
        if let Some(scrape) = self.scrape {
            scrape.stop().await;
        }
        self.copies.close().await;
        self.store.close().await;
        self.data.stop();
    }
}

/// Checks that callers, keys of JWTs and certificates can be used as configured. Returns the object
/// types that callers were granted and this configuration does not serve.
///
/// # Errors
/// The faults of the files.
pub(crate) fn admission(config: &Config) -> anyhow::Result<Vec<String>> {
    Ok(ServerCredentials::open(config, Arc::new(SystemClock), Metrics::new()?)?.ungranted())
}

/// Opens the store and its cache on the threads of `data`. An embedded store is migrated.
async fn open_store(
    config: &Config,
    data: &DataThreads,
    metrics: &Metrics,
    decorators: &Decorators,
) -> anyhow::Result<(SqlStore, CacheStack)> {
    let open = config.store.to_open()?;
    let store = data.enter(|| SqlStore::open(&open, Arc::new(SystemClock)))?;
    if config.store.kind == StoreKind::Sqlite {
        riposte_migrations::up(&store, |_| {}).await.context("cannot bring the SQLite file to its schema")?;
    }
    observe_store(&store, metrics);
    let cache = data.enter(|| CacheStack::open(&config.cache, config.store.timeline, &store, metrics, decorators))?;
    cache.connect().await;
    Ok((store, cache))
}

/// Returns all event consumers of the process. A new one is added here.
fn event_consumers(
    base: &Components<'_>,
    derived: &DerivedState,
    hub: &WatchHub,
    pages: &ResponseCache,
) -> Vec<Arc<dyn EventConsumer>> {
    let (histories, index) = (Arc::clone(&derived.histories), Arc::clone(&derived.rank_indexes));
    let mut consumers: Vec<Arc<dyn EventConsumer>> = vec![
        Arc::new(MemberHistoryConsumer { histories, subjects: base.subjects() }),
        Arc::new(RankIndexConsumer { index, subjects: base.subjects() }),
        Arc::new(ResponseCacheConsumer { pages: pages.clone() }),
        Arc::new(hub.clone()),
    ];
    if let Some(repair) = base.copies.repair(&base.store.outbox()) {
        consumers.push(Arc::new(repair));
    }
    consumers
}

/// Returns the background work of a process with these roles.
fn background_roles(roles: &ServerRoles) -> BackgroundRoles {
    BackgroundRoles { api: roles.has(ServerRole::Api), worker: roles.has(ServerRole::Worker) }
}

/// Opens the audit log. A server that cannot write it does not start.
fn open_audit(config: &AuditSettings, clock: &Arc<SystemClock>, metrics: &Metrics) -> anyhow::Result<AuditLog> {
    let audit = AuditLog::open(config, Arc::clone(clock) as _, metrics.clone());
    let named = || config.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    audit.with_context(|| format!("cannot append to the audit log (audit.file = {})", named()))
}

/// Binds the sockets of the public services and the admin service.
fn sockets(server: &ServerSettings) -> anyhow::Result<[TcpListener; 2]> {
    Ok([bind(server.listen, "server.listen")?, bind(server.admin_listen, "server.admin_listen")?])
}

/// Listens with a backlog that a burst of clients does not fill before the process runs next. A
/// restarted process does not wait for the connections of its predecessor.
fn bind(address: SocketAddr, key: &str) -> anyhow::Result<TcpListener> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().with_context(|| format!("cannot listen on {address} ({key})"))
}
