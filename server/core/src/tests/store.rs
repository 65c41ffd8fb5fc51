//! The ports over plain maps: one process and one thread, where nothing waits. Commands are applied
//! by the domain's own unit of work; a list is a filter and a sort.

mod reader;

use std::collections::BTreeMap;
use std::ops::Range;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;

use crate::domain::event::SequencedEvent;
use crate::domain::ids::IdTick;
use crate::domain::like::Like;
use crate::domain::page::{ContentRevision, ListOrder, Page, RootPage, Thread};
use crate::domain::rank::{RankedList, Ranking};
use crate::domain::request::{IdempotencyKey, IdempotencyRecord};
use crate::ports::{
    Clock, CountRepair, IdSource, MemberHistories, RankIndexes, Rankings, RebuildProgress, RepairReport,
};
use crate::{
    Batch, Command, CommandLog, CommandOutput, Comment, CommentId, CommentView, Content, MemberId, Millis, Partition,
    Result, Subject, SubjectId, SubjectKey, UnitOfWork,
};

/// Runs a future that never waits.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("a port of the fixture waits"),
    }
}

/// All rows of the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    pub(crate) subjects: BTreeMap<SubjectKey, Subject>,
    pub(crate) comments: BTreeMap<CommentId, (Comment, Content)>,
    likes: BTreeMap<(CommentId, MemberId), Like>,
    past: BTreeMap<CommentId, Vec<ContentRevision>>,
    made: BTreeMap<(SubjectId, IdempotencyKey), IdempotencyRecord>,
}

impl Rows {
    fn open(&self, key: &SubjectKey) -> Option<&Subject> {
        self.subjects.get(key).filter(|subject| subject.delete_time.is_none())
    }

    fn view(&self, id: CommentId) -> Option<CommentView> {
        let (comment, content) = self.comments.get(&id)?.clone();
        let subject = self.subjects.values().find(|subject| subject.id == comment.reference.subject_id)?;
        let pinned = subject.pins.contains(&id);
        Some(CommentView { comment, subject: subject.key.clone(), content: Some(content), pinned })
    }

    /// Returns the views of one subject, in the order of their ids.
    fn views(&self, key: &SubjectKey) -> Vec<CommentView> {
        let views = self.comments.keys().filter_map(|id| self.view(*id));
        views.filter(|view| view.subject == *key).collect()
    }

    /// Returns the listed roots of a subject, or the listed replies of a root.
    fn listed(&self, key: &SubjectKey, root: Option<CommentId>) -> Vec<CommentView> {
        self.views(key)
            .into_iter()
            .filter(|view| view.comment.reference.root_id == root && view.comment.lifecycle.listed)
            .collect()
    }

    fn at(&self, key: &SubjectKey, root: Option<CommentId>, floors: &[i32]) -> Vec<CommentView> {
        let listed = self.listed(key, root);
        floors
            .iter()
            .filter_map(|floor| listed.iter().find(|view| view.comment.reference.floor == *floor).cloned())
            .collect()
    }

    fn threads(&self, key: &SubjectKey, roots: Page<CommentView>, previews: u8) -> Option<RootPage> {
        let thread = |root: CommentView| {
            let mut replies = self.listed(key, Some(root.comment.reference.id));
            let more_replies = replies.len() > usize::from(previews);
            replies.truncate(usize::from(previews));
            Thread { root, replies, more_replies }
        };
        let subject = self.open(key)?.clone();
        let pinned = subject.pins.iter().filter_map(|id| self.view(*id)).map(thread).collect();
        Some(RootPage { subject, threads: roots.map(thread), pinned })
    }

    fn commit<K>(
        &mut self,
        batch: &[Command<K>],
        run: fn(&mut UnitOfWork, &Command<K>) -> Result<CommandOutput>,
    ) -> Vec<Result<CommandOutput>> {
        let mut unit = UnitOfWork::default();
        self.subjects.values().for_each(|subject| unit.load_subject(subject.clone()));
        self.likes.values().for_each(|like| unit.load_like(like.clone()));
        self.made.iter().for_each(|((subject, key), record)| unit.load_prior(*subject, *key, *record));
        for (comment, content) in self.comments.values() {
            unit.load_comment(comment.clone());
            unit.load_content(comment.reference.id, content.clone());
        }
        let outputs = batch.iter().map(|command| run(&mut unit, command)).collect();
        let (rows, told) = (unit.write_set(), |id: &CommentId| Some((unit.comment(*id)?, unit.content(*id)?)));
        for subject in rows.new_subjects.iter().chain(rows.subjects.keys()).filter_map(|key| unit.subject(key)) {
            self.subjects.insert(subject.key.clone(), subject.clone());
        }
        for (comment, content) in rows.new_comments.keys().chain(rows.comments.keys()).filter_map(told) {
            self.comments.insert(comment.reference.id, (comment.clone(), content.clone()));
        }
        for (id, request) in &rows.new_comments {
            let (fingerprint, comment) = (request.fingerprint, &self.comments[id].0);
            let record = IdempotencyRecord {
                verb: 0,
                fingerprint,
                comment: Some(*id),
                revision: comment.reference.born_revision,
            };
            self.made.insert((comment.reference.subject_id, request.key), record);
        }
        self.made.extend(rows.requests.iter().map(|(subject, key, record)| ((*subject, *key), *record)));
        for like in rows.likes.iter().filter_map(|(id, member)| unit.like(*id, member)) {
            self.likes.insert((like.comment_id, like.member.clone()), like.clone());
        }
        for edit in &rows.edits {
            let past = ContentRevision { version: edit.version, content: edit.content.clone(), time: edit.time };
            self.past.entry(edit.comment_id).or_default().push(past);
        }
        outputs
    }
}

/// A store with its own rows, in the role of a process.
#[derive(Debug, Default)]
pub(crate) struct Store {
    rows: Mutex<Rows>,
    /// The primary store, if these rows are cached data.
    origin: Option<Arc<Store>>,
    minted: AtomicI64,
    pub(crate) now: AtomicI64,
    /// The ranking snapshot of the next walk, and its bound.
    pub(crate) ranking: Mutex<Option<(Ranking, i32)>>,
    /// The commands of concurrent writers, the last one first: one is applied before each read by
    /// floors and before each write.
    pub(crate) meanwhile: Mutex<Vec<Command>>,
}

impl Store {
    /// Returns a store with the present rows as cached data.
    pub(crate) fn copies(self: &Arc<Self>) -> Self {
        Self { rows: Mutex::new(self.rows().clone()), origin: Some(Arc::clone(self)), ..Self::default() }
    }

    pub(crate) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().expect("no test panics while it holds the lock")
    }

    /// Returns the rows after the next concurrent write.
    fn rows_later(&self) -> MutexGuard<'_, Rows> {
        let mut rows = self.rows();
        let next = self.meanwhile.lock().expect("no test panics while it holds the lock").pop();
        rows.commit(next.as_slice(), UnitOfWork::run);
        rows
    }
}

fn first<T>(mut items: Vec<T>, more_before: bool, limit: usize) -> Page<T> {
    let more_after = items.len() > limit;
    items.truncate(limit);
    Page { items, more_before, more_after }
}

#[async_trait]
impl CommandLog for Store {
    async fn submit(&self, batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        let mut rows = self.rows_later();
        Ok(match batch {
            Batch::Comments(commands) => {
                assert!(commands.windows(2).all(|pair| pair[0].subject.partition() == pair[1].subject.partition()));
                rows.commit(&commands, UnitOfWork::run)
            }
            Batch::Likes(commands) => rows.commit(&commands, UnitOfWork::run_like),
        })
    }
}

impl Clock for Store {
    fn now(&self) -> Millis {
        Millis(self.now.load(Ordering::Relaxed))
    }
}

#[async_trait]
impl IdSource for Store {
    async fn comment(&self, partition: Partition) -> Result<CommentId> {
        Ok(CommentId::compose(IdTick(1 + self.minted.fetch_add(1, Ordering::Relaxed)), partition, 0, 0))
    }

    fn request(&self) -> [u8; 16] {
        (u128::MAX - self.minted.fetch_add(1, Ordering::Relaxed) as u128).to_be_bytes()
    }
}

#[async_trait]
impl MemberHistories for Store {
    async fn apply(&self, _source: usize, _events: &[SequencedEvent]) -> Result<()> {
        Ok(())
    }

    async fn rebuild(&self, _key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        Ok(RebuildProgress { comments: limit, changed: 1, next: after })
    }
}

#[async_trait]
impl RankIndexes for Store {
    async fn apply(&self, _source: usize, _events: &[SequencedEvent]) -> Result<()> {
        Ok(())
    }

    async fn rebuild(&self, _key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        Ok(RebuildProgress { comments: limit, changed: 2, next: after })
    }
}

#[async_trait]
impl CountRepair for Store {
    async fn repair(&self, key: &SubjectKey, _now: Millis) -> Result<Option<RepairReport>> {
        let revision = self.rows().subjects.get(key).map(|subject| subject.revision);
        Ok(revision.map(|revision| RepairReport { drifts: Vec::new(), revision }))
    }
}

#[async_trait]
impl Rankings for Store {
    async fn current(&self, _list: &RankedList, _now: Millis) -> Result<Option<(Ranking, i32)>> {
        Ok(self.ranking.lock().expect("no test panics while it holds the lock").clone())
    }

    async fn frozen(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        let last = self.current(list, self.now()).await?;
        Ok(last.map(|(ranking, _)| ranking).filter(|ranking| ranking.epoch == epoch))
    }

    async fn others(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        let listed = self.rows().listed(list.subject(), list.root());
        let mut found = ranking.leaves(listed.iter().map(|view| view.comment.reference.floor).collect());
        found.retain(|floor| floors.contains(floor));
        if order == ListOrder::Newest {
            found.reverse();
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn trim(&self, _source: usize, _before: Millis, _limit: usize) -> Result<usize> {
        Ok(0)
    }
}
