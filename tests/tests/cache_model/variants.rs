//! The protocols from the simplest to the one from which subject entries were developed, each under
//! the faults that show its limits.
//!
//! The expected numbers of states come from an independent model of the same protocols, written
//! earlier in Python: the two models agree on every step.

use super::model::{CONVERGES, Cache};
use super::protocol::{FaultBudget, Gap, Notification, Protocol, Relay};
use stateright::{Checker, HasDiscoveries, Model};

pub(super) const NO_FAULTS: FaultBudget =
    FaultBudget { list: 0, header: 0, crash: 0, failover: 0, restart: 0, expiry: 0 };
const EVICTIONS: FaultBudget = FaultBudget { list: 1, header: 1, ..NO_FAULTS };
pub(super) const EACH_ONCE: FaultBudget =
    FaultBudget { list: 1, header: 1, crash: 1, failover: 1, restart: 1, expiry: 1 };

/// Read through; DEL after the commit.
const PLAIN: Protocol = Protocol {
    notification: Notification::Delete,
    lease: false,
    revisions: false,
    watermark: false,
    relay: Relay::None,
};
/// A fill needs a lease, which a DEL revokes.
const LEASED: Protocol = Protocol { lease: true, ..PLAIN };
/// Changes are applied to lists, and a fill yields to a list of the same or a later revision.
const REVISED: Protocol = Protocol { notification: Notification::Apply(Gap::Delete), revisions: true, ..PLAIN };
/// Lease, revision, watermark, and a relay that stores its own position.
const RELAYED: Protocol = Protocol { lease: true, watermark: true, relay: Relay::StoresPosition, ..REVISED };
/// The relay's position is stored in Redis, which grants no lease while it has none.
pub(super) const ANCHORED: Protocol = Protocol { relay: Relay::InRedis { cold_leases: false }, ..RELAYED };
/// At a gap a writer leaves the list unchanged, and only the relay deletes it.
pub(super) const SOUND: Protocol = Protocol { notification: Notification::Apply(Gap::Keep), ..ANCHORED };

pub(super) fn two(protocol: Protocol, faults: FaultBudget) -> Cache {
    Cache { protocol, writers: 2, fillers: 2, faults }
}

/// Visits every state and returns their number. Fails if an entry stays stale for ever, or if
/// nothing is ever cached.
fn states(protocol: Protocol, faults: FaultBudget) -> usize {
    let checker = two(protocol, faults).checker().spawn_dfs().join();
    checker.assert_properties();
    checker.unique_state_count()
}

/// Finds a path to an entry that stays stale for ever, and reports it. Fails if no such path
/// exists.
fn stale(protocol: Protocol, faults: FaultBudget) {
    let checker = two(protocol, faults).checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let Some(way) = checker.discovery(CONVERGES) else {
        panic!("{protocol:?} under {faults:?} is known to leave stale entries, and none was found");
    };
    println!("stale after {:?}", way.into_actions());
}

#[test]
fn deleting_after_the_commit_loses_to_a_fill_that_read_before_it() {
    stale(PLAIN, NO_FAULTS);
}

#[test]
fn adding_only_to_a_list_that_is_there_loses_to_a_fill_that_read_before_it() {
    stale(Protocol { notification: Notification::CheckThenAdd, ..PLAIN }, NO_FAULTS);
}

#[test]
fn leases_end_that_until_a_writer_dies() {
    assert_eq!(states(LEASED, NO_FAULTS), 564);
    stale(LEASED, FaultBudget { crash: 1, ..NO_FAULTS });
}

#[test]
fn a_relay_repeats_the_changes_of_a_dead_writer_until_a_lagging_replica_takes_over() {
    let relayed = Protocol { relay: Relay::StoresPosition, ..LEASED };
    assert_eq!(states(relayed, FaultBudget { crash: 1, ..EVICTIONS }), 10_258);
    stale(relayed, FaultBudget { failover: 1, ..NO_FAULTS });
}

#[test]
fn revisions_and_watermarks_without_a_lease_are_lost_with_the_list_or_the_header() {
    stale(REVISED, NO_FAULTS);
    stale(Protocol { watermark: true, ..REVISED }, FaultBudget { header: 1, ..NO_FAULTS });
}

#[test]
fn lease_revision_watermark_and_relay_bear_all_but_a_failover() {
    states(RELAYED, FaultBudget { failover: 0, expiry: 0, ..EACH_ONCE });
    stale(RELAYED, FaultBudget { failover: 1, ..NO_FAULTS });
    stale(Protocol { notification: SOUND.notification, ..RELAYED }, FaultBudget { failover: 1, ..NO_FAULTS });
}

#[test]
fn a_relay_that_is_notified_of_every_failover_survives_it_too() {
    states(Protocol { relay: Relay::SeesFailovers, ..RELAYED }, FaultBudget { expiry: 0, ..EACH_ONCE });
}

#[test]
fn a_position_in_redis_is_not_enough_where_leases_are_given_without_one() {
    let faults = FaultBudget { crash: 1, failover: 1, restart: 1, ..NO_FAULTS };
    stale(Protocol { relay: Relay::InRedis { cold_leases: true }, ..SOUND }, faults);
}

#[test]
fn the_sound_protocol_survives_every_fault_once() {
    assert_eq!(states(SOUND, EACH_ONCE), 3_511_316);
}

#[test]
fn the_sound_protocol_survives_two_restarts_and_two_failovers() {
    assert_eq!(states(SOUND, FaultBudget { crash: 1, failover: 2, restart: 2, ..NO_FAULTS }), 1_507_948);
}
