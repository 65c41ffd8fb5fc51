use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use hyper::body::Bytes;
use proptest::prelude::*;
use riposte_core::{Error, SubjectId, SubjectKey};
use riposte_sync::ByteBudget;
use tokio::time::Instant;

use super::{
    CachedPageEntry, Invalidation, MIN_REFRESH_INTERVAL, REFRESH_AGE, Refresh, RefreshRequest, RefreshWaiter, SERVED,
};
use crate::response_cache::PageBytes;

const MS: Duration = Duration::from_millis(1);
const SUBJECT: Option<SubjectId> = SubjectId::new(9);

fn entry() -> Arc<CachedPageEntry> {
    CachedPageEntry::new(SubjectKey::stored("video".to_owned(), "1".to_owned()))
}

fn budget() -> ByteBudget {
    ByteBudget::new(1_000)
}

fn page_bytes(text: &str) -> Result<PageBytes, Error> {
    let subject = SUBJECT.expect("positive");
    Ok(PageBytes { bytes: Bytes::copy_from_slice(text.as_bytes()), subject })
}

/// Returns the waiter of a reader that must wait, and the refresh that it starts.
fn waiter_of(result: RefreshRequest) -> (RefreshWaiter, Option<Refresh>) {
    match result {
        RefreshRequest::Wait(waiter, refresh) => (waiter, refresh),
        RefreshRequest::Page(bytes, _) => panic!("served {bytes:?}"),
    }
}

/// Returns the page that a reader receives, and the refresh that it starts for later readers.
fn page_of(result: RefreshRequest) -> (String, Option<Refresh>) {
    match result {
        RefreshRequest::Page(bytes, refresh) => (String::from_utf8_lossy(&bytes).into_owned(), refresh),
        RefreshRequest::Wait(..) => panic!("the reader would wait"),
    }
}

/// Returns an entry whose page was read at `at`.
fn read_at(at: Instant, budget: &ByteBudget) -> Arc<CachedPageEntry> {
    let entry = entry();
    waiter_of(entry.request(at)).1.expect("the first read").finish(page_bytes("one"), budget);
    entry
}

#[test]
fn a_page_is_served_for_a_limited_time_from_the_start_of_its_read() {
    let (begin, entry) = (Instant::now(), entry());
    let (mut waiter, refresh) = waiter_of(entry.request(begin));
    // The read takes most of that time, which does not make the page younger.
    assert!(waiter.bytes().now_or_never().is_none());
    refresh.expect("the first read").finish(page_bytes("one"), &budget());
    assert_eq!(waiter.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(page_of(entry.request(begin + SERVED)).0, "one");
    assert!(waiter_of(entry.request(begin + SERVED + MS)).1.is_some());
}

#[test]
fn a_page_with_readers_is_refreshed_before_it_is_too_old() {
    let budget = budget();
    let begin = Instant::now();
    let entry = read_at(begin, &budget);
    assert!(page_of(entry.request(begin + REFRESH_AGE - MS)).1.is_none());
    let (text, refresh) = page_of(entry.request(begin + REFRESH_AGE));
    assert_eq!(text, "one");
    assert!(page_of(entry.request(begin + REFRESH_AGE)).1.is_none(), "one refresh at a time");
    refresh.expect("due").finish(page_bytes("two"), &budget);
    assert_eq!(page_of(entry.request(begin + SERVED + MS)).0, "two");
}

#[test]
fn a_reader_that_arrives_long_after_a_read_began_does_not_get_its_page() {
    let (begin, entry, budget) = (Instant::now(), entry(), budget());
    let (mut early, refresh) = waiter_of(entry.request(begin));
    let (mut late, second_refresh) = waiter_of(entry.request(begin + SERVED + MS));
    assert!(second_refresh.is_none());
    refresh.expect("the first read").finish(page_bytes("one"), &budget);
    assert_eq!(early.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(late.bytes().now_or_never(), Some(Ok(None)));
    let (mut late, refresh) = waiter_of(late.request_again(&entry, begin + SERVED + 2 * MS));
    refresh.expect("no refresh runs").finish(page_bytes("two"), &budget);
    assert_eq!(late.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"two")))));
}

#[test]
fn a_changed_page_is_refreshed_soon_and_served_until_then() {
    let budget = budget();
    let begin = Instant::now();
    let entry = read_at(begin, &budget);
    let update = |subject: Option<SubjectId>, change| entry.update(|about| (Some(about) == subject).then_some(change));
    update(SubjectId::new(10), Invalidation::Withdrawn);
    assert!(page_of(entry.request(begin + MIN_REFRESH_INTERVAL)).1.is_none(), "the event is of another subject");
    update(SUBJECT, Invalidation::Changed);
    assert!(page_of(entry.request(begin + MIN_REFRESH_INTERVAL - MS)).1.is_none());
    page_of(entry.request(begin + MIN_REFRESH_INTERVAL)).1.expect("due").finish(page_bytes("two"), &budget);
    let (text, refresh) = page_of(entry.request(begin + 2 * MIN_REFRESH_INTERVAL));
    assert!(text == "two" && refresh.is_none());
}

#[test]
fn a_page_whose_content_is_gone_is_not_served_and_neither_is_a_read_that_began_before() {
    let budget = budget();
    let begin = Instant::now();
    let entry = read_at(begin, &budget);
    entry.update(|_| Some(Invalidation::Withdrawn));
    let (mut before, refresh) = waiter_of(entry.request(begin + MS));
    entry.invalidate();
    let (mut after, second_refresh) = waiter_of(entry.request(begin + 2 * MS));
    assert!(second_refresh.is_none());
    refresh.expect("dropped").finish(page_bytes("two"), &budget);
    assert_eq!(before.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"two")))));
    assert_eq!(after.bytes().now_or_never(), Some(Ok(None)));
    assert!(waiter_of(after.request_again(&entry, begin + 3 * MS)).1.is_some());
}

#[test]
fn an_error_is_returned_to_all_waiting_readers_and_is_not_cached() {
    let budget = budget();
    let (begin, entry) = (Instant::now(), read_at(Instant::now(), &budget));
    entry.invalidate();
    let (mut one, refresh) = waiter_of(entry.request(begin));
    let (mut two, _) = waiter_of(entry.request(begin));
    refresh.expect("the first read").finish(Err(Error::SubjectHidden), &budget);
    for waiter in [&mut one, &mut two] {
        assert_eq!(waiter.bytes().now_or_never(), Some(Err(Error::SubjectHidden)));
    }
    assert!(waiter_of(entry.request(begin)).1.is_some(), "no refresh runs");
}

#[test]
fn a_dropped_refresh_fails_its_waiters_and_lets_the_next_reader_start_one() {
    let (begin, entry) = (Instant::now(), entry());
    let (mut waiter, refresh) = waiter_of(entry.request(begin));
    drop(refresh);
    assert!(matches!(waiter.bytes().now_or_never(), Some(Err(Error::Internal(_)))));
    assert!(waiter_of(entry.request(begin)).1.is_some());
}

#[test]
fn a_removed_entry_caches_no_page_and_neither_does_an_entry_without_budget() {
    let (begin, entry, budget) = (Instant::now(), entry(), budget());
    assert!(entry.is_idle(begin));
    let (mut waiter, refresh) = waiter_of(entry.request(begin));
    assert!(!entry.is_idle(begin));
    entry.remove(&budget);
    refresh.expect("the first read").finish(page_bytes("one"), &budget);
    assert_eq!(waiter.bytes().now_or_never(), Some(Ok(Some(Bytes::from_static(b"one")))));
    assert_eq!(budget.used(), 0);
    let large = "x".repeat(600);
    let (one, two) = (self::entry(), self::entry());
    for entry in [&one, &two] {
        waiter_of(entry.request(begin)).1.expect("the first read").finish(page_bytes(&large), &budget);
    }
    assert_eq!(budget.used(), 600);
    assert_eq!(page_of(one.request(begin)).0, large);
    waiter_of(two.request(begin));
    one.remove(&budget);
    assert_eq!(budget.used(), 0);
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Arrive,
    Finish,
    Fail,
    Withdraw,
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
        let (mut refreshes, mut waiting, mut withdrawals) = (Vec::<(Refresh, String)>::new(), Vec::new(), 0);
        for (kind, later) in steps {
            now += Duration::from_millis(later);
            let step = [Step::Arrive, Step::Finish, Step::Fail, Step::Withdraw, Step::Changed][usize::from(kind.min(7) / 2 + kind / 9)];
            let content =  format!("{} {withdrawals}", (now - begin).as_millis());
            match step {
                Step::Arrive => {
                    let required = ((now - begin).as_millis().saturating_sub(1000), withdrawals);
                    match entry.request(now) {
                        RefreshRequest::Page(bytes, refresh) => {
                            check_freshness(&bytes, required)?;
                            refreshes.extend(refresh.map(|refresh| (refresh, content)));
                        }
                        RefreshRequest::Wait(waiter, refresh) => {
                            waiting.push((waiter, required));
                            refreshes.extend(refresh.map(|refresh| (refresh, content)));
                        }
                    }
                }
                Step::Finish => refreshes.drain(..).for_each(|(refresh, text)| refresh.finish(page_bytes(&text), &budget)),
                Step::Fail => refreshes.clear(),
                Step::Withdraw => {
                    withdrawals += 1;
                    // Before the first page no event can name the subject, but then no page exists
                    // that could be stale.
                    entry.invalidate();
                }
                Step::Changed => entry.update(|_| Some(Invalidation::Changed)),
            }
            prop_assert!(refreshes.len() <= 1, "{} refreshes at once", refreshes.len());
            for (mut waiter, required) in std::mem::take(&mut waiting) {
                match waiter.bytes().now_or_never() {
                    None => waiting.push((waiter, required)),
                    Some(Ok(Some(bytes))) => check_freshness(&bytes, required)?,
                    Some(Err(_)) => {}
                    Some(Ok(None)) => match waiter.request_again(&entry, now) {
                        RefreshRequest::Page(bytes, refresh) => {
                            check_freshness(&bytes, required)?;
                            let content =  format!("{} {withdrawals}", (now - begin).as_millis());
                            refreshes.extend(refresh.map(|refresh| (refresh, content)));
                        }
                        RefreshRequest::Wait(waiter, refresh) => {
                            waiting.push((waiter, required));
                            let content =  format!("{} {withdrawals}", (now - begin).as_millis());
                            refreshes.extend(refresh.map(|refresh| (refresh, content)));
                        }
                    },
                }
            }
        }
    }
}

fn check_freshness(bytes: &[u8], (since, withdrawals): (u128, u64)) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (read, known) = text.split_once(' ').expect("as the primary writes it");
    let (read, known): (u128, u64) = (read.parse().expect("a number"), known.parse().expect("a number"));
    prop_assert!(
        read >= since && known >= withdrawals,
        "read at {read}, {known} withdrawals; needed {since}, {withdrawals}"
    );
    Ok(())
}
