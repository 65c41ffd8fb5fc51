//! The conformance suite of the backends: [`stores`] has the cases for the ports of the domain,
//! with an oracle ([`model`]) as the reference of random walks; [`caches`] has those for the
//! protocol of the cache. The tests of this crate run them on every store and every cache.
//!
//! The suite is a crate of its own, so that shipped code is compiled once and contains no part of
//! it.
//!
//! This crate must never know SQL, Redis or an RPC.

pub mod caches;
pub mod model;
pub mod stores;
