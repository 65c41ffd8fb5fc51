//! The write path from the [`CommandLog`](riposte_core::CommandLog) port of the use cases to
//! the [`Writer`](riposte_core::Writer) of the store, and the work that follows a commit:
//! sequence numbers, event consumers, watches and the feed of events.
//!
//! This crate must never name a store, a cache, an RPC or a status: it sees the ports of the core.

pub mod feed;
pub mod watch;

mod background;
mod consumers;
mod events;
mod notifier;
mod outbox_monitor;
mod outbox_observation;
mod policy;
mod relay;
mod settings;
mod standings;
mod topic;
mod write_queues;

#[cfg(test)]
mod test_consumer;
#[cfg(test)]
mod test_source;

pub use background::{BackgroundRoles, BackgroundTasks, Leadership, LeaseRelease};
pub use consumers::{MemberHistoryConsumer, RankIndexConsumer, ReviewConsumer, SourceSubjects};
pub use events::settings::{MAX_RETENTION, MIN_RETENTION};
pub use notifier::Notifier;
pub use outbox_observation::OutboxObservation;
pub use policy::LocalPolicy;
pub use policy::drain::{OutageDrain, Undecided};
pub use policy::filtered::{FilterFallback, FilterUse, FilteredPolicy};
pub use policy::rule_settings::RuleSettings;
pub use policy::rules::TypeRules;
pub use policy::settings::PolicySettings;
pub use relay::RelayPorts;
pub use settings::{WriteCapacity, WriteQueueSettings};
pub use standings::{StandingFeed, StandingLoadError, StandingTable};
pub use topic::{TopicConsumer, TopicPorts};
pub use write_queues::{MAX_BATCH, QueueObserver, WriteQueueLimits, WriteQueues, WriteRoute};
