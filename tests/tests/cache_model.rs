//! The protocol between the database, its writers, the cache in Redis and the relay, checked on a model: every
//! interleaving of a few writers, fillers and faults on one subject.
//!
//! What has to hold: when all is quiet, the entry in Redis is absent or equals the database. Every simpler protocol has
//! a way to an entry that is stale for ever, and the checker has to find it; so it is known to see such a thing.
//!
//! Bounds of the model: one key; a list at revision v is the numbers 1 to v; a Redis function is one step; a replica
//! holds what its master held at some moment before. The protocol's own tests against a real Redis cover the rest.

mod cache_model {
    mod large;
    mod model;
    mod protocol;
    mod redis;
    mod state;
    mod variants;
}
