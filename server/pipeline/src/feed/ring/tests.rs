use std::sync::Arc;

use riposte_core::feed::{DerivedEvent, EventFilter, EventKind, EventPosition, EventScope, FeedEvent};
use riposte_core::{CommentId, Millis, ObjectType, SubjectKey};

use super::{CAPACITY, FeedCommit, FeedRing, READ_LIMIT, RingRead};

fn position(number: i64, index: u32) -> EventPosition {
    EventPosition { number, index }
}

fn event(number: i64, index: u32, object_type: &str) -> Arc<FeedEvent> {
    let event = DerivedEvent {
        kind: EventKind::SubjectChanged,
        scope: EventScope::Public,
        subject: CommentId::new(1).expect("positive").into(),
        revision: 1,
        comment: None,
        root: None,
        notices: Vec::new(),
        moderation: None,
        follows_row: false,
        time: Millis(0),
    };
    let key = SubjectKey::stored(object_type.to_owned(), "1".to_owned());
    let event = FeedEvent::new((0, position(number, index)), event, key, None);
    Arc::new(event.expect("no old entry"))
}

fn commit(number: i64, types: &[&str], bytes: usize) -> FeedCommit {
    let events = (0..).zip(types).map(|(index, object_type)| event(number, index, object_type)).collect();
    FeedCommit { number, events, bytes }
}

fn filter() -> EventFilter {
    let object_types = [ObjectType::stored("video".to_owned())].into();
    EventFilter { object_types, kinds: [].into(), scope: EventScope::Public }
}

fn read(ring: &FeedRing, from: EventPosition) -> (Vec<EventPosition>, Option<EventPosition>) {
    match ring.read(from, &filter()) {
        RingRead::Events(events, end) => (events.iter().map(|event| event.position).collect(), Some(end)),
        RingRead::Behind | RingRead::End | RingRead::Ahead => (Vec::new(), None),
    }
}

#[test]
fn a_subscriber_reads_what_its_filter_selects_from_its_position_on() {
    let mut ring = FeedRing::default();
    assert_eq!(ring.read(position(1, 0), &filter()), RingRead::Ahead, "nothing is known");
    ring.restart(4);
    ring.extend(&[commit(5, &["video", "post", "video"], 9), commit(6, &["post"], 9)], 6);
    ring.extend(&[commit(5, &["video"], 9), commit(7, &["video"], 9)], 7);
    assert_eq!(read(&ring, position(5, 0)).0, [position(5, 0), position(5, 2), position(7, 0)], "each once");
    assert_eq!(read(&ring, position(5, 1)).0, [position(5, 2), position(7, 0)]);
    assert_eq!(read(&ring, position(5, 3)), (vec![position(7, 0)], Some(position(8, 0))));
    assert_eq!(ring.read(position(4, 0), &filter()), RingRead::Behind);
    assert_eq!(ring.read(position(8, 0), &filter()), RingRead::End);
    assert_eq!(ring.read(position(8, 1), &filter()), RingRead::Ahead);
}

#[test]
fn a_large_batch_is_read_in_parts() {
    let mut ring = FeedRing::default();
    ring.restart(0);
    let types = vec!["video"; READ_LIMIT + 3];
    ring.extend(&[commit(1, &types, 9)], 1);
    let (first, end) = read(&ring, position(1, 0));
    assert_eq!((first.len(), end), (READ_LIMIT, Some(position(1, READ_LIMIT as u32))));
    assert_eq!(read(&ring, end.expect("events")).0.len(), 3);
}

#[test]
fn the_oldest_batches_leave_a_full_ring_but_two_stay_whatever_their_size() {
    let mut ring = FeedRing::default();
    ring.restart(0);
    for number in 1..=3 {
        ring.extend(&[commit(number, &["video"], 2 * CAPACITY)], number);
    }
    assert_eq!(ring.read(position(1, 0), &filter()), RingRead::Behind);
    assert_eq!(read(&ring, position(2, 0)).0, [position(2, 0), position(3, 0)]);
}

#[test]
fn a_ring_without_subscribers_follows_the_numbers_and_begins_anew_after_missing_ones() {
    let mut ring = FeedRing::default();
    ring.restart(4);
    ring.extend(&[commit(5, &["video"], 9)], 5);
    ring.skip_to(9);
    assert_eq!((ring.head(), ring.read(position(9, 0), &filter())), (Some(9), RingRead::Behind));
    ring.skip_to(3);
    assert_eq!(ring.head(), Some(9), "an older batch changes nothing");
    ring.extend(&[commit(12, &["video"], 9)], 12);
    assert_eq!(ring.read(position(11, 0), &filter()), RingRead::Behind);
    assert_eq!(read(&ring, position(12, 0)).0, [position(12, 0)]);
}
