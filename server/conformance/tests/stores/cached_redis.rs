//! MariaDB (RIPOSTE_TEST_MYSQL_1) with Redis (RIPOSTE_TEST_REDIS) as its cache.

use std::sync::{Arc, LazyLock};

use riposte_cache::{Cache, CacheLimits};
use riposte_conformance::{conformance_cases, conformance_tests};
use riposte_store::shard::TableCounts;

use crate::environment::{self, Environment};
use crate::{databases, process, servers};

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let Some(redis) = servers::env_var("RIPOSTE_TEST_REDIS") else {
        eprintln!("SKIPPED, all of it: RIPOSTE_TEST_REDIS names no server");
        return None;
    };
    let config = databases::fresh(&["RIPOSTE_TEST_MYSQL_1"], TableCounts { subject: 1, index: 1 }, "cached")?;
    let runtime = servers::runtime();
    let backend = runtime.block_on(async {
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
