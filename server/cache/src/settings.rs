//! The settings of the cache of frequently read data.

use crate::config::{CacheLimits, RedisConfig};
use crate::redis::RedisCache;
use riposte_settings::{ConfigError, ErrorScope, SourceUrl, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// Error text for an invalid address.
const ADDRESS_RULE: &str = "must be an address such as redis://host:6379 or redis-cluster://host:6379";

/// Location and lifetimes of cached data, and the limit on reads that bypass the cache.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CacheSettings {
    /// The location of cached data.
    pub kind: CacheKind,
    /// For Redis: its address.
    pub url: Option<SourceUrl>,
    /// Alternative: a file that contains the address. It is read again when it changes.
    pub url_file: Option<PathBuf>,
    /// For Redis: connections to each server.
    pub connections: usize,
    /// For Redis: the longest time that a read waits before it falls back to the database.
    pub read_timeout: TimeSpan,
    /// For Redis: the longest time that a commit waits for its cache update before the response.
    pub apply_timeout: TimeSpan,
    /// Members that a cached list keeps.
    pub window: usize,
    /// Lifetime of a subject's cached data.
    pub ttl: TimeSpan,
    /// Lifetime of the record that a subject does not exist.
    pub negative_ttl: TimeSpan,
    /// Lifetime of a member's cached likes.
    pub like_states_ttl: TimeSpan,
    /// For Redis: the longest time that cached data is read while no worker keeps it up to date.
    pub stale_after: TimeSpan,
    /// Concurrent reads on each data source that the cache could not serve.
    pub database_reads: usize,
    /// The longest time that such a read waits before it is rejected.
    pub database_wait: TimeSpan,
}

/// The location of cached data.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum CacheKind {
    /// No cache: every read goes to the database.
    None,
    /// The memory of this process, which must be the only one.
    Memory,
    /// Redis or Redis Cluster, shared by all processes.
    Redis,
}

impl CacheSettings {
    /// Returns the limits in the terms of the cache.
    pub fn limits(&self) -> CacheLimits {
        CacheLimits {
            window: self.window,
            ttl: self.ttl.duration(),
            negative_ttl: self.negative_ttl.duration(),
            like_states_ttl: self.like_states_ttl.duration(),
            ..CacheLimits::default()
        }
    }

    /// Returns the address of Redis, read from its file if one is configured; `None` for the other
    /// kinds.
    ///
    /// # Errors
    /// The file cannot be read or does not contain an address.
    pub fn address(&self) -> Result<Option<SourceUrl>, ConfigError> {
        match &self.url_file {
            _ if self.kind != CacheKind::Redis => Ok(None),
            None => Ok(self.url.clone()),
            Some(path) => {
                let error = |message: String| ConfigError::at("cache.url_file", message);
                let read = SourceUrl::read(path, is_redis, ADDRESS_RULE).map_err(error)?;
                let checked = RedisCache::check_url(read.expose());
                checked.map(|()| Some(read)).map_err(|reason| error(format!("is not an address of Redis: {reason}")))
            }
        }
    }

    /// Returns the configuration of Redis at `address` in the terms of the cache. The `timeline` of
    /// the data becomes part of every key.
    pub fn redis(&self, address: &SourceUrl, timeline: u16) -> RedisConfig {
        RedisConfig {
            url: address.expose().to_owned(),
            connections: self.connections,
            budget: self.read_timeout.duration(),
            apply_budget: self.apply_timeout.duration(),
            timeline,
            limits: self.limits(),
            library: None,
        }
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let redis = self.kind == CacheKind::Redis;
        let valid_url = !redis || self.url.as_ref().map_or(self.url_file.is_some(), is_redis);
        report.require(valid_url, "url", ADDRESS_RULE);
        if let Some(url) = self.url.as_ref().filter(|url| redis && is_redis(url))
            && let Err(reason) = RedisCache::check_url(url.expose())
        {
            report.fault("url", format!("is not an address of Redis: {reason}"));
        }
        let exclusive = self.url.is_none() || self.url_file.is_none();
        report.require(exclusive, "url_file", "excludes url: set one of them");
        report.path("url_file", self.url_file.as_ref());
        let (milli, second) = (Duration::from_millis(1), Duration::from_secs(1));
        let within = |span: TimeSpan, low: Duration, high: Duration| (low..=high).contains(&span.duration());
        report.require((1..=64).contains(&self.connections), "connections", "must be 1 to 64");
        report.require(within(self.read_timeout, 5 * milli, 5 * second), "read_timeout", "must be 5ms to 5s");
        report.require(within(self.apply_timeout, 5 * milli, second), "apply_timeout", "must be 5ms to 1s");
        report.require((100..=10_000).contains(&self.window), "window", "must be 100 to 10000");
        report.require(within(self.ttl, 10 * second, 86_400 * second), "ttl", "must be 10s to 1d");
        report.require(within(self.negative_ttl, 100 * milli, 5 * second), "negative_ttl", "must be 100ms to 5s");
        report.require(within(self.like_states_ttl, second, 86_400 * second), "like_states_ttl", "must be 1s to 1d");
        report.require(within(self.stale_after, 5 * second, 600 * second), "stale_after", "must be 5s to 10min");
        report.require((1..=1_024).contains(&self.database_reads), "database_reads", "must be 1 to 1024");
        report.require(within(self.database_wait, milli, 60 * second), "database_wait", "must be 1ms to 1min");
    }
}

/// Returns true if the address names a Redis server or a Redis Cluster.
fn is_redis(address: &SourceUrl) -> bool {
    let schemes = ["redis://", "rediss://", "redis-cluster://", "rediss-cluster://"];
    schemes.iter().any(|scheme| address.expose().starts_with(scheme))
}
