//! Pages: where one starts, how long it is, and what a store answers.

mod range_split;

use crate::comment::CommentView;
use crate::content::Content;
use crate::ids::{CommentId, SubjectId};
use crate::like::LikeValue;
use crate::member::MemberId;
use crate::path::Path;
use crate::subject::{Subject, SubjectKey};
use crate::time::Millis;
pub use range_split::{ForwardScan, RangeSplit};

/// Page length when the caller names none.
pub const DEFAULT_PAGE: usize = 20;
/// The longest page.
pub const MAX_PAGE: usize = 100;
/// The most ids in one batch read.
pub const MAX_BATCH: usize = 200;
/// Replies in a preview where the caller names no number, and around one that was jumped to.
pub const DEFAULT_PREVIEW: u8 = 3;
/// The most replies in a preview.
pub const MAX_PREVIEW: u8 = 10;

/// The stable orders: both by floor, which has no ties and never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// Floor ascending.
    Oldest,
    /// Floor descending.
    Newest,
}

/// Where a page starts in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageStart {
    /// At the beginning of the order.
    Beginning,
    /// With the first item that follows this floor in the order.
    After(i32),
    /// With the items that end just before this floor in the order: the page upward.
    Before(i32),
    /// So that this floor, or where it would stand, lies inside the page.
    Around(i32),
}

/// Which part of a list to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageQuery {
    /// The order of the walk.
    pub order: ListOrder,
    /// Where to start.
    pub start: PageStart,
    /// The most items to answer, 1 to [`MAX_PAGE`].
    pub limit: usize,
}

/// Which comments of a list to read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PageSelector {
    /// Those that a window shows.
    Window(PageQuery),
    /// Those of these floors that are listed, in this order.
    Floors(Vec<i32>),
}

/// Items in their order, and whether more lie on either side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Whether the order has items before the first.
    pub more_before: bool,
    /// Whether the order has items after the last.
    pub more_after: bool,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { items: Vec::new(), more_before: false, more_after: false }
    }
}

impl<T> Page<T> {
    /// The same page of other items.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(f).collect(),
            more_before: self.more_before,
            more_after: self.more_after,
        }
    }
}

/// A root with the first of its replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The root.
    pub root: CommentView,
    /// Its preview: the most liked of its listed replies.
    pub replies: Vec<CommentView>,
    /// Whether the root has listed replies beyond the preview.
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
    /// The page as everybody may see it: without the content of what is not visible.
    #[must_use]
    pub fn redacted(self) -> Self {
        let Self { subject, threads, pinned } = self;
        let pinned = pinned.into_iter().map(Thread::redacted).collect();
        Self { subject, threads: threads.map(Thread::redacted), pinned }
    }
}

impl Thread {
    fn redacted(self) -> Self {
        let Self { root, replies, more_replies } = self;
        let replies = replies.into_iter().map(|reply| reply.seen_by(None)).collect();
        Self { root: root.seen_by(None), replies, more_replies }
    }
}

/// What a root's preview is chosen from: replies that may stand on it, and what is known of all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewCandidates {
    /// The root.
    pub root: CommentId,
    /// The replies, all of them listed, in no order.
    pub replies: Vec<CommentView>,
    /// Every listed reply up to this floor is one of them; [`i32::MAX`] where all are.
    pub high: i32,
    /// Likes and floor of the last of them on the board of previews: none of the others stood before that place. `None`
    /// where all that stood on the board are among them.
    pub place: Option<(i32, i32)>,
}

/// A page of roots for whoever keeps it, and has to choose previews again when likes have moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootPageFill {
    /// The page, with the previews as they are now.
    pub page: RootPage,
    /// What the previews were chosen from, for each root that has listed replies.
    pub choices: Vec<PreviewCandidates>,
    /// The boards held what every event up to this number of the outbox had brought, when this was read.
    pub boards: i64,
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
    /// Whether the subtree goes on behind the last.
    pub more_after: bool,
}

/// Which part of a subtree to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubtreeQuery {
    /// The top.
    pub top: Path,
    /// The deepest level to show, in steps below a root.
    pub max_depth: u8,
    /// Continue behind this path; `None` = with the top itself.
    pub after: Option<Path>,
    /// The most comments to answer.
    pub limit: usize,
}

/// Facts about a comment that never change, found by its bare id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedComment {
    /// The comment.
    pub id: CommentId,
    /// Its subject's key.
    pub subject: SubjectKey,
    /// Its place.
    pub path: Path,
    /// Its floor.
    pub floor: i32,
    /// The ids along its path, the root first, itself last.
    pub ancestor_ids: Vec<CommentId>,
    /// The comment it answers, which a depth cap may keep outside the lineage; `None` where it answers none.
    pub parent: Option<CommentId>,
    /// Its author.
    pub member: MemberId,
}

impl LocatedComment {
    /// The root of its thread.
    #[must_use]
    pub fn root(&self) -> CommentId {
        self.ancestor_ids.first().copied().unwrap_or(self.id)
    }
}

/// One text that a comment has or had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentRevision {
    /// The comment's version when it was replaced; the present one's is the version now.
    pub version: i64,
    /// What it said.
    pub content: Content,
    /// From when on it said so.
    pub time: Millis,
}

/// One member who liked or disliked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Liker {
    /// Who.
    pub member: MemberId,
    /// LIKE or DISLIKE.
    pub value: LikeValue,
    /// Since when.
    pub time: Millis,
}

/// Where a list of likers goes on: strictly after this one, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikerCursor {
    /// The last one's time.
    pub time: Millis,
    /// The last one.
    pub member: MemberId,
}

/// What one member says of one comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberLike {
    /// The comment.
    pub comment: CommentId,
    /// LIKE or DISLIKE.
    pub value: LikeValue,
    /// Since when.
    pub time: Millis,
}

/// A place in a member's history: lists go on strictly behind it, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryCursor {
    /// When the comment was written.
    pub time: Millis,
    /// The comment.
    pub comment: CommentId,
}

/// Where a list over all data sources goes on: with the first subject behind `after` of `source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubjectCursor {
    /// The number of the subject table, 0 to 49 (always 0 with shard count 1).
    pub table: u16,
    /// The last subject answered; `None` at the start of the table.
    pub after: Option<SubjectId>,
}

/// The outcome of a comparison of counts with rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountReport {
    /// The comments that were looked at, whatever their state.
    pub comments: i64,
    /// What differs; empty when all agrees.
    pub drifts: Vec<CountDrift>,
}

/// A count that differs from the rows it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountDrift {
    /// The comment whose row is wrong; `None` for the subject's own row.
    pub comment: Option<CommentId>,
    /// The name of the count, for example `reply_count`.
    pub count: &'static str,
    /// What the row says.
    pub stored: i64,
    /// What the rows that it counts say.
    pub actual: i64,
}

#[cfg(test)]
mod tests;
