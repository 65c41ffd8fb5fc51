//! The servers that the environment names.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{CacheLimits, RedisCache, RedisConfig};
use riposte_core::page::RootPage;
use riposte_core::ports::PageRenderer;
use tokio::runtime::Runtime;

/// Renders pages in a form that shows every difference.
#[derive(Debug)]
pub(crate) struct Plain(pub(crate) &'static str);

impl PageRenderer for Plain {
    fn form(&self) -> &str {
        self.0
    }

    fn rendered(&self, page: RootPage) -> Vec<u8> {
        format!("{page:?}").into()
    }
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// The time limit of one test: a busy machine needs a minute or two for the longest.
const LONGEST: Duration = Duration::from_secs(300);

/// Runs a test, in a runtime of its own.
pub(crate) fn play(test: impl Future<Output = ()>) {
    runtime().block_on(async { tokio::time::timeout(LONGEST, test).await.expect("the test ends") });
}

/// Returns the value of an environment variable; an empty one counts as unset.
#[expect(clippy::disallowed_methods, reason = "a test run is told by its environment what to play, and where")]
pub(crate) fn told(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// Returns a cache in a server that others use too: no two caches of tests share a timeline.
pub(crate) async fn redis(url: &str, limits: CacheLimits) -> RedisCache {
    // The test machine may be busy compiling, and the latency of the cache is not under test.
    let redis = client(url, limits, rand::random(), Duration::from_secs(5));
    redis.ready(Duration::from_secs(10)).await.expect("the server answers");
    redis
}

/// Returns one process's client of a cache, with `budget` as the time limit of a response.
pub(crate) fn client(url: &str, limits: CacheLimits, timeline: u16, budget: Duration) -> RedisCache {
    let (url, connections) = (url.to_owned(), 2);
    let config = RedisConfig { url, connections, budget, apply_budget: budget, timeline, limits, library: None };
    RedisCache::start(config).expect("the address makes sense").printing(Arc::new(Plain("plain")))
}
