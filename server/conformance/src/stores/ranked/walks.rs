//! Walks by rank, through the platform as callers use it: exact during any writes, from any
//! process.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::page::RootPage;
use riposte_core::rank::{RankSort, TOKENS_LIVE};
use riposte_core::read::{ListRanked, ListRankedReplies, RankedAt, RankedCursor, RankedPage};
use riposte_core::verbs::{Delete, DeleteActor};
use riposte_core::{Caller, Comment, CommentId, Comments, Error, Millis, SubjectKey};

use super::actors::{comments, later, rebuild};
use super::boards::like;
use super::platform::platform;
use crate::stores::backend::{Backend, StepClock};
use crate::stores::fixture::Fixture;

/// The largest number of writes of one writer: the duration of a walk grows with the number of
/// comments.
const ROUNDS: usize = 250;

/// Two processes that alternately serve the pages of a walk.
struct Fleet {
    platforms: Vec<Comments>,
    clock: Arc<StepClock>,
    ask: ListRanked,
}

impl Fleet {
    async fn new(backend: &Backend, key: &SubjectKey) -> Self {
        let clock = StepClock::at(later(0));
        let other = (backend.start)(StepClock::at(StepClock::START)).await;
        let platforms = [&backend.process, &other].map(|process| platform(process, Arc::clone(&clock) as _)).into();
        let (subject, at) = (key.clone(), RankedAt::Beginning);
        let ask = ListRanked { subject, sort: RankSort::Hot, at, limit: 4, previews: 1, min_revision: 0 };
        Self { platforms, clock, ask }
    }

    async fn page(&self, turn: usize, at: RankedAt) -> RankedPage<RootPage> {
        let ask = ListRanked { at, ..self.ask.clone() };
        self.platforms[turn % 2].list_ranked(&Caller::unrestricted("suite"), &ask).await.expect("listed")
    }

    /// Walks on from a page in one direction. Returns the floors in the order of their pages.
    async fn on_from(&self, page: &RankedPage<RootPage>, ahead: bool) -> Vec<i32> {
        let (mut met, mut turn, mut cursor) = (Vec::new(), 1, cursor(page, ahead));
        while let Some(at) = cursor {
            let page = self.page(turn, RankedAt::Cursor(at)).await;
            let mut floors = floors(&page);
            if !ahead {
                floors.reverse();
            }
            met.extend(floors);
            (turn, cursor) = (turn + 1, self::cursor(&page, ahead));
            assert!(turn < 3_000, "the walk turns in circles: {met:?}");
        }
        met
    }

    /// Returns the first page and the floors of a whole walk.
    async fn walk(&self) -> (RankedPage<RootPage>, Vec<i32>) {
        let first = self.page(0, RankedAt::Beginning).await;
        let mut met = floors(&first);
        met.extend(self.on_from(&first, true).await);
        (first, met)
    }
}

fn floors(along: &RankedPage<RootPage>) -> Vec<i32> {
    along.page.threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect()
}

fn cursor(along: &RankedPage<RootPage>, ahead: bool) -> Option<RankedCursor> {
    let (threads, floors) = (&along.page.threads, floors(along));
    if ahead {
        threads.more_after.then(|| along.trail.next(floors.last().copied()))
    } else {
        threads.more_before.then(|| along.trail.previous(floors.first().copied()))
    }
}

async fn grown(fixture: &Fixture, key: &SubjectKey, count: usize) -> Vec<CommentId> {
    let mut ids = Vec::new();
    for n in 0..count {
        ids.push(fixture.root(key).await.comment.reference.id);
        like(fixture, key, ids[n], 0..(n as u32 * 7) % 5).await;
    }
    rebuild(fixture, key, 100).await;
    ids
}

pub(in crate::stores) async fn a_ranked_walk_goes_back_the_way_it_came(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_ranked_walk_goes_back_the_way_it_came");
    let key = fixture.key();
    let ids = grown(&fixture, &key, 30).await;
    let mut fleet = Fleet::new(&backend, &key).await;
    for (sort, limit) in RankSort::ALL.into_iter().flat_map(|sort| [1, 4, 12, 29, 100].map(|limit| (sort, limit))) {
        fleet.ask = ListRanked { sort, limit, ..fleet.ask };
        let (_, there) = fleet.walk().await;
        assert_eq!(there.iter().copied().collect::<BTreeSet<_>>(), (1..=30).collect(), "{sort:?} by {limit}");
        assert_eq!(there.len(), 30, "each once");
        assert!(there[12..].is_sorted_by(|a, b| a > b), "behind the ranking they go by floor: {there:?}");
        for (n, around) in [(0, RankedAt::Comment(ids[there[0] as usize - 1])), (20, RankedAt::Floor(there[20]))] {
            let page = fleet.page(0, around).await;
            assert!(floors(&page).contains(&there[n]), "{sort:?} by {limit}: {:?} without {}", floors(&page), there[n]);
            let mut back = fleet.on_from(&page, false).await;
            back.reverse();
            let whole = [back, floors(&page), fleet.on_from(&page, true).await].concat();
            assert_eq!(whole, there, "{sort:?} by {limit}: the same walk from its middle");
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
    let fleet = Fleet::new(&backend, &key).await;
    let at = fixture.process.reader.locate(&[root]).await.expect("located").remove(0).expect("there");
    let (mut met, mut place) = (Vec::new(), RankedAt::Beginning);
    for turn in 0.. {
        let ask = ListRankedReplies { root: at.clone(), at: place, limit: 4, min_revision: 0 };
        let along =
            fleet.platforms[turn % 2].list_ranked_replies(&Caller::unrestricted("suite"), &ask).await.expect("listed");
        met.extend(along.page.replies.items.iter().map(|reply| reply.comment.reference.floor));
        if !along.page.replies.more_after {
            break;
        }
        place = RankedAt::Cursor(along.trail.next(met.last().copied()));
    }
    likes.sort_by_key(|like| std::cmp::Reverse(*like));
    let (ranked, rest) = likes.split_at(12);
    let mut rest: Vec<i32> = rest.iter().map(|(_, floor)| *floor).collect();
    rest.sort_unstable_by(|a, b| b.cmp(a));
    let expected: Vec<i32> = ranked.iter().map(|(_, floor)| *floor).chain(rest).collect();
    assert_eq!(met, expected);
}

pub(in crate::stores) async fn a_ranked_walk_ends_in_time(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_ranked_walk_ends_in_time");
    let key = fixture.key();
    grown(&fixture, &key, 9).await;
    let fleet = Fleet::new(&backend, &key).await;
    let first = fleet.page(0, RankedAt::Beginning).await;
    let at = RankedAt::Cursor(cursor(&first, true).expect("nine roots by four"));
    let begun = later(0).0;
    let lives = i64::try_from(TOKENS_LIVE.as_millis()).expect("small");
    fleet.clock.set(Millis(begun + lives - 1_000));
    assert_eq!(fleet.page(1, at).await.page.threads.items.len(), 4);
    fleet.clock.set(Millis(begun + lives + 1_000));
    let ask = ListRanked { at, ..fleet.ask.clone() };
    let late = fleet.platforms[0].list_ranked(&Caller::unrestricted("suite"), &ask).await;
    assert_eq!(late.map(|_| ()), Err(Error::PageTokenExpired));
}

/// Starts the writers: one likes, one creates, one creates and deletes, and one updates the rank
/// indexes.
fn writers(
    fixture: &Arc<Fixture>,
    key: &SubjectKey,
    liked: &[CommentId],
    stop: &Arc<AtomicBool>,
) -> Vec<tokio::task::JoinHandle<()>> {
    let act = |n: usize| {
        let (fixture, key, stop, liked) = (Arc::clone(fixture), key.clone(), Arc::clone(stop), liked.to_vec());
        tokio::spawn(async move {
            for round in 0..ROUNDS {
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
                        fixture.run(&key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
                    }
                    _ => drop(rebuild(&fixture, &key, 40).await),
                }
                tokio::task::yield_now().await;
            }
        })
    };
    (0..5).map(act).collect()
}

/// Returns the floors that a walk must contain: the roots that existed at its start and are still
/// visible.
fn invalid(comments: &[Comment], revision: i64) -> BTreeSet<i32> {
    let roots = comments.iter().filter(|comment| comment.is_root() && comment.lifecycle.state.is_visible());
    roots.filter(|root| root.reference.born_revision <= revision).map(|root| root.reference.floor).collect()
}

pub(in crate::stores) async fn ranked_walks_are_exact_while_others_write(backend: Backend) {
    let fixture = Fixture::new(&backend, "ranked_walks_are_exact_while_others_write");
    let key = fixture.key();
    let liked = grown(&fixture, &key, 25).await;
    let mut fleet = Fleet::new(&backend, &key).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers = writers(&fixture, &key, &liked, &stop);
    for (round, sort) in RankSort::ALL.into_iter().chain([RankSort::Hot, RankSort::Top]).enumerate() {
        fleet.clock.set(later(1 + round as i64));
        fleet.ask = ListRanked { sort, limit: if round % 2 == 0 { 7 } else { 20 }, ..fleet.ask };
        let (first, met) = fleet.walk().await;
        let unique: BTreeSet<i32> = met.iter().copied().collect();
        assert_eq!(unique.len(), met.len(), "{sort:?}: something came twice: {met:?}");
        let invalid = invalid(&comments(&fixture, &key).await, first.page.subject.revision);
        assert!(invalid.len() >= 25, "those that stood before anybody wrote");
        let missing: Vec<_> = invalid.difference(&unique).collect();
        assert!(missing.is_empty(), "{sort:?}: {missing:?} did not come in {met:?}");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("the writer ends well");
    }
    fixture.sound(&key).await;
}

pub(in crate::stores) async fn a_new_list_under_stress_is_walked_whole(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_new_list_under_stress_is_walked_whole");
    let key = fixture.key();
    fixture.root(&key).await;
    // The ranking holds one comment, and stays while hundreds are added: the first page extends
    // beyond it at once.
    let mut fleet = Fleet::new(&backend, &key).await;
    fleet.ask.limit = 20;
    fleet.page(0, RankedAt::Beginning).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let (fixture, key, stop) = (Arc::clone(&fixture), key.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                for _ in (0..ROUNDS).take_while(|_| !stop.load(Ordering::Relaxed)) {
                    fixture.root(&key).await;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for _ in 0..12 {
        let (first, met) = fleet.walk().await;
        let unique: BTreeSet<i32> = met.iter().copied().collect();
        assert_eq!(unique.len(), met.len(), "something came twice: {met:?}");
        let invalid = invalid(&comments(&fixture, &key).await, first.page.subject.revision);
        let missing: Vec<_> = invalid.difference(&unique).collect();
        assert!(missing.is_empty(), "{missing:?} did not come in {met:?}");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("the writer ends well");
    }
}
