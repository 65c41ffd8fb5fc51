//! The faults injected into processes, stores and the proxies between them during the load.

mod databases;
mod kind;
mod strike;
mod victims;
mod wires;

pub use kind::Means;
pub(crate) use strike::{PATIENT, PROCESSES, RELAY, Strike};
pub(crate) use victims::Rig;
pub(crate) use wires::Wires;
