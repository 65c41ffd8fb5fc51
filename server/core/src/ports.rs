//! The ports of the domain: contracts that every backend keeps and one conformance suite checks.

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

/// Reads. Every result is one state of its subject: a method reads its rows and counts in one
/// snapshot, whose first row is the subject, so counts equal rows at `subject.revision`. A read
/// sees every commit whose response was sent before the read began. Absent items are `None` or
/// empty, never an error. Content is returned as stored; the caller of the port redacts it.
///
/// Lists contain listed comments only: visible ones, and tombstones above visible ones.
#[async_trait]
pub trait Reader: Send + Sync + std::fmt::Debug {
    /// Returns the reader of the rows if this reader may serve from a cache, which can be a little
    /// behind the commits of other processes. It serves callers that have seen a newer revision
    /// than the cache has. `None` if this reader reads the rows itself.
    fn origin(&self) -> Option<&dyn Reader> {
        None
    }

    /// Returns subjects in the order of `keys`, including deleted ones.
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>>;

    /// Returns the unchanging facts of comments, in the order of `ids`.
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<LocatedComment>>>;

    /// Returns the same as [`Reader::locate`] for a caller that may use these types. A comment of
    /// another type is treated as missing, both in the result and in all work done for it, so that
    /// the response time does not reveal it either.
    async fn locate_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<LocatedComment>>> {
        let found = self.locate(ids).await?;
        Ok(found.into_iter().map(|at| at.filter(|at| types.hold(at.subject.object_type()))).collect())
    }

    /// Returns the same as [`Reader::comments`] for a caller that may use these types, under the
    /// rule of [`Reader::locate_among`].
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

    /// Returns comments in the order of `ids`; `None` also if the subject is deleted. If the ids
    /// belong to several subjects, each is read in a snapshot of its own data source.
    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>>;

    /// Returns a page of roots, each with `previews` of its replies. A preview consists of the most
    /// liked replies according to the rank index of previews, filled up with the oldest replies. It
    /// is ordered by likes, and the oldest comes first among equals. `None` if the subject is
    /// absent or deleted.
    async fn roots(&self, key: &SubjectKey, window: PageQuery, previews: u8) -> Result<Option<RootPage>>;

    /// Returns the page of [`Reader::roots`] or [`Reader::roots_at`] with all candidates of its
    /// previews, from the same snapshot. There are no candidates if this reader does not know them.
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

    /// Returns the listed roots of these floors, in this order, as a page without further items on
    /// either side; `None` if the subject is absent or deleted.
    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>>;

    /// Returns a page of the replies of `root`; `None` if the subject is absent or deleted.
    async fn replies(&self, key: &SubjectKey, root: CommentId, window: PageQuery) -> Result<Option<ReplyPage>>;

    /// Returns the listed replies of `root` with these floors, in this order, as a page without
    /// further items on either side; `None` if the subject is absent or deleted.
    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>>;

    /// Returns a part of a subtree in thread order; `None` if the subject is absent or deleted.
    async fn thread(&self, key: &SubjectKey, part: &SubtreeQuery) -> Result<Option<ThreadPage>>;

    /// Returns the nearest `limit` comments upward from `id` by parent, nearest first, then the
    /// root of its thread if the chain did not reach it. `id` itself is not among them.
    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Vec<CommentView>>;

    /// Returns every content that a comment had, oldest first; the last is the current one.
    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>>;

    /// Returns a member's values for `ids`, in their order; `None` for a comment that is not in
    /// this subject.
    async fn like_states(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<Option<LikeValue>>>;

    /// Returns the members whose value for `id` is `value`, newest first, strictly after `after`.
    async fn likers(
        &self,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>>;

    /// Returns the likes and dislikes of a member in a subject, by comment id, strictly after
    /// `after`.
    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>>;

    /// Returns the comments of a member of a type over all subjects, newest first, strictly after
    /// `after`. They come from the member history, which follows the commits by about 100 ms. `all`
    /// includes comments that are not ACTIVE.
    async fn member_comments(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        all: bool,
        after: Option<&HistoryCursor>,
        limit: usize,
    ) -> Result<Page<HistoryCursor>>;

    /// Returns the comments that earlier requests with these keys created, in the order of `keys`.
    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>>;

    /// Returns the subjects of a type, or of all types if none is named. A complete walk returns
    /// each subject once, in no promised order. The returned cursor is `None` at the end.
    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)>;

    /// Returns all comments of a subject, whatever their state, parents before children, strictly
    /// after `after`.
    async fn export_comments(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>>;

    /// Returns all likes of a comment, by member, strictly after `after`.
    async fn export_likes(&self, id: CommentId, after: Option<&MemberId>, limit: usize) -> Result<Vec<Liker>>;

    /// Compares every count of a subject with the rows it counts.
    async fn verify(&self, key: &SubjectKey) -> Result<CountReport>;
}

/// A comment with the fields that only an export contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedComment {
    /// The comment.
    pub view: CommentView,
    /// Facts about the client, as long as they are kept.
    pub client: ClientInfo,
    /// The origin of an imported comment: source and external id; `None` for a comment written
    /// here.
    pub origin: Option<ImportOrigin>,
}

/// Commits batches. `commit` runs in a task that no client can cancel.
///
/// All commands of a batch belong to one data source and one batch type (comments or likes). The
/// batch is one transaction. Its subjects and then its comments are locked by id before anything is
/// decided, and every command is decided on the locked rows in order. Effects, counts and
/// idempotency records become durable together, or none of them does. When `commit` returns `Ok`,
/// the effects are durable. The inner results are those of the commands, in order: a rejected
/// command leaves no trace and does not affect the others.
///
/// A conflict with another transaction is retried inside. A commit of unknown outcome is resolved
/// by the idempotency records, never guessed.
///
/// # Errors
/// The outer error means that the batch as a whole has no known effect. With
/// [`Error::ShardUnavailable`](crate::Error) it may have been committed, and only a repeat of the
/// same commands shows the outcome.
#[async_trait]
pub trait Writer: Send + Sync + std::fmt::Debug {
    /// Commits one batch.
    async fn commit(&self, batch: &[Command]) -> Result<Vec<Result<CommandOutput>>>;
}

/// Receives the rows that every commit changed, for caches of the rows. It is called after the
/// commit and before the response is sent. It has to return quickly, and it returns no error: its
/// failures do not affect the write. Commits that it does not receive reach the cache through the
/// outbox.
#[async_trait]
pub trait CommitObserver: Send + Sync + std::fmt::Debug {
    /// Called after a batch was committed.
    async fn committed(&self, changed: Vec<CommittedChange>);
}

/// The write path. Handlers have a `CommandLog` and no [`Writer`], so no handler can bypass it.
#[async_trait]
pub trait CommandLog: Send + Sync + std::fmt::Debug {
    /// Submits commands of one partition and one batch type, and returns their results in order
    /// when their effects are durable.
    ///
    /// Dropping the returned future never cancels the work. The commands may share a transaction
    /// with those of other callers.
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<CommandOutput>>>;
}

/// The wall clock. Ids, times of rows and the age of page tokens depend on it; no order does.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Returns the current time.
    fn now(&self) -> Millis;
}

/// Generates ids and request ids.
#[async_trait]
pub trait IdSource: Send + Sync + std::fmt::Debug {
    /// Returns a new id in `partition`, which is never used again in its data source.
    async fn comment(&self, partition: Partition) -> Result<CommentId>;

    /// Returns a new id in `partition` for a subject.
    async fn subject(&self, partition: Partition) -> Result<SubjectId> {
        self.comment(partition).await.map(SubjectId::from)
    }

    /// Returns 16 random bytes: the request id for a caller that gave none.
    fn request(&self) -> [u8; 16];
}

#[cfg(test)]
mod tests;
