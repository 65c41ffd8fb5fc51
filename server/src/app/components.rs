//! The components that the domain and the relay use: the ports over the store and the cache, with
//! decorators and metrics.

use std::sync::Arc;

use riposte_core::member_gate::MemberGate;
use riposte_core::object_type::Policies;
use riposte_core::ports::{
    ContentPolicy, EventConsumer, EventForwarder, FilterClient, MemberHistories, RankIndexes, RankingSnapshots, Reader,
    TextCheck,
};
use riposte_core::rank::RankingConfig;
use riposte_core::read::{PolicyEvaluations, ReadPorts, ReviewQueue, TextChecks};
use riposte_core::reports::ReportPorts;
use riposte_core::standing_control::StandingPorts;
use riposte_core::submit::WritePorts;
use riposte_core::{CommandLog, Comments, Maintenance, MemberReports, ModerationControl, Mutations, StandingControl};
use riposte_settings::ByteSize;
use riposte_store::SqlStore;
use riposte_telemetry::Metrics;
use tokio::runtime::Handle;

use crate::cache_stack::CacheStack;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::decorators::{Decorators, decorate};
use crate::listener::ServerRole;
use riposte_grpc::auth::Authenticator;
use riposte_grpc::middleware::{BodyBuffers, CallLayer, InjectedFaults, ReadinessGate};
use riposte_grpc::response_cache::{CountingLog, ResponseCache};
use riposte_grpc::{Evaluations, MessageLimits, ResponseCacheLayer, Services};
use riposte_pipeline::feed::{FeedHub, FeedPorts};
use riposte_pipeline::{
    LocalPolicy, Notifier, OutageDrain, QueueObserver, RelayPorts, SourceSubjects, StandingTable, Undecided,
    WriteQueues, WriteRoute,
};

/// The parts from which the ports are built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Components<'a> {
    pub(super) config: &'a Config,
    pub(super) store: &'a SqlStore,
    pub(super) cache: &'a CacheStack,
    pub(super) policies: &'a Arc<Policies>,
    pub(super) clock: &'a Arc<SystemClock>,
    pub(super) metrics: &'a Metrics,
    pub(super) decorators: &'a Decorators,
}

/// The rules for the writes of members that no row has.
#[derive(Debug)]
pub(super) struct MemberRules {
    /// Word lists and rules, which can be tried on stored comments.
    pub(super) lists: Arc<LocalPolicy>,
    /// The policy of texts: word lists and rules, and the filter if there is one.
    pub(super) content: Arc<dyn ContentPolicy>,
    /// The same, for trials of texts.
    pub(super) texts: Arc<dyn TextCheck>,
    /// The filter, if there is one.
    pub(super) filter: Option<Arc<dyn FilterClient>>,
    pub(super) standings: Arc<StandingTable>,
    /// Standings, and accounts if there is a service that knows them.
    pub(super) members: MemberGate,
}

/// The ports of the rows that are derived from events.
#[derive(Debug)]
pub(super) struct DerivedState {
    pub(super) histories: Arc<dyn MemberHistories>,
    pub(super) rank_indexes: Arc<dyn RankIndexes>,
    pub(super) rankings: Arc<dyn RankingSnapshots>,
}

impl Components<'_> {
    /// Returns the ports of the rows that are derived from events.
    pub(super) fn derived(&self) -> DerivedState {
        let config = RankingConfig { depth: self.config.rankings.depth, policies: Arc::clone(self.policies) };
        let (rank_indexes, rankings) = self.store.ranks(config);
        DerivedState { histories: self.store.histories(), rank_indexes, rankings }
    }

    /// Returns the ports of the relay, with the event consumers.
    pub(super) fn relay(&self, derived: &DerivedState, mut consumers: Vec<Arc<dyn EventConsumer>>) -> RelayPorts {
        let forwarder = self.topic();
        consumers.extend(forwarder.clone().map(|topic| topic as Arc<dyn EventConsumer>));
        RelayPorts {
            forwarder,
            outbox: self.store.outbox(),
            positions: self.store.positions(),
            consumers: consumers.into(),
            rankings: Arc::clone(&derived.rankings),
            clock: Arc::clone(self.clock) as _,
            metrics: self.metrics.clone(),
            repairs_shared_cache: self.cache.is_shared(),
            retention: self.config.events.retention.duration(),
        }
    }

    /// Returns the feed of events.
    pub(super) fn feed(&self, notifier: &Notifier) -> FeedHub {
        FeedHub::new(FeedPorts {
            outbox: self.store.outbox(),
            rows: self.store.event_rows(),
            notifier: notifier.clone(),
            clock: Arc::clone(self.clock) as _,
            timeline: self.config.store.timeline,
            retention: self.config.events.retention.duration(),
        })
    }

    /// Returns the consumer that sends the events to the topic, if there is one.
    #[cfg(feature = "kafka")]
    fn topic(&self) -> Option<Arc<dyn EventForwarder>> {
        let events = &self.config.events;
        let options = || riposte_kafka::TopicOptions {
            settings: events.kafka.clone(),
            deployment: events.deployment.clone(),
            timeline: self.config.store.timeline,
            event: riposte_grpc::event_bytes,
            gap: riposte_grpc::gap_bytes,
            clock: Arc::clone(self.clock) as _,
            metrics: self.metrics.clone(),
        };
        let ports = |options| riposte_pipeline::TopicPorts {
            topic: decorate(&self.decorators.topic, Arc::new(riposte_kafka::KafkaTopic::new(options))),
            rows: self.store.event_rows(),
            positions: self.store.positions(),
            clock: Arc::clone(self.clock) as _,
            metrics: self.metrics.clone(),
        };
        let consumer = || riposte_pipeline::TopicConsumer::new(ports(options()), self.config.store.timeline);
        events.kafka.is_set().then(|| Arc::new(consumer()) as _)
    }

    /// Returns no consumer: this build has no Kafka client, and a configuration with brokers is not
    /// accepted.
    #[cfg(not(feature = "kafka"))]
    fn topic(&self) -> Option<Arc<dyn EventForwarder>> {
        None
    }

    /// Returns the subjects of each data source, from which consumers rebuild their state.
    pub(super) fn subjects(&self) -> SourceSubjects {
        let sources = Arc::clone(self.store.sources());
        let route = move |partition| sources.map().source(partition);
        SourceSubjects { reader: self.store.reader(), route: Arc::new(route) }
    }

    /// Returns the message size limits of the services.
    pub(super) fn limits(&self) -> MessageLimits {
        let bytes = |size: ByteSize| usize::try_from(size.bytes()).unwrap_or(usize::MAX);
        let server = &self.config.server;
        MessageLimits { max_request: bytes(server.max_request_size), max_response: bytes(server.max_response_size) }
    }

    /// Returns the layer around every call of the public services, which uses the response cache,
    /// and the layer around every call of the services on the admin port, which uses the audit log.
    pub(super) fn layers(
        &self,
        services: &Services,
        gate: ReadinessGate,
        guard: Authenticator,
        faults: Option<InjectedFaults>,
    ) -> [CallLayer; 2] {
        let layer = CallLayer {
            gate,
            serves_calls: self.config.server.roles.has(ServerRole::Api),
            authenticator: guard,
            services: riposte_grpc::PUBLIC,
            timeouts: self.config.server.timeouts(),
            body_time: self.config.limits.body_time.duration(),
            admission: services.admission.clone(),
            limits: self.limits(),
            body_buffers: BodyBuffers::default(),
            faults,
            calls: self.metrics.calls(riposte_grpc::methods()),
            response_cache: None,
            audit: None,
        };
        let public = CallLayer { response_cache: Some(ResponseCacheLayer(services.clone())), ..layer.clone() };
        [public, CallLayer { services: riposte_grpc::ADMIN, audit: Some(services.audit.clone()), ..layer }]
    }

    /// Starts the write queues over the store, in the runtime in which this is called. Callers are
    /// notified in the runtime `callers`.
    pub(super) fn write_queues(&self, notifier: &Notifier, callers: &Handle) -> WriteQueues {
        let sources = Arc::clone(self.store.sources());
        let count = sources.all().len();
        let limits = self.config.write_queue_limits();
        let observer = QueueObserver { notifier: notifier.clone(), metrics: self.metrics.clone() };
        let writer = self.cache.writer(self.store);
        let route = move |partition| {
            let map = sources.map();
            WriteRoute { source: map.source(partition), group: map.table_group(partition) }
        };
        WriteQueues::start(&writer, count, route, limits, observer, callers)
    }

    /// Returns the use cases that read, over a reader and its rankings.
    pub(super) fn reads(&self, reader: Arc<dyn Reader>, rankings: Arc<dyn RankingSnapshots>) -> Comments {
        let reader = decorate(&self.decorators.reader, reader);
        let ports = ReadPorts { reader, rankings, clock: Arc::clone(self.clock) as _ };
        Comments::new(ports, Arc::clone(self.policies))
    }

    /// Returns the use cases of moderators, over the rows.
    pub(super) fn review_queue(&self) -> ReviewQueue {
        let reader = decorate(&self.decorators.reader, self.store.reader());
        let reviews = decorate(&self.decorators.reviews, self.store.reviews());
        ReviewQueue::new(reader, reviews, Arc::clone(self.policies))
    }

    /// Returns the reads of member histories for the policy, over the rows.
    pub(super) fn member_history(&self) -> Arc<dyn Reader> {
        decorate(&self.decorators.reader, self.store.reader())
    }

    /// Returns the use cases of members about moderation, over the rows.
    pub(super) fn member_reports(&self, rules: &MemberRules) -> MemberReports {
        let reader = decorate(&self.decorators.reader, self.store.reader());
        let (reports, ids) = (decorate(&self.decorators.reports, self.store.reports()), self.store.ids());
        let (members, clock) = (rules.members.clone(), Arc::clone(self.clock) as _);
        let ports = ReportPorts { reader, reports, members, clock, ids };
        MemberReports::new(ports, Arc::clone(self.policies))
    }

    /// Returns the use cases that write, over the write queues. All commands that pass through the
    /// queues are counted.
    pub(super) fn mutations(
        &self,
        reader: Arc<dyn Reader>,
        queues: &Arc<WriteQueues>,
        pages: &ResponseCache,
        rules: &MemberRules,
    ) -> Mutations {
        let reader = decorate(&self.decorators.reader, reader);
        let log: Arc<dyn CommandLog> =
            Arc::new(CountingLog { log: Arc::clone(queues) as _, rates: pages.rates().clone() });
        let log = decorate(&self.decorators.log, log);
        let (clock, ids) = (Arc::clone(self.clock) as _, self.store.ids());
        let (content, members) = (Arc::clone(&rules.content), rules.members.clone());
        let ports = WritePorts { reader, log, clock, ids, content, members };
        Mutations::new(ports, Arc::clone(self.policies))
    }

    /// Returns what asks again about what an outage of the services held, over the rows.
    pub(super) fn outage_drain(&self, mutations: &Mutations, rules: &MemberRules) -> OutageDrain {
        OutageDrain {
            reviews: decorate(&self.decorators.reviews, self.store.reviews()),
            reader: decorate(&self.decorators.reader, self.store.reader()),
            mutations: mutations.clone(),
            members: rules.members.clone(),
            filter: rules.filter.clone().map(|client| (client, self.config.filter_use())),
            types: self.config.types_with_services(),
            clock: Arc::clone(self.clock) as _,
            metrics: self.metrics.clone(),
            undecided: Undecided::default(),
        }
    }

    /// Returns the use cases of moderators about standings, over the rows.
    pub(super) fn standings(&self, rules: &MemberRules) -> StandingControl {
        let standings = Arc::clone(&rules.standings) as _;
        let ports = StandingPorts { rows: self.store.standings(), standings, ids: self.store.ids() };
        StandingControl::new(ports, Arc::clone(self.policies))
    }

    /// Returns the trials of policies on stored comments, over the rows.
    pub(super) fn evaluations(&self, rules: &MemberRules) -> Evaluations {
        Evaluations::new(PolicyEvaluations {
            reader: decorate(&self.decorators.reader, self.store.reader()),
            trials: Arc::clone(&rules.lists) as _,
            clock: Arc::clone(self.clock) as _,
            policies: Arc::clone(self.policies),
        })
    }

    /// Returns the trials of the policy on texts.
    pub(super) fn texts(&self, rules: &MemberRules) -> TextChecks {
        TextChecks {
            policy: Arc::clone(&rules.texts),
            members: rules.members.clone(),
            ids: self.store.ids(),
            clock: Arc::clone(self.clock) as _,
            policies: Arc::clone(self.policies),
        }
    }

    /// Returns the switch of moderation with its passes, over the rows.
    pub(super) fn moderation(&self, mutations: &Mutations, maintenance: &Maintenance) -> ModerationControl {
        ModerationControl {
            switch: self.store.moderation_switch(),
            reviews: self.store.reviews(),
            reader: decorate(&self.decorators.reader, self.store.reader()),
            mutations: mutations.clone(),
            maintenance: maintenance.clone(),
        }
    }

    /// Returns the maintenance of counts and derived rows.
    pub(super) fn maintenance(&self, reader: Arc<dyn Reader>, derived: &DerivedState) -> Maintenance {
        Maintenance {
            reader,
            clock: Arc::clone(self.clock) as _,
            histories: Arc::clone(&derived.histories),
            rank_indexes: Arc::clone(&derived.rank_indexes),
            repairer: self.store.repairer(),
        }
    }
}
