//! The settings of the response cache: counting of reads, and the pages that stay in memory.

use super::{ResponseCacheLimits, SubjectRates};
use riposte_settings::{ByteSize, ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The number of cached pages of one subject: a few orders, sizes and callers.
const PAGES_PER_SUBJECT: usize = 4;

/// The threshold of hot subjects, and the size of their cache.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseCacheSettings {
    /// Enables the cache of first pages. Reads of subjects are counted in any case.
    pub enabled: bool,
    /// The number of subjects that are counted, the busiest ones.
    pub capacity: usize,
    /// Reads per second from which a subject is hot.
    pub threshold: u32,
    /// The time over which rates are measured.
    pub window: TimeSpan,
    /// The most memory for cached pages.
    pub memory: ByteSize,
}

impl ResponseCacheSettings {
    /// Returns the counters of reads with these settings.
    pub fn rates(&self) -> SubjectRates {
        SubjectRates::new(self.window.duration(), self.capacity)
    }

    /// Returns the limits of the cache. Reading a page may take up to `read_timeout`.
    pub fn limits(&self, read_timeout: Duration) -> ResponseCacheLimits {
        let ResponseCacheSettings { enabled, capacity, threshold, window: _, memory } = self;
        ResponseCacheLimits {
            enabled: *enabled,
            threshold: f64::from(*threshold),
            pages: capacity * PAGES_PER_SUBJECT,
            bytes: usize::try_from(memory.bytes()).unwrap_or(usize::MAX),
            read_timeout,
        }
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        report.require((1..=1024).contains(&self.capacity), "capacity", "must be 1 to 1024");
        let is_valid = (Duration::from_secs(1)..=Duration::from_secs(60)).contains(&self.window.duration());
        report.require(is_valid, "window", "must be 1s to 60s");
        let is_valid = (1 << 20..=1 << 34).contains(&self.memory.bytes());
        report.require(is_valid, "memory", "must be 1MiB to 16GiB");
    }
}
