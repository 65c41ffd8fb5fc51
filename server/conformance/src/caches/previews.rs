//! Cases of previews: their candidates, and the events that invalidate them.

use std::sync::Arc;

use riposte_core::page::PageStart;
use riposte_core::{Comment, CommentCounts, CommentId, CommentRef, CommentState, Lifecycle, Path, Subject};

use super::fixture::{Fixture, NEWEST, said};
use riposte_cache::{
    Cache, CacheFill, CachedCandidates, CachedComment, CachedPage, CachedPageQuery, CommentUpdate, CommittedState,
    EntryLookup, FillOutcome, FillScope, LikeCounts, ListRange, ListUpdate, RelayCursor, SubjectUpdate,
};

type Given = Arc<dyn Cache>;

/// A thread: a root and the replies below it.
struct Thread {
    fixture: Fixture,
    root: CommentId,
}

impl Thread {
    async fn new(cache: Given, name: &str) -> Self {
        let fixture = Fixture::new(cache, name).await;
        let root = fixture.root(1, 1).reference.id;
        Self { fixture, root }
    }

    fn root(&self, below: i32) -> Comment {
        let mut root = self.fixture.root(1, 1 + i64::from(below));
        (root.counts.live_below, root.counts.reply_count) = (below, below);
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

    /// Returns the fill of a read at a revision: replies with their likes. It covers all replies up
    /// to `high`, and none of the others ranks before `place`.
    fn read(&self, revision: i64, replies: &[(i32, i32)], high: i32, place: (i32, i32)) -> CacheFill {
        let replies: Vec<Comment> = replies.iter().map(|(floor, likes)| self.reply(*floor, *likes, 1)).collect();
        let members = replies.iter().map(|reply| (reply.reference.floor, reply.reference.id)).collect();
        let all = [self.root(9)].into_iter().chain(replies);
        CacheFill {
            subject: Some(self.fixture.at(revision)),
            lists: vec![ListRange { name: NEWEST, low: 0, high: i32::MAX, members: vec![(1, self.root)] }],
            items: all.map(|comment| CachedComment { content: Some(said(comment.reference.floor)), comment }).collect(),
            choices: vec![CachedCandidates { root: self.root, members, high, place }],
            ..CacheFill::default()
        }
    }

    async fn fill(&self, read: &CacheFill) {
        let fill_lease = self.fixture.fill_lease().await;
        assert_eq!(self.fixture.cache.fill(&fill_lease, read).await.expect("answered"), FillOutcome::Kept);
    }

    async fn like(&self, floor: i32, likes: i32, revision: i64) {
        self.fixture.cache.like(&[self.likes(floor, likes, revision)]).await.expect("answered");
    }

    /// Returns a commit that added replies to the list or removed them.
    fn change(&self, revision: i64, came: &[Comment], went: &[Comment]) -> SubjectUpdate {
        let patch = |comment: &Comment| CommentUpdate {
            comment: comment.clone(),
            content: Some(said(comment.reference.floor)),
        };
        let lists = ListUpdate {
            root: Some(self.root),
            came: came.iter().map(|reply| (reply.reference.floor, reply.reference.id)).collect(),
            went: went.iter().map(|reply| reply.reference.floor).collect(),
        };
        let subject: Subject = self.fixture.at(revision);
        let patches = came.iter().chain(went).chain([&self.root(9)]).map(patch).collect();
        SubjectUpdate { subject, created: false, lists: vec![lists], patches }
    }

    async fn born(&self, revision: i64, floor: i32) {
        self.fixture.apply(self.change(revision, &[self.reply(floor, 0, 1)], &[])).await;
    }

    fn dead(&self, revision: i64, floor: i32) -> SubjectUpdate {
        let mut dead = self.reply(floor, 0, 90);
        (dead.lifecycle.state, dead.lifecycle.listed) = (CommentState::Deleted, false);
        self.change(revision, &[], &[dead])
    }

    /// Returns the floors and likes of the preview and whether more replies exist; `None` for a
    /// miss.
    async fn shown(&self, size: u8) -> Option<(Vec<(i32, i32)>, bool)> {
        let ask = CachedPageQuery { previews: size, ..self.fixture.ask(PageStart::Beginning, 5) };
        match self.fixture.cache.page(&ask).await.expect("answered") {
            EntryLookup::Hit(page) => {
                let threads = page.and_then(CachedPage::roots).expect("the subject is there").threads.items;
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

const ALL: i32 = i32::MAX;

pub(super) async fn a_preview_follows_the_likes_of_its_replies(cache: Given) {
    let thread = Thread::new(cache, "previews").await;
    thread.fill(&thread.read(1, &[(1, 0), (2, 4), (3, 0), (4, 4), (9, 7)], 4, (2, 11))).await;
    assert_eq!(thread.shown(3).await, Some((vec![(9, 7), (2, 4), (4, 4)], true)));
    assert_eq!(thread.shown(1).await, Some((vec![(9, 7)], true)));
    assert_eq!(thread.shown(0).await, Some((vec![], true)));
    assert_eq!(thread.shown(4).await, None, "a reply beyond the candidates may have more likes");
    thread.like(1, 5, 8).await;
    assert_eq!(thread.shown(3).await, Some((vec![(9, 7), (1, 5), (2, 4)], true)));
    // Late likes change nothing.
    thread.like(1, 1, 7).await;
    thread.like(9, 4, 8).await;
    assert_eq!(thread.shown(4).await, Some((vec![(1, 5), (2, 4), (4, 4), (9, 4)], true)));
    thread.like(4, 1, 8).await;
    assert_eq!(thread.shown(3).await, Some((vec![(1, 5), (2, 4), (9, 4)], true)));
    assert_eq!(thread.shown(4).await, None);
    // Of replies with equal likes the oldest comes first. So a candidate with as many likes as the
    // bound ranks above the bound if it is older.
    thread.like(4, 2, 9).await;
    assert_eq!(thread.shown(4).await, Some((vec![(1, 5), (2, 4), (9, 4), (4, 2)], true)));
}

pub(super) async fn a_like_of_a_reply_that_may_stand_before_others_ends_their_preview(cache: Given) {
    let thread = Thread::new(cache, "others").await;
    let read = thread.read(1, &[(1, 0), (2, 4), (9, 3)], 2, (3, 9));
    thread.fill(&read).await;
    for (floor, likes) in [(5, 2), (10, 3), (12, 0)] {
        thread.like(floor, likes, 8).await;
        assert_eq!(thread.shown(2).await, Some((vec![(2, 4), (9, 3)], true)), "{floor} ranks below all candidates");
    }
    thread.like(8, 3, 8).await;
    assert_eq!(thread.shown(2).await, None);
    assert_eq!(thread.shown(0).await, Some((vec![], true)), "the page itself is known");
    // The same, reported by the relay.
    thread.fill(&read).await;
    let told = CommittedState { likes: vec![thread.likes(11, 4, 8)], ..CommittedState::default() };
    assert!(!thread.fixture.advance(7, told.clone()).await);
    assert_eq!(thread.shown(2).await, Some((vec![(2, 4), (9, 3)], true)));
    assert!(thread.fixture.advance(1, told).await);
    assert_eq!(thread.shown(2).await, None);
    // Where no other reply has likes, the first like of another reply counts.
    thread.fill(&thread.read(1, &[(1, 0), (2, 4), (9, 3)], 2, (0, 0))).await;
    assert_eq!(thread.shown(2).await, Some((vec![(2, 4), (9, 3)], true)));
    thread.like(20, 1, 3).await;
    assert_eq!(thread.shown(2).await, None);
}

pub(super) async fn a_like_that_overtook_a_fill_ends_its_preview(cache: Given) {
    let thread = Thread::new(cache, "overtaken_preview").await;
    let read = thread.read(1, &[(1, 0), (2, 4), (9, 3)], 2, (3, 9));
    let fill_lease = thread.fixture.fill_lease().await;
    thread.like(11, 9, 8).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!((thread.shown(2).await, thread.shown(0).await), (None, Some((vec![], true))));
    // The same through the relay, also for a reply whose likes decreased again meanwhile.
    let fill_lease = thread.fixture.fill_lease().await;
    let told = CommittedState { likes: vec![thread.likes(11, 9, 8)], ..CommittedState::default() };
    assert!(thread.fixture.advance(1, told).await);
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(thread.shown(2).await, None);
    let fill_lease = thread.fixture.fill_lease().await;
    thread.like(2, 1, 8).await;
    thread.like(1, 6, 8).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(thread.shown(2).await, Some((vec![(1, 6), (9, 3)], true)), "the likes of the candidates are kept");
}

pub(super) async fn a_previewed_reply_that_was_deleted_during_a_fill_is_gone(cache: Given) {
    let thread = Thread::new(cache, "deleted_preview").await;
    let read = thread.read(1, &[(1, 0), (2, 4), (3, 0), (9, 3)], 3, (3, 9));
    let fill_lease = thread.fixture.fill_lease().await;
    thread.fixture.apply(thread.dead(2, 2)).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(thread.shown(1).await, Some((vec![(9, 3)], true)));
    // A candidate is deleted. Without it too few candidates are known.
    thread.fixture.apply(thread.dead(3, 9)).await;
    assert_eq!(thread.shown(1).await, None);
    // When all replies are known, the remaining ones suffice.
    let fill_lease = thread.fixture.fill_lease().await;
    let read = thread.read(1, &[(1, 0), (2, 4), (3, 0), (9, 3)], ALL, (0, 0));
    let read = CacheFill { subject: Some(thread.fixture.at(3)), ..read };
    thread.fixture.apply(thread.dead(4, 1)).await;
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    thread.fixture.apply(thread.change(5, &[thread.reply(4, 6, 1)], &[])).await;
    assert_eq!(thread.shown(3).await.map(|(shown, _)| shown.len()), Some(3));
    assert_eq!(thread.shown(10).await.map(|(shown, more)| (shown.len(), more)), Some((4, false)));
}

pub(super) async fn the_first_replies_of_a_root_are_all_there_are(cache: Given) {
    let thread = Thread::new(cache, "bare_root").await;
    let bare = CacheFill { choices: Vec::new(), ..thread.read(1, &[], ALL, (0, 0)) };
    let root = CachedComment { comment: thread.root(0), content: Some(said(1)) };
    thread.fill(&CacheFill { items: vec![root], ..bare }).await;
    assert_eq!(thread.shown(3).await, Some((vec![], false)));
    thread.born(2, 1).await;
    assert_eq!(thread.shown(3).await, Some((vec![(1, 0)], false)));
    for floor in 2..=4 {
        thread.born(1 + i64::from(floor), floor).await;
    }
    thread.like(3, 1, 5).await;
    assert_eq!(thread.shown(3).await, Some((vec![(3, 1), (1, 0), (2, 0)], true)));
    // Of a large number of replies not all are cached: a like of one that is not cached invalidates
    // the preview.
    for floor in 5..=40 {
        thread.born(1 + i64::from(floor), floor).await;
    }
    assert_eq!(thread.shown(3).await, Some((vec![(3, 1), (1, 0), (2, 0)], true)));
    thread.like(40, 2, 5).await;
    assert_eq!(thread.shown(3).await, None);
}

pub(super) async fn a_preview_ends_with_its_block(cache: Given) {
    let thread = Thread::new(cache, "preview_and_block").await;
    thread.fill(&thread.read(1, &[(1, 0), (2, 4)], ALL, (0, 0))).await;
    assert_eq!(thread.shown(1).await, Some((vec![(2, 4)], true)));
    // No process applies this commit. The next fill rebuilds the entry and contains no preview.
    assert!(thread.fixture.advance(1, thread.fixture.committed(2)).await);
    assert_eq!(thread.shown(1).await, None);
    let fill_lease = thread.fixture.ticket_for(FillScope::Row).await;
    let mut read = CacheFill { force: true, ..thread.read(2, &[(1, 0), (2, 0)], ALL, (0, 0)) };
    read.choices.clear();
    assert_eq!(thread.fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!((thread.shown(1).await, thread.shown(0).await), (None, Some((vec![], true))));
}

pub(super) async fn a_ticket_tells_where_the_relay_is(cache: Given) {
    let fixture = Fixture::new(cache, "given").await;
    let fill_lease = fixture.fill_lease().await;
    assert_eq!(fill_lease.given, RelayCursor(1));
    fixture.cache.close(&fill_lease).await.expect("answered");
    assert!(fixture.advance(1, CommittedState::default()).await);
    assert_eq!(fixture.fill_lease().await.given, RelayCursor(2));
}
