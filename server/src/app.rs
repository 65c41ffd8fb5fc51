//! The composition root: the one place that names concrete types and puts them together.

mod listener;
mod readiness;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use riposte_core::comments::Ports;
use riposte_core::{Caller, Comments};
use riposte_store::Store;
use tokio::net::TcpListener;

use crate::clock::SystemClock;
use crate::config::{Config, StoreKind};
use crate::layers::{CallLayer, Faults, Gate};
use crate::rpc::{self, Limits, PageTokens, Services};
use crate::write::Direct;
use listener::{Listener, Surface};
use readiness::Readiness;

/// A running server: its store, and the two listeners over it.
#[derive(Debug)]
pub struct App {
    store: Store,
    public: Listener,
    admin: Listener,
    readiness: Readiness,
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
        let store = Store::open(&config.store.to_open(), Arc::clone(&clock) as _)?;
        if config.store.kind == StoreKind::Sqlite {
            riposte_migrations::up(&store, |_| {}).await.context("cannot bring the SQLite file to its schema")?;
        }
        let ports = Ports {
            reader: store.reader(),
            log: Arc::new(Direct::new(store.writer(), write_slots(config))),
            clock: Arc::clone(&clock) as _,
            ids: store.ids(),
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
        let surface = |routes| Surface { routes, layer: layer.clone(), reflection: config.server.reflection };
        let public = Listener::start(public, surface(rpc::public(&services)))?;
        let admin = Listener::start(admin, surface(rpc::admin(&services)))?;
        let readiness = Readiness::watch(store.clone(), gate, vec![public.health(), admin.health()]);
        Ok(Self {
            store,
            public,
            admin,
            readiness,
            drain_delay: config.server.drain_delay.duration(),
            drain_timeout: config.server.drain_timeout.duration(),
        })
    }

    /// Where it listens, with the ports that were really taken.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        Addresses { grpc: self.public.address(), admin: self.admin.address() }
    }

    /// Waits until every data source has the schema of this version and health is SERVING.
    pub async fn wait_ready(&self) {
        self.readiness.ready().await;
    }

    /// Stops: health turns to NOT_SERVING, calls are taken for a while longer so that balancers notice, running calls
    /// finish within their time, the store is closed.
    pub async fn stop(self) {
        self.readiness.stop().await;
        tokio::time::sleep(self.drain_delay).await;
        tokio::join!(self.public.stop(self.drain_timeout), self.admin.stop(self.drain_timeout));
        self.store.close().await;
    }
}

async fn bind(address: SocketAddr, key: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address} ({key})"))
}

/// How many batches may commit at once: SQLite has one writer, every server of the MySQL family its own connections.
fn write_slots(config: &Config) -> usize {
    match config.store.kind {
        StoreKind::Sqlite => 1,
        StoreKind::Mysql => config.store.sources.len() * config.store.pools.write.connections as usize,
    }
}
