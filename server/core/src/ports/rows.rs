//! Reads of the rows, by capability. [`Reader`] is all of them.
//!
//! Every result is one state of its subject: a method reads its rows and counts in one snapshot,
//! whose first row is the subject, so counts equal rows at `subject.revision`. A read sees every
//! commit whose response was sent before the read began. Absent items are `None` or empty, never an
//! error. Content is returned as stored; the caller of the port redacts it. A reader with a cache
//! may leave out what no caller shows: in lists the content of comments that are not visible, and
//! of comments by id the content that not even their authors see.
//!
//! Lists contain listed comments only: visible ones, and tombstones above visible ones.

use std::ops::Range;

use async_trait::async_trait;

use crate::domain::caller::ObjectTypeScope;
use crate::domain::comment::CommentView;
use crate::domain::content::{ClientInfo, Content};
use crate::domain::decision::Decision;
use crate::domain::error::Result;
use crate::domain::ids::{CommentId, DecisionId, IdTick, SubjectId};
use crate::domain::like::LikeValue;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::origin::ImportOrigin;
use crate::domain::page::{
    ContentRevision, Conversation, CountReport, HistoryCursor, Liker, LikerCursor, LikersQuery, MemberLike, Page,
    PageQuery, PageSelector, ReplyPage, RootPage, RootPageFill, SubjectCursor, SubjectLikers, SubtreeQuery, ThreadPage,
};
use crate::domain::proposal::Proposal;
use crate::domain::request::IdempotencyKey;
use crate::domain::review::Review;
use crate::domain::subject::{Subject, SubjectKey};

/// All reads of the rows. Every result is one state of its subject, and a read sees every commit
/// whose response was sent before the read began.
pub trait Reader: SubjectRows + CommentRows + ListRows + LikeRows + MemberRows + ReviewRows + ExportRows {
    /// Returns the reader of the rows if this reader may serve from a cache, which can be a little
    /// behind the commits of other processes. It serves callers that have seen a newer revision
    /// than the cache has. `None` if this reader reads the rows itself.
    fn primary(&self) -> Option<&dyn Reader> {
        None
    }
}

/// Reads of subjects.
#[async_trait]
pub trait SubjectRows: Send + Sync + std::fmt::Debug {
    /// Returns subjects in the order of `keys`, including deleted ones.
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>>;

    /// Returns the subjects of a type, or of all types if none is named. A complete walk returns
    /// each subject once, in no promised order. The returned cursor is `None` at the end.
    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)>;

    /// Returns the ids and keys of the subjects that [`SubjectRows::list_subjects`] returns. A
    /// reader of rows reads nothing else of them, so that a row with an unreadable field ends no
    /// walk.
    async fn subject_keys(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<(SubjectId, SubjectKey)>, Option<SubjectCursor>)> {
        let (subjects, next) = self.list_subjects(object_type, after, limit).await?;
        Ok((subjects.into_iter().map(|subject| (subject.id, subject.key)).collect(), next))
    }

    /// Compares every count of a subject with the rows it counts.
    async fn verify(&self, key: &SubjectKey) -> Result<CountReport>;
}

/// Reads of comments by id.
#[async_trait]
pub trait CommentRows: Send + Sync + std::fmt::Debug {
    /// Returns the unchanging facts of comments, in the order of `ids`.
    async fn locate(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentLocation>>>;

    /// Returns the same as [`CommentRows::locate`] for a caller that may use these types. A comment
    /// of another type is treated as missing, both in the result and in all work done for it, so
    /// that the response time does not reveal it either.
    async fn locate_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<CommentLocation>>> {
        let found = self.locate(ids).await?;
        Ok(found.into_iter().map(|location| location.filter(|at| types.contains(at.subject.object_type()))).collect())
    }

    /// Returns the same as [`CommentRows::locate_among`] for each comment by itself. A data source
    /// that is unavailable is asked once, and concerns only its own comments.
    async fn locate_each(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Vec<Result<Option<CommentLocation>>> {
        match self.locate_among(ids, types).await {
            Ok(found) => found.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error); ids.len()],
        }
    }

    /// Returns the same as [`CommentRows::comments`] for a caller that may use these types, under
    /// the rule of [`CommentRows::locate_among`].
    async fn comments_among(&self, ids: &[CommentId], types: &ObjectTypeScope) -> Result<Vec<Option<CommentView>>> {
        if *types == ObjectTypeScope::All {
            return self.comments(ids).await;
        }
        let locations = self.locate_among(ids, types).await?;
        let existing: Vec<CommentId> = locations.iter().flatten().map(|location| location.id).collect();
        let views = if existing.is_empty() { Vec::new() } else { self.comments(&existing).await? };
        let mut views = views.into_iter();
        Ok(locations.into_iter().map(|location| location.and_then(|_| views.next().flatten())).collect())
    }

    /// Returns comments in the order of `ids`; `None` also if the subject is deleted. If the ids
    /// belong to several subjects, each is read in a snapshot of its own data source.
    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Option<CommentView>>>;

    /// Returns `id` and the nearest `limit` comments upward from it by parent, nearest first, then
    /// the root of its thread if the chain did not reach it; `None` if the subject is absent or
    /// deleted.
    async fn conversation(&self, key: &SubjectKey, id: CommentId, limit: usize) -> Result<Option<Conversation>>;

    /// Returns every content that a visible comment had, oldest first; the last is the current one.
    /// Empty for a comment that is not visible in the same snapshot.
    async fn revisions(&self, id: CommentId) -> Result<Vec<ContentRevision>>;

    /// Returns the comments that earlier requests with these keys created, in the order of `keys`.
    async fn created_by(&self, key: &SubjectKey, keys: &[IdempotencyKey]) -> Result<Vec<Option<CommentId>>>;
}

/// Reads of lists of comments.
#[async_trait]
pub trait ListRows: Send + Sync + std::fmt::Debug {
    /// Returns a page of roots, each with `previews` of its replies. A preview consists of the most
    /// liked replies according to the rank index of previews, filled up with the oldest replies. It
    /// is ordered by likes, and the oldest comes first among equals. `None` if the subject is
    /// absent or deleted.
    async fn roots(&self, key: &SubjectKey, query: PageQuery, previews: u8) -> Result<Option<RootPage>>;

    /// Returns the page of [`ListRows::roots`] or [`ListRows::roots_at`] with all candidates of its
    /// previews, from the same snapshot. There are no candidates if this reader does not know them.
    async fn root_page_with_candidates(
        &self,
        key: &SubjectKey,
        selector: &PageSelector,
        previews: u8,
    ) -> Result<Option<RootPageFill>> {
        let page = match selector {
            PageSelector::Window(query) => self.roots(key, *query, previews).await?,
            PageSelector::Floors(floors) => self.roots_at(key, floors, previews).await?,
        };
        Ok(page.map(|page| RootPageFill { page, candidates: Vec::new(), rank_position: 0 }))
    }

    /// Returns the listed roots of these floors, in this order, as a page without further items on
    /// either side; `None` if the subject is absent or deleted.
    async fn roots_at(&self, key: &SubjectKey, floors: &[i32], previews: u8) -> Result<Option<RootPage>>;

    /// Returns a page of the replies of `root`; `None` if the subject is absent or deleted.
    async fn replies(&self, key: &SubjectKey, root: CommentId, query: PageQuery) -> Result<Option<ReplyPage>>;

    /// Returns the listed replies of `root` with these floors, in this order, as a page without
    /// further items on either side; `None` if the subject is absent or deleted.
    async fn replies_at(&self, key: &SubjectKey, root: CommentId, floors: &[i32]) -> Result<Option<ReplyPage>>;

    /// Returns a part of a subtree in thread order; `None` if the subject is absent or deleted.
    async fn thread(&self, key: &SubjectKey, part: &SubtreeQuery) -> Result<Option<ThreadPage>>;
}

/// Reads of likes.
#[async_trait]
pub trait LikeRows: Send + Sync + std::fmt::Debug {
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

    /// Returns the first likers of several comments, which are in the partition of `key`; `None` if
    /// the subject is absent or deleted. The number of rows that it reads depends on the query
    /// alone. Of likers of the same time, those with the highest member ids are the latest.
    async fn comment_likers(&self, key: &SubjectKey, query: &LikersQuery) -> Result<Option<SubjectLikers>>;

    /// Returns the likes and dislikes of a member in a subject, by comment id, strictly after
    /// `after`.
    async fn member_likes(
        &self,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>>;
}

/// Reads of the history of a member.
#[async_trait]
pub trait MemberRows: Send + Sync + std::fmt::Debug {
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

    /// Returns the number of ACTIVE comments among the newest `limit` of a member of a type, from
    /// the member history.
    async fn active_comments(&self, object_type: &ObjectType, member: &MemberId, limit: usize) -> Result<u32>;
}

/// Reads of reviews, proposed edits, decisions, client data and the keys of requests. No cache has
/// them.
#[async_trait]
pub trait ReviewRows: Send + Sync + std::fmt::Debug {
    /// Returns the reviews of comments, in the order of `ids`; `None` for a comment without one.
    async fn reviews(&self, ids: &[CommentId]) -> Result<Vec<Option<Review>>>;

    /// Returns the newest proposed edits of comments, in the order of `ids`; `None` for a comment
    /// without one, or whose newest one neither waits nor was rejected.
    async fn proposals(&self, ids: &[CommentId]) -> Result<Vec<Option<Proposal>>>;

    /// Returns the contents before words were masked, in the order of `ids`.
    async fn originals(&self, ids: &[CommentId]) -> Result<Vec<Originals>>;

    /// Returns what is stored about the clients that wrote comments, in the order of `ids`; `None`
    /// for a comment without it.
    async fn clients(&self, ids: &[CommentId]) -> Result<Vec<Option<ClientInfo>>>;

    /// Returns `true` if a request with this key, which created no comment, changed something below
    /// the subject.
    async fn has_request(&self, key: &SubjectKey, request: IdempotencyKey) -> Result<bool>;

    /// Returns decisions, in the order of `ids`.
    async fn decisions_by_id(&self, ids: &[DecisionId]) -> Result<Vec<Option<Decision>>>;

    /// Returns the decisions on a comment whose numbers are below `before`, newest first.
    async fn decisions(&self, id: CommentId, before: Option<i32>, limit: usize) -> Result<Vec<Decision>>;

    /// Returns the comments of a member under a subject whose present texts were never in sight or
    /// were taken out of it, and those with an edit that waits, newest first: those whose ids are
    /// below `before`.
    async fn unlisted(
        &self,
        key: &SubjectKey,
        subject: SubjectId,
        member: &MemberId,
        before: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<UnlistedRow>>;
}

/// The contents of a comment before words were masked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Originals {
    /// The original of the content in place; `None` if nothing of it is masked.
    pub of_content: Option<Content>,
    /// The number and the original of the newest proposed edit with masked words that became no
    /// content.
    pub of_proposal: Option<(i32, Content)>,
}

/// A comment that its author may find among those that no list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnlistedRow {
    /// The comment.
    pub comment_id: CommentId,
    /// True if the comment was rejected less than a week ago, by the clock of the database.
    pub was_rejected_recently: bool,
}

/// Reads of everything below a subject, for an export, and of the comments of a time.
#[async_trait]
pub trait ExportRows: Send + Sync + std::fmt::Debug {
    /// Returns at most `limit` ids of comments of all types, in any state, that were generated in
    /// these ticks, and the position after them. A complete walk begins without a position, ends
    /// when none is returned and returns each comment once; it goes from table to table, and in a
    /// table by id. A part may be empty before the end.
    async fn comment_ids(
        &self,
        ticks: Range<IdTick>,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)>;

    /// Returns ids of comments in any state, newest first, and the bound of the next part. A
    /// complete walk ends when no bound is returned, and returns each comment once that was
    /// committed before it began. A part has about `limit` ids, and may have fewer before the end.
    async fn newest_comment_ids(
        &self,
        range: &NewestComments,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)>;

    /// Returns all comments of a subject, whatever their state, parents before children, strictly
    /// after `after`. A part that is shorter than `limit` is the last one.
    async fn export_comments(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>>;

    /// Returns all likes of some comments of one subject, by comment and then by member, strictly
    /// after `after`. A part that is shorter than `limit` is the last one. The rows of all these
    /// likes are read for each part.
    async fn export_likes(
        &self,
        ids: &[CommentId],
        after: Option<&ExportedLike>,
        limit: usize,
    ) -> Result<Vec<ExportedLike>>;
}

/// The comments that a walk from the newest to the oldest returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewestComments {
    /// Their subject; `None` for all subjects of all types.
    pub subject: Option<SubjectKey>,
    /// The first tick in which their ids were generated.
    pub from: IdTick,
    /// The bound below which their ids are; `None` for the start of the walk.
    pub before: Option<CommentId>,
}

/// A reader that answers some reads itself and passes the others on to an inner reader. Its
/// [`MemberRows`], [`ReviewRows`] and [`ExportRows`] are those of the inner reader, so a new method
/// of these traits concerns only the readers of rows.
pub trait PassThrough: Send + Sync + std::fmt::Debug {
    /// Returns the inner reader.
    fn inner(&self) -> &dyn Reader;
}

#[async_trait]
impl<T: PassThrough> MemberRows for T {
    async fn member_comments(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        all: bool,
        after: Option<&HistoryCursor>,
        limit: usize,
    ) -> Result<Page<HistoryCursor>> {
        self.inner().member_comments(object_type, member, all, after, limit).await
    }

    async fn active_comments(&self, object_type: &ObjectType, member: &MemberId, limit: usize) -> Result<u32> {
        self.inner().active_comments(object_type, member, limit).await
    }
}

#[async_trait]
impl<T: PassThrough> ReviewRows for T {
    async fn reviews(&self, ids: &[CommentId]) -> Result<Vec<Option<Review>>> {
        self.inner().reviews(ids).await
    }

    async fn proposals(&self, ids: &[CommentId]) -> Result<Vec<Option<Proposal>>> {
        self.inner().proposals(ids).await
    }

    async fn originals(&self, ids: &[CommentId]) -> Result<Vec<Originals>> {
        self.inner().originals(ids).await
    }

    async fn clients(&self, ids: &[CommentId]) -> Result<Vec<Option<ClientInfo>>> {
        self.inner().clients(ids).await
    }

    async fn has_request(&self, key: &SubjectKey, request: IdempotencyKey) -> Result<bool> {
        self.inner().has_request(key, request).await
    }

    async fn decisions_by_id(&self, ids: &[DecisionId]) -> Result<Vec<Option<Decision>>> {
        self.inner().decisions_by_id(ids).await
    }

    async fn decisions(&self, id: CommentId, before: Option<i32>, limit: usize) -> Result<Vec<Decision>> {
        self.inner().decisions(id, before, limit).await
    }

    async fn unlisted(
        &self,
        key: &SubjectKey,
        subject: SubjectId,
        member: &MemberId,
        before: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<UnlistedRow>> {
        self.inner().unlisted(key, subject, member, before, limit).await
    }
}

#[async_trait]
impl<T: PassThrough> ExportRows for T {
    async fn comment_ids(
        &self,
        ticks: Range<IdTick>,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)> {
        self.inner().comment_ids(ticks, after, limit).await
    }

    async fn newest_comment_ids(
        &self,
        range: &NewestComments,
        limit: usize,
    ) -> Result<(Vec<CommentId>, Option<CommentId>)> {
        self.inner().newest_comment_ids(range, limit).await
    }

    async fn export_comments(
        &self,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>> {
        self.inner().export_comments(key, after, limit).await
    }

    async fn export_likes(
        &self,
        ids: &[CommentId],
        after: Option<&ExportedLike>,
        limit: usize,
    ) -> Result<Vec<ExportedLike>> {
        self.inner().export_likes(ids, after, limit).await
    }
}

/// A comment with the fields that only an export contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedComment {
    /// The comment.
    pub view: CommentView,
    /// Details about the client, as long as they are stored.
    pub client: ClientInfo,
    /// The source and the external id of an imported comment; `None` for a comment that a caller
    /// wrote.
    pub origin: Option<ImportOrigin>,
}

/// A like or dislike with its comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedLike {
    /// The comment.
    pub comment: CommentId,
    /// The member and the value.
    pub liker: Liker,
}
