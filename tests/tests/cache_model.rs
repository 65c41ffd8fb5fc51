//! The protocol between the database, its writers, the cache and the relay, checked on models: every interleaving of a few
//! writers, fillers and faults on one subject.
//!
//! `blocks`, `choices`, `doubts` and `firsts` are the protocol of `server/cache/src/port.rs`, operation by operation, rule by rule. What has to
//! hold: when all is quiet, whatever the cache answers equals the database; what a block answers is of one revision; a block
//! never goes back; who has told the cache sees it. Each rule left out has to be found out.
//!
//! The other modules are the protocols it was chosen over, on one cached list, from the plainest on: each has a way to an
//! entry that is stale for ever, and the checker has to find it; so it is known to see such a thing. The last of them
//! (lease, revision, watermark, cursor) is sound too; blocks came out of it, so that a page is one state of its subject.
//!
//! Bounds of the models: one subject with one list and one comment, one member; every revision adds to the list and
//! rewrites the comment, likes only grow; a function of the cache is one step; a log does not overflow, lists are not cut,
//! names are known; a replica holds what its master held at some moment before; a cache has one clock. The protocol's own
//! tests against real servers cover the rest.

mod cache_model {
    mod blocks;
    mod choices;
    mod doubts;
    mod extent;
    mod firsts;
    mod large;
    mod model;
    mod protocol;
    mod redis;
    mod state;
    mod variants;
}
