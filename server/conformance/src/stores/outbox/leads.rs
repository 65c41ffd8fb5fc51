//! The right to assign sequence numbers: one epoch at a time, and only the latest.

use std::sync::Arc;

use riposte_core::Millis;
use riposte_core::ports::{LeaseCandidate, MEMBER_HISTORY, PositionMove, PositionRemoval, TrimBounds};

use crate::stores::backend::Backend;
use crate::stores::fixture::Fixture;
use crate::stores::relay::{LAPSE, Relay};

const SOURCE: usize = 0;
const SECOND: i64 = 1_000;

fn another(relay: &Relay) -> LeaseCandidate {
    LeaseCandidate::mending(relay.process.ids.request())
}

pub(in crate::stores) async fn the_lead_is_kept_by_its_owner_and_taken_when_it_has_run_out(backend: Backend) {
    let mut relay = Relay::of(&backend).await;
    let (ours, theirs) = (relay.who, another(&relay));
    let outbox = Arc::clone(&relay.process.outbox);
    let lead = async |who, now: Millis| outbox.acquire_lease(SOURCE, who, now).await.expect("asked");
    let first = relay.terms[SOURCE];
    for _ in 0..4 {
        relay.later(2 * SECOND);
        assert_eq!(lead(ours, relay.now()).await, Some(first), "kept for as long as its owner asks in time");
        assert_eq!(lead(theirs, relay.now()).await, None);
    }
    relay.later(LAPSE);
    let second = lead(theirs, relay.now()).await.expect("it has run out");
    assert!(second > first);
    assert_eq!(lead(ours, relay.now()).await, None);
    relay.later(LAPSE);
    let third = lead(theirs, relay.now()).await.expect("nobody else asked");
    assert!(third > second, "no term goes on after it has run out");
}

pub(in crate::stores) async fn who_keeps_no_copies_leads_until_somebody_comes_who_does(backend: Backend) {
    let mut relay = Relay::of(&backend).await;
    let [first, second] = [(); 2].map(|()| LeaseCandidate::yielding(relay.process.ids.request()));
    let outbox = Arc::clone(&relay.process.outbox);
    let lead = async |who, now: Millis| outbox.acquire_lease(SOURCE, who, now).await.expect("asked");
    assert_eq!(lead(first, relay.now()).await, None, "there is a leader who mends");
    relay.later(LAPSE);
    let term = lead(first, relay.now()).await.expect("nobody else asks");
    assert_eq!(lead(second, relay.now()).await, None, "one is as good as the other");
    assert_eq!(lead(first, relay.now()).await, Some(term));
    let next = lead(relay.who, relay.now()).await.expect("the first has to yield");
    assert!(next > term);
    assert_eq!(outbox.assign_sequence(SOURCE, term, 10).await, Ok(None), "its term is over");
    assert_eq!(lead(first, relay.now()).await, None);
    assert_eq!(lead(relay.who, relay.now()).await, Some(next));
}

pub(in crate::stores) async fn whoever_resigns_is_followed_at_once(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let (outbox, theirs) = (Arc::clone(&relay.process.outbox), another(&relay));
    outbox.release_lease(SOURCE, theirs).await.expect("nothing to give up");
    assert_eq!(outbox.acquire_lease(SOURCE, theirs, relay.now()).await, Ok(None));
    outbox.release_lease(SOURCE, relay.who).await.expect("given up");
    let next = outbox.acquire_lease(SOURCE, theirs, relay.now()).await.expect("asked").expect("it is free");
    assert!(next > relay.terms[SOURCE]);
}

pub(in crate::stores) async fn the_lease_of_a_clock_that_ran_wild_keeps_nobody_away(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let (outbox, theirs) = (Arc::clone(&relay.process.outbox), another(&relay));
    let wild = Millis(relay.now().0 + 3_600 * SECOND);
    let term = outbox.acquire_lease(SOURCE, relay.who, wild).await.expect("asked").expect("ours");
    let next =
        outbox.acquire_lease(SOURCE, theirs, relay.now()).await.expect("asked").expect("no clock is that far ahead");
    assert!(next > term);
}

pub(in crate::stores) async fn a_term_that_is_over_is_refused(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_term_that_is_over_is_refused");
    let mut relay = Relay::of(&backend).await;
    relay.apply().await;
    for n in 0..20 {
        fixture.root(&fixture.key_named(n)).await;
    }
    let outbox = Arc::clone(&relay.process.outbox);
    relay.later(LAPSE);
    let over = relay.terms.clone();
    for (source, over) in over.into_iter().enumerate() {
        let next = outbox.acquire_lease(source, another(&relay), relay.now()).await.expect("asked");
        let (next, head) = (next.expect("it has run out"), outbox.head(source).await.expect("read"));
        let at = relay.position(source, MEMBER_HISTORY).await;
        let (positions, to) = (&relay.process.positions, PositionMove { name: MEMBER_HISTORY, from: at, to: at + 1 });
        let all = TrimBounds { passed_before: Millis(i64::MAX), all_before: Millis(i64::MAX) };
        assert_eq!(outbox.assign_sequence(source, over, 10).await, Ok(None));
        assert_eq!(positions.advance(source, over, to).await, Ok(false));
        assert_eq!(positions.trim(source, over, all, 10).await, Ok(None));
        assert_eq!(outbox.head(source).await, Ok(head));
        assert_eq!(relay.position(source, MEMBER_HISTORY).await, at);
        relay.terms[source] = next;
    }
    relay.assign_sequence(7).await;
    for n in 0..20 {
        let subject = fixture.subject(&fixture.key_named(n)).await;
        assert_eq!(relay.sequenced(relay.source_of(subject.id).await, subject.id).await.len(), 1);
    }
}

pub(in crate::stores) async fn a_projection_moves_on_from_where_it_is_and_nowhere_else(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_projection_moves_on_from_where_it_is_and_nowhere_else");
    let relay = Relay::of(&backend).await;
    relay.apply().await;
    let id = fixture.root(&fixture.key()).await.comment.reference.subject_id;
    relay.assign_sequence(500).await;
    let (source, outbox) = (relay.source_of(id).await, Arc::clone(&relay.process.outbox));
    let at = relay.position(source, MEMBER_HISTORY).await;
    let head = outbox.head(source).await.expect("read");
    assert!(at < head, "{at} {head}");
    let advance = async |from, to| relay.advance(source, MEMBER_HISTORY, from, to).await;
    assert!(!advance(at + 1, head).await);
    assert!(advance(at, head).await);
    assert!(!advance(at, head).await);
    assert_eq!(relay.position(source, MEMBER_HISTORY).await, head);
    // The position is reset, so that the next case applies the events that this one skipped.
    assert!(advance(head, at).await);
}

pub(in crate::stores) async fn a_position_is_removed_unless_a_worker_registers_it(backend: Backend) {
    const NAME: &str = "retired";
    let relay = Relay::of(&backend).await;
    let (positions, now) = (&relay.process.positions, relay.now());
    let remove = async |now| positions.remove(SOURCE, NAME, now).await;
    assert_eq!(remove(now).await, Ok(PositionRemoval::Absent));
    positions.register(SOURCE, &[NAME], now.plus(std::time::Duration::from_secs(60))).await.expect("no position yet");
    assert_eq!(remove(now).await, Ok(PositionRemoval::Absent), "a registration stores no position");
    // The first move stores the position, also at 0.
    assert!(relay.advance(SOURCE, NAME, 0, 0).await);
    let until = now.plus(std::time::Duration::from_secs(60));
    positions.register(SOURCE, &[NAME, "relay"], until).await.expect("registered");
    positions.register(SOURCE, &[NAME], now).await.expect("an earlier time shortens nothing");
    let all = positions.all(SOURCE).await.expect("read");
    let stored = all.iter().find(|position| position.name == NAME).expect("stored");
    assert_eq!((stored.number, stored.registered_until), (0, until));
    assert!(all.iter().all(|position| position.name != "relay"), "the relay's own row is no position: {all:?}");
    assert_eq!(remove(now).await, Ok(PositionRemoval::Registered));
    assert_eq!(remove(until).await, Ok(PositionRemoval::Removed));
    assert_eq!(remove(until).await, Ok(PositionRemoval::Absent));
    assert_eq!(positions.remove(SOURCE, "relay", Millis(i64::MAX)).await, Ok(PositionRemoval::Absent));
}
