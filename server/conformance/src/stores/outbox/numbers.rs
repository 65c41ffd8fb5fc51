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
use crate::stores::relay::{LAPSE, Relay};

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
                let mut verb = fixture.create(&key, "author").await;
                if odd {
                    verb.id = ids.comment(key.partition()).await.expect("an id");
                }
                let command = fixture.command(&key, verb);
                let answers = writer.commit(&vec![command].into()).await.expect("committed");
                assert!(answers.iter().all(Result::is_ok), "{answers:?}");
            }
        })
    };
    (0..WRITERS).map(write).collect()
}

/// Checks the events that each source has sequenced since `heads`: no gap, and the revisions of
/// each subject in order.
async fn sound(relay: &Relay, fixture: &Fixture, heads: &[i64]) {
    let mut revisions: BTreeMap<SubjectId, Vec<i64>> = BTreeMap::new();
    for (source, head) in heads.iter().enumerate() {
        let events = relay.behind(source, *head).await;
        let numbers: Vec<i64> = events.iter().map(|sequenced| sequenced.number).collect();
        let dense: Vec<i64> = (head + 1..).take(numbers.len()).collect();
        assert_eq!(numbers, dense, "numbers have no holes");
        for SequencedEvent { event, .. } in events {
            revisions.entry(event.subject).or_default().extend(event.revision);
        }
    }
    for n in 0..SUBJECTS {
        let subject = fixture.subject(&fixture.key_named(n)).await;
        let expected: Vec<i64> = (1..=subject.revision).collect();
        assert_eq!(revisions.get(&subject.id), Some(&expected), "every revision once, in order");
    }
}

async fn heads(relay: &Relay) -> Vec<i64> {
    let mut heads = Vec::new();
    for source in 0..relay.terms.len() {
        heads.push(relay.process.outbox.head(source).await.expect("read"));
    }
    heads
}

pub(in crate::stores) async fn no_commit_is_passed_over_while_many_write(backend: Backend) {
    let fixture = Fixture::new(&backend, "no_commit_is_passed_over_while_many_write");
    let relay = Relay::of(&backend).await;
    let heads = heads(&relay).await;
    let writers = writers(&backend, &fixture, 12).await;
    while !writers.iter().all(JoinHandle::is_finished) {
        // A limit below the number of waiting commits, so that revisions lie on both sides of its
        // end.
        relay.assign_sequence(4).await;
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.expect("ended well");
    }
    relay.assign_sequence(4).await;
    sound(&relay, &fixture, &heads).await;
}

pub(in crate::stores) async fn relays_that_take_turns_leave_dense_numbers(backend: Backend) {
    let fixture = Fixture::new(&backend, "relays_that_take_turns_leave_dense_numbers");
    let mut relay = Relay::of(&backend).await;
    let heads = heads(&relay).await;
    let stop = Arc::new(AtomicBool::new(false));
    // A relay that does not know that its lease is over, and continues to assign sequence numbers.
    let (outbox, terms, over) = (Arc::clone(&relay.process.outbox), relay.terms.clone(), Arc::clone(&stop));
    let stale = tokio::spawn(async move {
        let mut refused = 0;
        loop {
            // The flag is read first, so that the relay runs once more after everything else is
            // over.
            let last = over.load(Ordering::Relaxed);
            for (source, term) in terms.iter().enumerate() {
                refused += usize::from(outbox.assign_sequence(source, *term, 3).await.expect("asked").is_none());
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
        relay.later(LAPSE);
        let who = LeaseCandidate::mending(relay.process.ids.request());
        for source in 0..relay.terms.len() {
            let term = relay.process.outbox.acquire_lease(source, who, relay.now()).await.expect("asked");
            let term: Epoch = term.expect("the last one has run out");
            relay.terms[source] = term;
            assert!(relay.process.outbox.assign_sequence(source, term, 3).await.expect("asked").is_some());
        }
        if last {
            break;
        }
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.expect("ended well");
    }
    stop.store(true, Ordering::Relaxed);
    assert!(stale.await.expect("ended well") > 0, "a term that is over is refused");
    relay.assign_sequence(50).await;
    sound(&relay, &fixture, &heads).await;
}

pub(in crate::stores) async fn what_waits_has_an_age(backend: Backend) {
    let fixture = Fixture::new(&backend, "what_waits_has_an_age");
    let relay = Relay::of(&backend).await;
    let key = fixture.key();
    let id = fixture.root(&key).await.comment.reference.subject_id;
    let outbox = &relay.process.outbox;
    let mut waiting = 0;
    for source in 0..outbox.sources() {
        waiting += usize::from(outbox.oldest_waiting(source).await.expect("read").is_some());
    }
    assert!(waiting > 0);
    relay.assign_sequence(500).await;
    let source = relay.source_of(id).await;
    let sequenced = relay.sequenced(source, id).await;
    assert_eq!(sequenced.iter().map(|n| n.event.time).collect::<Vec<_>>(), [StepClock::START]);
}

/// Returns the bounds at which only events go that all have passed.
fn passed(before: Millis) -> TrimBounds {
    TrimBounds { passed_before: before, all_before: Millis(0) }
}

pub(in crate::stores) async fn trimming_keeps_what_is_young_or_not_applied(backend: Backend) {
    let fixture = Fixture::new(&backend, "trimming_keeps_what_is_young_or_not_applied");
    let relay = Relay::of(&backend).await;
    relay.apply().await;
    let key = fixture.key();
    for _ in 0..4 {
        fixture.root(&key).await;
    }
    let id = fixture.subject(&key).await.id;
    let trim = async |before: Millis, limit| {
        let mut deleted = 0;
        for (source, term) in relay.terms.iter().enumerate() {
            let report = relay.process.positions.trim(source, *term, passed(before), limit).await.expect("trimmed");
            let report = report.expect("our term");
            assert_eq!(report.overtaken, [], "nothing goes before it is applied");
            deleted += report.commits;
        }
        deleted
    };
    let end = Millis(i64::MAX);
    while trim(end, 500).await > 0 {}
    assert_eq!(fixture.events(&key).await.len(), 4, "what has no number stays");
    relay.assign_sequence(500).await;
    assert_eq!(trim(end, 500).await, 0);
    assert_eq!(fixture.events(&key).await.len(), 4, "what is not applied stays");
    relay.apply().await;
    assert_eq!(trim(Millis(0), 500).await, 0);
    assert_eq!(fixture.events(&key).await.len(), 4, "what is young stays");

    let source = relay.source_of(id).await;
    let report = relay.process.positions.trim(source, relay.terms[source], passed(end), 1).await;
    assert_eq!(report.map(|report| report.map(|report| report.commits)), Ok(Some(1)), "no more than asked for");
    while trim(end, 2).await > 0 {}
    assert_eq!(fixture.events(&key).await.len(), 0);
    let at = relay.position(source, MEMBER_HISTORY).await;
    assert!(relay.process.outbox.head(source).await.expect("read") >= at, "numbers go on");
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
        let report = relay.process.positions.trim(source, relay.terms[source], bounds, 500).await;
        report.expect("trimmed").expect("our term")
    };
    while trim(TrimBounds { passed_before: end, all_before: Millis(0) }).await.commits > 0 {}
    // A consumer that this version does not know is behind by the events of two more commits.
    assert!(relay.advance(source, NAME, 0, number).await);
    for _ in 0..2 {
        fixture.root(&key).await;
    }
    relay.apply().await;
    let later = relay.sequenced(source, id).await.len();
    assert_eq!(trim(TrimBounds { passed_before: end, all_before: Millis(0) }).await.commits, 0, "it is waited for");
    assert_eq!(relay.sequenced(source, id).await.len(), later);
    let mut missed = 0;
    loop {
        let report = trim(TrimBounds { passed_before: end, all_before: end }).await;
        if report.commits == 0 {
            break;
        }
        assert_eq!(report.overtaken, [(NAME.to_owned(), report.commits)], "all others have applied them");
        missed += report.commits;
    }
    assert!(missed >= 2 && relay.sequenced(source, id).await.is_empty(), "{missed}");
    let removed = relay.process.positions.remove(source, NAME, relay.now()).await;
    assert_eq!(removed, Ok(riposte_core::ports::PositionRemoval::Removed));
}
