//! The servers that the environment names.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{CacheLimits, RedisCache, RedisConfig};
use riposte_core::page::RootPage;
use riposte_core::ports::PageRenderer;
use tokio::runtime::Runtime;

/// Renders pages by their `Debug` output, which shows every difference. The field names the form.
#[derive(Debug)]
pub(crate) struct DebugRenderer(pub(crate) &'static str);

impl PageRenderer for DebugRenderer {
    fn format(&self) -> &str {
        self.0
    }

    fn render(&self, page: RootPage) -> Vec<u8> {
        format!("{page:?}").into()
    }
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// The time limit of one test. On a busy machine the longest test takes a minute or two.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Runs a test in a runtime of its own.
pub(crate) fn run_test(test: impl Future<Output = ()>) {
    runtime().block_on(async { tokio::time::timeout(TIME_LIMIT, test).await.expect("the test ends") });
}

/// Returns the value of an environment variable; an empty one counts as unset.
#[expect(clippy::disallowed_methods, reason = "the environment of a test run names its servers and its seed")]
pub(crate) fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// Returns a cache on a server that other tests use too. Its timeline is random, so that no two
/// tests share cached data.
pub(crate) async fn redis(url: &str, limits: CacheLimits) -> RedisCache {
    // The test machine may be busy compiling, and the latency of the cache is not under test.
    let redis = client(url, limits, rand::random(), Duration::from_secs(5));
    redis.connect(Duration::from_secs(10)).await.expect("the server answers");
    redis
}

/// Returns a client of a cache, with `budget` as the time limit of a response.
pub(crate) fn client(url: &str, limits: CacheLimits, timeline: u16, budget: Duration) -> RedisCache {
    let (url, connections) = (url.to_owned(), 2);
    let config = RedisConfig { url, connections, budget, apply_budget: budget, timeline, limits, library: None };
    RedisCache::start(config).expect("a valid configuration").with_renderer(Arc::new(DebugRenderer("plain")))
}
