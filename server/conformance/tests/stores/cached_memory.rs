//! SQLite with the in-process cache.

use std::sync::{Arc, LazyLock};

use riposte_cache::{CacheLimits, MemoryCache};
use riposte_conformance::{conformance_cases, conformance_tests};

use crate::environment::{self, Environment};
use crate::{process, servers};

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let runtime = servers::runtime();
    let backend = runtime.block_on(async {
        let config = process::sqlite_config(&environment::folder("memory"));
        process::migrate(&config).await;
        let cache = Arc::new(MemoryCache::new(CacheLimits::default()));
        process::register_relays(&*cache).await;
        process::backend(config, cache)
    });
    Some(Environment::new(runtime, backend))
});

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
