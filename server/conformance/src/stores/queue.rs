//! The queue of open reviews and its leases.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use riposte_core::act::CommentAct;
use riposte_core::comment::proposal_etag;
use riposte_core::disposition::Disposition;
use riposte_core::event::ChangeKind;
use riposte_core::object_type::ModerationMode;
use riposte_core::page::CountDrift;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::{ReviewBacklog, ReviewClaim, ReviewCursor, ReviewFilter, ReviewQuery};
use riposte_core::review::{LeaseToken, Review, ReviewCause, ReviewCauses};
use riposte_core::verbs::{Create, DeleteSubject, Edit, UndeleteSubject};
use riposte_core::{CommentId, Error, Millis, ObjectType, SubjectKey};
use xxhash_rust::xxh3::xxh3_64;

use super::backend::Backend;
use super::fixture::{Fixture, comment, member, text};
use super::relay::Relay;

/// A time that no case outlasts.
const LONG: Duration = Duration::from_secs(3_600);

/// A time by which the clock of a process may be wrong.
const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// A queue of an object type that no other case uses.
struct Queue<'f> {
    fixture: &'f Fixture,
    key: SubjectKey,
    filter: ReviewFilter,
}

impl<'f> Queue<'f> {
    async fn new(fixture: &'f Fixture) -> Self {
        let object_type = fixture.object_type("queue");
        let key = fixture.key_of(&object_type, "");
        fixture.open(&key).await;
        let filter = ReviewFilter { object_type: ObjectType::stored(object_type), causes: ReviewCauses::NONE };
        Self { fixture, key, filter }
    }

    async fn held_roots(&self, count: usize) -> Vec<CommentId> {
        let mut ids = Vec::new();
        for _ in 0..count {
            ids.push(self.fixture.held_root(&self.key).await);
        }
        ids
    }

    fn query(&self, limit: usize) -> ReviewQuery {
        ReviewQuery { filter: self.filter.clone(), member: None, leased: false, after: None, limit }
    }

    async fn listed(&self, query: &ReviewQuery) -> Vec<CommentId> {
        ids(&self.fixture.process.reviews.list(query).await.expect("listed"))
    }

    /// Returns a token that no other case uses.
    fn token(&self, number: u8) -> LeaseToken {
        let mut bytes = [number; 16];
        bytes[..8].copy_from_slice(&xxh3_64(self.key.object_type().as_str().as_bytes()).to_be_bytes());
        LeaseToken(bytes)
    }

    async fn claim(&self, moderator: &str, token: u8, duration: Duration, limit: usize) -> Vec<Review> {
        let (holder, token) = (member(moderator), self.token(token));
        let claim = ReviewClaim { filter: self.filter.clone(), holder, token, duration, limit };
        self.fixture.process.reviews.claim(&claim).await.expect("claimed")
    }
}

fn ids(reviews: &[Review]) -> Vec<CommentId> {
    reviews.iter().map(|review| review.comment_id).collect()
}

pub(super) async fn the_queue_lists_open_reviews_by_due_time(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_queue_lists_open_reviews_by_due_time");
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(5).await;
    fixture.root(&queue.key).await;
    assert_eq!(queue.listed(&queue.query(10)).await, held, "the oldest is due first");
    let first = fixture.process.reviews.list(&queue.query(2)).await.expect("listed");
    let last = first.last().expect("two");
    let after = ReviewCursor { due_time: last.due_time.expect("open"), comment: last.comment_id };
    let rest = ReviewQuery { after: Some(after), ..queue.query(10) };
    assert_eq!((ids(&first), queue.listed(&rest).await), (held[..2].to_vec(), held[2..].to_vec()));
    let causes = |cause| ReviewFilter { causes: ReviewCauses::of(&[cause]), ..queue.filter.clone() };
    for (cause, expected) in [(ReviewCause::New, &held[..]), (ReviewCause::Report, &[][..])] {
        assert_eq!(queue.listed(&ReviewQuery { filter: causes(cause), ..queue.query(10) }).await, expected);
    }
    for (name, expected) in [("author", &held[..]), ("replier", &[][..])] {
        assert_eq!(queue.listed(&ReviewQuery { member: Some(member(name)), ..queue.query(10) }).await, expected);
    }
    let verdict = fixture.verdict(held[1], CommentAct::Approve).await;
    fixture.run(&queue.key, verdict).await;
    let open: Vec<CommentId> = held.iter().copied().filter(|id| *id != held[1]).collect();
    assert_eq!(queue.listed(&queue.query(10)).await, open, "a judged review is in no queue");
    let types = [queue.filter.object_type.clone(), ObjectType::stored("without_reviews".to_owned())];
    let due_time = first[0].due_time.expect("open");
    let backlog = ReviewBacklog { object_type: types[0].clone(), open: 4, due_time };
    assert_eq!(fixture.process.reviews.backlogs(&types).await, Ok(vec![backlog]));
}

pub(super) async fn what_waits_for_a_service_alone_is_for_moderators_when_it_is_due(backend: Backend) {
    let fixture = Fixture::new(&backend, "what_waits_for_a_service_alone_is_for_moderators_when_it_is_due");
    let queue = Queue::new(&fixture).await;
    let waits = queue.held_roots(1).await[0];
    let mut unchecked = Vec::new();
    for causes in [&[][..], &[ReviewCause::Flag]] {
        let more_causes = ReviewCauses::of(causes);
        let judged = PolicyJudgement { disposition: Disposition::Unchecked, more_causes, ..PolicyJudgement::default() };
        let verb = Create { judged, ..fixture.root_verb(&queue.key, "author").await };
        unchecked.push(comment(&fixture.run(&queue.key, verb).await).comment.reference.id);
    }
    let shown = fixture.root(&queue.key).await.comment.reference.id;
    let edit = Edit::allowed(fixture.target(shown).await, member("author"), text("edited"));
    fixture.run(&queue.key, Edit { judged: Disposition::Unchecked.into(), ..edit }).await;
    let sorted = |mut ids: Vec<CommentId>| {
        ids.sort_unstable();
        ids
    };
    // A flag of a list is for moderators, whatever else the text waits for.
    let for_moderators = sorted(vec![waits, unchecked[1]]);
    let for_services = sorted(vec![unchecked[0], unchecked[1], shown]);
    for leased in [false, true] {
        let all = ReviewQuery { leased, ..queue.query(10) };
        assert_eq!(sorted(queue.listed(&all).await), for_moderators);
        let filter = ReviewFilter { causes: ReviewCauses::OUTAGE, ..queue.filter.clone() };
        assert_eq!(sorted(queue.listed(&ReviewQuery { filter, ..all }).await), for_services);
    }
    assert_eq!(sorted(ids(&queue.claim("a", 1, LONG, 10).await)), for_moderators);
}

pub(super) async fn a_lease_excludes_others_until_it_ends(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_lease_excludes_others_until_it_ends");
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(3).await;
    let leased = queue.claim("a", 1, LONG, 2).await;
    assert_eq!(leased.len(), 2);
    let rest: Vec<CommentId> = held.iter().copied().filter(|id| !ids(&leased).contains(id)).collect();
    assert_eq!(queue.listed(&queue.query(10)).await, rest);
    assert_eq!(queue.listed(&ReviewQuery { leased: true, ..queue.query(10) }).await, held);
    assert_eq!(ids(&queue.claim("b", 2, LONG, 9).await), rest);
    assert_eq!(queue.claim("c", 3, LONG, 9).await, Vec::new());
    let again = queue.claim("a", 1, LONG, 1).await;
    assert_eq!(ids(&again), ids(&leased), "a repeat renews the leases, whatever its limit");
    assert!(again.iter().all(|review| review.expired_leases == 0));
    // The verdict of another moderator fails, that of the holder ends the lease.
    let id = leased[0].comment_id;
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    assert_eq!(fixture.rejection(&queue.key, verdict).await, Error::ReviewLeaseLost, "the moderator is mod");
    let taken = queue.claim("mod", 4, LONG, 9).await;
    assert_eq!(taken, Vec::new());
    // Only the moderator of a lease gives it back, and only once.
    for (moderator, token, released) in [("b", 1, 0), ("a", 2, 0), ("a", 1, 2), ("a", 1, 0)] {
        let ended = fixture.process.reviews.release(&ids(&leased), &member(moderator), queue.token(token)).await;
        assert_eq!(ended, Ok(released), "{moderator} {token}");
    }
    assert_eq!(queue.claim("mod", 4, LONG, 9).await.len(), 2);
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    fixture.run(&queue.key, verdict).await;
    assert!(fixture.review(id).await.is_some_and(|review| review.lease.is_none()));
}

pub(super) async fn a_lease_that_has_ended_is_counted_and_claimed_again(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_lease_that_has_ended_is_counted_and_claimed_again");
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(1).await;
    assert_eq!(ids(&queue.claim("a", 1, Duration::from_millis(1), 1).await), held);
    let taken = loop {
        let taken = queue.claim("b", 2, LONG, 1).await;
        if !taken.is_empty() {
            break taken;
        }
    };
    assert_eq!((ids(&taken), taken[0].expired_leases), (held, 1));
    assert_eq!(taken[0].lease.as_ref().map(|lease| lease.holder.as_str()), Some("b"));
}

pub(super) async fn no_two_leases_of_a_review_last_at_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "no_two_leases_of_a_review_last_at_once");
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(24).await;
    let claims = (1..=12).map(|n| {
        let queue = &queue;
        async move { ids(&queue.claim(&format!("m{n}"), n, LONG, 4).await) }
    });
    let claimed: Vec<CommentId> = join_all(claims).await.into_iter().flatten().collect();
    let distinct: BTreeSet<CommentId> = claimed.iter().copied().collect();
    assert_eq!(distinct.len(), claimed.len(), "a review was leased twice");
    let rest = queue.claim("last", 99, LONG, 24).await;
    let all: BTreeSet<CommentId> = distinct.into_iter().chain(ids(&rest)).collect();
    assert_eq!(all, held.into_iter().collect(), "no review is lost");
}

pub(super) async fn the_unlisted_comments_of_a_member_are_listed_newest_first(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_unlisted_comments_of_a_member_are_listed_newest_first");
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(5).await;
    let shown = fixture.root(&queue.key).await.comment.reference.id;
    let subject = fixture.subject(&queue.key).await.id;
    let rejected = std::cell::Cell::new(None);
    let listed = async |name: &str, before: Option<CommentId>, limit: usize| {
        let member = member(name);
        let found = fixture.process.reader.unlisted(&queue.key, subject, &member, before, limit).await.expect("read");
        // Only the author of a rejected comment finds it for a time.
        let rejected = rejected.get();
        assert!(found.iter().all(|row| row.was_rejected_recently == (rejected == Some(row.comment_id))), "{found:?}");
        found.into_iter().map(|row| row.comment_id).collect::<Vec<_>>()
    };
    let [a, b, c, d, e] = <[CommentId; 5]>::try_from(held).expect("five");
    for (act, id) in [(CommentAct::Approve, b), (CommentAct::Reject, c)] {
        let verdict = fixture.verdict(id, act).await;
        fixture.run(&queue.key, verdict).await;
    }
    rejected.set(Some(c));
    assert_eq!(listed("author", None, 10).await, [e, d, c, a]);
    assert_eq!((listed("author", None, 2).await, listed("author", Some(d), 9).await), (vec![e, d], vec![c, a]));
    assert_eq!(listed("replier", None, 10).await, []);
    // A decision takes a visible text out of sight, and another one shows it again.
    for (act, unshown) in [(CommentAct::Hide, vec![shown, e, d, c, a]), (CommentAct::Unhide, vec![e, d, c, a])] {
        let verdict = fixture.verdict(shown, act).await;
        fixture.run(&queue.key, verdict).await;
        assert_eq!(listed("author", None, 10).await, unshown, "{act:?}");
    }
    // An edit that waits lists its comment; one that was judged does not.
    let edit = Edit::allowed(fixture.target(shown).await, member("author"), text("edited"));
    fixture.run(&queue.key, Edit { judged: Disposition::Hold.into(), ..edit }).await;
    assert_eq!(listed("author", None, 10).await, [shown, e, d, c, a]);
    let etag = proposal_etag(&fixture.view(shown).await.comment, fixture.review(shown).await.as_ref());
    let verdict = fixture.verdict_on(shown, CommentAct::RejectEdit, etag).await;
    fixture.run(&queue.key, verdict).await;
    assert_eq!(listed("author", None, 10).await, [e, d, c, a]);
}

pub(super) async fn due_times_and_leases_use_the_clock_of_the_database(backend: Backend) {
    let fixture = Fixture::new(&backend, "due_times_and_leases_use_the_clock_of_the_database");
    let queue = Queue::new(&fixture).await;
    let first = queue.held_roots(1).await[0];
    // The process that commits the second comment has a clock that is a year ahead.
    let verb = Create { moderation: ModerationMode::Pre, ..fixture.root_verb(&queue.key, "author").await };
    let second = verb.id;
    let mut command = fixture.command(&queue.key, verb);
    command.now = command.now.plus(YEAR);
    fixture.send(&command).await.expect("created");
    let mut due = Vec::new();
    for id in [first, second] {
        due.push(fixture.review(id).await.and_then(|review| review.due_time).expect("open"));
    }
    assert!(due[0] <= due[1] && due[1] < due[0].plus(LONG), "{due:?}");
    // A lease that lasts is not over for that process, and one that has ended is for one behind.
    let leased = queue.claim("a", 1, LONG, 2).await;
    assert_eq!(leased.len(), 2);
    let verdict = fixture.verdict(first, CommentAct::Approve).await;
    let mut command = fixture.command(&queue.key, verdict);
    let now = command.now;
    command.now = now.plus(YEAR);
    assert_eq!(fixture.send(&command).await, Err(Error::ReviewLeaseLost));
    fixture.process.reviews.release(&ids(&leased), &member("a"), queue.token(1)).await.expect("released");
    queue.claim("a", 2, Duration::from_millis(1), 2).await;
    command.now = Millis(now.0 - YEAR.as_millis() as i64);
    while fixture.send(&command).await == Err(Error::ReviewLeaseLost) {}
    assert!(fixture.review(first).await.is_some_and(|review| review.open().is_empty()));
}

pub(super) async fn reviews_below_a_deleted_subject_are_closed_and_opened_again_by_a_repair(backend: Backend) {
    let name = "reviews_below_a_deleted_subject_are_closed_and_opened_again_by_a_repair";
    let fixture = Fixture::new(&backend, name);
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(3).await;
    let other = fixture.key_of(queue.key.object_type().as_str(), "other");
    fixture.open(&other).await;
    let below_other = fixture.held_root(&other).await;
    let waiting = fixture.review(held[0]).await;
    fixture.run(&queue.key, DeleteSubject { etag: String::new() }).await;
    assert_eq!(ids(&queue.claim("a", 1, LONG, 2).await), [below_other], "reviews below a deleted subject are skipped");
    for id in &held {
        let review = fixture.review(*id).await.expect("a review");
        assert!(review.open().is_empty() && !review.causes.is_empty(), "{review:?}");
    }
    assert_eq!(queue.claim("b", 2, LONG, 9).await, Vec::new());
    fixture.run(&queue.key, UndeleteSubject).await;
    let drifts = fixture.process.reader.verify(&queue.key).await.expect("verified").drifts;
    let open = |id: &CommentId| CountDrift { comment: Some(*id), count: "review_open", stored: 0, actual: 1 };
    assert_eq!(drifts, held.iter().map(open).collect::<Vec<_>>());
    let repaired = fixture.process.repairer.repair(&queue.key, Millis(1)).await;
    assert_eq!(repaired.expect("repaired").expect("exists").drifts, drifts);
    assert_eq!(fixture.review(held[0]).await, waiting, "it is due at the same time");
    let events = fixture.events(&queue.key).await;
    let recounted = events.last().expect("an event").changes.comments.iter();
    assert!(recounted.map(|change| (change.id, change.kind)).eq(held.iter().map(|id| (*id, ChangeKind::Recounted))));
    assert_eq!(ids(&queue.claim("b", 2, LONG, 9).await), held);
}

pub(super) async fn closed_reviews_are_opened_again_after_their_subject_was_restored(backend: Backend) {
    let fixture = Fixture::new(&backend, "closed_reviews_are_opened_again_after_their_subject_was_restored");
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(3).await;
    let subject = [fixture.subject(&queue.key).await.id];
    let waiting = fixture.review(held[0]).await;
    fixture.author_deletes(&queue.key, held[2]).await;
    fixture.run(&queue.key, DeleteSubject { etag: String::new() }).await;
    assert_eq!(queue.claim("a", 1, LONG, 9).await, Vec::new());
    let reviews = &fixture.process.reviews;
    assert_eq!(reviews.reopen(&subject).await, Ok(0), "the subject is deleted");
    assert!(fixture.review(held[0]).await.is_some_and(|review| review.open().is_empty()));
    fixture.run(&queue.key, UndeleteSubject).await;
    assert_eq!(reviews.reopen(&subject).await, Ok(2), "a deleted comment stays closed");
    assert_eq!(reviews.reopen(&subject).await, Ok(0));
    assert_eq!(fixture.review(held[0]).await, waiting);
    fixture.check_counts(&queue.key).await;
    assert_eq!(ids(&queue.claim("a", 1, LONG, 9).await), held[..2]);
}
