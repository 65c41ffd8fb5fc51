//! Real Redis for tests and benchmarks: one server alone, or a cluster of three masters and three
//! replicas, on free ports of 127.0.0.1, with separate folders and no persistence, so that a server
//! that restarts is empty.
//!
//! Shared servers are started by `cargo xtask test` and found by [`shared`] and [`shared_cluster`].
//! A test that injects faults starts its own server: a [`Server`] can be killed, suspended,
//! restarted and emptied, and a [`Cluster`] can fail over, even to a replica that lags. All
//! functions block: a server starts in about 20 ms, a cluster in two or three seconds.

mod cluster;
mod connection;
mod fault_injector;
mod peer;
mod program;
mod server;
mod stored_key;
mod wait;

pub use cluster::Cluster;
pub use connection::{Connection, Reply};
pub use fault_injector::{FaultInjector, FaultTarget, RedisFault};
pub use program::{Program, shared, shared_cluster};
pub use server::Server;
pub use stored_key::StoredKey;
