//! The relay lease: only the holder of the latest epoch assigns sequence numbers.

use std::sync::Arc;

use riposte_core::Millis;
use riposte_core::ports::{Epoch, LeaseCandidate, MEMBER_HISTORY, PositionMove, PositionRemoval, TrimBounds};

use crate::stores::backend::Backend;
use crate::stores::fixture::Fixture;
use crate::stores::relay::{LEASE_EXPIRY, Relay};

const SOURCE: usize = 0;
const SECOND: i64 = 1_000;

/// Returns another candidate that repairs the cache.
fn another(relay: &Relay) -> LeaseCandidate {
    LeaseCandidate::repairing(relay.process.ids.request())
}

pub(in crate::stores) async fn a_lease_stays_with_its_holder_until_it_expires(backend: Backend) {
    let mut relay = Relay::of(&backend).await;
    let (holder, other) = (relay.candidate, another(&relay));
    let outbox = Arc::clone(&relay.process.outbox);
    let acquire = async |candidate, now: Millis| outbox.acquire_lease(SOURCE, candidate, now).await.expect("requested");
    let first = relay.epochs[SOURCE];
    for _ in 0..4 {
        relay.advance_time(2 * SECOND);
        assert_eq!(acquire(holder, relay.now()).await, Some(first), "the holder renews the lease in time");
        assert_eq!(acquire(other, relay.now()).await, None);
    }
    relay.advance_time(LEASE_EXPIRY);
    let second = acquire(other, relay.now()).await.expect("the lease has expired");
    assert!(second > first);
    assert_eq!(acquire(holder, relay.now()).await, None);
    relay.advance_time(LEASE_EXPIRY);
    let third = acquire(other, relay.now()).await.expect("there is no other candidate");
    assert!(third > second, "an expired lease begins a new epoch");
}

pub(in crate::stores) async fn a_candidate_without_a_cache_yields_to_one_with_a_cache(backend: Backend) {
    let mut relay = Relay::of(&backend).await;
    let [first, second] = [(); 2].map(|()| LeaseCandidate::yielding(relay.process.ids.request()));
    let outbox = Arc::clone(&relay.process.outbox);
    let acquire = async |candidate, now: Millis| outbox.acquire_lease(SOURCE, candidate, now).await.expect("requested");
    assert_eq!(acquire(first, relay.now()).await, None, "the holder repairs the cache");
    relay.advance_time(LEASE_EXPIRY);
    let epoch = acquire(first, relay.now()).await.expect("there is no other candidate");
    assert_eq!(acquire(second, relay.now()).await, None, "the candidates have equal rank");
    assert_eq!(acquire(first, relay.now()).await, Some(epoch));
    let next = acquire(relay.candidate, relay.now()).await.expect("the first yields");
    assert!(next > epoch);
    assert_eq!(outbox.assign_sequence(SOURCE, epoch, 10).await, Ok(None), "its epoch has ended");
    assert_eq!(acquire(first, relay.now()).await, None);
    assert_eq!(acquire(relay.candidate, relay.now()).await, Some(next));
}

pub(in crate::stores) async fn a_released_lease_can_be_acquired_at_once(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let (outbox, other) = (Arc::clone(&relay.process.outbox), another(&relay));
    outbox.release_lease(SOURCE, other).await.expect("nothing to release");
    assert_eq!(outbox.acquire_lease(SOURCE, other, relay.now()).await, Ok(None));
    outbox.release_lease(SOURCE, relay.candidate).await.expect("released");
    let next = outbox.acquire_lease(SOURCE, other, relay.now()).await.expect("requested").expect("the lease is free");
    assert!(next > relay.epochs[SOURCE]);
}

pub(in crate::stores) async fn a_lease_is_extended_by_its_holder_in_its_epoch_until_it_expires(backend: Backend) {
    let mut relay = Relay::of(&backend).await;
    let (holder, other, outbox) = (relay.candidate, another(&relay), Arc::clone(&relay.process.outbox));
    let (epoch, earlier) = (relay.epochs[SOURCE], Epoch(relay.epochs[SOURCE].0 - 1));
    let extend = async |candidate, epoch, now: Millis| {
        outbox.extend_lease(SOURCE, candidate, epoch, now).await.expect("requested")
    };
    for _ in 0..4 {
        relay.advance_time(2 * SECOND);
        assert!(extend(holder, epoch, relay.now()).await);
        assert!(!extend(other, epoch, relay.now()).await);
        assert!(!extend(holder, earlier, relay.now()).await);
        // The state that every process polls shows the lease.
        let lease = outbox.state(SOURCE).await.expect("read").lease.expect("a lease");
        assert_eq!((lease.holder.as_slice(), lease.epoch), (holder.name().as_slice(), epoch));
        assert_eq!([holder, other].map(|candidate| lease.excludes(candidate, relay.now())), [false, true]);
    }
    relay.advance_time(LEASE_EXPIRY);
    let lease = outbox.state(SOURCE).await.expect("read").lease.expect("a lease");
    assert!(!lease.excludes(other, relay.now()));
    assert!(!extend(holder, epoch, relay.now()).await, "an epoch never continues after a gap");
    assert_eq!(outbox.acquire_lease(SOURCE, holder, relay.now()).await, Ok(Some(Epoch(epoch.0 + 1))));
}

pub(in crate::stores) async fn a_lease_from_a_clock_far_ahead_excludes_no_candidate(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let (outbox, other) = (Arc::clone(&relay.process.outbox), another(&relay));
    let ahead = Millis(relay.now().0 + 3_600 * SECOND);
    let epoch = outbox.acquire_lease(SOURCE, relay.candidate, ahead).await.expect("requested").expect("renewed");
    let next = outbox
        .acquire_lease(SOURCE, other, relay.now())
        .await
        .expect("requested")
        .expect("a lease that ends too late is invalid");
    assert!(next > epoch);
}

pub(in crate::stores) async fn an_earlier_epoch_is_refused(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_earlier_epoch_is_refused");
    let mut relay = Relay::of(&backend).await;
    relay.apply().await;
    for n in 0..20 {
        fixture.root(&fixture.key_named(n)).await;
    }
    let outbox = Arc::clone(&relay.process.outbox);
    relay.advance_time(LEASE_EXPIRY);
    let earlier = relay.epochs.clone();
    for (source, earlier) in earlier.into_iter().enumerate() {
        let next = outbox.acquire_lease(source, another(&relay), relay.now()).await.expect("requested");
        let (next, head) = (next.expect("the lease has expired"), outbox.head(source).await.expect("read"));
        let at = relay.position(source, MEMBER_HISTORY).await;
        let (positions, to) = (&relay.process.positions, PositionMove { name: MEMBER_HISTORY, from: at, to: at + 1 });
        let all = TrimBounds { passed_before: Millis(i64::MAX), all_before: Millis(i64::MAX) };
        assert_eq!(outbox.assign_sequence(source, earlier, 10).await, Ok(None));
        assert_eq!(positions.advance(source, earlier, to).await, Ok(false));
        assert_eq!(positions.trim(source, earlier, all, 10).await, Ok(None));
        assert_eq!(outbox.head(source).await, Ok(head));
        assert_eq!(relay.position(source, MEMBER_HISTORY).await, at);
        relay.epochs[source] = next;
    }
    relay.assign_sequence(7).await;
    for n in 0..20 {
        let subject = fixture.subject(&fixture.key_named(n)).await;
        assert_eq!(relay.sequenced(relay.source_of(subject.id).await, subject.id).await.len(), 1);
    }
}

pub(in crate::stores) async fn a_position_advances_only_from_its_present_value(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_position_advances_only_from_its_present_value");
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
    // The position is reset, so that the next case applies the events that this case skipped.
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
    positions.register(SOURCE, &[NAME], now).await.expect("an earlier time is ignored");
    let all = positions.all(SOURCE).await.expect("read");
    let stored = all.iter().find(|position| position.name == NAME).expect("stored");
    assert_eq!((stored.number, stored.registered_until), (0, until));
    assert!(all.iter().all(|position| position.name != "relay"), "the row of the lease is no position: {all:?}");
    assert_eq!(remove(now).await, Ok(PositionRemoval::Registered));
    // A registration by a clock that is ten years ahead protects no position, and the next one
    // replaces it.
    let ten_years = std::time::Duration::from_secs(10 * 365 * 86_400);
    positions.register(SOURCE, &[NAME], until.plus(ten_years)).await.expect("registered");
    positions.register(SOURCE, &[NAME], until).await.expect("registered");
    assert_eq!(remove(now).await, Ok(PositionRemoval::Registered), "a worker runs it");
    assert_eq!(remove(until).await, Ok(PositionRemoval::Removed));
    assert!(relay.advance(SOURCE, NAME, 0, 0).await);
    positions.register(SOURCE, &[NAME], until.plus(ten_years)).await.expect("registered");
    assert_eq!(remove(now).await, Ok(PositionRemoval::Removed), "no worker runs it");
    assert_eq!(remove(until).await, Ok(PositionRemoval::Absent));
    assert_eq!(positions.remove(SOURCE, "relay", Millis(i64::MAX)).await, Ok(PositionRemoval::Absent));
}
