//! The stress test while Redis is killed, paused, emptied, loses keys and fails over, and processes
//! die with unreported commits.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{Cache, CacheLimits, RedisCache};
use riposte_conformance::stores::StepClock;
use riposte_store::StoreConfig;
use riposte_test_redis::{Cluster, Program, Server, Storm, Victim};

use crate::process::{self, Cached};
use crate::stress::Stress;
use crate::{equal_or_absent, servers};

/// The number of writes of a process before its end.
const STEPS: usize = 40;
/// The number of writes after the cache no longer receives any report of the process.
const UNHEARD: usize = 8;

#[test]
fn copies_in_redis_outlive_a_storm() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    let url = server.url();
    servers::play(weather(&url, server, 10));
}

#[test]
fn copies_in_a_cluster_outlive_a_storm() {
    let Some(program) = Program::find() else { return };
    let cluster = Cluster::start(&program).expect("it starts");
    let url = cluster.url();
    servers::play(weather(&url, cluster, 5));
}

/// A process, and its own client of the cache.
struct Life {
    process: Cached,
    cache: Arc<RedisCache>,
}

impl Life {
    /// Starts a process that may find the cache unavailable.
    fn begin(url: &str, timeline: u16, config: &StoreConfig) -> Self {
        let limits = CacheLimits { window: 100, ..CacheLimits::default() };
        let cache = Arc::new(servers::client(url, limits, timeline, Duration::from_millis(200)));
        let shared: Arc<dyn Cache> = Arc::clone(&cache) as _;
        Self { process: process::cached(config, &shared, StepClock::at(StepClock::START)), cache }
    }

    /// Ends the process, which loses its unreported commits.
    async fn end(self, stress: &Stress, number: usize) {
        self.cache.shut().await;
        stress.clone().write(number, UNHEARD).await;
    }
}

/// Injects `faults` faults while processes start and end. Afterwards cached data equals the rows or
/// is absent.
async fn weather(url: &str, mut victim: impl Victim + Send + 'static, faults: usize) {
    let seed = rand::random();
    println!("storm {seed}");
    let storm = std::thread::spawn(move || {
        let struck = Storm::new(seed, Duration::from_millis(300)).rage(&mut victim, faults);
        (struck, victim)
    });
    let (config, _folder) = process::sqlite().await;
    let begin = {
        let (timeline, config) = (rand::random(), config.clone());
        move || Life::begin(url, timeline, &config)
    };
    let first = begin();
    let cache: Arc<dyn Cache> = Arc::clone(&first.cache) as _;
    let mut second = begin();
    let mut stress = Stress::new(vec![first.process.clone(), second.process.clone()], 3);
    let mut lives = 2;
    while !storm.is_finished() {
        stress.burn(&cache, STEPS).await;
        let dying = std::mem::replace(&mut second, begin());
        dying.end(&stress, 1).await;
        stress = stress.reborn(vec![first.process.clone(), second.process.clone()]);
        lives += 1;
    }
    let (struck, _victim) = storm.join().expect("it ends");
    println!("{lives} lives, {:?}", struck.expect("the victim came back from each fault"));
    // The last process finds the state that the others left; one process more reports the commits
    // that the last one left unreported.
    stress.burn(&cache, STEPS).await;
    equal_or_absent(&stress, &cache).await;
}
