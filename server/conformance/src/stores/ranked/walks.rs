//! Walks in ranked order through the read use cases: they are exact during writes, with pages from
//! several processes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::page::RootPage;
use riposte_core::rank::{RankSort, WALK_LIFETIME};
use riposte_core::read::{ListRanked, ListRankedReplies, RankedCursor, RankedPage, RankedStart};
use riposte_core::verbs::Delete;
use riposte_core::{Caller, Comment, CommentId, Comments, Error, Millis, SubjectKey};

use super::actors::{comments, rebuild, time_of_round};
use super::platform::platform;
use super::rank_indexes::like;
use crate::stores::backend::{Backend, StepClock};
use crate::stores::fixture::{Fixture, by_moderator};

/// The maximum number of writes of one writer. More comments would make the walks too long.
const MAX_WRITES: usize = 250;

/// A walk whose pages come alternately from two processes.
struct RankedWalk {
    processes: Vec<Comments>,
    clock: Arc<StepClock>,
    request: ListRanked,
}

impl RankedWalk {
    async fn new(backend: &Backend, key: &SubjectKey) -> Self {
        let clock = StepClock::at(time_of_round(0));
        let other = (backend.start)(StepClock::at(StepClock::START)).await;
        let processes = [&backend.process, &other].map(|process| platform(process, Arc::clone(&clock) as _)).into();
        let (subject, at) = (key.clone(), RankedStart::Beginning);
        let request = ListRanked { subject, sort: RankSort::Hot, at, limit: 4, previews: 1, min_revision: 0 };
        Self { processes, clock, request }
    }

    /// Returns the page at a position, as the `n`-th page of the walk.
    async fn page(&self, n: usize, at: RankedStart) -> RankedPage<RootPage> {
        let request = ListRanked { at, ..self.request.clone() };
        self.processes[n % 2].list_ranked(&Caller::unrestricted("suite"), &request).await.expect("listed")
    }

    /// Continues from a page in one direction. Returns the floors in the order of reading.
    async fn continue_from(&self, page: &RankedPage<RootPage>, forward: bool) -> Vec<i32> {
        let (mut found, mut n, mut cursor) = (Vec::new(), 1, cursor(page, forward));
        while let Some(at) = cursor {
            let page = self.page(n, RankedStart::Cursor(at)).await;
            let mut floors = floors(&page);
            if !forward {
                floors.reverse();
            }
            found.extend(floors);
            (n, cursor) = (n + 1, self::cursor(&page, forward));
            assert!(n < 3_000, "the walk does not end: {found:?}");
        }
        found
    }

    /// Returns the first page and the floors of the complete walk.
    async fn run(&self) -> (RankedPage<RootPage>, Vec<i32>) {
        let first = self.page(0, RankedStart::Beginning).await;
        let mut found = floors(&first);
        found.extend(self.continue_from(&first, true).await);
        (first, found)
    }
}

fn floors(ranked: &RankedPage<RootPage>) -> Vec<i32> {
    ranked.page.threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect()
}

/// Returns the cursor of the next page in a direction, if one exists.
fn cursor(ranked: &RankedPage<RootPage>, forward: bool) -> Option<RankedCursor> {
    let (threads, floors) = (&ranked.page.threads, floors(ranked));
    if forward {
        threads.more_after.then(|| ranked.continuation.next(floors.last().copied()))
    } else {
        threads.more_before.then(|| ranked.continuation.previous(floors.first().copied()))
    }
}

/// Creates roots with different numbers of likes, and updates the rank indexes.
async fn liked_roots(fixture: &Fixture, key: &SubjectKey, count: usize) -> Vec<CommentId> {
    let mut ids = Vec::new();
    for n in 0..count {
        ids.push(fixture.root(key).await.comment.reference.id);
        like(fixture, key, ids[n], 0..(n as u32 * 7) % 5).await;
    }
    rebuild(fixture, key, 100).await;
    ids
}

pub(in crate::stores) async fn a_ranked_walk_backward_reverses_the_walk_forward(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_ranked_walk_backward_reverses_the_walk_forward");
    let key = fixture.key();
    let ids = liked_roots(&fixture, &key, 30).await;
    let mut walk = RankedWalk::new(&backend, &key).await;
    for (sort, limit) in RankSort::ALL.into_iter().flat_map(|sort| [1, 4, 12, 29, 100].map(|limit| (sort, limit))) {
        walk.request = ListRanked { sort, limit, ..walk.request };
        let (_, forward) = walk.run().await;
        assert_eq!(forward.iter().copied().collect::<BTreeSet<_>>(), (1..=30).collect(), "{sort:?} by {limit}");
        assert_eq!(forward.len(), 30, "a root was returned twice");
        assert!(forward[12..].is_sorted_by(|a, b| a > b), "unranked roots are not ordered by floor: {forward:?}");
        for (n, around) in
            [(0, RankedStart::Comment(ids[forward[0] as usize - 1])), (20, RankedStart::Floor(forward[20]))]
        {
            let page = walk.page(0, around).await;
            let (on_page, floor) = (floors(&page), forward[n]);
            assert!(on_page.contains(&floor), "{sort:?} by {limit}: {on_page:?} without {floor}");
            let mut before = walk.continue_from(&page, false).await;
            before.reverse();
            let from_middle = [before, on_page, walk.continue_from(&page, true).await].concat();
            assert_eq!(from_middle, forward, "{sort:?} by {limit}: the walk from its middle differs");
        }
    }
}

pub(in crate::stores) async fn a_ranked_walk_of_replies_is_exact(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_ranked_walk_of_replies_is_exact");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let mut likes = Vec::new();
    for n in 0..30_u32 {
        let reply = fixture.reply(&key, root, 2).await.comment;
        like(&fixture, &key, reply.reference.id, 0..(n * 3) % 4).await;
        likes.push(((n * 3) % 4, reply.reference.floor));
    }
    rebuild(&fixture, &key, 100).await;
    let walk = RankedWalk::new(&backend, &key).await;
    let location = fixture.process.reader.locate(&[root]).await.expect("located").remove(0).expect("present");
    let (mut found, mut at) = (Vec::new(), RankedStart::Beginning);
    for n in 0.. {
        let request = ListRankedReplies { root: location.clone(), at, limit: 4, min_revision: 0 };
        let process = &walk.processes[n % 2];
        let ranked = process.list_ranked_replies(&Caller::unrestricted("suite"), &request).await.expect("listed");
        found.extend(ranked.page.replies.items.iter().map(|reply| reply.comment.reference.floor));
        if !ranked.page.replies.more_after {
            break;
        }
        at = RankedStart::Cursor(ranked.continuation.next(found.last().copied()));
    }
    likes.sort_by_key(|like| std::cmp::Reverse(*like));
    let (ranked, unranked) = likes.split_at(12);
    let mut unranked: Vec<i32> = unranked.iter().map(|(_, floor)| *floor).collect();
    unranked.sort_unstable_by(|a, b| b.cmp(a));
    let expected: Vec<i32> = ranked.iter().map(|(_, floor)| *floor).chain(unranked).collect();
    assert_eq!(found, expected);
}

pub(in crate::stores) async fn a_ranked_walk_ends_when_its_tokens_expire(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_ranked_walk_ends_when_its_tokens_expire");
    let key = fixture.key();
    liked_roots(&fixture, &key, 9).await;
    let walk = RankedWalk::new(&backend, &key).await;
    let first = walk.page(0, RankedStart::Beginning).await;
    let at = RankedStart::Cursor(cursor(&first, true).expect("nine roots by four"));
    let start = time_of_round(0).0;
    let lifetime = i64::try_from(WALK_LIFETIME.as_millis()).expect("small");
    walk.clock.set(Millis(start + lifetime - 1_000));
    assert_eq!(walk.page(1, at).await.page.threads.items.len(), 4);
    walk.clock.set(Millis(start + lifetime + 1_000));
    let request = ListRanked { at, ..walk.request.clone() };
    let late = walk.processes[0].list_ranked(&Caller::unrestricted("suite"), &request).await;
    assert_eq!(late.map(|_| ()), Err(Error::PageTokenExpired));
}

/// Starts five writers. They add likes, replies, roots, and roots that they delete, and update the
/// rank indexes.
fn writers(
    fixture: &Arc<Fixture>,
    key: &SubjectKey,
    liked: &[CommentId],
    stop: &Arc<AtomicBool>,
) -> Vec<tokio::task::JoinHandle<()>> {
    let writer = |n: usize| {
        let (fixture, key, stop, liked) = (Arc::clone(fixture), key.clone(), Arc::clone(stop), liked.to_vec());
        tokio::spawn(async move {
            for round in 0..MAX_WRITES {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let id = liked[round * 11 % liked.len()];
                match n {
                    0 => like(&fixture, &key, id, 10 + round as u32..11 + round as u32).await,
                    1 => drop(fixture.reply(&key, id, 2).await),
                    2 => drop(fixture.root(&key).await),
                    3 => {
                        let target = fixture.target(fixture.root(&key).await.comment.reference.id).await;
                        fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
                    }
                    _ => drop(rebuild(&fixture, &key, 40).await),
                }
                tokio::task::yield_now().await;
            }
        })
    };
    (0..5).map(writer).collect()
}

/// Returns the floors that a walk must contain: the roots that existed at its start and are still
/// visible.
fn required_floors(comments: &[Comment], revision: i64) -> BTreeSet<i32> {
    let roots = comments.iter().filter(|comment| comment.is_root() && comment.lifecycle.state.is_visible());
    roots.filter(|root| root.reference.born_revision <= revision).map(|root| root.reference.floor).collect()
}

pub(in crate::stores) async fn ranked_walks_are_exact_while_others_write(backend: Backend) {
    let fixture = Fixture::new(&backend, "ranked_walks_are_exact_while_others_write");
    let key = fixture.key();
    let liked = liked_roots(&fixture, &key, 25).await;
    let mut walk = RankedWalk::new(&backend, &key).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers = writers(&fixture, &key, &liked, &stop);
    for (round, sort) in RankSort::ALL.into_iter().chain([RankSort::Hot, RankSort::Top]).enumerate() {
        walk.clock.set(time_of_round(1 + round as i64));
        walk.request = ListRanked { sort, limit: if round % 2 == 0 { 7 } else { 20 }, ..walk.request };
        let (first, found) = walk.run().await;
        let unique: BTreeSet<i32> = found.iter().copied().collect();
        assert_eq!(unique.len(), found.len(), "{sort:?}: a root was returned twice: {found:?}");
        let required = required_floors(&comments(&fixture, &key).await, first.page.subject.revision);
        assert!(required.len() >= 25, "the roots from before the first write");
        let missing: Vec<_> = required.difference(&unique).collect();
        assert!(missing.is_empty(), "{sort:?}: {missing:?} are missing in {found:?}");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("no panic");
    }
    fixture.check_counts(&key).await;
}

pub(in crate::stores) async fn a_new_list_is_walked_completely_during_writes(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_new_list_is_walked_completely_during_writes");
    let key = fixture.key();
    fixture.root(&key).await;
    // The ranking has one comment and does not change while hundreds are added, so that every first
    // page extends beyond it.
    let mut walk = RankedWalk::new(&backend, &key).await;
    walk.request.limit = 20;
    walk.page(0, RankedStart::Beginning).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let (fixture, key, stop) = (Arc::clone(&fixture), key.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                for _ in (0..MAX_WRITES).take_while(|_| !stop.load(Ordering::Relaxed)) {
                    fixture.root(&key).await;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for _ in 0..12 {
        let (first, found) = walk.run().await;
        let unique: BTreeSet<i32> = found.iter().copied().collect();
        assert_eq!(unique.len(), found.len(), "a root was returned twice: {found:?}");
        let required = required_floors(&comments(&fixture, &key).await, first.page.subject.revision);
        let missing: Vec<_> = required.difference(&unique).collect();
        assert!(missing.is_empty(), "{missing:?} are missing in {found:?}");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("no panic");
    }
}
