//! The complete protocol, and the protocol without each of its rules.

use super::{CONVERGES, Doubts, Faults, Rule, TOLD};
use stateright::{Checker, HasDiscoveries, Model};

const NONE: Faults = Faults { evict: 0, crash: 0, away: 0, failover: 0, restart: 0, expiry: 0 };

/// Fails unless the checker finds a violation.
fn found(without: &'static [Rule], faults: Faults) {
    let checker = Doubts { without, faults }.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let way = [CONVERGES, TOLD].into_iter().find_map(|property| checker.discovery(property));
    let Some(way) = way else { panic!("without {without:?}, under {faults:?}, nothing was found") };
    println!("without {without:?}: {:?}", way.into_actions());
}

#[test]
fn what_a_member_likes_converges_under_two_faults() {
    let all = [
        Faults { evict: 1, crash: 1, ..NONE },
        Faults { away: 1, expiry: 1, ..NONE },
        Faults { restart: 1, evict: 1, ..NONE },
        Faults { failover: 1, crash: 1, ..NONE },
    ];
    for faults in all {
        let checker = Doubts { without: &[], faults }.checker().spawn_dfs().join();
        println!("{faults:?}: {} states", checker.unique_state_count());
        checker.assert_properties();
    }
}

#[test]
fn without_any_of_its_rules_it_does_not() {
    found(&[Rule::WritersDoubt, Rule::LostDoubtsForget], NONE);
    found(&[Rule::DoubtsBarFillers], NONE);
    found(&[Rule::LostDoubtsForget], Faults { evict: 1, ..NONE });
    found(&[Rule::LostDoubtsForget], Faults { expiry: 1, ..NONE });
    found(&[Rule::WritersPay], Faults { away: 1, ..NONE });
    found(&[Rule::OldGenerationsAreNone], Faults { away: 1, ..NONE });
    found(&[Rule::RelayForgets], Faults { failover: 1, ..NONE });
    found(&[Rule::RelayForgets], Faults { crash: 1, evict: 1, ..NONE });
}
