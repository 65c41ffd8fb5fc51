//! The road of every write: from the façade's [`Log`](riposte_core::ports::CommandLog) to the store's
//! [`Writer`](riposte_core::ports::Writer); and what follows from a commit: numbers, projections, watchers.

pub mod watch;

mod background;
mod backoff_log;
mod notifier;
mod relay;
mod tail;
mod write_queues;

#[cfg(test)]
mod test_source;

pub use background::BackgroundTasks;
pub use notifier::Notifier;
pub use relay::RelayPorts;
pub use write_queues::{MAX_BATCH, QueueObserver, WriteQueueLimits, WriteQueues};
