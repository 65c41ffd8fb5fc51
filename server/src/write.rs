//! The road of every write: from the façade's [`Log`](riposte_core::ports::Log) to the store's
//! [`Writer`](riposte_core::ports::Writer).

mod direct;

pub use direct::Direct;
