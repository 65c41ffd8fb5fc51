//! SQLite with a Redis Cluster (RIPOSTE_TEST_REDIS_CLUSTER) as its cache.

use std::sync::{Arc, LazyLock};

use riposte_cache::{Cache, CacheLimits};
use riposte_conformance::{conformance_cases, conformance_tests};

use crate::environment::{self, Environment};
use crate::{process, servers};

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let Some(redis) = servers::env_var("RIPOSTE_TEST_REDIS_CLUSTER") else {
        eprintln!("SKIPPED, all of it: RIPOSTE_TEST_REDIS_CLUSTER names no cluster");
        return None;
    };
    let runtime = servers::runtime();
    let backend = runtime.block_on(async {
        let config = process::sqlite_config(&environment::folder("cluster"));
        process::migrate(&config).await;
        let cache: Arc<dyn Cache> = Arc::new(servers::redis(&redis, CacheLimits::default()).await);
        process::register_relays(&*cache).await;
        process::backend(config, cache)
    });
    Some(Environment::new(runtime, backend))
});

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
