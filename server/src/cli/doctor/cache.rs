//! Checks of the cache.

use super::check_result::CheckResult;
use riposte_cache::{CacheKind, CacheSettings, RedisCache, RedisHealth};
use std::time::Duration;

/// The longest wait for Redis.
const PATIENCE: Duration = Duration::from_secs(3);

/// Checks the cache.
pub(super) async fn examine(config: &CacheSettings, timeline: u16) -> Vec<CheckResult> {
    match config.kind {
        CacheKind::None => vec![CheckResult::ok("cache", "none: every read asks the data sources")],
        CacheKind::Redis => redis(config, timeline).await,
    }
}

async fn redis(config: &CacheSettings, timeline: u16) -> Vec<CheckResult> {
    let address = match config.address() {
        Ok(Some(address)) => address,
        Ok(None) => return Vec::new(),
        Err(fault) => return vec![CheckResult::fail("cache", fault.to_string())],
    };
    let label = format!("cache ({address})");
    let Ok(redis) = RedisCache::start(config.redis(&address, timeline)) else {
        return vec![CheckResult::fail(label, "the address makes no sense")];
    };
    // Without a cache the service works, but slower, so this is not a failure.
    if let Err(why) = redis.ready(PATIENCE).await {
        return vec![CheckResult::warn(label, format!("cannot be used, so the data sources carry all reads: {why}"))];
    }
    let verdicts = match redis.health().await {
        Ok(health) => judge(&label, &health),
        Err(why) => vec![CheckResult::warn(label, why)],
    };
    redis.shut().await;
    verdicts
}

fn judge(label: &str, health: &RedisHealth) -> Vec<CheckResult> {
    let RedisHealth { trip, clustered, version, eviction } = health;
    let kind = if *clustered { "cluster" } else { "server" };
    let version = version.as_deref().unwrap_or("unknown");
    let answers = format!("a {kind} answers in {} µs, version {version}; the functions are loaded", trip.as_micros());
    let mut verdicts = vec![CheckResult::ok(label, answers)];
    if eviction.as_deref() == Some("noeviction") {
        verdicts.push(CheckResult::warn(
            format!("{label}, maxmemory-policy"),
            "noeviction: the cache takes no entry when its memory is full; set it to allkeys-lru",
        ));
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::{Duration, RedisHealth, judge};

    #[test]
    fn a_server_that_evicts_nothing_is_warned_of() {
        let health = |policy: &str| RedisHealth {
            trip: Duration::from_micros(80),
            clustered: false,
            version: Some("7.0.15".into()),
            eviction: Some(policy.into()),
        };
        assert_eq!(judge("cache", &health("allkeys-lru")).len(), 1);
        assert_eq!(judge("cache", &health("noeviction")).len(), 2);
    }
}
