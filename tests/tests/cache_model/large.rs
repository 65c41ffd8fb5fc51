//! Runs with millions of states. What they showed stands in docs/testing.md.

use super::extent::visited;
use super::model::Cache;
use super::protocol::Faults;
use super::variants::{ANCHORED, EACH_ONCE, NO_FAULTS, SOUND, two};

/// Fails if something is wrong, or if there are other than `count` states, where all are visited.
fn bears(cache: &Cache, count: usize) {
    let states = visited(cache, |builder| builder);
    assert!(states.is_none_or(|states| states == count), "{cache:?}: {states:?} states");
}

/// The same where writers that differ by their number only count as one, and so do fillers.
fn bears_alike(cache: &Cache, count: usize) {
    let states = visited(cache, |builder| builder.symmetry());
    assert!(states.is_none_or(|states| states == count), "{cache:?}: {states:?} states");
}

#[test]
fn the_other_models_larger_runs_have_as_many_states() {
    let servers_and_writers = Faults { crash: 1, failover: 1, restart: 1, ..NO_FAULTS };
    bears(&two(ANCHORED, EACH_ONCE), 3_440_992);
    bears(&two(SOUND, Faults { failover: 2, ..EACH_ONCE }), 6_672_389);
    bears(&Cache { writers: 3, ..two(SOUND, servers_and_writers) }, 7_219_255);
}

#[test]
fn three_writers_and_three_fillers_bear_every_fault_once() {
    bears_alike(&Cache { writers: 3, ..two(SOUND, EACH_ONCE) }, 7_748_435);
    bears_alike(&Cache { writers: 3, fillers: 3, ..two(SOUND, EACH_ONCE) }, 49_413_508);
}
