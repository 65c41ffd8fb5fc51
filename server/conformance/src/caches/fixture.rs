//! The subject of a case, and the operations on its cached data.

use std::sync::Arc;

use riposte_core::page::{ListOrder, PageQuery, PageStart, RootPage};
use riposte_core::{
    Comment, CommentCounts, CommentId, CommentRef, CommentState, Content, Lifecycle, MemberId, Millis, Path, Subject,
    SubjectCounts, SubjectId, SubjectKey,
};

use riposte_cache::{
    Cache, CacheFill, CachedComment, CachedPage, CachedPageQuery, CommentUpdate, CommittedState, EntryLookup,
    FillLease, FillOutcome, FillScope, LeaseOutcome, ListName, ListPart, ListRange, ListUpdate, RelayCursor,
    SubjectUpdate,
};

pub(super) struct Fixture {
    pub(super) cache: Arc<dyn Cache>,
    pub(super) subject: Subject,
}

pub(super) const NEWEST: ListName = ListName { root: None, order: ListOrder::Newest };

impl Fixture {
    /// Returns a subject at revision 1 whose relay is at position 1 and whose id is cached.
    pub(super) async fn new(cache: Arc<dyn Cache>, name: &str) -> Self {
        let this = Self::cold(cache, name);
        this.cache.renew(this.subject.key.partition(), RelayCursor(1), 1).await.expect("answered");
        this.cache.name(&this.subject.key, this.subject.id).await.expect("answered");
        this
    }

    pub(super) fn cold(cache: Arc<dyn Cache>, name: &str) -> Self {
        let key = SubjectKey::stored("case".to_owned(), name.to_owned());
        let id = SubjectId::new(i64::from(key.partition().get()) << 14 | 1 << 40).expect("positive");
        Self { cache, subject: Subject { revision: 1, ..Subject::new(id, key, Millis(7)) } }
    }

    pub(super) fn at(&self, revision: i64) -> Subject {
        Subject {
            counts: SubjectCounts { root_count: revision as i32, ..self.subject.clone().counts },
            revision,
            ..self.subject.clone()
        }
    }

    /// Returns a root at the given revision.
    pub(super) fn root(&self, floor: i32, revision: i64) -> Comment {
        let id = CommentId::new(self.subject.id.get() | i64::from(floor)).expect("positive");
        Comment {
            reference: CommentRef {
                id,
                subject_id: self.subject.id,
                root_id: None,
                parent_id: None,
                path: Path::root(id),
                floor,
                member: MemberId::stored("m".into()),
                born_revision: 1,
                create_time: Millis(1),
            },
            counts: CommentCounts { like_count: revision as i32, dislike_count: 0, reply_count: 0, live_below: 0 },
            lifecycle: Lifecycle {
                state: CommentState::Active,
                prior_state: CommentState::Active,
                deleted_by: None,
                listed: true,
                revision,
                version: 1,
                update_time: Millis(1),
                edit_time: None,
                delete_time: None,
            },
            next_floor: 1,
        }
    }

    pub(super) fn item(&self, floor: i32) -> CachedComment {
        CachedComment { comment: self.root(floor, 1), content: Some(said(floor)) }
    }

    pub(super) fn ask(&self, start: PageStart, limit: usize) -> CachedPageQuery {
        let window = PageQuery { order: ListOrder::Newest, start, limit };
        CachedPageQuery { key: self.subject.key.clone(), root: None, part: ListPart::Window(window), previews: 0 }
    }

    pub(super) async fn page(&self, limit: usize) -> Option<RootPage> {
        match self.cache.page(&self.ask(PageStart::Beginning, limit)).await.expect("answered") {
            EntryLookup::Hit(page) => Some(page.and_then(CachedPage::roots).expect("the subject is there")),
            EntryLookup::Miss => None,
        }
    }

    /// Returns the revision and the floors of the first hundred roots, newest first; `None` for a
    /// miss.
    pub(super) async fn seen(&self) -> Option<(i64, Vec<i32>)> {
        let page = self.page(100).await?;
        Some((
            page.subject.revision,
            page.threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect(),
        ))
    }

    pub(super) async fn fill_lease(&self) -> FillLease {
        self.ticket_for(FillScope::List(NEWEST)).await
    }

    pub(super) async fn ticket_for(&self, kind: FillScope) -> FillLease {
        match self.cache.open(&self.subject.key, kind, rand::random()).await.expect("answered") {
            LeaseOutcome::Ticket(fill_lease) => fill_lease,
            other @ (LeaseOutcome::Busy | LeaseOutcome::Unknown { .. } | LeaseOutcome::Cold) => {
                panic!("no ticket: {other:?}")
            }
        }
    }

    /// Returns the fill of a read at a revision: all roots, with these floors.
    pub(super) fn read(&self, revision: i64, floors: &[i32]) -> CacheFill {
        let members = floors.iter().map(|floor| (*floor, self.root(*floor, 1).reference.id)).collect();
        CacheFill {
            subject: Some(self.at(revision)),
            lists: vec![ListRange { name: NEWEST, low: 0, high: i32::MAX, members }],
            items: floors.iter().map(|floor| self.item(*floor)).collect(),
            ..CacheFill::default()
        }
    }

    pub(super) async fn fill(&self, revision: i64, floors: &[i32]) {
        let fill_lease = self.fill_lease().await;
        let filled = self.cache.fill(&fill_lease, &self.read(revision, floors)).await.expect("answered");
        assert_eq!(filled, FillOutcome::Kept);
    }

    /// Returns a commit that added one root.
    pub(super) fn born(&self, revision: i64, floor: i32) -> SubjectUpdate {
        let comment = self.root(floor, 1);
        let came = vec![(floor, comment.reference.id)];
        SubjectUpdate {
            subject: self.at(revision),
            created: false,
            lists: vec![ListUpdate { root: None, came, went: Vec::new() }],
            patches: vec![CommentUpdate { comment, content: Some(said(floor)) }],
        }
    }

    /// Advances the cursor of the relay by one and reports `committed`. Returns `true` if the cache
    /// accepted it.
    pub(super) async fn advance(&self, from: i64, committed: CommittedState) -> bool {
        let at = self.subject.key.partition();
        self.cache.advance(at, RelayCursor(from), RelayCursor(from + 1), &committed).await.expect("answered")
    }

    /// Returns the committed state of a commit that made a revision.
    pub(super) fn committed(&self, revision: i64) -> CommittedState {
        CommittedState { revisions: vec![(self.subject.id, revision)], ..CommittedState::default() }
    }

    pub(super) async fn apply(&self, change: SubjectUpdate) {
        self.cache.apply(&[change]).await.expect("answered");
    }
}

pub(super) fn said(floor: i32) -> Content {
    Content::stored(format!("floor {floor}"), Vec::new(), riposte_core::subject::Metadata::new())
}
