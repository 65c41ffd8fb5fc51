//! Real Redis for tests and benchmarks: one server alone, or a cluster of three masters and three replicas, on free ports
//! of 127.0.0.1, with folders of their own and nothing on disk, so that a server that starts again is empty.
//!
//! What tests share is started by `cargo xtask test` and found by [`shared`] and [`shared_cluster`]. A test that hurts
//! its server starts one of its own: [`Server`] can be killed, stopped, started again and emptied, and a [`Cluster`]
//! fails over, to a replica that lags if the test wants it so. All of it blocks: a server is there after some 20 ms, a
//! cluster after two or three seconds.
//!
//! This crate must never touch a server that it did not start, and must never be a part of what ships.

mod cluster;
mod connection;
mod kept;
mod peer;
mod ports;
mod program;
mod server;
mod storm;
mod wait;

pub use cluster::Cluster;
pub use connection::{Connection, Reply};
pub use kept::Kept;
pub use ports::free_port;
pub use program::{Program, shared, shared_cluster};
pub use server::Server;
pub use storm::{Fault, Storm, Victim};
