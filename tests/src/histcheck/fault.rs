//! What is done to the service while it is asked: to its processes, to its stores, and to the wires between.

mod strike;
mod victims;

pub(crate) use strike::Strike;
pub(crate) use victims::{Rig, Wires};
