//! Checks of the cache.

use super::check_result::CheckResult;
use riposte_cache::{CacheKind, CacheSettings, RedisCache, RedisHealth};
use std::time::Duration;

/// The longest wait for Redis.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// Checks the cache.
pub(super) async fn examine(config: &CacheSettings, timeline: u16) -> Vec<CheckResult> {
    match config.kind {
        CacheKind::None => vec![CheckResult::ok("cache", "none: every read goes to the data sources")],
        CacheKind::Memory => vec![CheckResult::ok("cache", "in the process, which must be the only one")],
        CacheKind::Redis => redis(config, timeline).await,
    }
}

/// Checks that no second process runs over the data sources of an in-process cache, which does not
/// see the commits of another one at once. `processes` is the number of processes that write.
pub(super) fn alone(kind: CacheKind, processes: usize) -> Option<CheckResult> {
    (kind == CacheKind::Memory && processes > 1).then(|| {
        CheckResult::warn(
            "cache, processes",
            format!(
                "{processes} processes write to the data sources, and each has a cache of its own: reads of one are \
                 behind the commits of the others; run one process, or set cache.kind to \"redis\""
            ),
        )
    })
}

async fn redis(config: &CacheSettings, timeline: u16) -> Vec<CheckResult> {
    let address = match config.address() {
        Ok(Some(address)) => address,
        Ok(None) => return Vec::new(),
        Err(fault) => return vec![CheckResult::fail("cache", fault.to_string())],
    };
    let label = format!("cache ({address})");
    let Ok(redis) = RedisCache::start(config.redis(&address, timeline)) else {
        return vec![CheckResult::fail(label, "the address is invalid")];
    };
    // Without a cache the service works, but slower, so this is not a failure.
    if let Err(error) = redis.connect(MAX_WAIT).await {
        return vec![CheckResult::warn(label, format!("cannot be used, so the data sources carry all reads: {error}"))];
    }
    let results = match redis.health().await {
        Ok(health) => assess(&label, &health),
        Err(error) => vec![CheckResult::warn(label, error)],
    };
    redis.disconnect().await;
    results
}

fn assess(label: &str, health: &RedisHealth) -> Vec<CheckResult> {
    let RedisHealth { round_trip, clustered, version, eviction } = health;
    let kind = if *clustered { "cluster" } else { "server" };
    let version = version.as_deref().unwrap_or("unknown");
    let finding =
        format!("a {kind} answers in {} µs, version {version}; the functions are loaded", round_trip.as_micros());
    let mut results = vec![CheckResult::ok(label, finding)];
    if eviction.as_deref() == Some("noeviction") {
        results.push(CheckResult::warn(
            format!("{label}, maxmemory-policy"),
            "noeviction: the cache stores no entry when its memory is full; set it to allkeys-lru",
        ));
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{CacheKind, Duration, RedisHealth, alone, assess};

    #[test]
    fn a_second_process_is_a_warning_for_a_cache_in_the_process_only() {
        let warned = |kind, processes| alone(kind, processes).is_some();
        assert_eq!([0, 1, 2].map(|processes| warned(CacheKind::Memory, processes)), [false, false, true]);
        assert_eq!([CacheKind::None, CacheKind::Redis].map(|kind| warned(kind, 2)), [false, false]);
    }

    #[test]
    fn a_cache_server_without_eviction_is_a_warning() {
        let health = |policy: &str| RedisHealth {
            round_trip: Duration::from_micros(80),
            clustered: false,
            version: Some("7.0.15".into()),
            eviction: Some(policy.into()),
        };
        assert_eq!(assess("cache", &health("allkeys-lru")).len(), 1);
        assert_eq!(assess("cache", &health("noeviction")).len(), 2);
    }
}
