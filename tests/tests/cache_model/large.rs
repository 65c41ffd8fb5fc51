//! Runs of minutes. Their results stand in docs/testing.md.

use super::model::Cache;
use super::protocol::Faults;
use super::variants::{ANCHORED, EACH_ONCE, NO_FAULTS, OURS};
use stateright::{Checker, CheckerBuilder, Model};
use std::time::Instant;

/// Visits every state, and tells how it went and how many there are.
fn states(cache: Cache, how: fn(CheckerBuilder<Cache>) -> CheckerBuilder<Cache>) -> usize {
    let begin = Instant::now();
    let checker = how(cache.clone().checker()).spawn_dfs().join();
    checker.assert_properties();
    let (states, steps, deep) = (checker.unique_state_count(), checker.state_count(), checker.max_depth());
    println!("{cache:?}: {states} states, {steps} steps, {deep} deep, in {:.0} s", begin.elapsed().as_secs_f64());
    states
}

#[test]
#[ignore = "14 million states: `cargo test --release --test cache_model -- --ignored the_runs`"]
fn the_runs_that_the_other_model_made_too() {
    let two = |protocol, faults| Cache { protocol, writers: 2, fillers: 2, faults };
    let servers_and_writers = Faults { crash: 1, failover: 1, restart: 1, ..NO_FAULTS };
    let plain = |builder| builder;
    assert_eq!(states(two(ANCHORED, EACH_ONCE), plain), 3_440_992);
    assert_eq!(states(two(OURS, Faults { failover: 2, ..EACH_ONCE }), plain), 6_672_389);
    assert_eq!(states(Cache { writers: 3, ..two(OURS, servers_and_writers) }, plain), 3_932_700);
}

#[test]
#[ignore = "millions"]
fn p32() {
    let cache = Cache { protocol: OURS, writers: 3, fillers: 2, faults: EACH_ONCE };
    states(cache, |builder| builder.symmetry());
}
#[test]
#[ignore = "millions"]
fn p33() {
    let cache = Cache { protocol: OURS, writers: 3, fillers: 3, faults: EACH_ONCE };
    states(cache, |builder| builder.symmetry());
}
