//! Cases of previews: their candidates, and the events that invalidate them.

use std::sync::Arc;

use riposte_core::page::PageStart;
use riposte_core::{Comment, CommentCounts, CommentId, CommentRef, CommentState, Lifecycle, Path, Subject};

use super::fixture::{Fixture, NEWEST, content};
use riposte_cache::{
    Cache, CacheFill, CachedCandidates, CachedComment, CachedPage, CachedPageQuery, CommentUpdate, CommittedState,
    EntryLookup, FillOutcome, FillScope, LikeCounts, ListRange, ListUpdate, RelayCursor, SubjectUpdate,
};

/// A thread: a root and the replies below it.
struct Thread {
    fixture: Fixture,
    root: CommentId,
}

impl Thread {
    async fn new(cache: Arc<dyn Cache>, name: &str) -> Self {
        let fixture = Fixture::new(cache, name).await;
        let root = fixture.root(1, 1).reference.id;
        Self { fixture, root }
    }

    /// Returns the root with the given number of replies.
    fn root(&self, replies: i32) -> Comment {
        let mut root = self.fixture.root(1, 1 + i64::from(replies));
        (root.counts.live_below, root.counts.reply_count) = (replies, replies);
        root
    }

    /// Returns a reply with the given number of likes at the given revision.
    fn reply(&self, floor: i32, likes: i32, revision: i64) -> Comment {
        let id = CommentId::new(self.fixture.subject.id.get() | i64::from(1_000 + floor)).expect("positive");
        let path = Path::root(self.root).child(floor);
        let (root_id, parent_id) = (Some(self.root), Some(self.root));
        let Comment { reference, next_floor, counts, lifecycle } = self.fixture.root(1, 1);
        Comment {
            reference: CommentRef { id, root_id, parent_id, path, floor, ..reference },
            next_floor,
            counts: CommentCounts { like_count: likes, ..counts },
            lifecycle: Lifecycle { revision, ..lifecycle },
        }
    }

    fn likes(&self, floor: i32, likes: i32, revision: i64) -> LikeCounts {
        LikeCounts::of(&self.reply(floor, likes, revision))
    }

    /// Returns the data of a fill at a revision: replies with their likes. It covers all replies up
    /// to `high`, and none of the others ranks before `bound`.
    fn fill_data(&self, revision: i64, replies: &[(i32, i32)], high: i32, bound: (i32, i32)) -> CacheFill {
        let replies: Vec<Comment> = replies.iter().map(|(floor, likes)| self.reply(*floor, *likes, 1)).collect();
        let members = replies.iter().map(|reply| (reply.reference.floor, reply.reference.id)).collect();
        let all = [self.root(9)].into_iter().chain(replies);
        CacheFill {
            subject: Some(self.fixture.subject_at(revision)),
            lists: vec![ListRange { name: NEWEST, low: 0, high: i32::MAX, members: vec![(1, self.root)] }],
            items: all
                .map(|comment| CachedComment { content: Some(content(comment.reference.floor)), comment })
                .collect(),
            candidates: vec![CachedCandidates { root: self.root, members, high, bound }],
            ..CacheFill::default()
        }
    }

    async fn fill(&self, data: &CacheFill) {
        let fill_lease = self.fixture.fill_lease().await;
        assert_eq!(self.fixture.cache.fill(&fill_lease, data).await.expect("available"), FillOutcome::Stored);
    }

    async fn like(&self, floor: i32, likes: i32, revision: i64) {
        self.fixture.cache.like(&[self.likes(floor, likes, revision)]).await.expect("available");
    }

    /// Returns a commit that added replies to the list or removed them.
    fn replies_changed(&self, revision: i64, added: &[Comment], removed: &[Comment]) -> SubjectUpdate {
        let patch = |comment: &Comment| CommentUpdate {
            comment: comment.clone(),
            content: Some(content(comment.reference.floor)),
        };
        let lists = ListUpdate {
            root: Some(self.root),
            added: added.iter().map(|reply| (reply.reference.floor, reply.reference.id)).collect(),
            removed: removed.iter().map(|reply| reply.reference.floor).collect(),
        };
        let subject: Subject = self.fixture.subject_at(revision);
        let patches = added.iter().chain(removed).chain([&self.root(9)]).map(patch).collect();
        SubjectUpdate { subject, created: false, lists: vec![lists], patches }
    }

    /// Applies a commit that creates a reply.
    async fn create_reply(&self, revision: i64, floor: i32) {
        self.fixture.apply(self.replies_changed(revision, &[self.reply(floor, 0, 1)], &[])).await;
    }

    /// Returns a commit that deletes a reply.
    fn reply_deleted(&self, revision: i64, floor: i32) -> SubjectUpdate {
        let mut deleted = self.reply(floor, 0, 90);
        (deleted.lifecycle.state, deleted.lifecycle.listed) = (CommentState::Deleted, false);
        self.replies_changed(revision, &[], &[deleted])
    }

    /// Returns the floors and likes of the preview and whether more replies exist; `None` for a
    /// miss.
    async fn preview(&self, size: u8) -> Option<(Vec<(i32, i32)>, bool)> {
        let query = CachedPageQuery { previews: size, ..self.fixture.page_query(PageStart::Beginning, 5) };
        match self.fixture.cache.page(&query).await.expect("available") {
            EntryLookup::Hit(page) => {
                let threads = page.and_then(CachedPage::roots).expect("the subject exists").threads.items;
                let thread = threads.into_iter().find(|thread| thread.root.comment.reference.id == self.root);
                let thread = thread.expect("the root is on the page");
                let replies = thread.replies.iter().map(|view| &view.comment);
                let replies = replies.map(|reply| (reply.reference.floor, reply.counts.like_count));
                Some((replies.collect(), thread.more_replies))
            }
            EntryLookup::Miss => None,
        }
    }
}

/// The high end of candidates that include all replies.
const ALL: i32 = i32::MAX;

pub(super) async fn a_preview_follows_the_likes_of_its_replies(cache: Arc<dyn Cache>) {
    let thread = Thread::new(cache, "previews").await;
    thread.fill(&thread.fill_data(1, &[(1, 0), (2, 4), (3, 0), (4, 4), (9, 7)], 4, (2, 11))).await;
    assert_eq!(thread.preview(3).await, Some((vec![(9, 7), (2, 4), (4, 4)], true)));
    assert_eq!(thread.preview(1).await, Some((vec![(9, 7)], true)));
    assert_eq!(thread.preview(0).await, Some((vec![], true)));
    assert_eq!(thread.preview(4).await, None, "a reply beyond the candidates may have more likes");
    thread.like(1, 5, 8).await;
    assert_eq!(thread.preview(3).await, Some((vec![(9, 7), (1, 5), (2, 4)], true)));
    // Late likes change nothing.
    thread.like(1, 1, 7).await;
    thread.like(9, 4, 8).await;
    assert_eq!(thread.preview(4).await, Some((vec![(1, 5), (2, 4), (4, 4), (9, 4)], true)));
    thread.like(4, 1, 8).await;
    assert_eq!(thread.preview(3).await, Some((vec![(1, 5), (2, 4), (9, 4)], true)));
    assert_eq!(thread.preview(4).await, None);
    // Of replies with equal likes the oldest comes first. So a candidate with as many likes as the
    // bound ranks above the bound if it is older.
    thread.like(4, 2, 9).await;
    assert_eq!(thread.preview(4).await, Some((vec![(1, 5), (2, 4), (9, 4), (4, 2)], true)));
}

pub(super) async fn a_like_of_a_reply_that_may_rank_first_ends_the_preview(cache: Arc<dyn Cache>) {
    let thread = Thread::new(cache, "others").await;
    let data = thread.fill_data(1, &[(1, 0), (2, 4), (9, 3)], 2, (3, 9));
    thread.fill(&data).await;
    for (floor, likes) in [(5, 2), (10, 3), (12, 0)] {
        thread.like(floor, likes, 8).await;
        assert_eq!(thread.preview(2).await, Some((vec![(2, 4), (9, 3)], true)), "{floor} ranks below all candidates");
    }
    thread.like(8, 3, 8).await;
    assert_eq!(thread.preview(2).await, None);
    assert_eq!(thread.preview(0).await, Some((vec![], true)), "the page without previews is cached");
    // The same, reported by the relay.
    thread.fill(&data).await;
    let report = CommittedState { likes: vec![thread.likes(11, 4, 8)], ..CommittedState::default() };
    assert!(!thread.fixture.advance(7, report.clone()).await);
    assert_eq!(thread.preview(2).await, Some((vec![(2, 4), (9, 3)], true)));
    assert!(thread.fixture.advance(1, report).await);
    assert_eq!(thread.preview(2).await, None);
    // If no other reply has likes, the first like of another reply invalidates the preview.
    thread.fill(&thread.fill_data(1, &[(1, 0), (2, 4), (9, 3)], 2, (0, 0))).await;
    assert_eq!(thread.preview(2).await, Some((vec![(2, 4), (9, 3)], true)));
    thread.like(20, 1, 3).await;
    assert_eq!(thread.preview(2).await, None);
}

pub(super) async fn a_like_that_overtook_a_fill_ends_its_preview(cache: Arc<dyn Cache>) {
    let thread = Thread::new(cache, "overtaken_preview").await;
    let data = thread.fill_data(1, &[(1, 0), (2, 4), (9, 3)], 2, (3, 9));
    let fill_lease = thread.fixture.fill_lease().await;
    thread.like(11, 9, 8).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!((thread.preview(2).await, thread.preview(0).await), (None, Some((vec![], true))));
    // The same through the relay, also for a reply whose likes decreased again meanwhile.
    let fill_lease = thread.fixture.fill_lease().await;
    let report = CommittedState { likes: vec![thread.likes(11, 9, 8)], ..CommittedState::default() };
    assert!(thread.fixture.advance(1, report).await);
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(thread.preview(2).await, None);
    let fill_lease = thread.fixture.fill_lease().await;
    thread.like(2, 1, 8).await;
    thread.like(1, 6, 8).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(thread.preview(2).await, Some((vec![(1, 6), (9, 3)], true)), "the likes of the candidates are applied");
}

pub(super) async fn a_previewed_reply_that_was_deleted_during_a_fill_is_gone(cache: Arc<dyn Cache>) {
    let thread = Thread::new(cache, "deleted_preview").await;
    let data = thread.fill_data(1, &[(1, 0), (2, 4), (3, 0), (9, 3)], 3, (3, 9));
    let fill_lease = thread.fixture.fill_lease().await;
    thread.fixture.apply(thread.reply_deleted(2, 2)).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(thread.preview(1).await, Some((vec![(9, 3)], true)));
    // A candidate is deleted. Without it too few candidates are known.
    thread.fixture.apply(thread.reply_deleted(3, 9)).await;
    assert_eq!(thread.preview(1).await, None);
    // When all replies are known, the remaining ones suffice.
    let fill_lease = thread.fixture.fill_lease().await;
    let data = thread.fill_data(1, &[(1, 0), (2, 4), (3, 0), (9, 3)], ALL, (0, 0));
    let data = CacheFill { subject: Some(thread.fixture.subject_at(3)), ..data };
    thread.fixture.apply(thread.reply_deleted(4, 1)).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    thread.fixture.apply(thread.replies_changed(5, &[thread.reply(4, 6, 1)], &[])).await;
    assert_eq!(thread.preview(3).await.map(|(replies, _)| replies.len()), Some(3));
    assert_eq!(thread.preview(10).await.map(|(replies, more)| (replies.len(), more)), Some((4, false)));
}

pub(super) async fn the_first_replies_of_a_root_are_all_its_replies(cache: Arc<dyn Cache>) {
    let thread = Thread::new(cache, "bare_root").await;
    let without_replies = CacheFill { candidates: Vec::new(), ..thread.fill_data(1, &[], ALL, (0, 0)) };
    let root = CachedComment { comment: thread.root(0), content: Some(content(1)) };
    thread.fill(&CacheFill { items: vec![root], ..without_replies }).await;
    assert_eq!(thread.preview(3).await, Some((vec![], false)));
    thread.create_reply(2, 1).await;
    assert_eq!(thread.preview(3).await, Some((vec![(1, 0)], false)));
    for floor in 2..=4 {
        thread.create_reply(1 + i64::from(floor), floor).await;
    }
    thread.like(3, 1, 5).await;
    assert_eq!(thread.preview(3).await, Some((vec![(3, 1), (1, 0), (2, 0)], true)));
    // Not all of a large number of replies are candidates: a like of another reply invalidates the
    // preview.
    for floor in 5..=40 {
        thread.create_reply(1 + i64::from(floor), floor).await;
    }
    assert_eq!(thread.preview(3).await, Some((vec![(3, 1), (1, 0), (2, 0)], true)));
    thread.like(40, 2, 5).await;
    assert_eq!(thread.preview(3).await, None);
}

pub(super) async fn a_preview_ends_with_its_subject_entry(cache: Arc<dyn Cache>) {
    let thread = Thread::new(cache, "preview_and_entry").await;
    thread.fill(&thread.fill_data(1, &[(1, 0), (2, 4)], ALL, (0, 0))).await;
    assert_eq!(thread.preview(1).await, Some((vec![(2, 4)], true)));
    // No process applies this commit. The next fill rebuilds the entry and contains no preview.
    assert!(thread.fixture.advance(1, thread.fixture.committed(2)).await);
    assert_eq!(thread.preview(1).await, None);
    let fill_lease = thread.fixture.lease_for(FillScope::Row).await;
    let mut data = CacheFill { force: true, ..thread.fill_data(2, &[(1, 0), (2, 0)], ALL, (0, 0)) };
    data.candidates.clear();
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!((thread.preview(1).await, thread.preview(0).await), (None, Some((vec![], true))));
}

pub(super) async fn a_fill_lease_contains_the_position_of_the_relay(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "lease_position").await;
    let fill_lease = fixture.fill_lease().await;
    assert_eq!(fill_lease.granted_at, RelayCursor(1));
    fixture.cache.close(&fill_lease).await.expect("available");
    assert!(fixture.advance(1, CommittedState::default()).await);
    assert_eq!(fixture.fill_lease().await.granted_at, RelayCursor(2));
}
