//! Pages: their start, their length and the data that a store returns for them.

mod range_split;

use crate::domain::comment::CommentView;
use crate::domain::content::Content;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::like::LikeValue;
use crate::domain::member::MemberId;
use crate::domain::path::Path;
use crate::domain::state::CommentState;
use crate::domain::subject::{Subject, SubjectState};
use crate::domain::time::Millis;
pub use range_split::{ForwardScan, RangeSplit};

/// The page length if the caller names none.
pub const DEFAULT_PAGE: usize = 20;
/// The maximum page length.
pub const MAX_PAGE: usize = 100;
/// The maximum number of ids in one batch read.
pub const MAX_BATCH: usize = 200;
/// The number of replies in a preview if the caller names none, and in previews around a comment
/// that a caller jumped to.
pub const DEFAULT_PREVIEW: u8 = 3;
/// The maximum number of replies in a preview.
pub const MAX_PREVIEW: u8 = 10;
/// The maximum number of comments whose likers one read names.
pub const MAX_LIKED: usize = 50;
/// The maximum number of members that such a read names first.
pub const MAX_NAMED: usize = 20;
/// The number of likers of each comment if the caller names none.
pub const DEFAULT_LIKERS: usize = 3;
/// The maximum number of likers of each comment.
pub const MAX_LIKERS: usize = 10;

/// The stable orders. Both are by floor, which has no ties and never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// Floor ascending.
    Oldest,
    /// Floor descending.
    Newest,
}

/// The start of a page in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageStart {
    /// The page starts at the beginning of the order.
    Beginning,
    /// The page starts with the first item that follows this floor in the order.
    After(i32),
    /// The page ends just before this floor in the order; it is the previous page.
    Before(i32),
    /// The page contains this floor, or the position that the floor would have.
    Around(i32),
}

/// The part of a list to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageQuery {
    /// The order of the walk.
    pub order: ListOrder,
    /// The start of the page.
    pub start: PageStart,
    /// The maximum number of items to return, 1 to [`MAX_PAGE`].
    pub limit: usize,
}

/// The comments of a list to read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PageSelector {
    /// The comments of a page.
    Window(PageQuery),
    /// The listed comments of these floors, in this order.
    Floors(Vec<i32>),
}

/// Items in their order, and two flags for further items before and after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// `true` if the order has items before the first.
    pub more_before: bool,
    /// `true` if the order has items after the last.
    pub more_after: bool,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { items: Vec::new(), more_before: false, more_after: false }
    }
}

impl<T> Page<T> {
    /// Converts the items and keeps the flags.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(f).collect(),
            more_before: self.more_before,
            more_after: self.more_after,
        }
    }
}

/// A root with its preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The root.
    pub root: CommentView,
    /// The preview: the most liked of the root's listed replies.
    pub replies: Vec<CommentView>,
    /// `true` if the root has listed replies beyond the preview.
    pub more_replies: bool,
}

/// A page of roots, read in one snapshot with its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootPage {
    /// The subject at the revision of the page.
    pub subject: Subject,
    /// The threads.
    pub threads: Page<Thread>,
    /// The pinned roots with their previews, in the order they were pinned.
    pub pinned: Vec<Thread>,
}

impl RootPage {
    /// The roots of the page and the replies in their previews.
    pub(crate) fn comments(&self) -> impl Iterator<Item = &CommentView> {
        self.threads.items.iter().flat_map(|thread| std::iter::once(&thread.root).chain(&thread.replies))
    }

    /// Returns the page as any reader may see it: without the content of comments that are not
    /// visible.
    #[must_use]
    pub fn redacted(self) -> Self {
        let Self { subject, threads, pinned } = self;
        let pinned = pinned.into_iter().map(Thread::redacted).collect();
        Self { subject, threads: threads.map(Thread::redacted), pinned }
    }
}

impl ReplyPage {
    /// Returns the page as any reader may see it: without the content of comments that are not
    /// visible.
    #[must_use]
    pub fn redacted(self) -> Self {
        let Self { root, replies, subject } = self;
        Self { root: root.seen_by(None), replies: replies.map(|reply| reply.seen_by(None)), subject }
    }
}

impl Thread {
    fn redacted(self) -> Self {
        let Self { root, replies, more_replies } = self;
        let replies = replies.into_iter().map(|reply| reply.seen_by(None)).collect();
        Self { root: root.seen_by(None), replies, more_replies }
    }
}

/// The candidates from which a root's preview is chosen, and bounds on all other replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewCandidates {
    /// The root.
    pub root: CommentId,
    /// The candidate replies, all of them listed, in no particular order.
    pub replies: Vec<CommentView>,
    /// Every listed reply up to this floor is a candidate; [`i32::MAX`] if all listed replies are.
    pub high: i32,
    /// Likes and floor of the last candidate in the rank index of previews. No other reply preceded
    /// this position. `None` if all replies in that rank index are candidates.
    pub place: Option<(i32, i32)>,
}

/// A page of roots with the data for a cache fill. The cache has to choose previews again when
/// likes have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootPageFill {
    /// The page, with the previews at the time of the read.
    pub page: RootPage,
    /// The candidates of the previews, for each root that has listed replies.
    pub candidates: Vec<PreviewCandidates>,
    /// The position of the rank index at the time of the read: it contained every event of the
    /// outbox up to this sequence number.
    pub rank_position: i64,
}

/// A page of replies of one root, read in one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyPage {
    /// The subject at the revision of the page.
    pub subject: Subject,
    /// The root.
    pub root: CommentView,
    /// The replies.
    pub replies: Page<CommentView>,
}

/// A part of a subtree in thread order, read in one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadPage {
    /// The subject at the revision of the page.
    pub subject: Subject,
    /// The comments by path, the top of the subtree first.
    pub comments: Vec<CommentView>,
    /// `true` if the subtree has comments after the last one.
    pub more_after: bool,
}

/// A comment and the comments that it replies to, read in one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The subject at the revision of the snapshot.
    pub subject: Subject,
    /// The comment, its ancestors by parent, the nearest first, and the root of its thread if the
    /// limit left it out. Empty if the comment is not in the subject.
    pub comments: Vec<CommentView>,
}

/// The part of a subtree to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubtreeQuery {
    /// The path of the subtree's top.
    pub top: Path,
    /// The deepest level to return, in steps below a root.
    pub max_depth: u8,
    /// The path after which the page continues; `None` starts with the top itself.
    pub after: Option<Path>,
    /// The maximum number of comments to return.
    pub limit: usize,
}

/// One current or former content of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentRevision {
    /// The comment's version when the content was replaced; for the current content the current
    /// version.
    pub version: i64,
    /// The content.
    pub content: Content,
    /// The time from which it was the content.
    pub time: Millis,
}

/// One member with a like or dislike of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Liker {
    /// The member.
    pub member: MemberId,
    /// LIKE or DISLIKE.
    pub value: LikeValue,
    /// The time at which the value was set.
    pub time: Millis,
}

/// The likers to read for each of several comments of one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikersQuery {
    /// The comments, at most [`MAX_LIKED`].
    pub ids: Vec<CommentId>,
    /// LIKE or DISLIKE.
    pub value: LikeValue,
    /// The members that are named before all others, at most [`MAX_NAMED`].
    pub first: Vec<MemberId>,
    /// The maximum number of likers of each comment.
    pub limit: usize,
}

/// The likers of several comments of one subject, read in one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectLikers {
    /// The state of the subject.
    pub state: SubjectState,
    /// The likers of each comment, in the order of the query; `None` for a comment that is not in
    /// the subject.
    pub comments: Vec<Option<CommentLikers>>,
}

/// Some of the members that gave one value to a comment, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentLikers {
    /// The state of the comment.
    pub state: CommentState,
    /// The number of members with the value, as the comment's row counts them.
    pub count: i32,
    /// The members of [`LikersQuery::first`] with the value, newest first.
    pub named: Vec<Liker>,
    /// The latest members with the value, newest first, at most [`LikersQuery::limit`].
    pub latest: Vec<Liker>,
}

/// The position after which a list of likers continues, newest first. The position itself is
/// excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikerCursor {
    /// The time of the last liker returned.
    pub time: Millis,
    /// The last liker returned.
    pub member: MemberId,
}

/// The value that one member gave to one comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberLike {
    /// The comment.
    pub comment: CommentId,
    /// LIKE or DISLIKE.
    pub value: LikeValue,
    /// The time at which the value was set.
    pub time: Millis,
}

/// A position in a member's history. Lists continue strictly after it, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryCursor {
    /// The time at which the comment was written.
    pub time: Millis,
    /// The comment.
    pub comment: CommentId,
}

/// The position at which a list over all data sources continues: with the first subject after
/// `after` in `table`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubjectCursor {
    /// The number of the subject table, 0 to 49 (always 0 with shard count 1).
    pub table: u16,
    /// The last subject returned; `None` at the start of the table.
    pub after: Option<SubjectId>,
}

/// The result of a comparison of counts with rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountReport {
    /// The number of comments checked, whatever their state.
    pub comments: i64,
    /// The counts that differ; empty if all agree.
    pub drifts: Vec<CountDrift>,
}

/// A count that differs from the rows it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountDrift {
    /// The comment whose row is wrong; `None` for the subject's own row.
    pub comment: Option<CommentId>,
    /// The name of the count, for example `reply_count`.
    pub count: &'static str,
    /// The count in the row.
    pub stored: i64,
    /// The count computed from the rows.
    pub actual: i64,
}

#[cfg(test)]
mod tests;
