//! What is done to the service while it is asked: to its processes, to its stores, and to the wires between.

mod kind;
mod strike;
mod victims;
mod wires;

pub use kind::Means;
pub(crate) use strike::{PATIENT, PROCESSES, RELAY, Strike};
pub(crate) use victims::Rig;
pub(crate) use wires::Wires;
