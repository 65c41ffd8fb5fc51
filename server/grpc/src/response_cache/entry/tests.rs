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

fn entry() -> Arc<CachedPageEntry> {
    CachedPageEntry::new(SubjectKey::stored("video".to_owned(), "1".to_owned()))
}

fn budget() -> PageBudget {
    PageBudget { taken: AtomicUsize::new(0), all: 1_000 }
}

fn filled(text: &str) -> Result<PageBytes, Error> {
    let subject = SUBJECT.expect("positive");
    Ok(PageBytes { bytes: Bytes::copy_from_slice(text.as_bytes()), subject })
}

/// Returns the waiter of a reader that must wait, and the refresh that it starts.
fn waits(result: RefreshRequest) -> (RefreshWaiter, Option<Refresh>) {
    match result {
        RefreshRequest::Wait(waiter, refresh) => (waiter, refresh),
        RefreshRequest::Page(bytes, _) => panic!("served {bytes:?}"),
    }
}

/// Returns the page that a reader receives, and the refresh that it starts for later readers.
fn served(result: RefreshRequest) -> (String, Option<Refresh>) {
    match result {
        RefreshRequest::Page(bytes, refresh) => (String::from_utf8_lossy(&bytes).into_owned(), refresh),
        RefreshRequest::Wait(..) => panic!("the reader would wait"),
    }
}

/// Returns an entry whose page was read at `at`.
fn read_at(at: Instant, budget: &PageBudget) -> Arc<CachedPageEntry> {
    let entry = entry();
    waits(entry.request(at)).1.expect("the first").finish(filled("one"), budget);
    entry
}

#[test]
fn a_page_is_served_for_a_limited_time_from_the_start_of_its_read() {
    let (begin, entry) = (Instant::now(), entry());
    let (mut waiter, refresh) = waits(entry.request(begin));
    // The read takes most of that time, which does not make the page younger.
    assert!(waiter.bytes().now_or_never().is_none());
    refresh.expect("the first").finish(filled("one"), &budget());
    assert_eq!(waiter.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(served(entry.request(begin + SHOWN)).0, "one");
    assert!(waits(entry.request(begin + SHOWN + MS)).1.is_some());
}

#[test]
fn a_page_with_readers_is_refreshed_before_it_is_too_old() {
    let budget = budget();
    let begin = Instant::now();
    let entry = read_at(begin, &budget);
    assert!(served(entry.request(begin + AHEAD - MS)).1.is_none());
    let (text, refresh) = served(entry.request(begin + AHEAD));
    assert_eq!(text, "one");
    assert!(served(entry.request(begin + AHEAD)).1.is_none(), "one refresh at a time");
    refresh.expect("due").finish(filled("two"), &budget);
    assert_eq!(served(entry.request(begin + SHOWN + MS)).0, "two");
}

#[test]
fn a_reader_that_arrives_long_after_a_read_began_does_not_get_its_page() {
    let (begin, entry, budget) = (Instant::now(), entry(), budget());
    let (mut early, refresh) = waits(entry.request(begin));
    let (mut late, none) = waits(entry.request(begin + SHOWN + MS));
    assert!(none.is_none());
    refresh.expect("the first").finish(filled("one"), &budget);
    assert_eq!(early.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(late.bytes().now_or_never(), Some(Ok(None)));
    let (mut late, refresh) = waits(late.again(&entry, begin + SHOWN + 2 * MS));
    refresh.expect("no refresh runs").finish(filled("two"), &budget);
    assert_eq!(late.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"two")))));
}

#[test]
fn a_changed_page_is_refreshed_soon_and_served_until_then() {
    let budget = budget();
    let begin = Instant::now();
    let entry = read_at(begin, &budget);
    let update = |subject: Option<SubjectId>, change| entry.update(|about| (Some(about) == subject).then_some(change));
    update(SubjectId::new(10), Invalidation::Gone);
    assert!(served(entry.request(begin + PACE)).1.is_none(), "the event is of another subject");
    update(SUBJECT, Invalidation::Changed);
    assert!(served(entry.request(begin + PACE - MS)).1.is_none());
    served(entry.request(begin + PACE)).1.expect("due").finish(filled("two"), &budget);
    let (text, refresh) = served(entry.request(begin + 2 * PACE));
    assert!(text == "two" && refresh.is_none());
}

#[test]
fn a_page_whose_content_is_gone_is_not_served_and_neither_is_a_read_that_began_before() {
    let budget = budget();
    let begin = Instant::now();
    let entry = read_at(begin, &budget);
    entry.update(|_| Some(Invalidation::Gone));
    let (mut before, refresh) = waits(entry.request(begin + MS));
    entry.invalidate();
    let (mut after, none) = waits(entry.request(begin + 2 * MS));
    assert!(none.is_none());
    refresh.expect("dropped").finish(filled("two"), &budget);
    assert_eq!(before.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"two")))));
    assert_eq!(after.bytes().now_or_never(), Some(Ok(None)));
    assert!(waits(after.again(&entry, begin + 3 * MS)).1.is_some());
}

#[test]
fn an_error_is_returned_to_all_waiting_readers_and_is_not_cached() {
    let budget = budget();
    let (begin, entry) = (Instant::now(), read_at(Instant::now(), &budget));
    entry.invalidate();
    let (mut one, refresh) = waits(entry.request(begin));
    let (mut two, _) = waits(entry.request(begin));
    refresh.expect("the first").finish(Err(Error::SubjectHidden), &budget);
    for waiter in [&mut one, &mut two] {
        assert_eq!(waiter.bytes().now_or_never(), Some(Err(Error::SubjectHidden)));
    }
    assert!(waits(entry.request(begin)).1.is_some(), "no refresh runs");
}

#[test]
fn a_dropped_refresh_fails_its_waiters_and_lets_the_next_reader_start_one() {
    let (begin, entry) = (Instant::now(), entry());
    let (mut waiter, refresh) = waits(entry.request(begin));
    drop(refresh);
    assert!(matches!(waiter.bytes().now_or_never(), Some(Err(Error::Internal(_)))));
    assert!(waits(entry.request(begin)).1.is_some());
}

#[test]
fn a_retired_entry_caches_no_page_and_neither_does_an_entry_without_budget() {
    let (begin, entry, budget) = (Instant::now(), entry(), budget());
    assert!(entry.is_idle(begin));
    let (mut waiter, refresh) = waits(entry.request(begin));
    assert!(!entry.is_idle(begin));
    entry.retire(&budget);
    refresh.expect("the first").finish(filled("one"), &budget);
    assert_eq!(waiter.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(budget.taken(), 0);
    let large = "x".repeat(600);
    let (one, two) = (self::entry(), self::entry());
    for entry in [&one, &two] {
        waits(entry.request(begin)).1.expect("the first").finish(filled(&large), &budget);
    }
    assert_eq!(budget.taken(), 600);
    assert_eq!(served(one.request(begin)).0, large);
    waits(two.request(begin));
    one.retire(&budget);
    assert_eq!(budget.taken(), 0);
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
    fn no_reader_receives_a_page_from_more_than_a_second_before_its_arrival(
        steps in proptest::collection::vec((0..10_u8, 0..700_u64), 1..200),
    ) {
        let (mut now, entry, budget) = (Instant::now(), entry(), budget());
        let begin = now;
        let (mut refreshes, mut waiting, mut gone) = (Vec::<(Refresh, String)>::new(), Vec::new(), 0);
        for (kind, later) in steps {
            now += Duration::from_millis(later);
            let step = [Step::Come, Step::Land, Step::Fail, Step::Gone, Step::Changed][usize::from(kind.min(7) / 2 + kind / 9)];
            let truth = format!("{} {gone}", (now - begin).as_millis());
            match step {
                Step::Come => {
                    let need = ((now - begin).as_millis().saturating_sub(1000), gone);
                    match entry.request(now) {
                        RefreshRequest::Page(bytes, refresh) => {
                            meets(&bytes, need)?;
                            refreshes.extend(refresh.map(|refresh| (refresh, truth)));
                        }
                        RefreshRequest::Wait(waiter, refresh) => {
                            waiting.push((waiter, need));
                            refreshes.extend(refresh.map(|refresh| (refresh, truth)));
                        }
                    }
                }
                Step::Land => refreshes.drain(..).for_each(|(refresh, text)| refresh.finish(filled(&text), &budget)),
                Step::Fail => refreshes.clear(),
                Step::Gone => {
                    gone += 1;
                    // Before the first page no event can name the subject, but then no page exists
                    // that could be stale.
                    entry.invalidate();
                }
                Step::Changed => entry.update(|_| Some(Invalidation::Changed)),
            }
            prop_assert!(refreshes.len() <= 1, "{} refreshes at once", refreshes.len());
            for (mut waiter, need) in std::mem::take(&mut waiting) {
                match waiter.bytes().now_or_never() {
                    None => waiting.push((waiter, need)),
                    Some(Ok(Some(bytes))) => meets(&bytes, need)?,
                    Some(Err(_)) => {}
                    Some(Ok(None)) => match waiter.again(&entry, now) {
                        RefreshRequest::Page(bytes, refresh) => {
                            meets(&bytes, need)?;
                            let truth = format!("{} {gone}", (now - begin).as_millis());
                            refreshes.extend(refresh.map(|refresh| (refresh, truth)));
                        }
                        RefreshRequest::Wait(waiter, refresh) => {
                            waiting.push((waiter, need));
                            let truth = format!("{} {gone}", (now - begin).as_millis());
                            refreshes.extend(refresh.map(|refresh| (refresh, truth)));
                        }
                    },
                }
            }
        }
    }
}

fn meets(bytes: &[u8], (since, gone): (u128, u64)) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (read, known) = text.split_once(' ').expect("as the primary writes it");
    let (read, known): (u128, u64) = (read.parse().expect("a number"), known.parse().expect("a number"));
    prop_assert!(read >= since && known >= gone, "read at {read}, {known} gone; needed {since}, {gone}");
    Ok(())
}
