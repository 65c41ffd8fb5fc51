//! The complete protocol, and the protocol without each of its rules.

use super::{CONVERGES, FaultBudget, INFORMED, Invalidations, Rule};
use stateright::{Checker, HasDiscoveries, Model};

const NONE: FaultBudget = FaultBudget { evict: 0, crash: 0, unavailable: 0, failover: 0, restart: 0, expiry: 0 };

/// Fails unless the checker finds a violation.
fn found(without: &'static [Rule], faults: FaultBudget) {
    let checker =
        Invalidations { without, faults }.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let way = [CONVERGES, INFORMED].into_iter().find_map(|property| checker.discovery(property));
    let Some(way) = way else { panic!("without {without:?}, under {faults:?}, nothing was found") };
    println!("without {without:?}: {:?}", way.into_actions());
}

#[test]
fn the_likes_of_a_member_converge_under_two_faults() {
    let all = [
        FaultBudget { evict: 1, crash: 1, ..NONE },
        FaultBudget { unavailable: 1, expiry: 1, ..NONE },
        FaultBudget { restart: 1, evict: 1, ..NONE },
        FaultBudget { failover: 1, crash: 1, ..NONE },
    ];
    for faults in all {
        let checker = Invalidations { without: &[], faults }.checker().spawn_dfs().join();
        println!("{faults:?}: {} states", checker.unique_state_count());
        checker.assert_properties();
    }
}

#[test]
fn without_any_of_its_rules_it_does_not() {
    found(&[Rule::WritersInvalidate, Rule::LostInvalidationsRemove], NONE);
    found(&[Rule::InvalidationsBarFillers], NONE);
    found(&[Rule::LostInvalidationsRemove], FaultBudget { evict: 1, ..NONE });
    found(&[Rule::LostInvalidationsRemove], FaultBudget { expiry: 1, ..NONE });
    found(&[Rule::FailedWritersBeginGenerations], FaultBudget { unavailable: 1, ..NONE });
    found(&[Rule::OldGenerationsAreNone], FaultBudget { unavailable: 1, ..NONE });
    found(&[Rule::RelayRemoves], FaultBudget { failover: 1, ..NONE });
    found(&[Rule::RelayRemoves], FaultBudget { crash: 1, evict: 1, ..NONE });
}
