//! The composition root: the one place that names concrete types and puts them together.

mod listener;
mod readiness;
mod scrape;
mod threads;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use riposte_core::comments::Ports;
use riposte_core::ports::Writer;
use riposte_core::{Caller, Comments};
use riposte_store::Store;
use tokio::net::TcpListener;
use tokio::runtime::Handle;

use crate::clock::SystemClock;
use crate::config::{Config, StoreKind};
use crate::copies::Copies;
use crate::layers::{CallLayer, Faults, Gate};
use crate::rpc::{self, Limits, PageTokens, Services};
use crate::telemetry::Metrics;
use crate::write::watch::Hub;
use crate::write::{Bells, Feed, Lanes, RelayPorts, Witness};
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
    scrape: Scrape,
    feed: Feed,
    hub: Hub,
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
    /// The metrics, over HTTP.
    pub metrics: SocketAddr,
}

impl App {
    /// Opens the store and both listeners, with faults on request where `faults` is given. Calls are let in once the store can be used: see [`App::wait_ready`].
    ///
    /// An embedded store is brought to its schema here, since nobody else could; servers of the MySQL family never are.
    ///
    /// # Errors
    /// When a port is taken or the store cannot be opened.
    pub async fn start(config: &Config, faults: Option<Faults>) -> anyhow::Result<Self> {
        let clock = Arc::new(SystemClock);
        let answers = Handle::current();
        let data = DataThreads::start()?;
        let store = data.enter(|| Store::open(&config.store.to_open(), Arc::clone(&clock) as _))?;
        if config.store.kind == StoreKind::Sqlite {
            riposte_migrations::up(&store, |_| {}).await.context("cannot bring the SQLite file to its schema")?;
        }
        let copies = data.enter(|| Copies::open(&config.cache, &store)).map_err(anyhow::Error::msg)?;
        copies.connect().await;
        let metrics = Metrics::new()?;
        if let Some(tally) = copies.tally() {
            metrics.copies(tally);
        }
        let relay = RelayPorts {
            outbox: store.outbox(),
            histories: store.histories(),
            clock: Arc::clone(&clock) as _,
            copies: copies.clone(),
            metrics: metrics.clone(),
        };
        let bells = Bells::new(relay.outbox.sources());
        let hub = Hub::new(Arc::clone(&relay.outbox), metrics.clone());
        let witness = Witness { bells: bells.clone(), metrics: metrics.clone() };
        let lanes = Arc::new(data.enter(|| lanes(config, &store, &copies.writer(&store), witness, &answers)));
        let ports = Ports {
            reader: copies.reader(&store),
            log: Arc::clone(&lanes) as _,
            clock: Arc::clone(&clock) as _,
            ids: store.ids(),
            histories: store.histories(),
            repairer: store.repairer(),
        };
        let bytes = |size: crate::config::Size| usize::try_from(size.bytes()).unwrap_or(usize::MAX);
        let limits = Limits {
            max_request: bytes(config.server.max_request_size),
            max_response: bytes(config.server.max_response_size),
        };
        let services = Services {
            comments: Comments::new(ports, config.policies()),
            tokens: Arc::new(PageTokens::new(config.page_tokens.bytes())),
            clock,
            limits,
            hub: hub.clone(),
            copies: copies.cached(),
            metrics: metrics.clone(),
        };
        let gate = Gate::default();
        let layer = CallLayer {
            gate: gate.clone(),
            // Until callers are told apart, everybody is the same one.
            caller: Caller::named("open"),
            max_time: config.server.max_call_time.duration(),
            max_request: limits.max_request,
            faults,
        };
        let public = bind(config.server.listen, "server.listen").await?;
        let admin = bind(config.server.admin_listen, "server.admin_listen").await?;
        let scrape = bind(config.server.metrics_listen, "server.metrics_listen").await?;
        let scrape = Scrape::start(scrape, metrics)?;
        let surface = |routes| Surface { routes, layer: layer.clone(), reflection: config.server.reflection };
        let public = Listener::start(public, surface(rpc::public(&services)))?;
        let admin = Listener::start(admin, surface(rpc::admin(&services)))?;
        let readiness = Readiness::watch(store.clone(), gate, vec![public.health(), admin.health()]);
        let feed = data.enter(|| Feed::start(&relay, &bells, &hub, &readiness.signal()));
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
            hub,
            drain_delay: config.server.drain_delay.duration(),
            drain_timeout: config.server.drain_timeout.duration(),
        })
    }

    /// Where it listens, with the ports that were really taken.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        Addresses { grpc: self.public.address(), admin: self.admin.address(), metrics: self.scrape.address() }
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
        self.feed.stop().await;
        self.scrape.stop().await;
        self.copies.close().await;
        self.store.close().await;
        self.data.stop();
    }
}

async fn bind(address: SocketAddr, key: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address} ({key})"))
}

/// The lanes over a store, in the runtime in which this is called.
fn lanes(config: &Config, store: &Store, writer: &Arc<dyn Writer>, witness: Witness, answers: &Handle) -> Lanes {
    let sources = Arc::clone(store.sources());
    let count = sources.all().len();
    let limits = config.lanes.limits(&config.store);
    Lanes::start(writer, count, move |partition| sources.map().source(partition), limits, witness, answers)
}
