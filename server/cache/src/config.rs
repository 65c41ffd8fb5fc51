//! What it takes to keep copies, as plain data that somebody else has checked.

use std::time::Duration;

/// Bounds and times of the copies.
#[derive(Debug, Clone, Copy)]
pub struct CacheLimits {
    /// Members that a list keeps from its end; beyond them the rows answer.
    pub window: usize,
    /// How long a subject's copies are kept, a fifth more or less.
    pub ttl: Duration,
    /// How long it is remembered that a subject does not exist; at most 5 s.
    pub negative_ttl: Duration,
    /// How long it is remembered what a member likes in a subject, a fifth more or less.
    pub states_ttl: Duration,
    /// How long a right to fill lasts.
    pub lease: Duration,
    /// Subjects that the process keeps, where it keeps copies itself.
    pub subjects: u64,
    /// Comments and members' likes that it keeps of each.
    pub per_subject: usize,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self {
            window: 400,
            ttl: Duration::from_secs(3_600),
            negative_ttl: Duration::from_secs(5),
            states_ttl: Duration::from_secs(600),
            lease: Duration::from_secs(2),
            subjects: 10_000,
            per_subject: 2_000,
        }
    }
}

/// Where Redis is, and how long it is waited for.
#[derive(Clone)]
pub struct RedisConfig {
    /// `redis://`, `rediss://`, `redis-cluster://` or `rediss-cluster://`, with user and password where they are needed.
    pub url: String,
    /// Connections.
    pub connections: usize,
    /// How long a read or a fill may take.
    pub budget: Duration,
    /// How long a commit waits for its copies to be changed.
    pub apply_budget: Duration,
    /// Stands in every key: raised after the rows were set back to an older state.
    pub timeline: u16,
    /// Bounds and times.
    pub limits: CacheLimits,
}

impl std::fmt::Debug for RedisConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may carry a password.
        f.debug_struct("RedisConfig")
            .field("timeline", &self.timeline)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
