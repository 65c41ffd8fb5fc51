//! The queries of a walk, sent to both readers.

use std::fmt::Debug;

use futures::future::BoxFuture;
use rand::RngExt;
use rand::seq::IndexedRandom;
use riposte_core::page::{LikerCursor, ListOrder, PageQuery, PageStart, SubjectCursor, SubtreeQuery};
use riposte_core::ports::{CommentRows, RankIndexes, Rankings, Reader, SubjectRows};
use riposte_core::rank::{RankSort, RankedList};
use riposte_core::request::IdempotencyKey;
use riposte_core::{CommentId, LikeValue, Millis, ObjectType, Path, Result, Subject, SubjectKey};

use super::Walker;
use super::verbs::MEMBERS;
use crate::model::census::census;
use crate::stores::backend::StepClock;
use crate::stores::fixture::member;
use crate::stores::histories::rebuild;

impl Walker {
    /// Sends the same query to both readers and compares the results.
    async fn same<'r, T: Debug + PartialEq>(
        &'r self,
        question: impl Debug,
        ask: impl Fn(&'r dyn Reader) -> BoxFuture<'r, Result<T>>,
    ) {
        let [backend, oracle] = self.readers();
        let (theirs, ours) = (ask(backend).await, ask(oracle).await);
        assert_eq!(theirs, ours, "backend and oracle answer alike: {question:?}");
    }

    /// Sends one random query out of all that exist.
    pub(super) async fn ask(&mut self) {
        let key = self.key();
        let (id, other) = (self.comment_of(&key).await, self.comment_of(&key).await);
        match self.die(15) {
            0 => self.ask_subjects().await,
            1 => self.ask_ids().await,
            2..=3 => {
                // Previews depend on rank indexes, whose update takes far longer than the query.
                let previews = if self.chance(10) { self.dice.random_range(1..=4) } else { 0 };
                if previews > 0 {
                    self.rank(&key).await;
                }
                let window = self.window(&key).await;
                let ask = (&key, window, previews);
                self.same(("roots", ask), |r| Box::pin(r.roots(&key, window, previews))).await;
            }
            4..=5 => {
                let root = self.root_of(id).await;
                let window = self.window(&key).await;
                self.same(("replies", &key, root, window), |r| Box::pin(r.replies(&key, root, window))).await;
            }
            6..=7 => {
                let part = self.part(id, other).await;
                self.same(("thread", &key, &part), |r| Box::pin(r.thread(&key, &part))).await;
            }
            8 => {
                let limit = self.dice.random_range(1..=5);
                self.same(("conversation", id, limit), |r| Box::pin(r.conversation(&key, id, limit))).await;
            }
            9 => self.same(("revisions", id), |r| Box::pin(r.revisions(id))).await,
            10 => self.ask_likes(&key, id, other).await,
            11 => self.ask_requests(&key).await,
            12 => self.ask_export(&key, id).await,
            14 if self.chance(20) => self.ask_ranking(&key, id).await,
            13.. => self.same(("verify", &key), |r| Box::pin(r.verify(&key))).await,
        }
    }

    /// Brings both rank indexes up to date. Another case that applies events may already have
    /// updated those of the backend.
    async fn rank(&self, key: &SubjectKey) {
        for boards in [self.backend.boards.as_ref(), &self.oracle as &dyn RankIndexes] {
            boards.rebuild(key, None, 100_000).await.expect("rebuilt");
        }
    }

    /// Queries a new ranking, the comments outside it, and the comments of some floors.
    async fn ask_ranking(&mut self, key: &SubjectKey, id: CommentId) {
        self.rank(key).await;
        let root = self.root_of(id).await;
        let list = match self.dice.random_range(0..=RankSort::ALL.len()) {
            n if n < RankSort::ALL.len() => RankedList::Roots(key.clone(), RankSort::ALL[n]),
            _ => RankedList::Replies(key.clone(), root),
        };
        // Each query is later than the one before by more than the lifetime of a ranking.
        let now = Millis(StepClock::START.0 + 1_000_000_000 + self.assign_sequence().cast_signed() * 300_000);
        let theirs = self.backend.rankings.current(&list, now).await;
        let ours = self.oracle.current(&list, now).await;
        assert_eq!(theirs, ours, "backend and oracle rank alike: {list:?}");
        let Some((ranking, next)) = ours.expect("ranked") else { return };
        let (from, limit) = (self.dice.random_range(0..=next), self.dice.random_range(1..=30));
        let order = if self.chance(50) { ListOrder::Oldest } else { ListOrder::Newest };
        let theirs = self.backend.rankings.others(&list, &ranking, from..next, order, limit).await;
        let ours = self.oracle.others(&list, &ranking, from..next, order, limit).await;
        assert_eq!(theirs, ours, "backend and oracle list the same comments outside a ranking: {list:?}");
        let floors: Vec<i32> = ranking.floors.iter().copied().chain(ours.expect("read")).collect();
        match list.root() {
            None => self.same(("roots_at", key, &floors), |r| Box::pin(r.roots_at(key, &floors, 3))).await,
            Some(root) => self.same(("replies_at", &floors), |r| Box::pin(r.replies_at(key, root, &floors))).await,
        }
    }

    async fn ask_subjects(&mut self) {
        let keys = [self.key(), self.fixture.key_named("absent"), self.key(), self.key()];
        self.same(("subjects", &keys), |r| Box::pin(r.subjects(&keys))).await;
        let kind = keys[0].object_type().clone();
        let limit = self.dice.random_range(1..=3);
        self.same(("list_subjects", &kind), |r| Box::pin(all_subjects(r, &kind, limit))).await;
    }

    async fn ask_ids(&mut self) {
        let mut ids = Vec::new();
        for _ in 0..self.dice.random_range(1..=9) {
            let key = self.key();
            ids.push(self.comment_of(&key).await);
        }
        self.same(("comments", &ids), |r| Box::pin(r.comments(&ids))).await;
        self.same(("locate", &ids), |r| Box::pin(r.locate(&ids))).await;
    }

    async fn ask_likes(&mut self, key: &SubjectKey, id: CommentId, other: CommentId) {
        let (member, ids) = (self.member(), [id, other, id]);
        self.same(("like_states", key, &member, ids), |r| Box::pin(r.like_states(key, &member, &ids))).await;
        let value = if self.chance(60) { LikeValue::Like } else { LikeValue::Dislike };
        let limit = self.dice.random_range(1..=4);
        let time = riposte_core::Millis(self.time - self.dice.random_range(0..20_000));
        let after = self.chance(50).then(|| LikerCursor { time, member: member.clone() });
        let after = after.as_ref();
        self.same(("likers", id, value, after, limit), |r| Box::pin(r.likers(id, value, after, limit))).await;
        let behind = self.chance(50).then_some(other);
        self.same(("member_likes", key, &member, behind, limit), |r| {
            Box::pin(r.member_likes(key, &member, behind, limit))
        })
        .await;
        let behind = self.chance(50).then_some(&member);
        self.same(("export_likes", id, behind, limit), |r| Box::pin(r.export_likes(id, behind, limit))).await;
    }

    async fn ask_requests(&mut self, key: &SubjectKey) {
        let mut keys = vec![IdempotencyKey([7; 16])];
        for _ in 0..4 {
            keys.extend(self.sent.choose(&mut self.dice).map(|command| command.request.key));
        }
        self.same(("created_by", key, &keys), |r| Box::pin(r.created_by(key, &keys))).await;
    }

    async fn ask_export(&mut self, key: &SubjectKey, id: CommentId) {
        let there = self.made.iter().any(|(_, made)| *made == id);
        let after = (there && self.chance(70)).then_some(id);
        let limit = self.dice.random_range(1..=30);
        self.same(("export_comments", key, after, limit), |r| Box::pin(r.export_comments(key, after, limit))).await;
    }

    async fn window(&mut self, key: &SubjectKey) -> PageQuery {
        let subject = self.oracle.subjects(std::slice::from_ref(key)).await.expect("read").remove(0);
        let floor = self.dice.random_range(0..=subject.map_or(1, |subject| subject.next_floor) + 1);
        let start = match self.die(7) {
            0 => PageStart::Beginning,
            1..=2 => PageStart::After(floor),
            3..=4 => PageStart::Before(floor),
            5.. => PageStart::Around(floor),
        };
        let order = if self.chance(50) { ListOrder::Oldest } else { ListOrder::Newest };
        PageQuery { order, start, limit: *[1, 2, 3, 5, 20, 100].choose(&mut self.dice).expect("six of them") }
    }

    async fn root_of(&mut self, id: CommentId) -> CommentId {
        let found = self.oracle.locate(&[id]).await.expect("located").remove(0);
        found.filter(|_| !self.chance(10)).map_or(id, |at| at.root())
    }

    async fn part(&mut self, id: CommentId, other: CommentId) -> SubtreeQuery {
        let located = self.oracle.locate(&[id, other]).await.expect("located");
        let [top, after] = [0, 1].map(|n| located[n].as_ref().map(|at| at.path.clone()));
        let top = top.unwrap_or_else(|| Path::root(id));
        // A continuation names the last comment returned, which belongs to the same subtree.
        let after = after.filter(|after| *after == top || top.is_above(after)).filter(|_| self.chance(60));
        let max_depth = if self.chance(50) { 32 } else { self.dice.random_range(0..=4) };
        SubtreeQuery { top, max_depth, after, limit: self.dice.random_range(1..=12) }
    }

    /// Queries everything once more, at the end.
    pub(super) async fn sweep(&mut self) {
        for key in &self.keys {
            self.rank(key).await;
            let all = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 100 };
            self.same(("roots", key), |r| Box::pin(r.roots(key, all, 10))).await;
            self.same(("export", key), |r| Box::pin(r.export_comments(key, None, 10_000))).await;
            self.same(("census", key), |r| Box::pin(census(r, key))).await;
            self.same(("verify", key), |r| Box::pin(r.verify(key))).await;
            rebuild(self.backend.histories.as_ref(), key, 60).await;
        }
        for (key, who) in self.keys.iter().flat_map(|key| MEMBERS.map(|who| (key, member(who)))) {
            for all in [false, true] {
                let ask = (key.object_type(), &who, all);
                self.same(("member_comments", ask), |r| Box::pin(r.member_comments(ask.0, ask.1, all, None, 10_000)))
                    .await;
            }
        }
        let ids: Vec<CommentId> = self.made.iter().map(|(_, id)| *id).collect();
        for ids in ids.chunks(200) {
            self.same("comments", |r| Box::pin(r.comments(ids))).await;
            self.same("locate", |r| Box::pin(r.locate(ids))).await;
        }
        let keys: Vec<IdempotencyKey> = self.sent.iter().map(|command| command.request.key).collect();
        for key in &self.keys {
            self.same("created_by", |r| Box::pin(r.created_by(key, &keys))).await;
        }
    }
}

/// Returns the result of a whole walk over the subjects of a type; their order is not specified.
async fn all_subjects(reader: &dyn Reader, kind: &ObjectType, limit: usize) -> Result<Vec<Subject>> {
    let (mut subjects, mut cursor) = (Vec::new(), Some(SubjectCursor::default()));
    while let Some(at) = cursor {
        let (part, next) = reader.list_subjects(Some(kind), at, limit).await?;
        subjects.extend(part);
        cursor = next;
    }
    subjects.sort_by_key(|subject| subject.id);
    Ok(subjects)
}
