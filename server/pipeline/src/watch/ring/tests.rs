use proptest::prelude::*;
use riposte_core::event::{Changes, Event};
use riposte_core::{Millis, Partition, SubjectId};

use super::{CAPACITY, WatchItem, WatchRing};

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
fn revisions(ring: &WatchRing, seen: i64) -> Option<Vec<i64>> {
    let entries = ring.after(seen, usize::MAX)?;
    let revisions = entries.iter().flat_map(|item| match **item {
        WatchItem::Change { revision, .. } => vec![revision],
        WatchItem::Gap { first, last } => (first..=last).map(|revision| -revision).collect(),
    });
    Some(revisions.collect())
}

#[test]
fn a_ring_adds_no_revision_twice_and_represents_missing_ones_as_a_gap() {
    let mut ring = WatchRing::new(4);
    ring.extend([4, 5, 5, 6, 9].map(event));
    assert_eq!((revisions(&ring, 4), ring.newest()), (Some(vec![5, 6, -7, -8, 9]), 9));
    assert_eq!(revisions(&ring, 8), Some(vec![9]));
    assert_eq!(revisions(&ring, 9), Some(vec![]));
    ring.fill_to(11);
    assert_eq!(revisions(&ring, 9), Some(vec![-10, -11]));
    assert_eq!(revisions(&ring, 3), None, "the ring begins after 4");
}

#[test]
fn likes_add_no_entry_to_a_ring() {
    let mut ring = WatchRing::new(0);
    ring.extend([Event { revision: None, ..event(1) }]);
    assert_eq!((revisions(&ring, 0), ring.newest()), (Some(vec![]), 0));
}

#[test]
fn a_ring_extends_backwards_as_far_as_events_are_available() {
    let mut ring = WatchRing::new(6);
    ring.extend([event(7)]);
    assert_eq!(ring.earlier_start(2), Some(2));
    ring.extend_backwards(2, [4, 6, 7, 8].map(event).into());
    assert_eq!((revisions(&ring, 3), revisions(&ring, 2)), (Some(vec![4, -5, 6, 7]), None));
    assert_eq!(ring.earlier_start(2), None, "earlier events are lost and are not requested again");
    let mut ring = WatchRing::new(6);
    ring.extend_backwards(2, Vec::new());
    assert_eq!((ring.base(), ring.earlier_start(2)), (6, None));
}

#[test]
fn a_ring_keeps_the_newest_revisions_and_requests_no_more_than_its_capacity() {
    let capacity = CAPACITY as i64;
    let mut ring = WatchRing::new(0);
    ring.extend((1..=capacity + 10).map(event));
    assert_eq!((ring.base(), ring.newest()), (10, capacity + 10));
    assert_eq!(revisions(&ring, 9), None);
    assert_eq!(revisions(&ring, 10).map(|entries| entries.len()), Some(CAPACITY));
    let empty = WatchRing::new(5_000);
    assert_eq!(
        (empty.earlier_start(1), empty.earlier_start(4_999), empty.earlier_start(5_000)),
        (Some(5_000 - capacity), Some(4_999), None)
    );
}

proptest! {
    #[test]
    fn a_ring_has_every_revision_once_and_in_order_however_events_arrive(
        arrivals in proptest::collection::vec(1_i64..60, 0..80), base in 0_i64..20
    ) {
        let mut ring = WatchRing::new(base);
        ring.extend(arrivals.iter().copied().map(event));
        let entries = revisions(&ring, base).expect("the ring reaches back to its base");
        let expected: Vec<i64> = (base + 1..=ring.newest()).collect();
        prop_assert_eq!(entries.iter().map(|revision| revision.abs()).collect::<Vec<_>>(), expected);
    }
}
