//! The complete protocol, and the protocol without each of its rules.

use super::{CONVERGES, Choices, Faults, Rule, Writer};
use crate::cache_model::extent::visited;
use Writer::{Likes, Shows};
use stateright::{Checker, HasDiscoveries, Model};

const NONE: Faults = Faults { evict: 0, crash: 0, failover: 0, restart: 0, expiry: 0, lead: 0 };
const FEW: &[Writer] = &[Likes, Shows];

/// Fails unless the checker finds a violation.
fn found(without: &'static [Rule], faults: Faults) {
    let of = Choices { without, writers: FEW, faults };
    let checker = of.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let Some(way) = checker.discovery(CONVERGES) else {
        panic!("without {without:?}, under {faults:?}, nothing was found")
    };
    println!("without {without:?}: {:?}", way.into_actions());
}

#[test]
fn choices_converge_under_two_faults() {
    let all = [
        Faults { evict: 1, crash: 1, ..NONE },
        Faults { expiry: 1, evict: 1, ..NONE },
        Faults { restart: 1, lead: 1, ..NONE },
        Faults { failover: 1, crash: 1, ..NONE },
    ];
    for faults in all {
        let checker = Choices { without: &[], writers: FEW, faults }.checker().spawn_dfs().join();
        println!("{faults:?}: {} states", checker.unique_state_count());
        checker.assert_properties();
    }
}

#[test]
fn choices_bear_combinations_of_faults() {
    let bears = |faults| visited(&Choices { without: &[], writers: &[Likes, Shows, Likes], faults }, |builder| builder);
    bears(Faults { evict: 1, crash: 1, expiry: 1, ..NONE });
    bears(Faults { failover: 1, crash: 1, lead: 1, ..NONE });
    bears(Faults { failover: 1, restart: 1, evict: 1, ..NONE });
}

#[test]
fn without_any_of_their_rules_they_do_not() {
    found(&[Rule::LikesEndChoices], NONE);
    found(&[Rule::LikesAreLogged], NONE);
    found(&[Rule::BoardsHoldWhatWasTold], NONE);
    found(&[Rule::RelayTellsWhatRises], NONE);
    found(&[Rule::CursorInTheSlot], Faults { failover: 1, ..NONE });
    found(&[Rule::ChoicesBearTheirBlock], Faults { evict: 1, ..NONE });
}
