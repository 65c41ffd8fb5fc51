//! The complete protocol, and the protocol without each of its rules.

use super::parts::FillKind;
use super::rules::{FaultBudget, Rule};
use super::state::Writer;
use super::{CONVERGES, FORWARD, INFORMED, ONE_STATE, SubjectEntries};
use crate::cache_model::extent::visited;
use stateright::{Checker, HasDiscoveries, Model};
use std::time::Instant;

const NONE: FaultBudget =
    FaultBudget { evict: 0, crash: 0, unavailable: 0, failover: 0, restart: 0, expiry: 0, leader: 0 };
const EVICTION: FaultBudget = FaultBudget { evict: 1, ..NONE };
const CRASH: FaultBudget = FaultBudget { crash: 1, ..NONE };
const FAILOVER: FaultBudget = FaultBudget { failover: 1, ..NONE };

const WRITES: Writer = Writer::Revises { content: true };
const CHANGES: Writer = Writer::Revises { content: false };
use FillKind::{Comment, Page};
use Writer::Likes;

/// Two writers and two fillers.
const FEW: SubjectEntries =
    SubjectEntries { without: &[], writers: &[WRITES, Likes], fillers: &[Page, Comment], faults: NONE };
const TWO_PAGES: SubjectEntries = SubjectEntries { fillers: &[Page, Page], ..FEW };
const TWO_REVISIONS: SubjectEntries = SubjectEntries { writers: &[WRITES, CHANGES], ..TWO_PAGES };
const THREE_FILLERS: SubjectEntries =
    SubjectEntries { writers: &[CHANGES, Likes], fillers: &[Page, Page, Comment], ..FEW };
const THREE_WRITERS: SubjectEntries = SubjectEntries { writers: &[WRITES, CHANGES, Likes], ..FEW };

/// Visits every state and reports their number. Fails on a violation, or if not everything can be
/// cached.
fn passes(of: SubjectEntries, faults: FaultBudget) {
    let (of, begin) = (SubjectEntries { faults, ..of }, Instant::now());
    let checker = of.clone().checker().spawn_dfs().join();
    let (states, deep) = (checker.unique_state_count(), checker.max_depth());
    println!("{of:?}: {states} states, {deep} deep, in {:.1} s", begin.elapsed().as_secs_f64());
    checker.assert_properties();
}

/// Finds a path to a violation without some rules, and reports it. Fails if no such path exists.
fn found(of: SubjectEntries, without: &'static [Rule], faults: FaultBudget) {
    let of = SubjectEntries { without, faults, ..of };
    let checker = of.clone().checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let all = [CONVERGES, ONE_STATE, FORWARD, INFORMED];
    let Some((what, way)) = all.into_iter().find_map(|what| Some((what, checker.discovery(what)?))) else {
        panic!("{of:?} is known to be wrong, and nothing was found");
    };
    println!("without {without:?}, not: {what}, after {:?}", way.into_actions());
}

#[test]
fn it_bears_evictions_dead_writers_and_late_fillers() {
    passes(FEW, FaultBudget { evict: 1, crash: 1, expiry: 1, ..NONE });
    passes(TWO_PAGES, FaultBudget { evict: 1, expiry: 1, ..NONE });
    passes(THREE_FILLERS, EVICTION);
    passes(TWO_REVISIONS, FaultBudget { evict: 1, crash: 1, ..NONE });
}

#[test]
fn it_bears_lagging_replicas_and_empty_restarts_and_dead_relays() {
    passes(FEW, FAILOVER);
    passes(FEW, FaultBudget { restart: 1, leader: 1, ..NONE });
    passes(TWO_PAGES, FaultBudget { leader: 1, crash: 1, ..NONE });
}

#[test]
fn it_bears_a_cache_that_does_not_hear() {
    passes(FEW, FaultBudget { unavailable: 1, leader: 1, ..NONE });
    passes(TWO_PAGES, FaultBudget { unavailable: 1, ..NONE });
}

#[test]
fn blocks_without_incarnations_generations_or_w_are_stale_or_torn() {
    found(TWO_PAGES, &[Rule::PartsCarryTheirEntry], NONE);
    found(TWO_PAGES, &[Rule::NewerFillsBeginAnew], NONE);
    found(FEW, &[Rule::OldGenerationsAreNone], EVICTION);
    found(TWO_REVISIONS, &[Rule::EntriesAreReadAtW], NONE);
    found(TWO_REVISIONS, &[Rule::EarlyChangesWait], NONE);
}

#[test]
fn a_relay_that_does_not_raise_or_whose_cursor_is_elsewhere_misses_lost_updates() {
    found(FEW, &[Rule::RelayRaises], CRASH);
    found(FEW, &[Rule::CursorInTheSlot], FAILOVER);
}

#[test]
fn fills_without_leases_or_a_complete_log_are_stale() {
    found(FEW, &[Rule::FillsPresentLeases], EVICTION);
    found(TWO_PAGES, &[Rule::LateFillsAreBrought], EVICTION);
    found(FEW, &[Rule::LikesAreLogged], EVICTION);
    found(FEW, &[Rule::LogIsComplete], EVICTION);
}

#[test]
fn fill_leases_that_are_only_counted_close_the_log_of_each_other() {
    found(THREE_FILLERS, &[Rule::FillLeasesHaveNames], EVICTION);
}

#[test]
fn likes_are_lost_if_the_relay_reports_them_separately_or_not_all() {
    found(FEW, &[Rule::RelayReportsAllLikes], CRASH);
    found(FEW, &[Rule::LikesMoveTheCursor], EVICTION);
    found(FEW, &[Rule::LikesMoveTheCursor], FAILOVER);
    found(FEW, &[Rule::EntriesBehindLogLikes], EVICTION);
}

#[test]
fn single_comments_older_or_newer_than_their_block_tear_pages() {
    found(FEW, &[Rule::CommentsNeedARevision], EVICTION);
    found(FEW, &[Rule::NewerCommentsWait], EVICTION);
}

#[test]
fn it_bears_combinations_of_faults() {
    let bears = |of: SubjectEntries, faults| visited(&SubjectEntries { faults, ..of }, |builder| builder);
    for of in [FEW, TWO_PAGES, THREE_WRITERS] {
        bears(of.clone(), FaultBudget { evict: 1, crash: 1, expiry: 1, ..NONE });
        bears(of.clone(), FaultBudget { evict: 1, restart: 1, unavailable: 1, ..NONE });
        bears(of, FaultBudget { failover: 1, ..EVICTION });
    }
    bears(THREE_FILLERS, FaultBudget { expiry: 1, ..EVICTION });
    bears(FEW, FaultBudget { failover: 1, leader: 1, ..CRASH });
    bears(TWO_PAGES, FaultBudget { failover: 1, leader: 1, ..CRASH });
}
