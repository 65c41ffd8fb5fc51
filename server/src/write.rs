//! The road of every write: from the façade's [`Log`](riposte_core::ports::Log) to the store's
//! [`Writer`](riposte_core::ports::Writer); and what follows from a commit: numbers, projections, watchers.

pub mod watch;

mod bells;
mod feed;
mod lanes;
mod relay;
mod tail;
mod trouble;

#[cfg(test)]
mod memory;

pub use bells::Bells;
pub use feed::Feed;
pub use lanes::{LaneLimits, Lanes, MAX_BATCH, Witness};
pub use relay::RelayPorts;
