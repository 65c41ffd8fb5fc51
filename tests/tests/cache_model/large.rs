//! Runs with millions of states. docs/testing.md has their results.

use super::extent::visited;
use super::model::Cache;
use super::protocol::FaultBudget;
use super::variants::{ANCHORED, EACH_ONCE, NO_FAULTS, SOUND, two};

/// Fails on a violation, or if the number of states differs from `count` when all of them are
/// visited.
fn bears(cache: &Cache, count: usize) {
    let states = visited(cache, |builder| builder);
    assert!(states.is_none_or(|states| states == count), "{cache:?}: {states:?} states");
}

/// Fails like [`bears`]. States that differ only by the order of their writers or fillers count as
/// one.
fn bears_alike(cache: &Cache, count: usize) {
    let states = visited(cache, |builder| builder.symmetry());
    assert!(states.is_none_or(|states| states == count), "{cache:?}: {states:?} states");
}

#[test]
fn the_other_models_larger_runs_have_as_many_states() {
    let servers_and_writers = FaultBudget { crash: 1, failover: 1, restart: 1, ..NO_FAULTS };
    bears(&two(ANCHORED, EACH_ONCE), 3_440_992);
    bears(&two(SOUND, FaultBudget { failover: 2, ..EACH_ONCE }), 6_672_389);
    bears(&Cache { writers: 3, ..two(SOUND, servers_and_writers) }, 7_219_255);
}

#[test]
fn three_writers_and_three_fillers_bear_every_fault_once() {
    bears_alike(&Cache { writers: 3, ..two(SOUND, EACH_ONCE) }, 7_748_435);
    bears_alike(&Cache { writers: 3, fillers: 3, ..two(SOUND, EACH_ONCE) }, 49_413_508);
}
