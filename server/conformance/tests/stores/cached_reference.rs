//! SQLite with the reference model of the cache.

use std::sync::{Arc, LazyLock};

use riposte_cache::CacheLimits;
use riposte_conformance::caches::ReferenceCache;
use riposte_conformance::{conformance_cases, conformance_tests};

use crate::stage::{self, Stage};
use crate::{process, servers};

static STAGE: LazyLock<Option<Stage>> = LazyLock::new(|| {
    let runtime = servers::runtime();
    let backend = runtime.block_on(async {
        let config = process::sqlite_in(&stage::folder("reference"));
        process::migrate(&config).await;
        let cache = Arc::new(ReferenceCache::new(CacheLimits::default()));
        process::warm(&*cache).await;
        process::backend(config, cache)
    });
    Some(Stage::new(runtime, backend))
});

fn run(category: &str, name: &str) {
    stage::play(STAGE.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
