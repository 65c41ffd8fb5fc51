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

/// A cache and the subject of one case.
pub(super) struct Fixture {
    pub(super) cache: Arc<dyn Cache>,
    pub(super) subject: Subject,
}

/// The list of roots, newest first.
pub(super) const NEWEST: ListName = ListName { root: None, order: ListOrder::Newest };

impl Fixture {
    /// Returns a subject at revision 1 whose relay is at position 1 and whose id is cached.
    pub(super) async fn new(cache: Arc<dyn Cache>, name: &str) -> Self {
        let this = Self::cold(cache, name);
        this.cache.renew(this.subject.key.partition(), RelayCursor(1), 1).await.expect("available");
        this.cache.name(&this.subject.key, this.subject.id).await.expect("available");
        this
    }

    /// Returns a subject at revision 1 in a partition that no relay has reached.
    pub(super) fn cold(cache: Arc<dyn Cache>, name: &str) -> Self {
        let key = SubjectKey::stored("case".to_owned(), name.to_owned());
        let id = SubjectId::new(i64::from(key.partition().get()) << 14 | 1 << 40).expect("positive");
        Self { cache, subject: Subject { revision: 1, ..Subject::new(id, key, Millis(7)) } }
    }

    /// Returns the subject at the given revision.
    pub(super) fn subject_at(&self, revision: i64) -> Subject {
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

    /// Returns a root at revision 1 with its content.
    pub(super) fn item(&self, floor: i32) -> CachedComment {
        CachedComment { comment: self.root(floor, 1), content: Some(content(floor)) }
    }

    /// Returns the query for a page of roots, newest first, without previews.
    pub(super) fn page_query(&self, start: PageStart, limit: usize) -> CachedPageQuery {
        let query = PageQuery { order: ListOrder::Newest, start, limit };
        CachedPageQuery { key: self.subject.key.clone(), root: None, part: ListPart::Window(query), previews: 0 }
    }

    /// Returns the first page of at most `limit` roots; `None` for a miss.
    pub(super) async fn page(&self, limit: usize) -> Option<RootPage> {
        match self.cache.page(&self.page_query(PageStart::Beginning, limit)).await.expect("available") {
            EntryLookup::Hit(page) => Some(page.and_then(CachedPage::roots).expect("the subject exists")),
            EntryLookup::Miss => None,
        }
    }

    /// Returns the revision and the floors of the first hundred roots, newest first; `None` for a
    /// miss.
    pub(super) async fn cached_floors(&self) -> Option<(i64, Vec<i32>)> {
        let page = self.page(100).await?;
        Some((
            page.subject.revision,
            page.threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect(),
        ))
    }

    /// Acquires the lease to fill the list of roots.
    pub(super) async fn fill_lease(&self) -> FillLease {
        self.lease_for(FillScope::List(NEWEST)).await
    }

    pub(super) async fn lease_for(&self, scope: FillScope) -> FillLease {
        match self.cache.open(&self.subject.key, scope, rand::random()).await.expect("available") {
            LeaseOutcome::Granted(fill_lease) => fill_lease,
            other @ (LeaseOutcome::Busy | LeaseOutcome::Unknown { .. } | LeaseOutcome::Cold) => {
                panic!("no fill lease: {other:?}")
            }
        }
    }

    /// Returns the data of a fill at a revision: all roots, which have these floors.
    pub(super) fn fill_data(&self, revision: i64, floors: &[i32]) -> CacheFill {
        let members = floors.iter().map(|floor| (*floor, self.root(*floor, 1).reference.id)).collect();
        CacheFill {
            subject: Some(self.subject_at(revision)),
            lists: vec![ListRange { name: NEWEST, low: 0, high: i32::MAX, members }],
            items: floors.iter().map(|floor| self.item(*floor)).collect(),
            ..CacheFill::default()
        }
    }

    /// Fills the cache with all roots at a revision.
    pub(super) async fn fill(&self, revision: i64, floors: &[i32]) {
        let fill_lease = self.fill_lease().await;
        let filled = self.cache.fill(&fill_lease, &self.fill_data(revision, floors)).await.expect("available");
        assert_eq!(filled, FillOutcome::Stored);
    }

    /// Returns a commit that added one root.
    pub(super) fn root_created(&self, revision: i64, floor: i32) -> SubjectUpdate {
        let comment = self.root(floor, 1);
        let added = vec![(floor, comment.reference.id)];
        SubjectUpdate {
            subject: self.subject_at(revision),
            created: false,
            lists: vec![ListUpdate { root: None, added, removed: Vec::new() }],
            patches: vec![CommentUpdate { comment, content: Some(content(floor)) }],
        }
    }

    /// Reports `committed` and advances the cursor of the relay from `from` by one. Returns `true`
    /// if the cache accepts both.
    pub(super) async fn advance(&self, from: i64, committed: CommittedState) -> bool {
        let partition = self.subject.key.partition();
        self.cache.advance(partition, RelayCursor(from), RelayCursor(from + 1), &committed).await.expect("available")
    }

    /// Returns the report of a commit with this revision.
    pub(super) fn committed(&self, revision: i64) -> CommittedState {
        CommittedState { revisions: vec![(self.subject.id, revision)], ..CommittedState::default() }
    }

    pub(super) async fn apply(&self, change: SubjectUpdate) {
        self.cache.apply(&[change]).await.expect("available");
    }
}

/// Returns the content of the comment with this floor.
pub(super) fn content(floor: i32) -> Content {
    Content::stored(format!("floor {floor}"), Vec::new(), riposte_core::subject::Metadata::new())
}
