//! The settings of the cache, as plain data that is already validated.

use std::sync::Arc;
use std::time::Duration;

/// Limits and durations of the cache.
#[derive(Debug, Clone, Copy)]
pub struct CacheLimits {
    /// The number of comments of a list that are cached from either end. The others are read from
    /// the rows.
    pub window: usize,
    /// The lifetime of a subject's cached data, varied by up to a fifth.
    pub ttl: Duration,
    /// The lifetime of the record that a subject does not exist; at most 5 s.
    pub negative_ttl: Duration,
    /// The lifetime of a member's likes in a subject, varied by up to a fifth.
    pub like_states_ttl: Duration,
    /// The lifetime of a fill lease.
    pub lease: Duration,
    /// The number of subjects in the in-process cache.
    pub subjects: u64,
    /// The number of comments, and of a member's likes, that the in-process cache stores per
    /// subject.
    pub per_subject: usize,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self {
            window: 400,
            ttl: Duration::from_secs(3_600),
            negative_ttl: Duration::from_secs(5),
            like_states_ttl: Duration::from_secs(600),
            lease: Duration::from_secs(2),
            subjects: 10_000,
            per_subject: 2_000,
        }
    }
}

/// The address of Redis and the time limits of calls to it.
#[derive(Clone)]
pub struct RedisConfig {
    /// The address: `redis://`, `rediss://`, `redis-cluster://` or `rediss-cluster://`, with user
    /// and password where they are needed.
    pub url: String,
    /// The number of connections.
    pub connections: usize,
    /// The time limit of a read or a fill.
    pub budget: Duration,
    /// The time for which a commit waits for the update of the cache.
    pub apply_budget: Duration,
    /// A part of every key; it is raised after the rows were set back to an older state.
    pub timeline: u16,
    /// Limits and durations of the cache.
    pub limits: CacheLimits,
    /// The source code of the functions; `None` for [`crate::REDIS_LIBRARY`].
    pub library: Option<Arc<str>>,
}

impl std::fmt::Debug for RedisConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may contain a password.
        f.debug_struct("RedisConfig")
            .field("timeline", &self.timeline)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
