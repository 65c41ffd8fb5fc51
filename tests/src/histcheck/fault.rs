//! The faults injected into processes, stores and the proxies between them during the load.

mod databases;
mod deployment;
mod injection;
mod kind;
mod proxies;
mod query_mutant;

pub(crate) use deployment::Deployment;
pub(crate) use injection::{Injection, LONG_TIMEOUT_SERVER, PROCESSES, RELAY};
pub use kind::Means;
pub(crate) use proxies::Proxies;
pub(crate) use query_mutant::QueryMutant;
