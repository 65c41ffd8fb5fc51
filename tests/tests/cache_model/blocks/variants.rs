//! The complete protocol, and the protocol without each of its rules.

use super::parts::Kind;
use super::rules::{Faults, Rule};
use super::state::Writer;
use super::{Blocks, CONVERGES, FORWARD, ONE_STATE, TOLD};
use crate::cache_model::extent::visited;
use stateright::{Checker, HasDiscoveries, Model};
use std::time::Instant;

const NONE: Faults = Faults { evict: 0, crash: 0, away: 0, failover: 0, restart: 0, expiry: 0, lead: 0 };
const EVICTION: Faults = Faults { evict: 1, ..NONE };
const CRASH: Faults = Faults { crash: 1, ..NONE };
const FAILOVER: Faults = Faults { failover: 1, ..NONE };

const WRITES: Writer = Writer::Revises { content: true };
const CHANGES: Writer = Writer::Revises { content: false };
use Kind::{Comment, Page};
use Writer::Likes;

/// Two writers and two fillers.
const FEW: Blocks = Blocks { without: &[], writers: &[WRITES, Likes], fillers: &[Page, Comment], faults: NONE };
const TWO_PAGES: Blocks = Blocks { fillers: &[Page, Page], ..FEW };
const TWO_REVISIONS: Blocks = Blocks { writers: &[WRITES, CHANGES], ..TWO_PAGES };
const THREE_FILLERS: Blocks = Blocks { writers: &[CHANGES, Likes], fillers: &[Page, Page, Comment], ..FEW };
const THREE_WRITERS: Blocks = Blocks { writers: &[WRITES, CHANGES, Likes], ..FEW };

/// Visits every state and reports their number. Fails on a violation, or if not everything can be
/// cached.
fn holds(of: Blocks, faults: Faults) {
    let (of, begin) = (Blocks { faults, ..of }, Instant::now());
    let checker = of.clone().checker().spawn_dfs().join();
    let (states, deep) = (checker.unique_state_count(), checker.max_depth());
    println!("{of:?}: {states} states, {deep} deep, in {:.1} s", begin.elapsed().as_secs_f64());
    checker.assert_properties();
}

/// Finds a path to a violation without some rules, and reports it. Fails if no such path exists.
fn found(of: Blocks, without: &'static [Rule], faults: Faults) {
    let of = Blocks { without, faults, ..of };
    let checker = of.clone().checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let all = [CONVERGES, ONE_STATE, FORWARD, TOLD];
    let Some((what, way)) = all.into_iter().find_map(|what| Some((what, checker.discovery(what)?))) else {
        panic!("{of:?} is known to be wrong, and nothing was found");
    };
    println!("without {without:?}, not: {what}, after {:?}", way.into_actions());
}

#[test]
fn it_bears_evictions_dead_writers_and_late_fillers() {
    holds(FEW, Faults { evict: 1, crash: 1, expiry: 1, ..NONE });
    holds(TWO_PAGES, Faults { evict: 1, expiry: 1, ..NONE });
    holds(THREE_FILLERS, EVICTION);
    holds(TWO_REVISIONS, Faults { evict: 1, crash: 1, ..NONE });
}

#[test]
fn it_bears_lagging_replicas_and_empty_restarts_and_dead_relays() {
    holds(FEW, FAILOVER);
    holds(FEW, Faults { restart: 1, lead: 1, ..NONE });
    holds(TWO_PAGES, Faults { lead: 1, crash: 1, ..NONE });
}

#[test]
fn it_bears_a_cache_that_does_not_hear() {
    holds(FEW, Faults { away: 1, lead: 1, ..NONE });
    holds(TWO_PAGES, Faults { away: 1, ..NONE });
}

#[test]
fn blocks_without_incarnations_generations_or_w_are_stale_or_torn() {
    found(TWO_PAGES, &[Rule::PartsBearTheirBlock], NONE);
    found(TWO_PAGES, &[Rule::NewerFillsBeginAnew], NONE);
    found(FEW, &[Rule::OldGenerationsAreNone], EVICTION);
    found(TWO_REVISIONS, &[Rule::AnswersAtW], NONE);
    found(TWO_REVISIONS, &[Rule::EarlyChangesWait], NONE);
}

#[test]
fn a_relay_that_does_not_raise_or_whose_cursor_lies_elsewhere_misses_what_was_lost() {
    found(FEW, &[Rule::RelayRaises], CRASH);
    found(FEW, &[Rule::CursorInTheSlot], FAILOVER);
}

#[test]
fn fills_without_tickets_or_a_whole_log_are_stale() {
    found(FEW, &[Rule::FillsShowTickets], EVICTION);
    found(TWO_PAGES, &[Rule::LateFillsAreBrought], EVICTION);
    found(FEW, &[Rule::LikesAreLogged], EVICTION);
    found(FEW, &[Rule::LogIsWhole], EVICTION);
}

#[test]
fn tickets_that_are_counted_close_the_log_on_one_another() {
    found(THREE_FILLERS, &[Rule::TicketsHaveNames], EVICTION);
}

#[test]
fn likes_that_the_relay_tells_apart_or_not_to_all_are_lost() {
    found(FEW, &[Rule::RelayTellsAllLikes], CRASH);
    found(FEW, &[Rule::LikesMoveTheCursor], EVICTION);
    found(FEW, &[Rule::LikesMoveTheCursor], FAILOVER);
    found(FEW, &[Rule::BlocksBehindLogLikes], EVICTION);
}

#[test]
fn single_comments_older_or_newer_than_their_block_tear_pages() {
    found(FEW, &[Rule::CommentsNeedARevision], EVICTION);
    found(FEW, &[Rule::NewerCommentsWait], EVICTION);
}

#[test]
fn it_bears_combinations_of_faults() {
    let bears = |of: Blocks, faults| visited(&Blocks { faults, ..of }, |builder| builder);
    for of in [FEW, TWO_PAGES, THREE_WRITERS] {
        bears(of.clone(), Faults { evict: 1, crash: 1, expiry: 1, ..NONE });
        bears(of.clone(), Faults { evict: 1, restart: 1, away: 1, ..NONE });
        bears(of, Faults { failover: 1, ..EVICTION });
    }
    bears(THREE_FILLERS, Faults { expiry: 1, ..EVICTION });
    bears(FEW, Faults { failover: 1, lead: 1, ..CRASH });
    bears(TWO_PAGES, Faults { failover: 1, lead: 1, ..CRASH });
}
