//! Helpers of the tests, the benchmarks and the task runner: Redis servers, Kafka, a clock for one
//! process, a network namespace, a proxy that injects network faults, free ports and waiting.
//!
//! This crate must never touch a server that it did not start, and must never be a part of a
//! release.

pub mod clock;
pub mod kafka;
pub mod net;
mod ports;
pub mod proxy;
pub mod redis;
mod until;

pub use ports::free_port;
pub use until::until;
