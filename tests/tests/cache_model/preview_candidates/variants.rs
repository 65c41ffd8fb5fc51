//! The complete protocol, and the protocol without each of its rules.

use super::{CONVERGES, FaultBudget, PreviewCandidates, Rule, Writer};
use crate::cache_model::extent::visited;
use Writer::{Likes, Shows};
use stateright::{Checker, HasDiscoveries, Model};

const NONE: FaultBudget = FaultBudget { evict: 0, crash: 0, failover: 0, restart: 0, expiry: 0, leader: 0 };
const FEW: &[Writer] = &[Likes, Shows];

/// Fails unless the checker finds a violation.
fn found(without: &'static [Rule], faults: FaultBudget) {
    let of = PreviewCandidates { without, writers: FEW, faults };
    let checker = of.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let Some(way) = checker.discovery(CONVERGES) else {
        panic!("without {without:?}, under {faults:?}, nothing was found")
    };
    println!("without {without:?}: {:?}", way.into_actions());
}

#[test]
fn choices_converge_under_two_faults() {
    let all = [
        FaultBudget { evict: 1, crash: 1, ..NONE },
        FaultBudget { expiry: 1, evict: 1, ..NONE },
        FaultBudget { restart: 1, leader: 1, ..NONE },
        FaultBudget { failover: 1, crash: 1, ..NONE },
    ];
    for faults in all {
        let checker = PreviewCandidates { without: &[], writers: FEW, faults }.checker().spawn_dfs().join();
        println!("{faults:?}: {} states", checker.unique_state_count());
        checker.assert_properties();
    }
}

#[test]
fn choices_bear_combinations_of_faults() {
    let bears = |faults| {
        visited(&PreviewCandidates { without: &[], writers: &[Likes, Shows, Likes], faults }, |builder| builder)
    };
    bears(FaultBudget { evict: 1, crash: 1, expiry: 1, ..NONE });
    bears(FaultBudget { failover: 1, crash: 1, leader: 1, ..NONE });
    bears(FaultBudget { failover: 1, restart: 1, evict: 1, ..NONE });
}

#[test]
fn without_any_of_their_rules_they_do_not() {
    found(&[Rule::LikesRemoveCandidates], NONE);
    found(&[Rule::LikesAreLogged], NONE);
    found(&[Rule::RankIndexContainsReports], NONE);
    found(&[Rule::RelayReportsRestoredReplies], NONE);
    found(&[Rule::CursorInTheSlot], FaultBudget { failover: 1, ..NONE });
    found(&[Rule::CandidatesCarryTheirEntry], FaultBudget { evict: 1, ..NONE });
}
