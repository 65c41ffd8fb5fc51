//! The queue of open reviews and its leases.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use riposte_core::act::CommentAct;
use riposte_core::ports::{ReviewBacklog, ReviewClaim, ReviewCursor, ReviewFilter, ReviewQuery};
use riposte_core::review::{LeaseToken, Review, ReviewCause, ReviewCauses};
use riposte_core::{CommentId, Error, ObjectType, SubjectKey};
use xxhash_rust::xxh3::xxh3_64;

use super::backend::Backend;
use super::fixture::{Fixture, member};

/// A time that no case outlasts, also on a clock of commands that is months ahead.
const LONG: Duration = Duration::from_secs(400 * 86_400);

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
    let released = fixture.process.reviews.release(&ids(&leased), queue.token(1)).await;
    assert_eq!(released, Ok(2));
    assert_eq!(fixture.process.reviews.release(&ids(&leased), queue.token(1)).await, Ok(0));
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

pub(super) async fn the_unshown_comments_of_a_member_are_listed_newest_first(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_unshown_comments_of_a_member_are_listed_newest_first");
    let queue = Queue::new(&fixture).await;
    let held = queue.held_roots(5).await;
    let shown = fixture.root(&queue.key).await.comment.reference.id;
    let subject = fixture.subject(&queue.key).await.id;
    let listed = async |name: &str, before: Option<CommentId>, limit: usize| {
        fixture.process.reader.unshown(&queue.key, subject, &member(name), before, limit).await.expect("read")
    };
    let [a, b, c, d, e] = <[CommentId; 5]>::try_from(held).expect("five");
    for (act, id) in [(CommentAct::Approve, b), (CommentAct::Reject, c)] {
        let verdict = fixture.verdict(id, act).await;
        fixture.run(&queue.key, verdict).await;
    }
    assert_eq!(listed("author", None, 10).await, [e, d, c, a]);
    assert_eq!((listed("author", None, 2).await, listed("author", Some(d), 9).await), (vec![e, d], vec![c, a]));
    assert_eq!(listed("replier", None, 10).await, []);
    // A decision takes a visible text out of sight, and another one shows it again.
    for (act, unshown) in [(CommentAct::Hide, vec![shown, e, d, c, a]), (CommentAct::Unhide, vec![e, d, c, a])] {
        let verdict = fixture.verdict(shown, act).await;
        fixture.run(&queue.key, verdict).await;
        assert_eq!(listed("author", None, 10).await, unshown, "{act:?}");
    }
}
