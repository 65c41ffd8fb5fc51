//! The steps of a start, in their order. A step needs the results of earlier steps, and records how
//! it is undone. A stop undoes the steps in the opposite order: first health becomes NOT_SERVING,
//! then the watches and the listeners end, and last the store is closed and its threads end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use riposte_core::ObjectType;
use riposte_core::member_gate::{Accounts, MemberGate};
use riposte_core::ports::{ContentPolicy, EventConsumer, EventLog, FilterClient, Reader, TextCheck};
use riposte_grpc::admission::Admission;
use riposte_grpc::audit::AuditLog;
use riposte_grpc::middleware::ReadinessGate;
use riposte_grpc::response_cache::{ResponseCache, ResponseCacheConsumer};
use riposte_grpc::{PageTokenCodec, Services};
use riposte_pipeline::feed::FeedHub;
use riposte_pipeline::watch::WatchHub;
use riposte_pipeline::{
    BackgroundRoles, BackgroundTasks, FilteredPolicy, Leadership, LeaseRelease, LocalPolicy, MemberHistoryConsumer,
    Notifier, OutageDrain, RankIndexConsumer, RelayPorts, ReviewConsumer, StandingFeed, StandingTable, WriteQueues,
};
use riposte_store::{SqlStore, StoreKind};
use riposte_sync::until_set;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::components::{Components, DerivedState, MemberRules};
use super::credentials::ServerCredentials;
use super::listener::{Listener, ListenerConfig};
use super::metrics_server::MetricsServer;
use super::outside_services::OutsideServices;
use super::readiness::{HealthStatus, ReadinessWatch};
use super::reload::{Reloaders, WatchedFiles, today};
use super::review_gauges::ReviewGauges;
use super::socket::bind;
use super::sqlite_folder::check_sqlite_folder;
use super::steps::StartedSteps;
use super::threads::{DataRuntime, DataThreads};
use super::{Addresses, AppInputs};
use crate::cache_stack::CacheStack;
use crate::clock::SystemClock;
use crate::decorators::decorate;
use crate::listener::ServerRole;
use crate::observers::observe_store;

/// The time limit for the last records of the audit log. No call waits for these records.
const AUDIT_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// A start, with the steps that succeeded so far.
pub(super) struct Startup<'a> {
    inputs: AppInputs<'a>,
    clock: Arc<SystemClock>,
    steps: &'a mut StartedSteps,
}

/// The listeners of a server that serves calls.
struct Listeners {
    health: HealthStatus,
    public: SocketAddr,
    admin: SocketAddr,
}

impl<'a> Startup<'a> {
    /// Creates a start that records its steps in `steps`.
    pub(super) fn new(inputs: AppInputs<'a>, steps: &'a mut StartedSteps) -> Self {
        Self { inputs, clock: Arc::new(SystemClock), steps }
    }

    /// Runs all steps. `ready` reports when the store can be used.
    ///
    /// # Errors
    /// The error of the first step that fails.
    pub(super) async fn run(mut self, ready: watch::Sender<bool>) -> Result<Addresses> {
        let AppInputs { config, metrics, decorators, .. } = self.inputs.clone();
        // The state of the files is recorded before they are read, so that no change is missed.
        let files = WatchedFiles::record(config);
        let credentials = self.credentials()?;
        let content = self.content().await?;
        let tokens = PageTokenCodec::new(config.page_tokens.ring()?).bound_by(decorators.token_binding.clone());
        let data = self.data_threads()?;
        let store = self.store(&data).await?;
        let cache = self.cache(&data, &store).await?;
        let metrics_address = self.metrics_server()?;
        let stores = (store.clone(), cache.clone());
        let reloaders = Reloaders::new(config, credentials.clone(), stores, tokens.clone(), content.clone());
        self.file_reload(files, reloaders);
        // A server that cannot write the audit log starts no work.
        let audit = self.audit_log()?;
        let pages = self.response_cache();
        let components = Components {
            config,
            store: &store,
            cache: &cache,
            policies: &Arc::new(config.policies()),
            clock: &Arc::clone(&self.clock),
            metrics: &metrics,
            decorators,
        };
        let derived = components.derived();
        let hub = WatchHub::new(store.outbox(), store.reader(), metrics.clone());
        let notifier = Notifier::new(store.sources().all().len());
        let feed = components.feed(&notifier);
        let relay = components.relay(&derived, event_consumers(&components, &derived, (&hub, &feed), &pages));
        let (leases, leadership) = self.background_tasks(&data, &cache, &relay, &notifier, &ready.subscribe());
        let queues = self.write_queues(&data, &components, &notifier);
        let reader = cache.reader(&store);
        let (rules, standing_feed) = self.member_rules(content, &components, Arc::clone(&reader), &ready);
        let mutations = components.mutations(Arc::clone(&reader), &queues, &pages, &rules);
        self.outage_drain(components.outage_drain(&mutations, &rules), leadership);
        let maintenance = components.maintenance(Arc::clone(&reader), &derived);
        let services = Services {
            audit,
            comments: components.reads(reader, cache.rankings(&derived.rankings)),
            primary: components.reads(store.reader(), Arc::clone(&derived.rankings)),
            reviews: components.review_queue(),
            reports: components.member_reports(&rules),
            standings: components.standings(&rules),
            texts: components.texts(&rules),
            evaluations: components.evaluations(&rules),
            moderation: components.moderation(&mutations, &maintenance),
            mutations,
            maintenance,
            tokens: Arc::new(tokens),
            clock: Arc::clone(&self.clock) as _,
            limits: components.limits(),
            watches: decorate(&decorators.watches, Arc::new(hub.clone())),
            events: decorate(&decorators.events, Arc::new(feed.clone())),
            callers: Arc::new(credentials.authenticator.clone()),
            cached_pages: cache.cached(),
            response_cache: pages,
            metrics: metrics.clone(),
            admission: Admission::new(&config.admission(), metrics.clone()),
            stopping: watch::Sender::new(false),
        };
        self.review_gauges(&store);
        let gate = ReadinessGate::default();
        let Listeners { health, public, admin } = self.listeners(&components, &services, &gate, credentials).await?;
        self.long_streams(hub, feed, services.stopping.clone());
        let readiness = ReadinessWatch::start(ready, (store, standing_feed), gate, health, metrics);
        self.readiness(readiness, leases);
        Ok(Addresses { grpc: public, admin, metrics: metrics_address })
    }

    fn credentials(&self) -> Result<ServerCredentials> {
        let clock = Arc::clone(&self.clock) as _;
        Ok(ServerCredentials::open(self.inputs.config, clock, self.inputs.metrics.clone())?)
    }

    /// Reads the word lists, and the files of outside services. Compiling large lists takes up to
    /// seconds.
    async fn content(&self) -> Result<(LocalPolicy, OutsideServices)> {
        let (config, metrics) = (self.inputs.config, self.inputs.metrics.clone());
        let (settings, rules) = (config.policy.clone(), config.rules()?);
        let services = OutsideServices::open(config, &metrics)?;
        let opened = tokio::task::spawn_blocking(move || LocalPolicy::open(&settings, rules, today(), metrics));
        Ok((opened.await??, services))
    }

    /// Returns the policy of texts, and its trials: word lists, and the filter if there is one.
    fn content_policy(
        &self,
        (local, filter): (LocalPolicy, Option<Arc<dyn FilterClient>>),
        reader: Arc<dyn Reader>,
    ) -> (Arc<dyn ContentPolicy>, Arc<dyn TextCheck>) {
        match filter {
            None => {
                let policy = Arc::new(local);
                (Arc::clone(&policy) as _, policy)
            }
            Some(client) => {
                let filter = self.inputs.config.filter_use();
                let policy = Arc::new(FilteredPolicy { local, client, reader, filter });
                (Arc::clone(&policy) as _, policy)
            }
        }
    }

    fn data_threads(&mut self) -> Result<DataRuntime> {
        let threads = DataThreads::start()?;
        let runtime = threads.runtime();
        self.steps.push("data threads", async move { threads.stop() });
        Ok(runtime)
    }

    /// Opens the store on the threads of `data`. An embedded store is migrated.
    async fn store(&mut self, data: &DataRuntime) -> Result<SqlStore> {
        let settings = &self.inputs.config.store;
        check_sqlite_folder(settings)?;
        let store_config = settings.to_config()?;
        let store = data.enter(|| SqlStore::open(&store_config, Arc::clone(&self.clock) as _))?;
        let opened = store.clone();
        self.steps.push("store", async move { opened.close().await });
        if settings.kind == StoreKind::Sqlite {
            riposte_migrations::up(&store, |_| {}).await.context("cannot bring the SQLite file to its schema")?;
        }
        observe_store(&store, &self.inputs.metrics);
        Ok(store)
    }

    async fn cache(&mut self, data: &DataRuntime, store: &SqlStore) -> Result<CacheStack> {
        let AppInputs { config, metrics, decorators, .. } = &self.inputs;
        let open = || CacheStack::open(&config.cache, config.store.timeline, store, metrics, decorators);
        let cache = data.enter(open)?;
        let opened = cache.clone();
        self.steps.push("cache", async move { opened.close().await });
        cache.connect().await;
        Ok(cache)
    }

    fn metrics_server(&mut self) -> Result<Option<SocketAddr>> {
        let Some(server) = MetricsServer::open(self.inputs.config, &self.inputs.metrics)? else {
            return Ok(None);
        };
        let address = server.address();
        self.steps.push("metrics server", async move { server.stop().await });
        Ok(Some(address))
    }

    fn file_reload(&mut self, files: WatchedFiles, reloaders: Reloaders) {
        let task = files.watch(reloaders, self.inputs.metrics.clone());
        self.steps.push("file reload", abort_task(task));
    }

    fn response_cache(&mut self) -> ResponseCache {
        let AppInputs { config, metrics, .. } = &self.inputs;
        let settings = &config.response_cache;
        let pages =
            ResponseCache::new(settings.limits(config.server.timeouts().read), settings.rates(), metrics.clone());
        let task = tokio::spawn(pages.clone().run_sweeps());
        self.steps.push("response cache", abort_task(task));
        pages
    }

    /// Starts to record the backlog of reviews, in a process that works for all others.
    fn review_gauges(&mut self, store: &SqlStore) {
        let config = self.inputs.config;
        if !config.server.roles.has(ServerRole::Worker) {
            return;
        }
        let types = config.object_types.keys().map(|name| ObjectType::stored(name.clone())).collect();
        let gauges = ReviewGauges {
            reviews: store.reviews(),
            switch: store.moderation_switch(),
            types,
            clock: Arc::clone(&self.clock) as _,
            metrics: self.inputs.metrics.clone(),
        };
        self.steps.push("review gauges", abort_task(tokio::spawn(gauges.run())));
    }

    /// Returns what decides on the writes of members, and the task that fills the standings. It
    /// follows their changes once the first ones are in memory.
    fn member_rules(
        &mut self,
        content: (LocalPolicy, OutsideServices),
        components: &Components<'_>,
        reader: Arc<dyn Reader>,
        ready: &watch::Sender<bool>,
    ) -> (MemberRules, StandingFeed) {
        content.0.read_members(components.member_history(), Arc::clone(components.policies));
        let (table, clock) = (StandingTable::default(), Arc::clone(&self.clock) as _);
        let feed = StandingFeed::new(components.store.standings(), table.clone(), clock, self.inputs.metrics.clone());
        let (task, ready) = (feed.clone(), ready.subscribe());
        let task = tokio::spawn(async move {
            until_set(ready).await;
            task.run().await;
        });
        self.steps.push("standings", abort_task(task));
        let (standings, lists) = (Arc::new(table), Arc::new(content.0.clone()));
        let filter = content.1.filter.clone().map(|client| decorate(&components.decorators.filter, client as _));
        let rules = Arc::new(self.inputs.config.account_rules());
        let accounts = content.1.accounts.clone().map(|client| Accounts { client, rules });
        let port = decorate(&components.decorators.standings, Arc::clone(&standings) as _);
        let members = MemberGate { standings: port, accounts };
        let (content, texts) = self.content_policy((content.0, filter.clone()), reader);
        let content = decorate(&components.decorators.content, content);
        (MemberRules { lists, content, texts, filter, standings, members }, feed)
    }

    /// Starts to ask again about what an outage held, if a type has a service.
    fn outage_drain(&mut self, drain: OutageDrain, leadership: Leadership) {
        if !drain.types.is_empty() {
            self.steps.push("outage drain", abort_task(tokio::spawn(drain.run(leadership))));
        }
    }

    /// Starts the relay, the event consumers and the tasks of the cache.
    fn background_tasks(
        &mut self,
        data: &DataRuntime,
        cache: &CacheStack,
        relay: &RelayPorts,
        notifier: &Notifier,
        ready: &watch::Receiver<bool>,
    ) -> (LeaseRelease, Leadership) {
        let roles = &self.inputs.config.server.roles;
        let roles = BackgroundRoles { api: roles.has(ServerRole::Api), worker: roles.has(ServerRole::Worker) };
        let cache_tasks = cache.tasks(&(Arc::clone(&relay.outbox) as _), notifier, &relay.clock, &relay.metrics);
        let tasks = data.enter(|| BackgroundTasks::start(relay, notifier, cache_tasks, ready, roles));
        let started = (tasks.lease_release(), tasks.leadership());
        self.steps.push("background tasks", async move { tasks.stop().await });
        started
    }

    /// Opens the audit log.
    fn audit_log(&mut self) -> Result<AuditLog> {
        let settings = &self.inputs.config.audit;
        let audit = AuditLog::open(settings, Arc::clone(&self.clock) as _, self.inputs.metrics.clone());
        let file = || settings.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
        let audit = audit.with_context(|| format!("cannot append to the audit log (audit.file = {})", file()))?;
        let audit = audit.paused_while(Arc::clone(&self.inputs.unaudited));
        let opened = audit.clone();
        self.steps.push("audit log", async move {
            if timeout(AUDIT_FLUSH_TIMEOUT, opened.flush()).await.is_err() {
                tracing::warn!("the audit log could not be flushed in time; its last records may be missing");
            }
        });
        Ok(audit)
    }

    fn write_queues(
        &mut self,
        data: &DataRuntime,
        components: &Components<'_>,
        notifier: &Notifier,
    ) -> Arc<WriteQueues> {
        let callers = Handle::current();
        let queues = Arc::new(data.enter(|| components.write_queues(notifier, &callers)));
        let (opened, time_limit) = (Arc::clone(&queues), self.inputs.config.server.drain_timeout.duration());
        // The listeners have stopped. A command that is not committed within this time is lost, as
        // in a crash.
        self.steps.push("write queues", async move {
            if timeout(time_limit, opened.close()).await.is_err() {
                tracing::warn!(
                    "the drain timeout ended while writes were queued; a repeat of each one executes it or returns its result"
                );
            }
        });
        queues
    }

    /// Serves the public port and the admin port.
    async fn listeners(
        &mut self,
        components: &Components<'_>,
        services: &Services,
        gate: &ReadinessGate,
        credentials: ServerCredentials,
    ) -> Result<Listeners> {
        let AppInputs { config, metrics, faults, .. } = &self.inputs;
        let [public_layer, admin_layer] =
            components.layers(services, gate.clone(), credentials.authenticator.clone(), faults.clone());
        let server = &config.server;
        let sockets = [bind(server.listen, "server.listen")?, bind(server.admin_listen, "server.admin_listen")?];
        let send_buffer = config.limits.send_buffer();
        let listener_config = |routes, layer| {
            ListenerConfig::new(routes, layer, config, credentials.tls.clone(), send_buffer.clone(), metrics)
        };
        let [public, admin] = sockets;
        let public = Listener::start(public, listener_config(riposte_grpc::public(services), public_layer))?;
        let admin = Listener::start(admin, listener_config(riposte_grpc::admin(services), admin_layer).for_operators());
        let admin = match admin {
            Ok(admin) => admin,
            Err(error) => {
                public.stop(Duration::ZERO).await;
                return Err(error);
            }
        };
        let started = Listeners {
            health: HealthStatus::of(config, vec![public.health(), admin.health()]),
            public: public.address(),
            admin: admin.address(),
        };
        let time_limit = server.drain_timeout.duration();
        self.steps.push("listeners", async move {
            tokio::join!(public.stop(time_limit), admin.stop(time_limit));
        });
        Ok(started)
    }

    /// Records how streams without an end of their own end.
    fn long_streams(&mut self, hub: WatchHub, feed: FeedHub, stopping: watch::Sender<bool>) {
        self.steps.push("long streams", async move {
            hub.close();
            feed.close();
            stopping.send_replace(true);
        });
    }

    /// Records how readiness ends. Load balancers get the time to notice it; a server that serves
    /// no calls releases its leases at once.
    fn readiness(&mut self, readiness: ReadinessWatch, leases: LeaseRelease) {
        let server = &self.inputs.config.server;
        let (serves_calls, delay) = (server.roles.has(ServerRole::Api), server.drain_delay.duration());
        self.steps.push("readiness", async move {
            let health = readiness.stop().await;
            if serves_calls {
                sleep(delay).await;
            } else {
                leases.release();
            }
            health.end().await;
        });
    }
}

/// Aborts a task and waits for its end.
async fn abort_task(task: JoinHandle<()>) {
    task.abort();
    // An aborted task ends with an error that says so.
    let _ = task.await;
}

/// Returns all event consumers of the process. A new one is added here. The consumers of every
/// process are polled in this order: the response cache comes before the hub, so it drops a page
/// before a watcher receives the change.
fn event_consumers(
    components: &Components<'_>,
    derived: &DerivedState,
    (hub, feed): (&WatchHub, &FeedHub),
    pages: &ResponseCache,
) -> Vec<Arc<dyn EventConsumer>> {
    let (histories, index) = (Arc::clone(&derived.histories), Arc::clone(&derived.rank_indexes));
    let mut consumers: Vec<Arc<dyn EventConsumer>> = vec![
        Arc::new(MemberHistoryConsumer { histories, subjects: components.subjects() }),
        Arc::new(RankIndexConsumer { index, subjects: components.subjects() }),
        Arc::new(ReviewConsumer { reviews: components.store.reviews() }),
        Arc::new(ResponseCacheConsumer { cache: pages.clone() }),
        Arc::new(hub.clone()),
        Arc::new(feed.clone()),
    ];
    let events: Arc<dyn EventLog> = components.store.outbox();
    if let Some(repair) = components.cache.repair(&events) {
        consumers.push(Arc::new(repair));
    }
    consumers
}
