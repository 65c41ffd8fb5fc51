//! The composition root: the one place that names concrete types and puts them together.

mod base;
mod door;
mod incoming;
mod listener;
mod readiness;
mod scrape;
mod slots;
mod threads;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use riposte_store::Store;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::admission::Admission;
use crate::audit::Audit;
use crate::clock::SystemClock;
use crate::config::{self, Config, Server, StoreKind};
use crate::copies::Copies;
use crate::hot::Pages;
use crate::layers::{CallLayer, Faults, Gate};
use crate::rpc::{self, HotAnswers, PageTokens, Services};
use crate::telemetry::Metrics;
use crate::write::watch::Hub;
use crate::write::{Bells, Feed, Lanes};
use base::Base;
use door::Door;
use listener::{Listener, Surface};
use readiness::Readiness;
use scrape::Scrape;
use threads::DataThreads;

/// A running server: its store, and the two listeners over it.
#[derive(Debug)]
pub struct App {
    store: Store,
    copies: Copies,
    lanes: Arc<Lanes>,
    data: DataThreads,
    public: Listener,
    admin: Listener,
    readiness: Readiness,
    scrape: Option<Scrape>,
    feed: Feed,
    keeper: JoinHandle<()>,
    door: JoinHandle<()>,
    hub: Hub,
    audit: Audit,
    drain_delay: Duration,
    drain_timeout: Duration,
}

/// Where a server listens.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// The public services.
    pub grpc: SocketAddr,
    /// The admin service.
    pub admin: SocketAddr,
    /// The metrics, over HTTP, where they can be scraped.
    pub metrics: Option<SocketAddr>,
}

impl App {
    /// Opens the store and both listeners, with faults on request where `faults` is given. Calls are let in once the store can be used: see [`App::wait_ready`].
    /// What is measured goes to `metrics`.
    ///
    /// An embedded store is brought to its schema here, since nobody else could; servers of the MySQL family never are.
    ///
    /// # Errors
    /// When a port is taken or the store cannot be opened.
    pub async fn start(config: &Config, metrics: Metrics, faults: Option<Faults>) -> anyhow::Result<Self> {
        let clock = Arc::new(SystemClock);
        let answers = Handle::current();
        let data = DataThreads::start()?;
        let store = data.enter(|| Store::open(&config.store.to_open(), Arc::clone(&clock) as _))?;
        if config.store.kind == StoreKind::Sqlite {
            riposte_migrations::up(&store, |_| {}).await.context("cannot bring the SQLite file to its schema")?;
        }
        store.observe(Arc::new(metrics.clone()));
        metrics.connections(&store);
        let door = Door::open(config, Arc::clone(&clock) as _, metrics.clone())?;
        let copies = data.enter(|| Copies::open(&config.cache, &store, &metrics)).map_err(anyhow::Error::msg)?;
        copies.connect().await;
        let admission = Admission::new(&config.admission(), metrics.clone());
        let pages = Pages::new(config.hot.limits(config.server.times().read), config.hot.rates(), metrics.clone());
        let policies = Arc::new(config.policies());
        let base =
            Base { config, store: &store, copies: &copies, policies: &policies, clock: &clock, metrics: &metrics };
        let relay = base.relay();
        let bells = Bells::new(relay.outbox.sources());
        let hub = Hub::new(Arc::clone(&relay.outbox), metrics.clone());
        let lanes = Arc::new(data.enter(|| base.lanes(&bells, &answers)));
        let domain = |reader, rankings| base.domain(reader, rankings, &relay, &lanes, &pages);
        let services = Services {
            audit: open_audit(&config.audit, &clock, &metrics)?,
            comments: domain(copies.reader(&store), copies.rankings(&relay.rankings)),
            rows: domain(store.reader(), Arc::clone(&relay.rankings)),
            tokens: Arc::new(PageTokens::new(config.page_tokens.bytes())),
            clock: Arc::clone(&clock) as _,
            limits: base.limits(),
            hub: hub.clone(),
            copies: copies.cached(),
            pages: pages.clone(),
            metrics: metrics.clone(),
            admission: admission.clone(),
        };
        let gate = Gate::default();
        let layer = base.layer(gate.clone(), door.guard.clone(), admission, faults);
        let hot = CallLayer { hot: Some(HotAnswers(services.clone())), ..layer.clone() };
        let [public, admin] = sockets(&config.server).await?;
        let scrape = Scrape::open(config, &metrics).await?;
        let unread = config.limits.unread();
        let surface = |routes, layer| Surface::new(routes, layer, config, door.tls.clone(), unread.clone(), &metrics);
        let public = Listener::start(public, surface(rpc::public(&services), hot))?;
        let admin = Listener::start(admin, surface(rpc::admin(&services), layer))?;
        let readiness = Readiness::watch(store.clone(), gate, vec![public.health(), admin.health()], metrics);
        let feed = data.enter(|| Feed::start(&relay, &bells, &hub, &pages, &readiness.signal()));
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
            door: door.watch(),
            hub,
            audit: services.audit,
            drain_delay: config.server.drain_delay.duration(),
            drain_timeout: config.server.drain_timeout.duration(),
        })
    }

    /// Where it listens, with the ports that were really taken.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        let metrics = self.scrape.as_ref().map(Scrape::address);
        Addresses { grpc: self.public.address(), admin: self.admin.address(), metrics }
    }

    /// Waits until every data source has the schema of this version and health is SERVING.
    pub async fn wait_ready(&self) {
        self.readiness.ready().await;
    }

    /// Stops: health turns to NOT_SERVING, calls are taken for a while longer so that balancers notice, running calls
    /// finish within their time (those that only watch are ended, to go on elsewhere), the store is closed.
    pub async fn stop(self) {
        self.readiness.stop().await;
        tokio::time::sleep(self.drain_delay).await;
        self.hub.close();
        tokio::join!(self.public.stop(self.drain_timeout), self.admin.stop(self.drain_timeout));
        // Nobody waits for these any more; what the store does not take in this time is as if the process had died.
        if tokio::time::timeout(self.drain_timeout, self.lanes.close()).await.is_err() {
            tracing::warn!(
                "writes still waited when the time to stop was over; they had no effect, or their repeat finds it"
            );
        }
        self.audit.flush().await;
        self.feed.stop().await;
        self.keeper.abort();
        self.door.abort();
        if let Some(scrape) = self.scrape {
            scrape.stop().await;
        }
        self.copies.close().await;
        self.store.close().await;
        self.data.stop();
    }
}

/// Whether callers, keys of JWTs and certificates can be used as the configuration names them.
///
/// # Errors
/// What is wrong with their files.
pub(crate) fn admission(config: &Config) -> anyhow::Result<()> {
    Door::open(config, Arc::new(SystemClock), Metrics::new()?).map(drop)
}

/// The audit log, of which a server that cannot write it does not start.
fn open_audit(config: &config::Audit, clock: &Arc<SystemClock>, metrics: &Metrics) -> anyhow::Result<Audit> {
    let audit = Audit::open(config, Arc::clone(clock) as _, metrics.clone());
    audit.with_context(|| format!("cannot append to the audit log (audit.file = {:?})", config.file))
}

/// The sockets of the public services and the admin service.
async fn sockets(server: &Server) -> anyhow::Result<[TcpListener; 2]> {
    Ok([bind(server.listen, "server.listen").await?, bind(server.admin_listen, "server.admin_listen").await?])
}

async fn bind(address: SocketAddr, key: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address} ({key})"))
}
