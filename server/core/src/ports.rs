//! What the domain asks of the outside: a contract that every backend keeps and one suite checks.

mod maintenance;
mod outbox;
mod ranking;

use async_trait::async_trait;

use crate::caller::ObjectTypeScope;
use crate::change::ImportOrigin;
use crate::comment::CommentView;
use crate::content::ClientInfo;
use crate::error::Result;
use crate::ids::{CommentId, Partition, SubjectId};
use crate::like::LikeValue;
use crate::member::MemberId;
use crate::object_type::ObjectType;
use crate::page::{
    ContentRevision, CountReport, HistoryCursor, Liker, LikerCursor, LocatedComment, MemberLike, Page, PageQuery,
    PageSelector, ReplyPage, RootPage, RootPageFill, SubjectCursor, SubtreeQuery, ThreadPage,
};
use crate::request::IdempotencyKey;
use crate::subject::{Subject, SubjectKey};
use crate::time::Millis;
use crate::unit_of_work::{CommandOutput, CommittedChange};
use crate::verbs::Command;
pub use maintenance::{CountRepair, MemberHistories, RebuildProgress, RepairReport};
pub use outbox::{Epoch, LeaseCandidate, Outbox, Projection};
pub use ranking::{RankIndexes, Rankings};

/// Reads. Every answer is one state of its subject: rows and counts of one method's answer are read in one snapshot
/// whose first row is the subject, so counts equal rows at `subject.revision`. A read sees every commit that was
/// answered before it began. Absent things are `None` or empty, never an error; content is handed over as stored, and
/// the caller of the port redacts it.
///
/// Lists show listed comments only: visible ones, and tombstones above visible ones.
#[async_trait]
pub trait Reader: Send + Sync + std::fmt::Debug {
    /// The reader of the rows themselves, where this one may answer from copies that are a little behind another
    /// process's commits: for a caller who has seen more than the copies show. `None` where this one reads the rows.
    fn origin(&self) -> Option<&dyn Reader> {
        None
    }

    /// Subjects in the order of `keys`, deleted ones included.
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>>;

    /// The unchanging facts of comments, in the order of `ids`.
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<LocatedComment>>>;

    /// The same for somebody who may use these types: what is of another one is as if it were missing, in the answer and in all that is
    /// done for it, so that the time does not tell either.
    async fn locate_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<LocatedComment>>> {
        let found = self.locate(ids).await?;
        Ok(found.into_iter().map(|at| at.filter(|at| types.hold(at.subject.object_type()))).collect())
    }

    /// [`Reader::comments`] for somebody who may use these types, as [`Reader::locate_among`].
    async fn comments_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<CommentView>>> {
        if *types == ObjectTypeScope::All {
            return self.comments(ids).await;
        }
        let location = self.locate_among(ids, types).await?;
        let there: Vec<CommentId> = location.iter().flatten().map(|at| at.id).collect();
        let read = if there.is_empty() { Vec::new() } else { self.comments(&there).await? };
        let mut read = read.into_iter();
        Ok(location.into_iter().map(|at| at.and_then(|_| read.next().flatten())).collect())
    }

    /// Comments in the order of `ids`; `None` too where the subject is deleted. Ids of several subjects are each read
    /// in a snapshot of their own data source.
    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>>;

    /// A page of roots, each with `previews` of its replies: the most liked ones as the board of previews knows them,
    /// and for the rest the oldest, all in the order of their likes; of equals the oldest first. `None` where the subject
    /// is absent or deleted.
    async fn roots(&self, key: &SubjectKey, window: PageQuery, previews: u8) -> Result<Option<RootPage>>;

    /// The page of [`Reader::roots`] or [`Reader::roots_at`] with all that its previews were chosen from, out of the same
    /// snapshot. Nothing to choose from, where this reader cannot tell.
    async fn root_page_with_candidates(
        &self,
        key: &SubjectKey,
        which: &PageSelector,
        previews: u8,
    ) -> Result<Option<RootPageFill>> {
        let page = match which {
            PageSelector::Window(window) => self.roots(key, *window, previews).await?,
            PageSelector::Floors(floors) => self.roots_at(key, floors, previews).await?,
        };
        Ok(page.map(|page| RootPageFill { page, choices: Vec::new(), boards: 0 }))
    }

    /// The roots of these floors that are listed, in this order, as a page with nothing on either side; `None` where the
    /// subject is absent or deleted.
    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>>;

    /// A page of the replies of `root`; `None` where the subject is absent or deleted.
    async fn replies(&self, key: &SubjectKey, root: CommentId, window: PageQuery) -> Result<Option<ReplyPage>>;

    /// The replies of `root` of these floors that are listed, in this order, as a page with nothing on either side;
    /// `None` where the subject is absent or deleted.
    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>>;

    /// A part of a subtree in thread order; `None` where the subject is absent or deleted.
    async fn thread(&self, key: &SubjectKey, part: &SubtreeQuery) -> Result<Option<ThreadPage>>;

    /// The nearest `limit` comments upward from `id` by parent, nearest first, then the root of its thread if the chain
    /// did not reach it. `id` itself is not among them.
    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Vec<CommentView>>;

    /// Every text a comment had, oldest first; the last is the present one.
    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>>;

    /// A member's values for `ids`, in their order; `None` for a comment that is not in this subject.
    async fn like_states(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<Option<LikeValue>>>;

    /// Members whose value for `id` is `value`, newest first, strictly behind `after`.
    async fn likers(
        &self,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>>;

    /// What a member likes and dislikes in a subject, by comment id, strictly behind `after`.
    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>>;

    /// The comments of a member of a type over all subjects, newest first, strictly behind `after`: as the projection of
    /// histories knows them, which follows the commits by some 100 ms. `all` = those that are not ACTIVE too.
    async fn member_comments(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        all: bool,
        after: Option<&HistoryCursor>,
        limit: usize,
    ) -> Result<Page<HistoryCursor>>;

    /// The comments that earlier requests with these keys created, in the order of `keys`.
    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>>;

    /// Subjects of a type, or of all types where none is named, all of them once, in no promised order; the cursor of the
    /// answer is `None` at the end.
    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)>;

    /// All comments of a subject whatever their state, parents before children, strictly behind `after`.
    async fn export_comments(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>>;

    /// All likes of a comment, by member, strictly behind `after`.
    async fn export_likes(&self, id: CommentId, after: Option<&MemberId>, limit: usize) -> Result<Vec<Liker>>;

    /// Compares every count of a subject with the rows it counts.
    async fn verify(&self, key: &SubjectKey) -> Result<CountReport>;
}

/// A comment with what only an export shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedComment {
    /// The comment.
    pub view: CommentView,
    /// Client facts, while they are kept.
    pub client: ClientInfo,
    /// Where it was imported from: source and external id; `None` for one written here.
    pub origin: Option<ImportOrigin>,
}

/// Commits batches. `commit` runs in a task that no client can cancel.
///
/// All commands of a batch lie on one data source and are of one kind (comments, or likes). The batch is one
/// transaction: its subjects, then its comments, are locked by id before anything is decided; every command is decided
/// on the locked rows in order; effects, counts and request keys become durable together, or none does. When it
/// returns `Ok` the effects are durable. The inner results are the commands' own, in order: a refused command
/// leaves no trace and does not hinder its neighbours.
///
/// A conflict with another transaction is retried inside. A commit of unknown outcome is resolved by the request keys,
/// never guessed.
///
/// # Errors
/// The outer error says that the batch as a whole has no known effect: with [`Error::ShardUnavailable`](crate::Error)
/// it may have happened, and only a repeat of the same commands tells.
#[async_trait]
pub trait Writer: Send + Sync + std::fmt::Debug {
    /// Commits one batch.
    async fn commit(&self, batch: &[Command]) -> Result<Vec<Result<CommandOutput>>>;
}

/// Hears what every commit changed, for copies of the rows. It is told behind the commit and before the answer, and what
/// it does with it is nobody's concern: it has to be short, and a commit that it never hears of is told by the outbox.
#[async_trait]
pub trait CommitObserver: Send + Sync + std::fmt::Debug {
    /// A batch was committed.
    async fn committed(&self, changed: Vec<CommittedChange>);
}

/// The road of every write: handlers have a `CommandLog` and no [`Writer`], so none can go round it.
#[async_trait]
pub trait CommandLog: Send + Sync + std::fmt::Debug {
    /// Hands over commands of one partition and one kind, and answers when their effects are durable, in order.
    ///
    /// Dropping the returned future never cancels the work. The batch may share a transaction with others'.
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<CommandOutput>>>;
}

/// Wall clock. Only ids, times of rows and the age of page tokens rest on it; no order does.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The present.
    fn now(&self) -> Millis;
}

/// Mints ids and request ids.
#[async_trait]
pub trait IdSource: Send + Sync + std::fmt::Debug {
    /// A new id in `partition`, unique for ever in its data source.
    async fn comment(&self, partition: Partition) -> Result<CommentId>;

    /// A new id in `partition` for a subject.
    async fn subject(&self, partition: Partition) -> Result<SubjectId> {
        self.comment(partition).await.map(SubjectId::from)
    }

    /// 16 random bytes: a request id where the caller gave none.
    fn request(&self) -> [u8; 16];
}

#[cfg(test)]
mod tests;
