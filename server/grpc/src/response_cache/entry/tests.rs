use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use futures::FutureExt;
use hyper::body::Bytes;
use proptest::prelude::*;
use riposte_core::{Error, SubjectId, SubjectKey};
use tokio::time::Instant;

use super::{AHEAD, CachedPageEntry, Invalidation, PACE, Refresh, RefreshRequest, RefreshWaiter, SHOWN};
use crate::response_cache::PageBytes;
use crate::response_cache::pages::PageBudget;

const MS: Duration = Duration::from_millis(1);
const SUBJECT: Option<SubjectId> = SubjectId::new(9);

fn slot() -> Arc<CachedPageEntry> {
    CachedPageEntry::new(SubjectKey::stored("video".to_owned(), "1".to_owned()))
}

fn room() -> PageBudget {
    PageBudget { taken: AtomicUsize::new(0), all: 1_000 }
}

fn filled(text: &str) -> Result<PageBytes, Error> {
    let subject = SUBJECT.expect("positive");
    Ok(PageBytes { bytes: Bytes::copy_from_slice(text.as_bytes()), subject })
}

/// Returns the waiter of a reader that must wait, and the refresh that it starts.
fn waits(asked: RefreshRequest) -> (RefreshWaiter, Option<Refresh>) {
    match asked {
        RefreshRequest::Wait(landing, flight) => (landing, flight),
        RefreshRequest::Page(bytes, _) => panic!("shown {bytes:?}"),
    }
}

/// Returns the page that a reader receives, and the refresh that it starts for later readers.
fn shown(asked: RefreshRequest) -> (String, Option<Refresh>) {
    match asked {
        RefreshRequest::Page(bytes, flight) => (String::from_utf8_lossy(&bytes).into_owned(), flight),
        RefreshRequest::Wait(..) => panic!("it would wait"),
    }
}

/// Returns an entry whose page was read at `at`.
fn read_at(at: Instant, room: &PageBudget) -> Arc<CachedPageEntry> {
    let slot = slot();
    waits(slot.ask(at)).1.expect("the first").land(filled("one"), room);
    slot
}

#[test]
fn a_page_is_shown_for_a_time_from_the_start_of_its_reading_and_no_longer() {
    let (begin, slot) = (Instant::now(), slot());
    let (mut landing, flight) = waits(slot.ask(begin));
    // The read takes most of that time, which does not make the page younger.
    assert!(landing.bytes().now_or_never().is_none());
    flight.expect("the first").land(filled("one"), &room());
    assert_eq!(landing.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(shown(slot.ask(begin + SHOWN)).0, "one");
    assert!(waits(slot.ask(begin + SHOWN + MS)).1.is_some());
}

#[test]
fn a_page_that_is_read_is_read_again_before_it_is_too_old() {
    let room = room();
    let begin = Instant::now();
    let slot = read_at(begin, &room);
    assert!(shown(slot.ask(begin + AHEAD - MS)).1.is_none());
    let (text, flight) = shown(slot.ask(begin + AHEAD));
    assert_eq!(text, "one");
    assert!(shown(slot.ask(begin + AHEAD)).1.is_none(), "one reading at a time");
    flight.expect("due").land(filled("two"), &room);
    assert_eq!(shown(slot.ask(begin + SHOWN + MS)).0, "two");
}

#[test]
fn whoever_comes_long_after_a_reading_began_does_not_get_its_page() {
    let (begin, slot, room) = (Instant::now(), slot(), room());
    let (mut early, flight) = waits(slot.ask(begin));
    let (mut late, none) = waits(slot.ask(begin + SHOWN + MS));
    assert!(none.is_none());
    flight.expect("the first").land(filled("one"), &room);
    assert_eq!(early.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(late.bytes().now_or_never(), Some(Ok(None)));
    let (mut late, flight) = waits(late.again(&slot, begin + SHOWN + 2 * MS));
    flight.expect("nothing is under way").land(filled("two"), &room);
    assert_eq!(late.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"two")))));
}

#[test]
fn what_changed_is_read_again_soon_and_shown_until_then() {
    let room = room();
    let begin = Instant::now();
    let slot = read_at(begin, &room);
    let tell = |subject: Option<SubjectId>, news| slot.hear(|about| (Some(about) == subject).then_some(news));
    tell(SubjectId::new(10), Invalidation::Gone);
    assert!(shown(slot.ask(begin + PACE)).1.is_none(), "it was about another subject");
    tell(SUBJECT, Invalidation::Changed);
    assert!(shown(slot.ask(begin + PACE - MS)).1.is_none());
    shown(slot.ask(begin + PACE)).1.expect("due").land(filled("two"), &room);
    let (text, flight) = shown(slot.ask(begin + 2 * PACE));
    assert!(text == "two" && flight.is_none());
}

#[test]
fn what_is_gone_is_not_shown_and_a_reading_that_began_before_is_not_trusted() {
    let room = room();
    let begin = Instant::now();
    let slot = read_at(begin, &room);
    slot.hear(|_| Some(Invalidation::Gone));
    let (mut before, flight) = waits(slot.ask(begin + MS));
    slot.doubt();
    let (mut after, none) = waits(slot.ask(begin + 2 * MS));
    assert!(none.is_none());
    flight.expect("dropped").land(filled("two"), &room);
    assert_eq!(before.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"two")))));
    assert_eq!(after.bytes().now_or_never(), Some(Ok(None)));
    assert!(waits(after.again(&slot, begin + 3 * MS)).1.is_some());
}

#[test]
fn errors_are_told_to_all_who_wait_and_nothing_is_kept() {
    let room = room();
    let (begin, slot) = (Instant::now(), read_at(Instant::now(), &room));
    slot.doubt();
    let (mut one, flight) = waits(slot.ask(begin));
    let (mut two, _) = waits(slot.ask(begin));
    flight.expect("the first").land(Err(Error::SubjectHidden), &room);
    for landing in [&mut one, &mut two] {
        assert_eq!(landing.bytes().now_or_never(), Some(Err(Error::SubjectHidden)));
    }
    assert!(waits(slot.ask(begin)).1.is_some(), "nothing is under way");
}

#[test]
fn a_reading_that_breaks_off_leaves_nobody_waiting_and_nothing_under_way() {
    let (begin, slot) = (Instant::now(), slot());
    let (mut landing, flight) = waits(slot.ask(begin));
    drop(flight);
    assert!(matches!(landing.bytes().now_or_never(), Some(Err(Error::Internal(_)))));
    assert!(waits(slot.ask(begin)).1.is_some());
}

#[test]
fn a_place_that_was_given_up_keeps_nothing_and_a_full_room_takes_nothing() {
    let (begin, slot, room) = (Instant::now(), slot(), room());
    assert!(slot.is_idle(begin));
    let (mut landing, flight) = waits(slot.ask(begin));
    assert!(!slot.is_idle(begin));
    slot.retire(&room);
    flight.expect("the first").land(filled("one"), &room);
    assert_eq!(landing.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(room.taken(), 0);
    let large = "x".repeat(600);
    let (one, two) = (self::slot(), self::slot());
    for slot in [&one, &two] {
        waits(slot.ask(begin)).1.expect("the first").land(filled(&large), &room);
    }
    assert_eq!(room.taken(), 600);
    assert_eq!(shown(one.ask(begin)).0, large);
    waits(two.ask(begin));
    one.retire(&room);
    assert_eq!(room.taken(), 0);
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Come,
    Land,
    Fail,
    Gone,
    Changed,
}

proptest! {
    /// The primary returns the time of the read and the number of invalidations by then, so that
    /// every page states its own freshness.
    #[test]
    fn no_reader_is_ever_shown_less_than_what_was_true_a_second_before_it_came(
        steps in proptest::collection::vec((0..10_u8, 0..700_u64), 1..200),
    ) {
        let (mut now, slot, room) = (Instant::now(), slot(), room());
        let begin = now;
        let (mut flights, mut waiting, mut gone) = (Vec::<(Refresh, String)>::new(), Vec::new(), 0);
        for (kind, later) in steps {
            now += Duration::from_millis(later);
            let step = [Step::Come, Step::Land, Step::Fail, Step::Gone, Step::Changed][usize::from(kind.min(7) / 2 + kind / 9)];
            let truth = format!("{} {gone}", (now - begin).as_millis());
            match step {
                Step::Come => {
                    let need = ((now - begin).as_millis().saturating_sub(1000), gone);
                    match slot.ask(now) {
                        RefreshRequest::Page(bytes, flight) => {
                            meets(&bytes, need)?;
                            flights.extend(flight.map(|flight| (flight, truth)));
                        }
                        RefreshRequest::Wait(landing, flight) => {
                            waiting.push((landing, need));
                            flights.extend(flight.map(|flight| (flight, truth)));
                        }
                    }
                }
                Step::Land => flights.drain(..).for_each(|(flight, text)| flight.land(filled(&text), &room)),
                Step::Fail => flights.clear(),
                Step::Gone => {
                    gone += 1;
                    // Before the first page no event can name the subject, but then no page exists
                    // that could be stale.
                    slot.doubt();
                }
                Step::Changed => slot.hear(|_| Some(Invalidation::Changed)),
            }
            prop_assert!(flights.len() <= 1, "{} readings at once", flights.len());
            for (mut landing, need) in std::mem::take(&mut waiting) {
                match landing.bytes().now_or_never() {
                    None => waiting.push((landing, need)),
                    Some(Ok(Some(bytes))) => meets(&bytes, need)?,
                    Some(Err(_)) => {}
                    Some(Ok(None)) => match landing.again(&slot, now) {
                        RefreshRequest::Page(bytes, flight) => {
                            meets(&bytes, need)?;
                            let truth = format!("{} {gone}", (now - begin).as_millis());
                            flights.extend(flight.map(|flight| (flight, truth)));
                        }
                        RefreshRequest::Wait(landing, flight) => {
                            waiting.push((landing, need));
                            let truth = format!("{} {gone}", (now - begin).as_millis());
                            flights.extend(flight.map(|flight| (flight, truth)));
                        }
                    },
                }
            }
        }
    }
}

fn meets(bytes: &[u8], (since, gone): (u128, u64)) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (read, known) = text.split_once(' ').expect("as the origin writes it");
    let (read, known): (u128, u64) = (read.parse().expect("a number"), known.parse().expect("a number"));
    prop_assert!(read >= since && known >= gone, "read at {read}, {known} gone; needed {since}, {gone}");
    Ok(())
}
