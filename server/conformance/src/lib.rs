//! What a backend must keep, as cases that any backend plays: [`stores`] for the ports of the domain, with an oracle
//! ([`model`]) beside random walks, and [`caches`] for the protocol of the copies. The tests of this crate play them on every
//! store and cache there is.
//!
//! A crate of its own, so that what ships is compiled once, with nothing of it inside.
//!
//! This crate must never know SQL, Redis or an RPC.

pub mod caches;
pub mod model;
pub mod stores;
