//! Sequence numbers: dense, in the order of the revisions, and no event is ever skipped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Epoch, LeaseCandidate, MEMBER_HISTORY, TrimBounds};
use riposte_core::{Millis, SubjectId};
use tokio::task::JoinHandle;

use crate::stores::backend::{Backend, StepClock};
use crate::stores::fixture::Fixture;
use crate::stores::relay::{LEASE_EXPIRY, Relay};

const WRITERS: usize = 12;
const SUBJECTS: usize = 3;

/// Starts writers over a few subjects. Half of them are in a process whose clock, and therefore
/// whose ids, are half a minute ahead.
async fn writers(backend: &Backend, fixture: &Arc<Fixture>, commits: usize) -> Vec<JoinHandle<()>> {
    let ahead = (backend.start)(StepClock::at(Millis(StepClock::START.0 + 30_000))).await;
    let write = |n: usize| {
        let (fixture, ids, odd) = (Arc::clone(fixture), Arc::clone(&ahead.ids), n % 2 == 1);
        let writer = if odd { Arc::clone(&ahead.writer) } else { Arc::clone(&fixture.process.writer) };
        tokio::spawn(async move {
            for step in 0..commits {
                let key = fixture.key_named((n + step) % SUBJECTS);
                let mut verb = fixture.root_verb(&key, "author").await;
                if odd {
                    verb.id = ids.comment(key.partition()).await.expect("an id");
                }
                let command = fixture.command(&key, verb);
                let results = writer.commit(&vec![command].into()).await.expect("committed");
                assert!(results.iter().all(Result::is_ok), "{results:?}");
            }
        })
    };
    (0..WRITERS).map(write).collect()
}

/// Checks the events that each source has sequenced since `heads`: no gap, and the revisions of
/// each subject in order.
async fn check_events(relay: &Relay, fixture: &Fixture, heads: &[i64]) {
    let mut revisions: BTreeMap<SubjectId, Vec<i64>> = BTreeMap::new();
    for (source, head) in heads.iter().enumerate() {
        let events = relay.events_after(source, *head).await;
        let numbers: Vec<i64> = events.iter().map(|sequenced| sequenced.number).collect();
        let dense: Vec<i64> = (head + 1..).take(numbers.len()).collect();
        assert_eq!(numbers, dense, "the sequence numbers have a gap");
        for SequencedEvent { event, .. } in events {
            revisions.entry(event.subject).or_default().extend(event.revision);
        }
    }
    for n in 0..SUBJECTS {
        let subject = fixture.subject(&fixture.key_named(n)).await;
        let expected: Vec<i64> = (1..=subject.revision).collect();
        assert_eq!(revisions.get(&subject.id), Some(&expected), "a revision is missing, repeated or out of order");
    }
}

/// Returns the last sequence number of each source.
async fn heads(relay: &Relay) -> Vec<i64> {
    let mut heads = Vec::new();
    for source in 0..relay.epochs.len() {
        heads.push(relay.process.outbox.head(source).await.expect("read"));
    }
    heads
}

pub(in crate::stores) async fn no_commit_is_skipped_while_many_write(backend: Backend) {
    let fixture = Fixture::new(&backend, "no_commit_is_skipped_while_many_write");
    let relay = Relay::of(&backend).await;
    let heads = heads(&relay).await;
    let writers = writers(&backend, &fixture, 12).await;
    while !writers.iter().all(JoinHandle::is_finished) {
        // The limit is below the number of waiting commits, so that it divides the revisions of a
        // subject.
        relay.assign_sequence(4).await;
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.expect("no panic");
    }
    relay.assign_sequence(4).await;
    check_events(&relay, &fixture, &heads).await;
}

pub(in crate::stores) async fn successive_relays_assign_dense_sequence_numbers(backend: Backend) {
    let fixture = Fixture::new(&backend, "successive_relays_assign_dense_sequence_numbers");
    let mut relay = Relay::of(&backend).await;
    let heads = heads(&relay).await;
    let stop = Arc::new(AtomicBool::new(false));
    // A relay of another process, whose lease has expired, continues to assign sequence numbers.
    let outbox = (backend.start)(StepClock::at(StepClock::START)).await.outbox;
    let (epochs, stopped) = (relay.epochs.clone(), Arc::clone(&stop));
    let stale = tokio::spawn(async move {
        let mut refused = 0;
        loop {
            // The flag is read first, so that the relay runs once more after all others have ended.
            let last = stopped.load(Ordering::Relaxed);
            for (source, epoch) in epochs.iter().enumerate() {
                refused += usize::from(outbox.assign_sequence(source, *epoch, 3).await.expect("requested").is_none());
            }
            if last {
                return refused;
            }
            tokio::task::yield_now().await;
        }
    });
    let writers = writers(&backend, &fixture, 8).await;
    loop {
        let last = writers.iter().all(JoinHandle::is_finished);
        relay.advance_time(LEASE_EXPIRY);
        let candidate = LeaseCandidate::repairing(relay.process.ids.request());
        for source in 0..relay.epochs.len() {
            let epoch = relay.process.outbox.acquire_lease(source, candidate, relay.now()).await.expect("requested");
            let epoch: Epoch = epoch.expect("the last lease has expired");
            relay.epochs[source] = epoch;
            assert!(relay.process.outbox.assign_sequence(source, epoch, 3).await.expect("requested").is_some());
        }
        if last {
            break;
        }
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.expect("no panic");
    }
    stop.store(true, Ordering::Relaxed);
    assert!(stale.await.expect("no panic") > 0, "no assignment of the earlier epoch was refused");
    relay.assign_sequence(50).await;
    check_events(&relay, &fixture, &heads).await;
}

pub(in crate::stores) async fn an_unsequenced_commit_has_an_age(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_unsequenced_commit_has_an_age");
    let relay = Relay::of(&backend).await;
    let key = fixture.key();
    let id = fixture.root(&key).await.comment.reference.subject_id;
    let outbox = &relay.process.outbox;
    let mut waiting = 0;
    for source in 0..outbox.sources() {
        waiting += usize::from(outbox.state(source).await.expect("read").oldest_waiting.is_some());
    }
    assert!(waiting > 0);
    relay.assign_sequence(500).await;
    let source = relay.source_of(id).await;
    let sequenced = relay.sequenced(source, id).await;
    assert_eq!(sequenced.iter().map(|n| n.event.time).collect::<Vec<_>>(), [StepClock::START]);
}

/// Returns bounds that trim only events that every position has passed.
fn passed(before: Millis) -> TrimBounds {
    TrimBounds { passed_before: before, all_before: Millis(0) }
}

pub(in crate::stores) async fn trimming_keeps_recent_and_unapplied_events(backend: Backend) {
    let fixture = Fixture::new(&backend, "trimming_keeps_recent_and_unapplied_events");
    let relay = Relay::of(&backend).await;
    relay.apply().await;
    let key = fixture.key();
    for _ in 0..4 {
        fixture.root(&key).await;
    }
    let id = fixture.subject(&key).await.id;
    let trim = async |before: Millis, limit| {
        let mut deleted = 0;
        for (source, epoch) in relay.epochs.iter().enumerate() {
            let report = relay.process.positions.trim(source, *epoch, passed(before), limit).await.expect("trimmed");
            let report = report.expect("the current epoch");
            assert_eq!(report.overtaken, [], "an event was trimmed before it was applied");
            deleted += report.commits;
        }
        deleted
    };
    let end = Millis(i64::MAX);
    while trim(end, 500).await > 0 {}
    assert_eq!(fixture.events(&key).await.len(), 4, "unsequenced events stay");
    relay.assign_sequence(500).await;
    assert_eq!(trim(end, 500).await, 0);
    assert_eq!(fixture.events(&key).await.len(), 4, "unapplied events stay");
    relay.apply().await;
    assert_eq!(trim(Millis(0), 500).await, 0);
    assert_eq!(fixture.events(&key).await.len(), 4, "recent events stay");

    let source = relay.source_of(id).await;
    let report = relay.process.positions.trim(source, relay.epochs[source], passed(end), 1).await;
    assert_eq!(report.map(|report| report.map(|report| report.commits)), Ok(Some(1)), "no more than the limit");
    while trim(end, 2).await > 0 {}
    assert_eq!(fixture.events(&key).await.len(), 0);
    let at = relay.position(source, MEMBER_HISTORY).await;
    assert!(relay.process.outbox.head(source).await.expect("read") >= at, "the head never goes back");
    let next = fixture.root(&key).await;
    relay.assign_sequence(500).await;
    let sequenced = relay.sequenced(source, next.comment.reference.subject_id).await;
    assert!(sequenced.len() == 1 && sequenced[0].number > at, "{sequenced:?}");
}

pub(in crate::stores) async fn trimming_waits_for_every_stored_name_until_the_retention_ends(backend: Backend) {
    const NAME: &str = "of_another_version";
    let fixture = Fixture::new(&backend, "trimming_waits_for_every_stored_name_until_the_retention_ends");
    let relay = Relay::of(&backend).await;
    let key = fixture.key();
    let id = fixture.root(&key).await.comment.reference.subject_id;
    relay.apply().await;
    let (source, end) = (relay.source_of(id).await, Millis(i64::MAX));
    let number = relay.sequenced(source, id).await[0].number;
    let trim = async |bounds| {
        let report = relay.process.positions.trim(source, relay.epochs[source], bounds, 500).await;
        report.expect("trimmed").expect("the current epoch")
    };
    while trim(TrimBounds { passed_before: end, all_before: Millis(0) }).await.commits > 0 {}
    // A consumer that this version does not know has not applied the events of two later commits.
    assert!(relay.advance(source, NAME, 0, number).await);
    for _ in 0..2 {
        fixture.root(&key).await;
    }
    relay.apply().await;
    let later = relay.sequenced(source, id).await.len();
    assert_eq!(
        trim(TrimBounds { passed_before: end, all_before: Millis(0) }).await.commits,
        0,
        "trimming waits for it"
    );
    assert_eq!(relay.sequenced(source, id).await.len(), later);
    let mut missed = 0;
    loop {
        let report = trim(TrimBounds { passed_before: end, all_before: end }).await;
        if report.commits == 0 {
            break;
        }
        assert_eq!(report.overtaken, [(NAME.to_owned(), report.commits)], "all other consumers have applied them");
        missed += report.commits;
    }
    assert!(missed >= 2 && relay.sequenced(source, id).await.is_empty(), "{missed}");
    let removed = relay.process.positions.remove(source, NAME, relay.now()).await;
    assert_eq!(removed, Ok(riposte_core::ports::PositionRemoval::Removed));
}
