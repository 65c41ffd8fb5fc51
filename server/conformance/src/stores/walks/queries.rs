//! The queries of a walk, sent to both readers.

use std::fmt::Debug;

use futures::future::BoxFuture;
use rand::RngExt;
use rand::seq::IndexedRandom;
use riposte_core::comment::CommentView;
use riposte_core::page::{
    Liker, LikerCursor, LikersQuery, ListOrder, PageQuery, PageStart, ReplyPage, RootPage, SubjectCursor, SubtreeQuery,
};
use riposte_core::ports::{CommentRows, ExportedLike, RankIndexes, RankingSnapshots, Reader, SubjectRows};
use riposte_core::rank::{RankSort, RankedList};
use riposte_core::request::IdempotencyKey;
use riposte_core::review::Review;
use riposte_core::{CommentId, LikeValue, Millis, ObjectType, Path, Result, Subject, SubjectKey};

use super::Walker;
use super::commands::MEMBERS;
use crate::model::count_audit::audit_counts;
use crate::stores::backend::StepClock;
use crate::stores::fixture::member;
use crate::stores::histories::rebuild;

/// Returns what a reader returned, as any reader may see it. A cache has no other content.
fn shown<'r, T: 'r>(
    read: impl Future<Output = Result<Option<T>>> + Send + 'r,
    redact: fn(T) -> T,
) -> BoxFuture<'r, Result<Option<T>>> {
    Box::pin(async move { Ok(read.await?.map(redact)) })
}

/// Returns a page of roots as readers see it, without what the revision of a root does not cover: a
/// reply that waits takes a floor of its root, and the cache need not know.
fn seen_roots(page: RootPage) -> RootPage {
    let mut page = page.redacted();
    let threads = page.threads.items.iter_mut().chain(&mut page.pinned);
    threads.for_each(|thread| thread.root.comment.next_floor = 0);
    page
}

/// Returns a page of replies as [`seen_roots`] does.
fn seen_replies(page: ReplyPage) -> ReplyPage {
    let mut page = page.redacted();
    page.root.comment.next_floor = 0;
    page
}

/// Returns comments as their authors may see them, without the next floors of roots.
fn shown_to_authors<'r>(
    read: impl Future<Output = Result<Vec<Option<CommentView>>>> + Send + 'r,
) -> BoxFuture<'r, Result<Vec<Option<CommentView>>>> {
    let shown = |view: CommentView| {
        let author = view.comment.reference.member.clone();
        let mut view = view.seen_by(Some(&author));
        view.comment.next_floor = 0;
        view
    };
    Box::pin(async move { Ok(read.await?.into_iter().map(|view| view.map(shown)).collect()) })
}

/// Returns reviews without the times of their database: the oracle has another clock.
fn timeless<'r>(
    read: impl Future<Output = Result<Vec<Option<Review>>>> + Send + 'r,
) -> BoxFuture<'r, Result<Vec<Option<Review>>>> {
    let timeless = |review: Review| Review {
        due_time: review.due_time.map(|_| Millis(0)),
        unlisted_until: review.unlisted_until.map(|_| Millis(0)),
        ..review
    };
    Box::pin(async move { Ok(read.await?.into_iter().map(|review| review.map(timeless)).collect()) })
}

impl Walker {
    /// Sends the same query to both readers and compares the results.
    async fn compare<'r, T: Debug + PartialEq>(
        &'r self,
        description: impl Debug,
        query: impl Fn(&'r dyn Reader) -> BoxFuture<'r, Result<T>>,
    ) {
        let [backend, oracle] = self.readers();
        let (found, expected) = (query(backend).await, query(oracle).await);
        assert_eq!(found, expected, "the backend and the oracle differ: {description:?}");
    }

    /// Sends a random query.
    pub(super) async fn query(&mut self) {
        let key = self.key();
        let (id, other) = (self.comment_of(&key).await, self.comment_of(&key).await);
        match self.random_below(15) {
            0 => self.query_subjects().await,
            1 => self.query_ids().await,
            2..=3 => {
                // Previews depend on rank indexes, whose update takes far longer than the query.
                let previews = if self.chance(10) { self.rng.random_range(1..=4) } else { 0 };
                if previews > 0 {
                    self.rank(&key).await;
                }
                let window = self.window(&key).await;
                let description = ("roots", &key, window, previews);
                self.compare(description, |r| shown(r.roots(&key, window, previews), seen_roots)).await;
            }
            4..=5 => {
                let root = self.root_of(id).await;
                let window = self.window(&key).await;
                self.compare(("replies", &key, root, window), |r| shown(r.replies(&key, root, window), seen_replies))
                    .await;
            }
            6..=7 => {
                let query = self.subtree_query(id, other).await;
                self.compare(("thread", &key, &query), |r| Box::pin(r.thread(&key, &query))).await;
            }
            8 => {
                let limit = self.rng.random_range(1..=5);
                self.compare(("conversation", id, limit), |r| Box::pin(r.conversation(&key, id, limit))).await;
            }
            9 => {
                self.compare(("revisions", id), |r| Box::pin(r.revisions(id))).await;
                self.compare(("decisions", id), |r| Box::pin(r.decisions(id, None, 3))).await;
            }
            10 => self.query_likes(&key, id, other).await,
            11 => self.query_requests(&key).await,
            12 => self.query_export(&key, id).await,
            14 if self.chance(20) => self.query_ranking(&key, id).await,
            13.. => self.compare(("verify", &key), |r| Box::pin(r.verify(&key))).await,
        }
    }

    /// Brings both rank indexes up to date. Another case that applies events may already have
    /// updated those of the backend.
    async fn rank(&self, key: &SubjectKey) {
        for rank_indexes in [self.backend.rank_indexes.as_ref(), &self.oracle as &dyn RankIndexes] {
            rank_indexes.rebuild(key, None, 100_000).await.expect("rebuilt");
        }
    }

    /// Queries a new ranking, the comments outside it, and the comments of some floors.
    async fn query_ranking(&mut self, key: &SubjectKey, id: CommentId) {
        self.rank(key).await;
        let root = self.root_of(id).await;
        let list = match self.rng.random_range(0..=RankSort::ALL.len()) {
            n if n < RankSort::ALL.len() => RankedList::Roots(key.clone(), RankSort::ALL[n]),
            _ => RankedList::Replies(key.clone(), root),
        };
        // Each query is later than the one before by more than the lifetime of a ranking.
        let now = Millis(StepClock::START.0 + 1_000_000_000 + self.next_number().cast_signed() * 300_000);
        let found = self.backend.rankings.current(&list, now).await;
        let expected = self.oracle.current(&list, now).await;
        assert_eq!(found, expected, "the backend and the oracle rank differently: {list:?}");
        let Some((ranking, next)) = expected.expect("ranked") else { return };
        let (from, limit) = (self.rng.random_range(0..=next), self.rng.random_range(1..=30));
        let order = if self.chance(50) { ListOrder::Oldest } else { ListOrder::Newest };
        let found = self.backend.rankings.unranked(&list, &ranking, from..next, order, limit).await;
        let expected = self.oracle.unranked(&list, &ranking, from..next, order, limit).await;
        assert_eq!(found, expected, "the backend and the oracle list other unranked comments: {list:?}");
        let floors: Vec<i32> = ranking.floors.iter().copied().chain(expected.expect("read")).collect();
        match list.root() {
            None => {
                let description = ("roots_at", key, &floors);
                self.compare(description, |r| shown(r.roots_at(key, &floors, 3), seen_roots)).await;
            }
            Some(root) => {
                let description = ("replies_at", &floors);
                self.compare(description, |r| shown(r.replies_at(key, root, &floors), seen_replies)).await;
            }
        }
    }

    async fn query_subjects(&mut self) {
        let keys = [self.key(), self.fixture.key_named("absent"), self.key(), self.key()];
        self.compare(("subjects", &keys), |r| Box::pin(r.subjects(&keys))).await;
        let object_type = keys[0].object_type().clone();
        let limit = self.rng.random_range(1..=3);
        self.compare(("list_subjects", &object_type), |r| Box::pin(all_subjects(r, &object_type, limit))).await;
    }

    async fn query_ids(&mut self) {
        let mut ids = Vec::new();
        for _ in 0..self.rng.random_range(1..=9) {
            let key = self.key();
            ids.push(self.comment_of(&key).await);
        }
        self.compare(("comments", &ids), |r| shown_to_authors(r.comments(&ids))).await;
        self.compare(("locate", &ids), |r| Box::pin(r.locate(&ids))).await;
        self.compare(("reviews", &ids), |r| timeless(r.reviews(&ids))).await;
        self.compare(("proposals", &ids), |r| Box::pin(r.proposals(&ids))).await;
        self.compare(("originals", &ids), |r| Box::pin(r.originals(&ids))).await;
    }

    async fn query_likes(&mut self, key: &SubjectKey, id: CommentId, other: CommentId) {
        let (member, ids) = (self.member(), [id, other, id]);
        self.compare(("like_states", key, &member, ids), |r| Box::pin(r.like_states(key, &member, &ids))).await;
        let value = if self.chance(60) { LikeValue::Like } else { LikeValue::Dislike };
        let limit = self.rng.random_range(1..=4);
        let time = riposte_core::Millis(self.time - self.rng.random_range(0..20_000));
        let after = self.chance(50).then(|| LikerCursor { time, member: member.clone() });
        let after = after.as_ref();
        self.compare(("likers", id, value, after, limit), |r| Box::pin(r.likers(id, value, after, limit))).await;
        let first = (0..limit - 1).map(|_| self.member()).collect();
        let query = LikersQuery { ids: vec![other, id, other], value, first, limit };
        self.compare(("comment_likers", key, &query), |r| Box::pin(r.comment_likers(key, &query))).await;
        let after = self.chance(50).then_some(other);
        self.compare(("member_likes", key, &member, after, limit), |r| {
            Box::pin(r.member_likes(key, &member, after, limit))
        })
        .await;
        let liker = Liker { member: member.clone(), value, time };
        let after = self.chance(50).then_some(ExportedLike { comment: id, liker });
        let after = after.as_ref();
        self.compare(("export_likes", ids, after, limit), |r| Box::pin(r.export_likes(&ids, after, limit))).await;
    }

    async fn query_requests(&mut self, key: &SubjectKey) {
        let mut keys = vec![IdempotencyKey([7; 16])];
        for _ in 0..4 {
            keys.extend(self.sent.choose(&mut self.rng).map(|command| command.request.key));
        }
        self.compare(("created_by", key, &keys), |r| Box::pin(r.created_by(key, &keys))).await;
    }

    async fn query_export(&mut self, key: &SubjectKey, id: CommentId) {
        let exists = self.created.iter().any(|(_, created)| *created == id);
        let after = (exists && self.chance(70)).then_some(id);
        let limit = self.rng.random_range(1..=30);
        self.compare(("export_comments", key, after, limit), |r| Box::pin(r.export_comments(key, after, limit))).await;
    }

    async fn window(&mut self, key: &SubjectKey) -> PageQuery {
        let subject = self.oracle.subjects(std::slice::from_ref(key)).await.expect("read").remove(0);
        let floor = self.rng.random_range(0..=subject.map_or(1, |subject| subject.next_floor) + 1);
        let start = match self.random_below(7) {
            0 => PageStart::Beginning,
            1..=2 => PageStart::After(floor),
            3..=4 => PageStart::Before(floor),
            5.. => PageStart::Around(floor),
        };
        let order = if self.chance(50) { ListOrder::Oldest } else { ListOrder::Newest };
        PageQuery { order, start, limit: *[1, 2, 3, 5, 20, 100].choose(&mut self.rng).expect("six of them") }
    }

    async fn root_of(&mut self, id: CommentId) -> CommentId {
        let found = self.oracle.locate(&[id]).await.expect("located").remove(0);
        found.filter(|_| !self.chance(10)).map_or(id, |at| at.root())
    }

    async fn subtree_query(&mut self, id: CommentId, other: CommentId) -> SubtreeQuery {
        let located = self.oracle.locate(&[id, other]).await.expect("located");
        let [top, after] = [0, 1].map(|n| located[n].as_ref().map(|at| at.path.clone()));
        let top = top.unwrap_or_else(|| Path::root(id));
        // A continuation names the last returned comment, which belongs to the same subtree.
        let after = after.filter(|after| *after == top || top.is_above(after)).filter(|_| self.chance(60));
        let max_depth = if self.chance(50) { 32 } else { self.rng.random_range(0..=4) };
        SubtreeQuery { top, max_depth, after, limit: self.rng.random_range(1..=12) }
    }

    /// Queries everything, at the end of the walk.
    pub(super) async fn query_everything(&mut self) {
        for key in &self.keys {
            self.rank(key).await;
            let all = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 100 };
            self.compare(("roots", key), |r| shown(r.roots(key, all, 10), seen_roots)).await;
            self.compare(("export", key), |r| Box::pin(r.export_comments(key, None, 10_000))).await;
            self.compare(("count audit", key), |r| Box::pin(audit_counts(r, key))).await;
            self.compare(("verify", key), |r| Box::pin(r.verify(key))).await;
            rebuild(self.backend.histories.as_ref(), key, 60).await;
        }
        for (key, author) in self.keys.iter().flat_map(|key| MEMBERS.map(|name| (key, member(name)))) {
            for all in [false, true] {
                let (object_type, author) = (key.object_type(), &author);
                self.compare(("member_comments", object_type, author, all), |r| {
                    Box::pin(r.member_comments(object_type, author, all, None, 10_000))
                })
                .await;
            }
            for limit in [3, 50] {
                let (object_type, author) = (key.object_type(), &author);
                self.compare(("active_comments", object_type, author, limit), |r| {
                    Box::pin(r.active_comments(object_type, author, limit))
                })
                .await;
            }
        }
        let ids: Vec<CommentId> = self.created.iter().map(|(_, id)| *id).collect();
        for ids in ids.chunks(200) {
            self.compare("comments", |r| shown_to_authors(r.comments(ids))).await;
            self.compare("locate", |r| Box::pin(r.locate(ids))).await;
            self.compare("reviews", |r| timeless(r.reviews(ids))).await;
            self.compare("proposals", |r| Box::pin(r.proposals(ids))).await;
        }
        for id in self.created.iter().map(|(_, id)| *id) {
            self.compare(("decisions", id), |r| Box::pin(r.decisions(id, None, 10_000))).await;
        }
        let keys: Vec<IdempotencyKey> = self.sent.iter().map(|command| command.request.key).collect();
        for key in &self.keys {
            self.compare("created_by", |r| Box::pin(r.created_by(key, &keys))).await;
        }
    }
}

/// Returns all subjects of a type, by id. The order in which a store lists them is not specified.
async fn all_subjects(reader: &dyn Reader, object_type: &ObjectType, limit: usize) -> Result<Vec<Subject>> {
    let (mut subjects, mut cursor) = (Vec::new(), Some(SubjectCursor::default()));
    while let Some(at) = cursor {
        let (part, next) = reader.list_subjects(Some(object_type), at, limit).await?;
        subjects.extend(part);
        cursor = next;
    }
    subjects.sort_by_key(|subject| subject.id);
    Ok(subjects)
}
