//! The protocol by which the cache is read, filled and changed.
//!
//! Everything under a subject forms one *subject entry* with one sequence of revisions: the
//! subject's row, the lists of its roots and replies, and its comments. An entry has an
//! *incarnation*, a random number that it gets when it is created; data that carries another
//! incarnation is not part of it. The entry stores the revision `rev` that it has reached, and `W`,
//! the highest revision known to be committed. It can be read only while `rev ≥ W`.
//!
//! * A commit is *applied* with absolute values. The change that directly follows `rev` advances
//!   the entry. A change that arrives too early waits in the entry's log for its predecessors. A
//!   change that arrives twice is ignored.
//! * A reader that misses takes a *fill lease*, reads the rows, and *fills*. A lease is identified
//!   by its token. A lease is invalid once it has expired or was released, and on a replica that
//!   took over and never granted it. While a lease is outstanding every change is logged. The log
//!   brings data that was read at an older revision up to date; the fill is refused if the log does
//!   not reach back far enough. When a part of the log is lost, all leases are revoked, and an
//!   entry that is behind starts anew: it drops its content and its revision.
//! * Single comments are read without their subject's revision. After the comments the reader reads
//!   the subject's revision. The comments are filled only into an entry that has reached this
//!   revision, and that had a revision when the lease was granted: such an entry advances by its
//!   log or starts anew.
//! * Likes have their comment's own sequence of revisions. They are absolute too, and the greater
//!   revision wins. They are logged while a lease is outstanding, and while the entry is behind or
//!   has no revision, because they may belong to a comment that a late apply adds.
//! * The relay *advances* a cursor that is stored next to the entries of its partition. A reported
//!   revision that an entry has not reached raises the entry's `W`. In the same step the relay
//!   reports likes, as the rows have them, to every entry, whatever the entry contains. A cursor
//!   that is not at the position where the relay left it shows that the cache has lost data: the
//!   partition begins a new *generation*, and entries of older generations are invalid.
//! * A preview is chosen when it is requested, from *candidates*. They are replies of a root,
//!   together with a *bound*: the rank position that no other reply precedes. Candidates are added
//!   and removed with the revisions, as in lists, and are ordered by their cached comments. A like
//!   of another reply that might rank before the bound removes the candidates. The bound comes from
//!   the rank index, which follows the commits. Candidates are therefore stored only if the rank
//!   index contained, when it was read, everything that the relay had reported when the lease was
//!   granted. A change that reaches the rank index later is reported later, and is logged.
//! * Only a visible comment has a content in the cache. A change that leaves a comment invisible
//!   *conceals* it: its content is removed, also from the log, from data that no longer belongs to
//!   an entry, and from rendered pages; a fill that read it before does not store it. The relay
//!   conceals it again, in case the apply was lost. A change that makes a comment visible carries
//!   its content.
//! * A first page of roots may be cached as a rendered page ([`RenderedPages`]). A rendered page
//!   belongs to the entry's incarnation, its revision and its *content version*, which changes with
//!   likes and fills, because these do not change the revision. It is stored, and returned, only
//!   while all three match the entry.
//! * A member's likes in a subject have no sequence of revisions. Before a commit that may change
//!   them their *invalidation* begins: it removes them and prevents fills. It ends after the
//!   commit. If the invalidation no longer exists at its end, the likes are removed again, because
//!   another process may have filled them meanwhile. The relay also removes them when it reports
//!   the commit. This covers an invalidation that never reached a replica, and one whose process
//!   ended before the invalidation did.

mod committed;

use async_trait::async_trait;
use riposte_core::comment::CommentView;
use riposte_core::page::{ListOrder, PageQuery, ReplyPage, RootPage};
use riposte_core::ports::RenderedPage;
use riposte_core::{Comment, CommentId, Content, LikeValue, MemberId, Partition, Subject, SubjectId, SubjectKey};

pub use committed::{CommittedState, ConcealedComment};

/// The error of a cache that did not respond, or not in time. The cached data is then unknown, and
/// no decision may depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unavailable;

/// The outcome of a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryLookup<T> {
    /// The value is cached.
    Hit(T),
    /// The value is not cached.
    Miss,
}

/// A comment with its content. A cache stores the content of visible comments only, so that data
/// that other processes and people can read contains nothing that a reader may not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedComment {
    /// The row.
    pub comment: Comment,
    /// The content, if the comment has one and is visible.
    pub content: Option<Content>,
}

impl CachedComment {
    /// Returns the view of this comment under its subject.
    #[must_use]
    pub fn view(self, subject: &Subject) -> CommentView {
        let pinned = subject.pins.contains(&self.comment.reference.id);
        CommentView { comment: self.comment, subject: subject.key.clone(), content: self.content, pinned }
    }

    /// Returns the comment of a view, without its subject; the content only if the comment is
    /// visible.
    #[must_use]
    pub fn of(view: &CommentView) -> Self {
        let content = view.content.clone().filter(|_| view.comment.lifecycle.state.is_visible());
        Self { comment: view.comment.clone(), content }
    }
}

/// A list of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListName {
    /// The root whose replies it lists; `None` for the roots.
    pub root: Option<CommentId>,
    /// The end of the list from which it is cached.
    pub order: ListOrder,
}

/// The requested comments of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListPart {
    /// The comments of a window.
    Window(PageQuery),
    /// The comments with these ids, in this order, listed or not. The page reports no comments
    /// before or after them.
    Ids(Vec<CommentId>),
}

/// A request for a cached page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedPageQuery {
    /// The subject.
    pub key: SubjectKey,
    /// The root whose replies are requested; `None` for roots.
    pub root: Option<CommentId>,
    /// The comments of the list.
    pub part: ListPart,
    /// The maximum number of replies in the preview of each root.
    pub previews: u8,
}

/// A page found in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CachedPage {
    /// Roots, with the previews of those that have listed replies.
    Roots(Box<RootPage>),
    /// Replies of one root.
    Replies(Box<ReplyPage>),
}

impl CachedPage {
    /// Returns the page of roots, if it is one.
    #[must_use]
    pub fn roots(self) -> Option<RootPage> {
        match self {
            Self::Roots(page) => Some(*page),
            Self::Replies(_) => None,
        }
    }

    /// Returns the page of replies, if it is one.
    #[must_use]
    pub fn replies(self) -> Option<ReplyPage> {
        match self {
            Self::Replies(page) => Some(*page),
            Self::Roots(_) => None,
        }
    }

    /// Returns the comments of the list: roots without pinned ones and previews, or replies without
    /// their root.
    pub(crate) fn comments(&self) -> Vec<&CommentView> {
        match self {
            Self::Roots(page) => page.threads.items.iter().map(|thread| &thread.root).collect(),
            Self::Replies(page) => page.replies.items.iter().collect(),
        }
    }
}

/// The scope of a fill. For each scope one process at a time fills a subject, except for
/// [`FillScope::Comments`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FillScope {
    /// A list.
    List(ListName),
    /// Comments of one list that were selected by their floors.
    Floors {
        /// The root whose replies they are; `None` for roots.
        root: Option<CommentId>,
        /// The first of these floors.
        first: i32,
    },
    /// The subject's row.
    Row,
    /// Single comments; any number of processes may fill them at once.
    Comments,
}

/// The right to fill a subject, valid for a short time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillLease {
    /// The subject.
    pub subject: SubjectId,
    /// The scope of the fill.
    pub scope: FillScope,
    /// The token with which the lease was requested; it identifies the lease.
    pub token: u64,
    /// The relay's position when the lease was granted. Everything that the relay reports after
    /// this position is logged for the lease.
    pub granted_at: RelayCursor,
}

/// The outcome of a request for a fill lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// The lease is granted: read the rows now, and fill.
    Granted(FillLease),
    /// Another process holds the lease, or single comments would arrive before their subject's row.
    /// Check again shortly.
    Busy,
    /// The id of the subject with this key is unknown. Read it, and report it with [`Cache::name`],
    /// or its absence with [`Cache::absent`] and this token.
    Unknown {
        /// Identifies this lookup. An absence is recorded only if no change of the subject was
        /// reported since.
        token: u64,
    },
    /// The relay has not reached this partition, so the cache stores nothing for it.
    Cold,
}

/// The data of a fill. It was read from the rows in one snapshot, except that single comments were
/// read one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CacheFill {
    /// The subject's row with its revision; `None` if only comments were read.
    pub subject: Option<Subject>,
    /// Ranges of lists.
    pub lists: Vec<ListRange>,
    /// Comments.
    pub items: Vec<CachedComment>,
    /// The candidates for previews; their comments are among `items`.
    pub candidates: Vec<CachedCandidates>,
    /// The subject's revision, read after the comments; used only if `subject` is `None`.
    pub subject_revision: i64,
    /// `true` for a fill that does not wait for an entry that is behind the data. If the fill has a
    /// subject's row, the entry then starts anew; otherwise the fill is refused.
    pub force: bool,
}

/// A range of a list: all of its members between two floors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRange {
    /// The list.
    pub name: ListName,
    /// The first floor of the range; 0 = the list has no member before it.
    pub low: i32,
    /// The last floor; [`i32::MAX`] = the list has no member after it.
    pub high: i32,
    /// The members.
    pub members: Vec<(i32, CommentId)>,
}

/// The candidates for the preview of a root. See [`riposte_core::page::PreviewCandidates`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedCandidates {
    /// The root.
    pub root: CommentId,
    /// The replies.
    pub members: Vec<(i32, CommentId)>,
    /// The floor up to which every listed reply is a candidate; [`i32::MAX`] = all listed replies
    /// are.
    pub high: i32,
    /// The rank position, as likes and floor, that no other reply precedes; (0, 0) = no other reply
    /// has likes.
    pub bound: (i32, i32),
}

/// The outcome of a fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillOutcome {
    /// The data is stored.
    Stored,
    /// The data contains a commit that the entry has not applied yet. Fill again shortly.
    Behind,
    /// The fill was refused, because the data may be outdated.
    Refused,
}

/// The changes of one commit to a subject, in absolute values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectUpdate {
    /// The row, at the revision of the commit.
    pub subject: Subject,
    /// `true` if the commit created the subject.
    pub created: bool,
    /// Changes to the members of lists.
    pub lists: Vec<ListUpdate>,
    /// Comments that are new or changed.
    pub patches: Vec<CommentUpdate>,
}

/// The changes of one commit to the list of the roots, or of the replies of a root, in either
/// order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListUpdate {
    /// The root; `None` for the roots.
    pub root: Option<CommentId>,
    /// The added members.
    pub added: Vec<(i32, CommentId)>,
    /// The floors of the removed members.
    pub removed: Vec<i32>,
}

/// The change of one commit to a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentUpdate {
    /// The row.
    pub comment: Comment,
    /// The content, if the commit wrote it or made the comment visible. The content of a comment
    /// that is not visible is not stored, and one that was stored before is removed.
    pub content: Option<Content>,
}

/// The likes of a comment at the comment's own revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LikeCounts {
    /// The comment.
    pub id: CommentId,
    /// Its subject.
    pub subject: SubjectId,
    /// Its own revision.
    pub revision: i64,
    /// The number of members whose value is LIKE.
    pub likes: i32,
    /// The number of members whose value is DISLIKE.
    pub dislikes: i32,
    /// The root in whose preview the comment may appear, and the comment's floor; `None` for a
    /// root, and for a comment that is not visible.
    pub preview_position: Option<(CommentId, i32)>,
}

impl LikeCounts {
    /// Returns the likes of a row.
    #[must_use]
    pub fn of(comment: &Comment) -> Self {
        Self {
            id: comment.reference.id,
            subject: comment.reference.subject_id,
            revision: comment.lifecycle.revision,
            likes: comment.counts.like_count,
            dislikes: comment.counts.dislike_count,
            preview_position: comment
                .reference
                .root_id
                .filter(|_| comment.lifecycle.state.is_visible())
                .map(|root| (root, comment.reference.floor)),
        }
    }
}

/// A member under a subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SubjectMember {
    /// The subject.
    pub key: SubjectKey,
    /// The member.
    pub member: MemberId,
}

/// The position of the relay in a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelayCursor(pub i64);

/// The rendered first pages of roots. A rendered page is valid only for the entry's incarnation,
/// revision and content version for which it was made.
#[async_trait]
pub trait RenderedPages: Send + Sync + std::fmt::Debug {
    /// Returns the rendered page, if one is cached for the entry's current version; `None` if the
    /// subject does not exist or is deleted.
    async fn rendered_page(&self, query: &CachedPageQuery) -> Result<EntryLookup<Option<RenderedPage>>, Unavailable>;

    /// Returns `false` if the cached rendered page differs from the page that would be rendered
    /// now; `true` also if none is cached or the data changes meanwhile.
    async fn is_correct(&self, query: &CachedPageQuery) -> Result<bool, Unavailable>;
}

/// The cached data of all subjects. The module describes the protocol. Every operation is atomic
/// for other callers, and is one round trip per partition.
#[async_trait]
pub trait Cache: Send + Sync + std::fmt::Debug {
    /// Returns subjects in the order of `keys`, deleted ones included; `None` for a subject that
    /// certainly does not exist.
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable>;

    /// Returns comments in the order of `ids`; `None` where the subject is deleted.
    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<EntryLookup<Option<CommentView>>>, Unavailable>;

    /// Returns a complete page or a miss; `None` if the subject does not exist or is deleted.
    async fn page(&self, query: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable>;

    /// Returns a member's values in the order of `ids`. An inner `None` means that the cache does
    /// not know of such a comment in this subject. `Hit(None)` means that the subject is absent or
    /// deleted.
    async fn states(
        &self,
        member: &SubjectMember,
        ids: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable>;

    /// Requests a fill lease. `token` is random.
    async fn open(&self, key: &SubjectKey, scope: FillScope, token: u64) -> Result<LeaseOutcome, Unavailable>;

    /// Stores the id of the subject with this key; the id never changes.
    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Unavailable>;

    /// Records that no subject has this key, if no change was reported since [`Cache::open`] with
    /// this token returned [`LeaseOutcome::Unknown`].
    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Unavailable>;

    /// Stores the data that was read.
    async fn fill(&self, fill_lease: &FillLease, fill: &CacheFill) -> Result<FillOutcome, Unavailable>;

    /// Releases a fill lease that is not used.
    async fn close(&self, fill_lease: &FillLease) -> Result<(), Unavailable>;

    /// Applies the changes of commits to subjects.
    async fn apply(&self, changes: &[SubjectUpdate]) -> Result<(), Unavailable>;

    /// Applies the likes of comments.
    async fn like(&self, likes: &[LikeCounts]) -> Result<(), Unavailable>;

    /// Removes the members' likes, and prevents fills of them until the invalidation ends, or for
    /// some seconds.
    async fn begin_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable>;

    /// Ends an invalidation. If it no longer exists, the members' likes are removed.
    async fn end_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable>;

    /// Requests the right to fill a member's likes. Returns `false` while an invalidation is
    /// active, or if the cache stores nothing for the partition.
    async fn open_states(&self, member: &SubjectMember, token: u64) -> Result<bool, Unavailable>;

    /// Stores all likes and dislikes of a member in a subject.
    async fn fill_states(
        &self,
        member: &SubjectMember,
        token: u64,
        values: &[(CommentId, LikeValue)],
    ) -> Result<(), Unavailable>;

    /// Records that these comments of the subject exist and have no value of the member. Does
    /// nothing unless the member's likes are cached.
    async fn record_existing(&self, member: &SubjectMember, ids: &[CommentId]) -> Result<(), Unavailable>;

    /// Returns the relay's position in each of these partitions; `None` if the relay has not
    /// reached it.
    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable>;

    /// Advances the relay's cursor in a partition. Reports the committed revisions first and the
    /// likes of comments second, removes the contents of the concealed comments, and removes the
    /// likes of the members whose likes changed. Returns `false`, and does nothing, when the cursor
    /// is not at `from`.
    async fn advance(
        &self,
        partition: Partition,
        from: RelayCursor,
        to: RelayCursor,
        committed: &CommittedState,
    ) -> Result<bool, Unavailable>;

    /// Begins a new generation of a partition, with the relay at `at`. All cached data of the
    /// partition is invalidated.
    async fn renew(&self, partition: Partition, at: RelayCursor, generation: u64) -> Result<(), Unavailable>;

    /// Invalidates everything about a subject except the members' likes.
    async fn invalidate_subject(&self, key: &SubjectKey) -> Result<(), Unavailable>;

    /// Returns `true` while the cache is unavailable; reads then go to the rows.
    fn is_unavailable(&self) -> bool;

    /// Returns a number that changes when a connection to a server is opened again, and when the
    /// servers of a cluster change: the data may then be that of an earlier time.
    fn connection_changes(&self) -> u64;

    /// Returns the rendered first pages, if the cache stores any.
    fn rendered_pages(&self) -> Option<&dyn RenderedPages> {
        None
    }
}
