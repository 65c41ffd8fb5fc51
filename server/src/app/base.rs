//! What the domain and the relay stand on: the ports over a store, with the copies below them and what is counted beside.

use std::sync::Arc;

use riposte_core::Comments;
use riposte_core::comments::Ports;
use riposte_core::object_type::Policies;
use riposte_core::ports::{Log, Rankings, Reader};
use riposte_core::rank::Rules;
use riposte_store::Store;
use tokio::runtime::Handle;

use crate::auth::Guard;
use crate::clock::SystemClock;
use crate::config::{Config, Role, Size};
use crate::copies::Copies;
use crate::hot::{Counted, Pages};
use crate::layers::{Bodies, CallLayer, Faults, Gate};
use crate::rpc::{self, HotAnswers, Limits, Services};
use crate::telemetry::Metrics;
use crate::write::{Bells, Lanes, RelayPorts, Witness};

/// The parts that ports are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) config: &'a Config,
    pub(super) store: &'a Store,
    pub(super) copies: &'a Copies,
    pub(super) policies: &'a Arc<Policies>,
    pub(super) clock: &'a Arc<SystemClock>,
    pub(super) metrics: &'a Metrics,
}

impl Base<'_> {
    /// What the relay reads and tells.
    pub(super) fn relay(&self) -> RelayPorts {
        let rules = Rules { depth: self.config.rankings.depth, policies: Arc::clone(self.policies) };
        let (boards, rankings) = self.store.ranks(rules);
        RelayPorts {
            outbox: self.store.outbox(),
            histories: self.store.histories(),
            boards,
            rankings,
            clock: Arc::clone(self.clock) as _,
            copies: self.copies.clone(),
            metrics: self.metrics.clone(),
        }
    }

    /// The sizes of messages that services keep to.
    pub(super) fn limits(&self) -> Limits {
        let bytes = |size: Size| usize::try_from(size.bytes()).unwrap_or(usize::MAX);
        let server = &self.config.server;
        Limits { max_request: bytes(server.max_request_size), max_response: bytes(server.max_response_size) }
    }

    /// What stands around every call of the public services, which keep pages, and of AdminService, which keeps records.
    pub(super) fn layers(
        &self,
        services: &Services,
        gate: Gate,
        guard: Guard,
        faults: Option<Faults>,
    ) -> [CallLayer; 2] {
        let layer = CallLayer {
            gate,
            takes_calls: self.config.server.roles.has(Role::Api),
            guard,
            services: rpc::PUBLIC,
            times: self.config.server.times(),
            body_time: self.config.limits.body_time.duration(),
            admission: services.admission.clone(),
            max_request: self.limits().max_request,
            bodies: Bodies::default(),
            faults,
            calls: self.metrics.calls(rpc::methods()),
            hot: None,
            audit: None,
        };
        let hot = CallLayer { hot: Some(HotAnswers(services.clone())), ..layer.clone() };
        [hot, CallLayer { services: rpc::ADMIN, audit: Some(services.audit.clone()), ..layer }]
    }

    /// The lanes over the store, in the runtime in which this is called.
    pub(super) fn lanes(&self, bells: &Bells, answers: &Handle) -> Lanes {
        let sources = Arc::clone(self.store.sources());
        let count = sources.all().len();
        let limits = self.config.lanes.limits(&self.config.store);
        let witness = Witness { bells: bells.clone(), metrics: self.metrics.clone() };
        let writer = self.copies.writer(self.store);
        Lanes::start(&writer, count, move |partition| sources.map().source(partition), limits, witness, answers)
    }

    /// The domain over a reader and its rankings, with a count of all that goes through the lanes.
    pub(super) fn domain(
        &self,
        reader: Arc<dyn Reader>,
        rankings: Arc<dyn Rankings>,
        relay: &RelayPorts,
        lanes: &Arc<Lanes>,
        pages: &Pages,
    ) -> Comments {
        #[cfg(feature = "planted")]
        let reader = crate::planted::reader(reader);
        let log: Arc<dyn Log> = Arc::new(Counted { log: Arc::clone(lanes) as _, rates: pages.rates().clone() });
        #[cfg(feature = "planted")]
        let log = crate::planted::log(log);
        let ports = Ports {
            reader,
            log,
            clock: Arc::clone(self.clock) as _,
            ids: self.store.ids(),
            histories: Arc::clone(&relay.histories),
            boards: Arc::clone(&relay.boards),
            rankings,
            repairer: self.store.repairer(),
        };
        Comments::new(ports, Arc::clone(self.policies))
    }
}
