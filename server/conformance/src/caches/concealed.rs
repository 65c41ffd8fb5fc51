//! Cases of comments that are not visible: the cache has no content of them.

use std::sync::Arc;

use riposte_core::{Comment, CommentId, CommentState};

use super::fixture::{Fixture, content};
use riposte_cache::{
    Cache, CacheFill, CachedComment, CommentUpdate, CommittedState, ConcealedComment, EntryLookup, FillOutcome,
    FillScope, SubjectUpdate,
};

/// The states in which a comment is not visible.
const INVISIBLE: [CommentState; 5] = [
    CommentState::Pending,
    CommentState::Rejected,
    CommentState::Hidden,
    CommentState::Shadowed,
    CommentState::Deleted,
];

/// Returns a root in this state, above a visible reply, so that lists contain it in any state.
fn root_in(fixture: &Fixture, state: CommentState, floor: i32, revision: i64) -> Comment {
    let mut root = fixture.root(floor, revision);
    (root.lifecycle.state, root.counts.live_below) = (state, 1);
    root
}

/// Returns a commit that changed nothing but this comment.
fn changed(fixture: &Fixture, revision: i64, comment: Comment, with_content: bool) -> SubjectUpdate {
    let content = with_content.then(|| content(comment.reference.floor));
    let patches = vec![CommentUpdate { comment, content }];
    SubjectUpdate { subject: fixture.subject_at(revision), created: false, lists: Vec::new(), patches }
}

/// Returns the state of a cached root, and whether it has a content; `None` for a miss.
async fn cached(fixture: &Fixture, floor: i32) -> Option<(CommentState, bool)> {
    let id = fixture.root(floor, 1).reference.id;
    match fixture.cache.comments(&[id]).await.expect("available").remove(0) {
        EntryLookup::Hit(view) => view.map(|view| (view.comment.lifecycle.state, view.content == Some(content(floor)))),
        EntryLookup::Miss => None,
    }
}

pub(super) async fn no_content_of_a_comment_that_is_not_visible_is_cached(cache: Arc<dyn Cache>) {
    for state in INVISIBLE {
        let fixture = Fixture::new(Arc::clone(&cache), &format!("filled_{state}")).await;
        let fill_lease = fixture.fill_lease().await;
        let mut data = fixture.fill_data(1, &[1, 2]);
        data.items[0].comment = root_in(&fixture, state, 1, 1);
        assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
        assert_eq!(cached(&fixture, 1).await, Some((state, false)), "a page was filled");
        assert_eq!(cached(&fixture, 2).await, Some((CommentState::Active, true)));
        let fill_lease = fixture.lease_for(FillScope::Comments).await;
        let items = vec![CachedComment { comment: root_in(&fixture, state, 3, 1), content: Some(content(3)) }];
        let data = CacheFill { items, subject_revision: 1, ..CacheFill::default() };
        assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
        assert_eq!(cached(&fixture, 3).await, Some((state, false)), "a single comment was filled");
        fixture.apply(changed(&fixture, 2, root_in(&fixture, state, 4, 2), true)).await;
        assert_ne!(cached(&fixture, 4).await, Some((state, true)), "a commit wrote it");
    }
}

pub(super) async fn a_comment_has_its_content_while_it_is_visible(cache: Arc<dyn Cache>) {
    for state in INVISIBLE {
        let fixture = Fixture::new(Arc::clone(&cache), &format!("shown_{state}")).await;
        fixture.fill(1, &[1, 2]).await;
        let steps = [
            (state, false, false),
            // A reply below it was created.
            (state, false, false),
            (CommentState::Active, true, true),
            (CommentState::Active, false, true),
        ];
        for (revision, (state, is_sent, is_found)) in (2..).zip(steps) {
            let root = root_in(&fixture, state, 1, revision);
            fixture.apply(changed(&fixture, revision, root, is_sent)).await;
            assert_eq!(cached(&fixture, 1).await, Some((state, is_found)), "revision {revision}");
            assert_eq!(cached(&fixture, 2).await, Some((CommentState::Active, true)));
            let page = fixture.page(10).await.expect("cached");
            let contents = page.threads.items.iter().map(|thread| thread.root.content.is_some());
            assert!(contents.eq([true, is_found]), "revision {revision}");
        }
    }
}

pub(super) async fn a_fill_that_read_a_comment_before_it_was_hidden_stores_no_content(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "hidden_meanwhile").await;
    let hidden = |revision| changed(&fixture, revision, root_in(&fixture, CommentState::Hidden, 1, revision), false);
    let fill_lease = fixture.fill_lease().await;
    let data = fixture.fill_data(1, &[1, 2]);
    fixture.apply(hidden(2)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_ne!(cached(&fixture, 1).await, Some((CommentState::Hidden, true)));
    assert_eq!(cached(&fixture, 2).await, Some((CommentState::Active, true)));
    // The content was written and hidden while the lease was outstanding, and the log has both.
    let fill_lease = fixture.lease_for(FillScope::Comments).await;
    fixture.apply(changed(&fixture, 3, root_in(&fixture, CommentState::Active, 1, 3), true)).await;
    fixture.apply(hidden(4)).await;
    let items = vec![CachedComment { comment: root_in(&fixture, CommentState::Hidden, 1, 2), content: None }];
    let data = CacheFill { items, subject_revision: 2, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_ne!(cached(&fixture, 1).await, Some((CommentState::Hidden, true)));
}

pub(super) async fn a_comment_that_the_relay_conceals_has_no_content(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "concealed").await;
    let id = |floor| -> CommentId { fixture.root(floor, 1).reference.id };
    fixture.fill(1, &[1, 2]).await;
    let report = |floor, revision| CommittedState {
        concealed: vec![ConcealedComment { subject: fixture.subject.id, comment: id(floor), revision }],
        ..fixture.committed(revision)
    };
    // The apply of revision 2 is late. That of revision 3, which hid the comment, is lost.
    assert!(fixture.advance(1, report(1, 3)).await);
    fixture.apply(changed(&fixture, 2, root_in(&fixture, CommentState::Active, 1, 2), true)).await;
    assert_eq!(cached(&fixture, 1).await, None, "the entry is behind");
    fixture.apply(changed(&fixture, 3, root_in(&fixture, CommentState::Hidden, 1, 3), false)).await;
    assert_ne!(cached(&fixture, 1).await, Some((CommentState::Hidden, true)));
    assert_eq!(cached(&fixture, 2).await, Some((CommentState::Active, true)));
    // A report that comes late conceals nothing that is visible again.
    fixture.apply(changed(&fixture, 4, root_in(&fixture, CommentState::Active, 1, 4), true)).await;
    assert!(fixture.advance(2, report(1, 3)).await);
    assert_eq!(cached(&fixture, 1).await, Some((CommentState::Active, true)));
}
