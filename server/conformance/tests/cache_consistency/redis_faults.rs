//! The stress test while Redis is killed, paused, emptied, loses keys and fails over, and processes
//! end with unreported commits.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{Cache, CacheLimits, RedisCache};
use riposte_conformance::stores::StepClock;
use riposte_store::StoreConfig;
use riposte_test_support::redis::{Cluster, FaultInjector, FaultTarget, Program, Server};

use crate::process::{self, CachedProcess};
use crate::stress::Stress;
use crate::{check_equal_or_absent, servers};

/// The number of writes of each writer before a process is replaced.
const WRITES_PER_ROUND: usize = 40;
/// The number of writes of a process after its client of the cache is closed.
const UNREPORTED_WRITES: usize = 8;

#[test]
fn the_cache_in_redis_converges_after_random_faults() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    let url = server.url();
    servers::run_test(check_convergence(&url, server, 10));
}

#[test]
fn the_cache_in_a_cluster_converges_after_random_faults() {
    let Some(program) = Program::find() else { return };
    let cluster = Cluster::start(&program).expect("the server starts");
    let url = cluster.url();
    servers::run_test(check_convergence(&url, cluster, 5));
}

/// A process with its own client of the cache.
struct CacheProcess {
    process: CachedProcess,
    cache: Arc<RedisCache>,
}

impl CacheProcess {
    /// Starts a process, even if the cache is unavailable.
    fn start(url: &str, timeline: u16, config: &StoreConfig) -> Self {
        let limits = CacheLimits { window: 100, ..CacheLimits::default() };
        let cache = Arc::new(servers::client(url, limits, timeline, Duration::from_millis(200)));
        let shared: Arc<dyn Cache> = Arc::clone(&cache) as _;
        Self { process: process::start(config, &shared, StepClock::at(StepClock::START)), cache }
    }

    /// Closes the client of the cache, and ends the process after some commits that it cannot
    /// report.
    async fn end(self, stress: &Stress, number: usize) {
        self.cache.disconnect().await;
        stress.clone().write(number, UNREPORTED_WRITES).await;
    }
}

/// Injects `faults` faults while processes start and end, and checks that cached data afterwards
/// equals the rows or is absent.
async fn check_convergence(url: &str, mut target: impl FaultTarget + Send + 'static, faults: usize) {
    let seed = rand::random();
    println!("seed of the faults: {seed}");
    let injection = std::thread::spawn(move || {
        let injected = FaultInjector::new(seed, Duration::from_millis(300)).inject_random(&mut target, faults);
        (injected, target)
    });
    let (config, _folder) = process::migrated_sqlite().await;
    let start = {
        let (timeline, config) = (rand::random(), config.clone());
        move || CacheProcess::start(url, timeline, &config)
    };
    let first = start();
    let cache: Arc<dyn Cache> = Arc::clone(&first.cache) as _;
    let mut second = start();
    let mut stress = Stress::new(vec![first.process.clone(), second.process.clone()], 3);
    let mut processes = 2;
    while !injection.is_finished() {
        stress.run(&cache, WRITES_PER_ROUND).await;
        let ending = std::mem::replace(&mut second, start());
        ending.end(&stress, 1).await;
        stress = stress.with_processes(vec![first.process.clone(), second.process.clone()]);
        processes += 1;
    }
    let (injected, _target) = injection.join().expect("no panic");
    println!("{processes} processes, {:?}", injected.expect("the server recovered from each fault"));
    // The relay reports the commits that the ended processes left unreported.
    stress.run(&cache, WRITES_PER_ROUND).await;
    check_equal_or_absent(&stress, &cache).await;
}
