//! Cases of fill leases, likes, single comments and invalidations that are lost, late or
//! overtaken.

use std::sync::Arc;

use riposte_core::{LikeValue, MemberId};

use super::cases::{cached_likes, like_counts};
use super::fixture::Fixture;
use riposte_cache::{
    Cache, CacheFill, CachedComment, CommittedState, EntryLookup, FillLease, FillOutcome, FillScope, LeaseOutcome,
    LikeCounts, SubjectMember,
};

pub(super) async fn a_lease_that_is_released_twice_leaves_other_leases_valid(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "released_twice").await;
    fixture.fill(1, &[1]).await;
    let released = fixture.lease_for(FillScope::Comments).await;
    let other = fixture.lease_for(FillScope::Comments).await;
    fixture.cache.close(&released).await.expect("available");
    fixture.cache.close(&released).await.expect("available");
    fixture.apply(fixture.root_created(2, 2)).await;
    fixture.cache.like(&[like_counts(&fixture, 3, 8)]).await.expect("available");
    let data = CacheFill { items: vec![fixture.item(3)], subject_revision: 2, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&other, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(cached_comment_likes(&fixture, 3).await, Some((8, 8)));
    // A lease that was used is no longer outstanding.
    assert_eq!(fixture.cache.fill(&other, &data).await.expect("available"), FillOutcome::Refused);
}

pub(super) async fn a_lease_that_was_never_granted_is_refused(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "never_granted").await;
    let fill_lease = fixture.fill_lease().await;
    // The same holds for a lease that another server issued before this one replaced it.
    let other = FillLease { token: fill_lease.token ^ 1, ..fill_lease.clone() };
    assert_eq!(fixture.cache.fill(&other, &fixture.fill_data(1, &[1])).await.expect("available"), FillOutcome::Refused);
    fixture.cache.close(&other).await.expect("available");
    assert_eq!(
        fixture.cache.fill(&fill_lease, &fixture.fill_data(1, &[1])).await.expect("available"),
        FillOutcome::Stored
    );
}

pub(super) async fn likes_that_the_relay_reports_reach_a_fill_in_progress(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "relayed").await;
    let fill_lease = fixture.fill_lease().await;
    let report = |floor, revision| CommittedState {
        likes: vec![like_counts(&fixture, floor, revision)],
        ..CommittedState::default()
    };
    assert!(fixture.advance(1, report(1, 8)).await);
    // An advance from a wrong cursor is rejected.
    assert!(!fixture.advance(1, report(1, 9)).await);
    assert_eq!(
        fixture.cache.fill(&fill_lease, &fixture.fill_data(1, &[1])).await.expect("available"),
        FillOutcome::Stored
    );
    assert_eq!(cached_likes(&fixture, 1).await, (8, 8));
    assert!(fixture.advance(2, report(1, 9)).await);
    assert_eq!(cached_likes(&fixture, 1).await, (9, 9));
}

pub(super) async fn a_like_that_overtook_its_comment_waits_for_it(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "overtook").await;
    fixture.fill(1, &[1]).await;
    // The comment is created and liked, and its apply is late. The relay reports both at once.
    fixture.cache.like(&[like_counts(&fixture, 2, 8)]).await.expect("available");
    assert!(
        fixture.advance(1, CommittedState { likes: vec![like_counts(&fixture, 2, 8)], ..fixture.committed(2) }).await
    );
    // Operations in between do not lose the like.
    let fill_lease = fixture.lease_for(FillScope::Row).await;
    fixture.cache.close(&fill_lease).await.expect("available");
    fixture.apply(fixture.root_created(2, 2)).await;
    assert_eq!((cached_likes(&fixture, 1).await, cached_likes(&fixture, 2).await), ((1, 1), (8, 8)));
    // The same with a like from the process itself, after the relay has reported the commit.
    assert!(fixture.advance(2, fixture.committed(3)).await);
    fixture.cache.like(&[like_counts(&fixture, 3, 7), like_counts(&fixture, 1, 7)]).await.expect("available");
    fixture.apply(fixture.root_created(3, 3)).await;
    assert_eq!((cached_likes(&fixture, 1).await, cached_likes(&fixture, 3).await), ((7, 7), (7, 7)));
}

pub(super) async fn an_outdated_entry_that_lost_its_log_is_rebuilt(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "overflow").await;
    fixture.fill(1, &[1]).await;
    assert!(fixture.advance(1, fixture.committed(2)).await);
    let too_many: Vec<LikeCounts> = (2..4_000).map(|floor| like_counts(&fixture, floor, 8)).collect();
    fixture.cache.like(&too_many).await.expect("available");
    fixture.apply(fixture.root_created(2, 2)).await;
    assert_eq!(fixture.cached_floors().await, None, "the likes of the created comment are lost");
    fixture.fill(2, &[1, 2]).await;
    assert_eq!(fixture.cached_floors().await, Some((2, vec![2, 1])));
}

pub(super) async fn single_comments_are_filled_after_their_subjects_row(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "row_first").await;
    let open = || fixture.cache.open(&fixture.subject.key, FillScope::Comments, 5);
    assert_eq!(open().await.expect("available"), LeaseOutcome::Busy);
    fixture.fill(1, &[1]).await;
    assert!(matches!(open().await.expect("available"), LeaseOutcome::Granted(_)));
    // A lease from before the rebuild of the entry is refused too.
    let fill_lease = fixture.lease_for(FillScope::Comments).await;
    let rebuild = fixture.fill_lease().await;
    let data = CacheFill { force: true, ..fixture.fill_data(2, &[1]) };
    assert_eq!(fixture.cache.fill(&rebuild, &data).await.expect("available"), FillOutcome::Stored);
    let data = CacheFill { items: vec![fixture.item(2)], subject_revision: 1, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Refused);
    assert_eq!(cached_comment_likes(&fixture, 2).await, None);
}

pub(super) async fn single_comments_wait_for_the_commit_they_show(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "seen_after").await;
    fixture.fill(1, &[1]).await;
    let late = CachedComment { comment: fixture.root(2, 4), ..fixture.item(2) };
    let mut data = CacheFill { items: vec![late], subject_revision: 2, ..CacheFill::default() };
    let fill_lease = fixture.lease_for(FillScope::Comments).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Behind);
    assert_eq!(cached_comment_likes(&fixture, 2).await, None);
    fixture.apply(fixture.root_created(2, 5)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(cached_comment_likes(&fixture, 2).await, Some((4, 4)));
    // A fill of single comments does not wait forever: with `force` it is refused, and the entry is
    // not rebuilt.
    let fill_lease = fixture.lease_for(FillScope::Comments).await;
    data = CacheFill { items: vec![fixture.item(3)], subject_revision: 3, force: true, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Refused);
    assert_eq!((cached_comment_likes(&fixture, 3).await, fixture.cached_floors().await), (None, Some((2, vec![5, 1]))));
}

pub(super) async fn a_lost_invalidation_is_noticed_when_it_ends(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "lost_invalidation").await;
    fixture.fill(1, &[1]).await;
    let member = SubjectMember { key: fixture.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let (members, ids) = (std::slice::from_ref(&member), [fixture.root(1, 1).reference.id]);
    let states = || fixture.cache.states(&member, &ids);
    let values = [(ids[0], LikeValue::Like)];
    // A fill before the invalidation ends.
    assert!(fixture.cache.open_states(&member, 1).await.expect("available"));
    fixture.cache.fill_states(&member, 1, &values).await.expect("available");
    assert_eq!(states().await.expect("available"), EntryLookup::Hit(Some(vec![Some(LikeValue::Like)])));
    fixture.cache.end_invalidation(members, 90).await.expect("available");
    assert_eq!(states().await.expect("available"), EntryLookup::Miss);
    // And a fill after it, with values that were read before.
    assert!(fixture.cache.open_states(&member, 2).await.expect("available"));
    fixture.cache.end_invalidation(members, 91).await.expect("available");
    fixture.cache.fill_states(&member, 2, &values).await.expect("available");
    assert_eq!(states().await.expect("available"), EntryLookup::Miss);
    // The invalidations of other commits stay in force.
    fixture.cache.begin_invalidation(members, 92).await.expect("available");
    fixture.cache.end_invalidation(members, 93).await.expect("available");
    assert!(!fixture.cache.open_states(&member, 3).await.expect("available"));
    fixture.cache.end_invalidation(members, 92).await.expect("available");
    assert!(fixture.cache.open_states(&member, 4).await.expect("available"));
}

pub(super) async fn the_likes_of_a_member_are_removed_when_the_relay_reports_a_change(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "reported_likers").await;
    fixture.fill(1, &[1]).await;
    let member = SubjectMember { key: fixture.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let ids = [fixture.root(1, 1).reference.id];
    let states = || fixture.cache.states(&member, &ids);
    let report = || CommittedState { likers: vec![member.clone()], ..CommittedState::default() };
    assert!(fixture.cache.open_states(&member, 1).await.expect("available"));
    fixture.cache.fill_states(&member, 1, &[]).await.expect("available");
    assert!(!fixture.advance(7, report()).await);
    assert_eq!(states().await.expect("available"), EntryLookup::Hit(Some(vec![Some(LikeValue::None)])));
    assert!(fixture.advance(1, report()).await);
    assert_eq!(states().await.expect("available"), EntryLookup::Miss);
    // A report of the relay does not end the invalidation of a commit in progress.
    fixture.cache.begin_invalidation(std::slice::from_ref(&member), 90).await.expect("available");
    assert!(fixture.advance(2, report()).await);
    assert!(!fixture.cache.open_states(&member, 2).await.expect("available"));
}

/// Returns the revision and the like count of a cached comment.
async fn cached_comment_likes(fixture: &Fixture, floor: i32) -> Option<(i64, i32)> {
    let found = fixture.cache.comments(&[fixture.root(floor, 1).reference.id]).await.expect("available").pop();
    match found {
        Some(EntryLookup::Hit(Some(view))) => Some((view.comment.lifecycle.revision, view.comment.counts.like_count)),
        Some(EntryLookup::Hit(None) | EntryLookup::Miss) | None => None,
    }
}
