//! The protocol by which copies are read, filled and changed.
//!
//! Everything under a subject is one *block* with one line of revisions: its row, the lists of its roots and replies, and
//! its comments. A block has an *incarnation*, a random number given when it came into being; whatever bears another one
//! is no part of it. It knows the revision `rev` it is at, and `W`, the highest revision known to be committed. It
//! answers only while `rev ≥ W`.
//!
//! * A commit is *applied* with absolute values. What follows `rev` directly moves the block on; what comes too early
//!   waits in the block's log until its predecessors have come; what comes twice is passed over.
//! * Who finds nothing takes a *ticket*, reads the rows, and *fills*. Tickets have names: one that expired, or was given back, or
//!   that a server has never given (a replica that took over) is none. While one is out every change is logged, so that what
//!   was read at an older revision is brought forward by the log, or is refused where the log does not reach. Where a part of
//!   the log is lost all tickets are torn up, and a block that is behind begins anew: it forgets what it kept, and its revision.
//! * Single comments are read without their subject's revision. They are only filled into a block that had a revision
//!   when the ticket was given, for such a block moves on by its log or begins anew; and only when it has come as far as the
//!   subject was *seen* after they had been read.
//! * Likes have their comment's own line: they are absolute too, and the greater revision stands. They are logged while a
//!   ticket is out, and while the block is behind or has no revision: they may be of a comment that a late apply brings.
//! * The relay *advances* a cursor that lies beside the blocks of its partition. What it tells and no block has heard raises
//!   `W`; likes it tells in the same step, as the rows have them, to every block, whatever is kept there. A cursor that is
//!   not where the relay left it says that the cache has lost something: the partition begins a new *generation*, and
//!   blocks of older ones are none.
//! * A preview is chosen when it is asked for, from a *choice*: replies of a root, which the copies of these replies put in
//!   their order, and the place before which none of the others stands. Replies come and go with the revisions, as on lists.
//!   A like of one that is not in the choice, and might stand before that place, ends the choice.
//!   Others are known by their board alone, which follows the commits: so a choice is only kept if its board held, when it was
//!   read, all that the relay had told when the ticket was given. What comes to the board later is told later, and is logged.
//! * A first page of roots may be kept in print ([`RenderedPages`]). A print is of the block's incarnation, its revision and its *stamp*, which likes and
//!   fills move, since they move no revision; it is kept only while the block is still of these three, and answers only then.
//! * A member's likes in a subject have no line. They are *doubted* before a commit that may change them, which forgets them and lets nobody
//!   fill, and *settled* afterwards. Whoever settles a doubt that is gone forgets them again: somebody may have filled meanwhile.
//!   The relay forgets them too when it tells the commit, so that what a replica never heard of, or a process did not live
//!   to settle, does not stand.

use std::collections::BTreeMap;

use async_trait::async_trait;
use prost::bytes::Bytes;
use riposte_core::comment::CommentView;
use riposte_core::page::{ListOrder, Page, PageQuery, RootPage};
use riposte_core::{Comment, CommentId, Content, LikeValue, MemberId, Partition, Subject, SubjectId, SubjectKey};

/// The cache did not answer in its time, or at all. What it holds is not known, and nothing may rest on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unavailable;

/// The outcome of a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryLookup<T> {
    /// It is known.
    Hit(T),
    /// It is not.
    Miss,
}

/// A comment as it lies in the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedComment {
    /// The row.
    pub comment: Comment,
    /// What it says.
    pub content: Option<Content>,
}

impl CachedComment {
    /// The view of this comment under its subject.
    #[must_use]
    pub fn view(self, subject: &Subject) -> CommentView {
        let pinned = subject.pins.contains(&self.comment.id);
        CommentView { comment: self.comment, subject: subject.key.clone(), content: self.content, pinned }
    }
}

/// A list of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListName {
    /// The root whose replies it lists; `None` for the roots.
    pub root: Option<CommentId>,
    /// The end it is kept from.
    pub order: ListOrder,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListPart {
    /// What a window shows.
    Window(PageQuery),
    /// These comments, in this order, whether they are listed or not, with nothing on either side.
    These(Vec<CommentId>),
}

/// A page to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedPageQuery {
    /// Under which subject.
    pub key: SubjectKey,
    /// Replies of this root; `None` for roots.
    pub root: Option<CommentId>,
    /// Which comments of the list.
    pub part: ListPart,
    /// The most replies in the preview of each root.
    pub previews: u8,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedPage {
    /// The subject, at the revision of the page.
    pub subject: Subject,
    /// The root, where replies were asked for.
    pub root: Option<CachedComment>,
    /// The comments.
    pub items: Page<CachedComment>,
    /// The pinned roots, where roots were asked for.
    pub pinned: Vec<CachedComment>,
    /// The previews of those roots that have listed replies, where previews were asked for.
    pub previews: BTreeMap<CommentId, CachedPreview>,
}

/// A preview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CachedPreview {
    /// The replies, the most liked first.
    pub replies: Vec<CachedComment>,
    /// Whether the root has more.
    pub more: bool,
}

/// What a fill is about: of each kind one process at a time fills a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FillScope {
    /// A list.
    List(ListName),
    /// Comments of one list that were picked by their floors.
    Picked {
        /// The root whose replies they are; `None` for roots.
        root: Option<CommentId>,
        /// The first of the floors.
        first: i32,
    },
    /// The subject's row.
    Row,
    /// Single comments: any number of processes at once.
    Comments,
}

/// The right to fill, for a short time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillLease {
    /// The subject.
    pub subject: SubjectId,
    /// What it is for.
    pub kind: FillScope,
    /// Its name: the token with which it was asked for.
    pub token: u64,
    /// Where the relay was when it was given: all that it tells later, whoever has the ticket learns.
    pub given: RelayCursor,
}

/// The answer to who wants to fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// Read the rows now, and fill.
    Ticket(FillLease),
    /// Somebody else does, or single comments would come before their subject's row; look again in a moment.
    Busy,
    /// Which subject bears this key is not known: read it, and say so with [`Cache::name`], or [`Cache::absent`] with this
    /// token.
    Unknown {
        /// Shows that nothing was heard meanwhile.
        token: u64,
    },
    /// The relay has not come to this partition: nothing is kept.
    Cold,
}

/// What was read from the rows in one snapshot, or for single comments one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CacheFill {
    /// The subject's row, which says at what revision; `None` where only comments were read.
    pub subject: Option<Subject>,
    /// Parts of lists.
    pub lists: Vec<ListRange>,
    /// Comments.
    pub items: Vec<CachedComment>,
    /// What previews are chosen from; the comments are among `items`.
    pub choices: Vec<CachedCandidates>,
    /// Where only comments were read: the revision at which the subject was seen after them.
    pub seen: i64,
    /// Not to wait where the block is behind what was read. With a subject's row it begins anew; single comments are refused.
    pub force: bool,
}

/// A part of a list: all of its members between two floors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRange {
    /// The list.
    pub name: ListName,
    /// The first floor of the part; 0 = nothing lies before.
    pub low: i32,
    /// The last floor; [`i32::MAX`] = nothing lies behind.
    pub high: i32,
    /// The members.
    pub members: Vec<(i32, CommentId)>,
}

/// What the preview of a root is chosen from. See [`riposte_core::page::PreviewCandidates`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedCandidates {
    /// The root.
    pub root: CommentId,
    /// The replies.
    pub members: Vec<(i32, CommentId)>,
    /// Every listed reply up to this floor is one of them; [`i32::MAX`] = all are.
    pub high: i32,
    /// None of the others stands before this place, of likes and then of floor; (0, 0) = none of them has likes.
    pub place: (i32, i32),
}

/// What became of a fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillOutcome {
    /// It is kept.
    Kept,
    /// The commit that was read is not applied yet: fill again in a moment.
    Behind,
    /// It cannot be known whether it is still true.
    Refused,
}

/// What one commit made of a subject, in absolute values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectUpdate {
    /// The row, at the revision that the commit made.
    pub subject: Subject,
    /// Whether the commit brought the subject into being.
    pub created: bool,
    /// Members that came to lists or went.
    pub lists: Vec<ListUpdate>,
    /// Comments that are new or different.
    pub patches: Vec<CommentUpdate>,
}

/// What a commit did to the list of the roots, or of the replies of a root, whatever end it is kept from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListUpdate {
    /// The root; `None` for the roots.
    pub root: Option<CommentId>,
    /// Who came.
    pub came: Vec<(i32, CommentId)>,
    /// The floors of who went.
    pub went: Vec<i32>,
}

/// What a commit made of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentUpdate {
    /// The row.
    pub comment: Comment,
    /// The content, where the commit wrote it.
    pub content: Option<Content>,
}

/// The likes of a comment at a revision of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LikeCounts {
    /// The comment.
    pub id: CommentId,
    /// Its subject.
    pub subject: SubjectId,
    /// Its own revision.
    pub revision: i64,
    /// Members whose value is LIKE.
    pub likes: i32,
    /// Members whose value is DISLIKE.
    pub dislikes: i32,
    /// The root on whose preview it may stand, and its floor there; `None` for a root, and for what is not visible.
    pub below: Option<(CommentId, i32)>,
}

impl LikeCounts {
    /// The likes of a row.
    #[must_use]
    pub fn of(comment: &Comment) -> Self {
        Self {
            id: comment.id,
            subject: comment.subject_id,
            revision: comment.revision,
            likes: comment.like_count,
            dislikes: comment.dislike_count,
            below: comment.root_id.filter(|_| comment.state.is_visible()).map(|root| (root, comment.floor)),
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

/// What was committed in a partition, as the relay tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommittedState {
    /// The highest revisions of subjects.
    pub revisions: Vec<(SubjectId, i64)>,
    /// Likes of comments that were liked, or came to be seen, as the rows have them now.
    pub likes: Vec<LikeCounts>,
    /// Members whose likes changed.
    pub likers: Vec<SubjectMember>,
}

/// Where the relay is in a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelayCursor(pub i64);

/// Makes of a first page what is sent for it, as far as that is the same for every caller.
pub trait PageRenderer: Send + Sync + std::fmt::Debug {
    /// What prints look like, in a few letters. Processes of two versions do not take each other's.
    fn form(&self) -> &str;

    /// The page in print: the same bytes whenever it is the same page.
    fn rendered(&self, page: RootPage) -> Vec<u8>;
}

/// A first page in print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    /// The subject, at the revision of the page.
    pub subject: Subject,
    /// What the [`PageRenderer`] made.
    pub rendered: Bytes,
}

/// First pages of roots in print. A print is of the block's incarnation, revision and stamp, and answers for these alone.
#[async_trait]
pub trait RenderedPages: Send + Sync + std::fmt::Debug {
    /// The print of a page, if one is kept of what is kept; `None` where there is no such subject, or it is deleted.
    async fn rendered_page(&self, ask: &CachedPageQuery) -> Result<EntryLookup<Option<RenderedPage>>, Unavailable>;

    /// Whether the print that is kept is what would be printed now. Where none is kept, or something changes meanwhile, it is.
    async fn is_right(&self, ask: &CachedPageQuery) -> Result<bool, Unavailable>;
}

/// The copies of all subjects. See the module for the protocol. Every operation is one step that others see whole or not
/// at all, and for one partition one trip.
#[async_trait]
pub trait Cache: Send + Sync + std::fmt::Debug {
    /// Subjects in the order of `keys`, deleted ones included; `None` for one that surely does not exist.
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable>;

    /// Comments in the order of `ids`; `None` where the subject is deleted.
    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<EntryLookup<Option<CommentView>>>, Unavailable>;

    /// A page with everything on it, or nothing; `None` where there is no such subject, or it is deleted.
    async fn page(&self, ask: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable>;

    /// A member's values in the order of `ids`; inside, `None` where it is not known whether there is such a comment in this
    /// subject. `Hit(None)` where the subject is absent or deleted.
    async fn states(
        &self,
        who: &SubjectMember,
        ids: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable>;

    /// Asks for the right to fill. `token` is random.
    async fn open(&self, key: &SubjectKey, kind: FillScope, token: u64) -> Result<LeaseOutcome, Unavailable>;

    /// Says which subject bears a key: this never changes.
    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Unavailable>;

    /// Says that none bears it, if nothing was heard since [`Cache::open`] with this token answered [`LeaseOutcome::Unknown`].
    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Unavailable>;

    /// Brings what was read.
    async fn fill(&self, fill_lease: &FillLease, fill: &CacheFill) -> Result<FillOutcome, Unavailable>;

    /// Gives a right back that is not used.
    async fn close(&self, fill_lease: &FillLease) -> Result<(), Unavailable>;

    /// Brings what commits made of subjects.
    async fn apply(&self, changes: &[SubjectUpdate]) -> Result<(), Unavailable>;

    /// Brings the likes of comments.
    async fn like(&self, likes: &[LikeCounts]) -> Result<(), Unavailable>;

    /// Forgets what members like, and lets nobody fill it until it is settled, or for some seconds.
    async fn begin_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable>;

    /// Takes a doubt back. Where it is gone, what the members like is forgotten.
    async fn end_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable>;

    /// Asks for the right to fill what a member likes; `false` where it is doubted, or nothing is kept.
    async fn open_states(&self, who: &SubjectMember, token: u64) -> Result<bool, Unavailable>;

    /// Brings everything that a member likes or dislikes in a subject.
    async fn fill_states(
        &self,
        who: &SubjectMember,
        token: u64,
        values: &[(CommentId, LikeValue)],
    ) -> Result<(), Unavailable>;

    /// Says that these are comments of the subject of which the member, whose likes are known, says nothing.
    async fn exist(&self, who: &SubjectMember, ids: &[CommentId]) -> Result<(), Unavailable>;

    /// Where the relay is in each of these partitions; `None` where it has not come.
    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable>;

    /// Moves the relay on in a partition, and tells first the revisions and then the likes that were committed, and
    /// forgets what the members like whose likes changed; `false` when its cursor is not `from`, and then nothing was done.
    async fn advance(
        &self,
        at: Partition,
        from: RelayCursor,
        to: RelayCursor,
        told: &CommittedState,
    ) -> Result<bool, Unavailable>;

    /// Begins a new generation of a partition, with the relay at `at`. What was kept is forgotten.
    async fn renew(&self, partition: Partition, at: RelayCursor, generation: u64) -> Result<(), Unavailable>;

    /// Forgets everything about a subject but what members like.
    async fn forget(&self, key: &SubjectKey) -> Result<(), Unavailable>;

    /// Whether it answers at present; where it does not, reads go to the rows.
    fn is_away(&self) -> bool;

    /// First pages in print, where any are kept.
    fn rendered_pages(&self) -> Option<&dyn RenderedPages> {
        None
    }
}
