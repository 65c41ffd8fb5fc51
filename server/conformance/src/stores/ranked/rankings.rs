//! Ranking snapshots: all processes share them, and a new one is made only when a walk needs it.

use std::sync::Arc;

use riposte_core::page::ListOrder;
use riposte_core::rank::{RankSort, RankedList, Ranking, SNAPSHOT_RETENTION};
use riposte_core::verbs::Delete;
use riposte_core::{CommentId, Millis, SubjectKey};

use super::actors::{rebuild, time_of_round};
use super::rank_indexes::like;
use crate::stores::backend::{Backend, StepClock};
use crate::stores::fixture::{Fixture, by_moderator};
use crate::stores::relay::Relay;

async fn roots(fixture: &Fixture, key: &SubjectKey, count: usize) -> Vec<CommentId> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(fixture.root(key).await.comment.reference.id);
    }
    ids
}

async fn current(fixture: &Fixture, list: &RankedList, now: Millis) -> Ranking {
    fixture.process.rankings.current(list, now).await.expect("no error").expect("present").0
}

pub(in crate::stores) async fn absent_lists_have_no_ranking(backend: Backend) {
    let fixture = Fixture::new(&backend, "absent_lists_have_no_ranking");
    let (key, other) = (fixture.key(), fixture.key_named("other"));
    let rankings = &fixture.process.rankings;
    let list = RankedList::Roots(key.clone(), RankSort::Top);
    assert_eq!(rankings.current(&list, time_of_round(0)).await, Ok(None));
    let root = fixture.root(&key).await.comment.reference.id;
    let reply = fixture.reply(&key, root, 2).await.comment.reference.id;
    let foreign = fixture.root(&other).await.comment.reference.id;
    assert_eq!(rankings.snapshot(&list, 1).await, Ok(None));
    for no_root in [reply, foreign, fixture.id(&key).await] {
        let list = RankedList::Replies(key.clone(), no_root);
        assert_eq!(rankings.current(&list, time_of_round(0)).await, Ok(None), "{no_root:?}");
    }
    let (ranking, next) = rankings
        .current(&RankedList::Replies(key.clone(), root), time_of_round(0))
        .await
        .expect("no error")
        .expect("present");
    assert_eq!((ranking.floors.to_vec(), next), (vec![1], 2));
    assert_eq!(rankings.current(&list, time_of_round(0)).await.expect("no error").map(|(_, next)| next), Some(2));
}

pub(in crate::stores) async fn a_ranking_serves_until_it_is_old_and_its_list_has_changed(backend: Backend) {
    let _relay = Relay::of(&backend).await; // prevents other cases from applying events
    let fixture = Fixture::new(&backend, "a_ranking_serves_until_it_is_old_and_its_list_has_changed");
    let key = fixture.key();
    let ids = roots(&fixture, &key, 3).await;
    let list = RankedList::Roots(key.clone(), RankSort::Top);
    rebuild(&fixture, &key, 50).await;
    let start = time_of_round(0);
    let after = |millis| Millis(start.0 + millis);
    let first = current(&fixture, &list, start).await;
    assert_eq!((first.create_time, first.floors.to_vec()), (start, vec![3, 2, 1]));
    assert_eq!(current(&fixture, &list, after(60_000)).await, first, "nothing has changed");
    fixture.root(&key).await;
    let second = current(&fixture, &list, after(70_000)).await;
    assert_eq!((second.create_time, second.floors.to_vec()), (after(70_000), vec![4, 3, 2, 1]));
    // A like changes no revision of the subject: the rank indexes reflect it.
    like(&fixture, &key, ids[1], 0..1).await;
    rebuild(&fixture, &key, 50).await;
    assert_eq!(current(&fixture, &list, after(74_999)).await, second, "the ranking is too recent to be replaced");
    let third = current(&fixture, &list, after(75_000)).await;
    assert_eq!(third.floors.to_vec(), [2, 4, 3, 1]);
    assert!(first.epoch < second.epoch && second.epoch < third.epoch);
    assert_eq!(
        fixture.process.rankings.snapshot(&list, first.epoch).await,
        Ok(Some(first)),
        "a snapshot never changes"
    );
    let other = RankedList::Roots(key.clone(), RankSort::Hot);
    assert_eq!(fixture.process.rankings.snapshot(&other, third.epoch).await, Ok(None));
    let next = current(&fixture, &list, after(75_000 + 240_000)).await;
    assert!(next.epoch > third.epoch, "a walk could last longer than the third ranking, although nothing has changed");
}

pub(in crate::stores) async fn of_concurrent_rankings_the_first_wins(backend: Backend) {
    let fixture = Fixture::new(&backend, "of_concurrent_rankings_the_first_wins");
    let key = fixture.key();
    roots(&fixture, &key, 20).await;
    let mut processes = vec![fixture.process.clone()];
    for _ in 0..3 {
        processes.push((backend.start)(StepClock::at(StepClock::START)).await);
    }
    for round in 0..8 {
        fixture.root(&key).await;
        for sort in RankSort::ALL {
            let list = RankedList::Roots(key.clone(), sort);
            let calls = processes.iter().flat_map(|process| {
                let request = |_| {
                    let (rankings, list) = (Arc::clone(&process.rankings), list.clone());
                    tokio::spawn(async move { rankings.current(&list, time_of_round(round)).await })
                };
                (0..3).map(request).collect::<Vec<_>>()
            });
            let mut rankings = Vec::new();
            for call in calls.collect::<Vec<_>>() {
                rankings.push(call.await.expect("no panic").expect("no error").expect("present").0);
            }
            assert!(rankings.windows(2).all(|pair| pair[0] == pair[1]), "the rankings differ: {rankings:?}");
        }
    }
}

pub(in crate::stores) async fn unranked_comments_follow_by_floor(backend: Backend) {
    let fixture = Fixture::new(&backend, "unranked_comments_follow_by_floor");
    let key = fixture.key();
    let ids = roots(&fixture, &key, 40).await;
    for n in [2, 4, 7] {
        like(&fixture, &key, ids[n], 0..2).await;
    }
    rebuild(&fixture, &key, 50).await;
    let list = RankedList::Roots(key.clone(), RankSort::Top);
    let ranking = current(&fixture, &list, time_of_round(0)).await;
    assert_eq!(ranking.floors.to_vec(), [8, 5, 3, 40, 39, 38, 37, 36, 35, 34, 33, 32]);
    for floor in [31, 20, 1] {
        let target = fixture.target(ids[floor - 1]).await;
        fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    }
    let unranked: Vec<i32> = (1..=31).filter(|floor| ![31, 20, 1, 8, 5, 3].contains(floor)).collect();
    for (from, to) in [(1, 41), (1, i32::MAX), (3, 9), (8, 9), (20, 21), (10, 31), (0, 1)] {
        for limit in [1, 2, 5, 100] {
            for order in [ListOrder::Oldest, ListOrder::Newest] {
                let mut expected: Vec<i32> =
                    unranked.iter().copied().filter(|floor| (from..to).contains(floor)).collect();
                if order == ListOrder::Newest {
                    expected.reverse();
                }
                expected.truncate(limit);
                let found = fixture.process.rankings.unranked(&list, &ranking, from..to, order, limit).await;
                assert_eq!(found, Ok(expected), "{limit} of {from}..{to}, {order:?}");
            }
        }
    }
}

pub(in crate::stores) async fn comments_by_floors_have_the_order_of_the_request(backend: Backend) {
    let fixture = Fixture::new(&backend, "comments_by_floors_have_the_order_of_the_request");
    let key = fixture.key();
    let ids = roots(&fixture, &key, 9).await;
    for _ in 0..5 {
        fixture.reply(&key, ids[0], 2).await;
    }
    let target = fixture.target(ids[6]).await;
    fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    let reader = &fixture.process.reader;
    let page = reader.roots_at(&key, &[4, 9, 7, 1, 77], 2).await.expect("read").expect("present");
    let floors: Vec<i32> = page.threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect();
    assert_eq!(floors, [4, 9, 1], "7 is deleted, and 77 does not exist");
    assert_eq!((page.threads.items[2].replies.len(), page.threads.items[2].more_replies), (2, true));
    assert_eq!(page.subject, fixture.subject(&key).await);
    let replies = reader.replies_at(&key, ids[0], &[5, 2, 3]).await.expect("read").expect("present");
    let floors: Vec<i32> = replies.replies.items.iter().map(|reply| reply.comment.reference.floor).collect();
    assert_eq!((floors, replies.root.comment.reference.id), (vec![5, 2, 3], ids[0]));
    assert_eq!(reader.roots_at(&fixture.key_named("absent"), &[1], 2).await, Ok(None));
    let none = reader.roots_at(&key, &[], 2).await.expect("read").expect("present");
    assert!(none.threads.items.is_empty());
}

pub(in crate::stores) async fn rankings_are_deleted_when_no_walk_can_need_them(backend: Backend) {
    let fixture = Fixture::new(&backend, "rankings_are_deleted_when_no_walk_can_need_them");
    let key = fixture.key();
    roots(&fixture, &key, 3).await;
    let list = RankedList::Roots(key.clone(), RankSort::Best);
    // This time is before those of all other cases, whose snapshots the trim must not delete.
    let long_ago = Millis(StepClock::START.0 - 1_000_000_000);
    let old = current(&fixture, &list, long_ago).await;
    let new = current(&fixture, &list, time_of_round(900)).await;
    let rankings = &fixture.process.rankings;
    let trim = async |before| {
        let mut deleted = 0;
        for source in 0..fixture.process.outbox.sources() {
            deleted += rankings.trim(source, before, 100).await.expect("trimmed");
        }
        deleted
    };
    assert_eq!(trim(long_ago).await, 0, "the snapshot is not older");
    assert_eq!(trim(Millis(long_ago.0 + i64::try_from(SNAPSHOT_RETENTION.as_millis()).expect("small"))).await, 1);
    // Another process is used, because a process may cache the snapshots that it has read.
    let other = (backend.start)(StepClock::at(StepClock::START)).await;
    assert_eq!(other.rankings.snapshot(&list, old.epoch).await, Ok(None));
    assert_eq!(other.rankings.snapshot(&list, new.epoch).await, Ok(Some(new.clone())));
    assert_eq!(current(&fixture, &list, time_of_round(900)).await, new);
}
