//! The protocol between the database, its writers, the cache and the relay, checked on models:
//! every interleaving of a few writers, fillers and faults on one subject.
//!
//! `subject_entries`, `preview_candidates`, `invalidations` and `firsts` model the protocol of
//! `server/cache/src/port.rs`, operation by operation and rule by rule. They check these
//! properties: when nothing is in progress, everything that the cache returns equals the database;
//! everything that a subject entry returns belongs to one revision; an entry never returns to an
//! older revision; a process that has notified the cache of a change sees the change. For each
//! rule, the checker must find a violation when the rule is left out.
//!
//! The other modules model earlier protocols on one cached list, beginning with the simplest. All
//! but the last were rejected: each has a path to an entry that stays stale for ever, and the
//! checker must find the path. This shows that the checker detects such paths. The last protocol
//! (lease, revision, watermark, cursor) is sound. The protocol of subject entries extends it, so
//! that a page shows one state of its subject.
//!
//! Bounds of the models: one subject with one list and one comment, one member; every revision adds
//! to the list and rewrites the comment, likes only grow; a function of the cache is one step; a
//! log does not overflow, lists are not cut, names are known; a replica has the data that its
//! master had at some earlier time; a cache has one clock. The protocol's own tests against real
//! servers cover the rest.

mod cache_model {
    mod extent;
    mod firsts;
    mod invalidations;
    mod large;
    mod model;
    mod preview_candidates;
    mod protocol;
    mod redis;
    mod state;
    mod subject_entries;
    mod variants;
}
