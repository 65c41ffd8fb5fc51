//! The faults injected into processes, stores and the proxies between them during the load.

mod databases;
mod kind;
mod injection;
mod victims;
mod proxies;

pub use kind::Means;
pub(crate) use injection::{PATIENT, PROCESSES, RELAY, Injection};
pub(crate) use victims::Rig;
pub(crate) use proxies::Wires;
