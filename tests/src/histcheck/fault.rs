//! The faults injected into processes, stores and the proxies between them during the load.

mod databases;
mod injection;
mod kind;
mod proxies;
mod victims;

pub(crate) use injection::{Injection, PATIENT, PROCESSES, RELAY};
pub use kind::Means;
pub(crate) use proxies::Wires;
pub(crate) use victims::Rig;
