//! Runs of a minute and more. What they showed stands in docs/testing.md.

use super::model::Cache;
use super::protocol::Faults;
use super::variants::{ANCHORED, EACH_ONCE, NO_FAULTS, SOUND, two};
use stateright::{Checker, CheckerBuilder, Model};
use std::time::Instant;

/// Visits every state, tells how it went and how many there are.
fn states(cache: Cache, how: fn(CheckerBuilder<Cache>) -> CheckerBuilder<Cache>) -> usize {
    let begin = Instant::now();
    let checker = how(cache.clone().checker()).spawn_dfs().join();
    checker.assert_properties();
    let (states, steps, deep) = (checker.unique_state_count(), checker.state_count(), checker.max_depth());
    println!("{cache:?}: {states} states, {steps} steps, {deep} deep, in {:.0} s", begin.elapsed().as_secs_f64());
    states
}

#[test]
#[ignore = "17 million states: `cargo test --release --test cache_model -- --ignored --nocapture the_other`"]
fn the_other_models_larger_runs_have_as_many_states() {
    let whole = |builder| builder;
    let servers_and_writers = Faults { crash: 1, failover: 1, restart: 1, ..NO_FAULTS };
    assert_eq!(states(two(ANCHORED, EACH_ONCE), whole), 3_440_992);
    assert_eq!(states(two(SOUND, Faults { failover: 2, ..EACH_ONCE }), whole), 6_672_389);
    assert_eq!(states(Cache { writers: 3, ..two(SOUND, servers_and_writers) }, whole), 7_219_255);
}

#[test]
#[ignore = "minutes: `cargo test --release --test cache_model -- --ignored --nocapture three`"]
fn three_writers_and_three_fillers_bear_every_fault_once() {
    // Writers that differ by their number only count as one, and so do fillers.
    let alike = |builder: CheckerBuilder<Cache>| builder.symmetry();
    assert_eq!(states(Cache { writers: 3, ..two(SOUND, EACH_ONCE) }, alike), 7_748_435);
    assert_eq!(states(Cache { writers: 3, fillers: 3, ..two(SOUND, EACH_ONCE) }, alike), 49_413_508);
}
