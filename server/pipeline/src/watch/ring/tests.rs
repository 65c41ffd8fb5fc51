use proptest::prelude::*;
use riposte_core::event::{Changes, Event};
use riposte_core::{Millis, Partition, SubjectId};

use super::{KEPT, WatchItem, WatchRing};

fn event(revision: i64) -> Event {
    Event {
        partition: Partition::number(1),
        subject: SubjectId::new(1).expect("positive"),
        revision: Some(revision),
        changes: Changes::default(),
        time: Millis(0),
    }
}

/// Returns every revision that the ring covers after `seen`, negated where it is part of a gap.
fn told(ring: &WatchRing, seen: i64) -> Option<Vec<i64>> {
    let entries = ring.behind(seen, usize::MAX)?;
    let revisions = entries.iter().flat_map(|told| match **told {
        WatchItem::Change { revision, .. } => vec![revision],
        WatchItem::Gap { first, last } => (first..=last).map(|revision| -revision).collect(),
    });
    Some(revisions.collect())
}

#[test]
fn what_was_told_already_is_not_told_again_and_what_is_missing_is_a_gap() {
    let mut ring = WatchRing::new(4);
    ring.extend([4, 5, 5, 6, 9].map(event));
    assert_eq!((told(&ring, 4), ring.at()), (Some(vec![5, 6, -7, -8, 9]), 9));
    assert_eq!(told(&ring, 8), Some(vec![9]));
    assert_eq!(told(&ring, 9), Some(vec![]));
    ring.reach(11);
    assert_eq!(told(&ring, 9), Some(vec![-10, -11]));
    assert_eq!(told(&ring, 3), None, "it began behind 4");
}

#[test]
fn likes_are_not_told() {
    let mut ring = WatchRing::new(0);
    ring.extend([Event { revision: None, ..event(1) }]);
    assert_eq!((told(&ring, 0), ring.at()), (Some(vec![]), 0));
}

#[test]
fn it_begins_earlier_as_far_as_events_are_left() {
    let mut ring = WatchRing::new(6);
    ring.extend([event(7)]);
    assert_eq!(ring.wants(2), Some(2));
    ring.begin_earlier(2, [4, 6, 7, 8].map(event).into());
    assert_eq!((told(&ring, 3), told(&ring, 2)), (Some(vec![4, -5, 6, 7]), None));
    assert_eq!(ring.wants(2), None, "what lies before is lost, and is not asked for again");
    let mut ring = WatchRing::new(6);
    ring.begin_earlier(2, Vec::new());
    assert_eq!((ring.base(), ring.wants(2)), (6, None));
}

#[test]
fn it_keeps_the_newest_and_asks_for_no_more_than_it_keeps() {
    let kept = KEPT as i64;
    let mut ring = WatchRing::new(0);
    ring.extend((1..=kept + 10).map(event));
    assert_eq!((ring.base(), ring.at()), (10, kept + 10));
    assert_eq!(told(&ring, 9), None);
    assert_eq!(told(&ring, 10).map(|told| told.len()), Some(KEPT));
    let young = WatchRing::new(5_000);
    assert_eq!((young.wants(1), young.wants(4_999), young.wants(5_000)), (Some(5_000 - kept), Some(4_999), None));
}

proptest! {
    #[test]
    fn however_events_arrive_every_revision_is_told_once_in_order(
        arrivals in proptest::collection::vec(1_i64..60, 0..80), base in 0_i64..20
    ) {
        let mut ring = WatchRing::new(base);
        ring.extend(arrivals.iter().copied().map(event));
        let told = told(&ring, base).expect("it reaches back to its beginning");
        let expected: Vec<i64> = (base + 1..=ring.at()).collect();
        prop_assert_eq!(told.iter().map(|revision| revision.abs()).collect::<Vec<_>>(), expected);
    }
}
