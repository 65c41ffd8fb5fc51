//! The suite of the cache protocol: on the reference model, on Redis (RIPOSTE_TEST_REDIS) and on a
//! cluster (RIPOSTE_TEST_REDIS_CLUSTER).

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "environment/servers.rs"]
mod servers;

use std::sync::Arc;

use riposte_cache::{CacheLimits, MemoryCache};
use riposte_conformance::caches;

#[test]
fn the_reference_model_implements_the_protocol() {
    for name in caches::NAMES {
        println!("{name}");
        servers::run_test(caches::run(name, Arc::new(MemoryCache::new(CacheLimits::default()))));
    }
}

#[test]
fn redis_implements_the_protocol() {
    run_on("RIPOSTE_TEST_REDIS");
}

#[test]
fn a_cluster_implements_the_protocol() {
    run_on("RIPOSTE_TEST_REDIS_CLUSTER");
}

fn run_on(variable: &str) {
    let Some(url) = servers::env_var(variable) else { return eprintln!("SKIPPED: {variable} names no Redis") };
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&url, CacheLimits::default()).await);
        for name in caches::NAMES {
            println!("{name}");
            caches::run(name, Arc::clone(&redis) as _).await;
        }
        redis.disconnect().await;
    });
}
