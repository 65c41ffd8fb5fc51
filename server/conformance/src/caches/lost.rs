//! Cases of data that is lost, late or overtaken: fill leases, likes, single comments,
//! invalidations.

use std::sync::Arc;

use riposte_core::{LikeValue, MemberId};

use super::cases::{liked, likes};
use super::scene::Scene;
use riposte_cache::{
    Cache, CacheFill, CachedComment, CommittedState, EntryLookup, FillLease, FillOutcome, FillScope, LeaseOutcome,
    LikeCounts, SubjectMember,
};

type Given = Arc<dyn Cache>;

pub(super) async fn a_ticket_given_back_twice_leaves_the_others_out(cache: Given) {
    let scene = Scene::new(cache, "given_back").await;
    scene.fill(1, &[1]).await;
    let mine = scene.ticket_for(FillScope::Comments).await;
    let theirs = scene.ticket_for(FillScope::Comments).await;
    scene.cache.close(&mine).await.expect("answered");
    scene.cache.close(&mine).await.expect("answered");
    scene.apply(scene.born(2, 2)).await;
    scene.cache.like(&[liked(&scene, 3, 8)]).await.expect("answered");
    let read = CacheFill { items: vec![scene.item(3)], seen: 2, ..CacheFill::default() };
    assert_eq!(scene.cache.fill(&theirs, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(counted(&scene, 3).await, Some((8, 8)));
    // A lease that was used is no longer outstanding.
    assert_eq!(scene.cache.fill(&theirs, &read).await.expect("answered"), FillOutcome::Refused);
}

pub(super) async fn a_ticket_that_was_never_given_is_refused(cache: Given) {
    let scene = Scene::new(cache, "never_given").await;
    let fill_lease = scene.fill_lease().await;
    // The same holds for a lease that another server issued before this one replaced it.
    let other = FillLease { token: fill_lease.token ^ 1, ..fill_lease.clone() };
    assert_eq!(scene.cache.fill(&other, &scene.read(1, &[1])).await.expect("answered"), FillOutcome::Refused);
    scene.cache.close(&other).await.expect("answered");
    assert_eq!(scene.cache.fill(&fill_lease, &scene.read(1, &[1])).await.expect("answered"), FillOutcome::Kept);
}

pub(super) async fn likes_that_the_relay_tells_reach_whoever_is_filling(cache: Given) {
    let scene = Scene::new(cache, "relayed").await;
    let fill_lease = scene.fill_lease().await;
    let told =
        |floor, revision| CommittedState { likes: vec![liked(&scene, floor, revision)], ..CommittedState::default() };
    assert!(scene.advance(1, told(1, 8)).await);
    // An advance from a wrong cursor is rejected.
    assert!(!scene.advance(1, told(1, 9)).await);
    assert_eq!(scene.cache.fill(&fill_lease, &scene.read(1, &[1])).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(likes(&scene, 1).await, (8, 8));
    assert!(scene.advance(2, told(1, 9)).await);
    assert_eq!(likes(&scene, 1).await, (9, 9));
}

pub(super) async fn a_like_that_overtook_its_comment_waits_for_it(cache: Given) {
    let scene = Scene::new(cache, "overtook").await;
    scene.fill(1, &[1]).await;
    // The comment is created and liked, and its apply is late. The relay reports both at once.
    scene.cache.like(&[liked(&scene, 2, 8)]).await.expect("answered");
    assert!(scene.advance(1, CommittedState { likes: vec![liked(&scene, 2, 8)], ..scene.committed(2) }).await);
    // Operations in between do not lose the like.
    let fill_lease = scene.ticket_for(FillScope::Row).await;
    scene.cache.close(&fill_lease).await.expect("answered");
    scene.apply(scene.born(2, 2)).await;
    assert_eq!((likes(&scene, 1).await, likes(&scene, 2).await), ((1, 1), (8, 8)));
    // The same through a process itself, after the relay has already passed the commit.
    assert!(scene.advance(2, scene.committed(3)).await);
    scene.cache.like(&[liked(&scene, 3, 7), liked(&scene, 1, 7)]).await.expect("answered");
    scene.apply(scene.born(3, 3)).await;
    assert_eq!((likes(&scene, 1).await, likes(&scene, 3).await), ((7, 7), (7, 7)));
}

pub(super) async fn a_block_behind_that_lost_its_log_begins_anew(cache: Given) {
    let scene = Scene::new(cache, "overflow").await;
    scene.fill(1, &[1]).await;
    assert!(scene.advance(1, scene.committed(2)).await);
    let many: Vec<LikeCounts> = (2..4_000).map(|floor| liked(&scene, floor, 8)).collect();
    scene.cache.like(&many).await.expect("answered");
    scene.apply(scene.born(2, 2)).await;
    assert_eq!(scene.seen().await, None, "the likes of what the commit brought are lost");
    scene.fill(2, &[1, 2]).await;
    assert_eq!(scene.seen().await, Some((2, vec![2, 1])));
}

pub(super) async fn single_comments_come_behind_their_subjects_row(cache: Given) {
    let scene = Scene::new(cache, "row_first").await;
    let open = || scene.cache.open(&scene.subject.key, FillScope::Comments, 5);
    assert_eq!(open().await.expect("answered"), LeaseOutcome::Busy);
    scene.fill(1, &[1]).await;
    assert!(matches!(open().await.expect("answered"), LeaseOutcome::Ticket(_)));
    // And once more, after the whole entry was rebuilt in between.
    let fill_lease = scene.ticket_for(FillScope::Comments).await;
    let forced = scene.fill_lease().await;
    let read = CacheFill { force: true, ..scene.read(2, &[1]) };
    assert_eq!(scene.cache.fill(&forced, &read).await.expect("answered"), FillOutcome::Kept);
    let read = CacheFill { items: vec![scene.item(2)], seen: 1, ..CacheFill::default() };
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Refused);
    assert_eq!(counted(&scene, 2).await, None);
}

pub(super) async fn single_comments_wait_for_the_commit_they_show(cache: Given) {
    let scene = Scene::new(cache, "seen_after").await;
    scene.fill(1, &[1]).await;
    let late = CachedComment { comment: scene.root(2, 4), ..scene.item(2) };
    let mut read = CacheFill { items: vec![late], seen: 2, ..CacheFill::default() };
    let fill_lease = scene.ticket_for(FillScope::Comments).await;
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Behind);
    assert_eq!(counted(&scene, 2).await, None);
    scene.apply(scene.born(2, 5)).await;
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(counted(&scene, 2).await, Some((4, 4)));
    // A fill of single comments does not wait forever: with `force` it is refused, and the entry is
    // not rebuilt.
    let fill_lease = scene.ticket_for(FillScope::Comments).await;
    read = CacheFill { items: vec![scene.item(3)], seen: 3, force: true, ..CacheFill::default() };
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Refused);
    assert_eq!((counted(&scene, 3).await, scene.seen().await), (None, Some((2, vec![5, 1]))));
}

pub(super) async fn a_doubt_that_was_lost_is_noticed_when_it_is_settled(cache: Given) {
    let scene = Scene::new(cache, "lost_doubt").await;
    scene.fill(1, &[1]).await;
    let who = SubjectMember { key: scene.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let (members, ids) = (std::slice::from_ref(&who), [scene.root(1, 1).reference.id]);
    let states = || scene.cache.states(&who, &ids);
    let values = [(ids[0], LikeValue::Like)];
    // A fill before the invalidation ends.
    assert!(scene.cache.open_states(&who, 1).await.expect("answered"));
    scene.cache.fill_states(&who, 1, &values).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Hit(Some(vec![Some(LikeValue::Like)])));
    scene.cache.end_invalidation(members, 90).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    // And a fill after it, with values that were read before.
    assert!(scene.cache.open_states(&who, 2).await.expect("answered"));
    scene.cache.end_invalidation(members, 91).await.expect("answered");
    scene.cache.fill_states(&who, 2, &values).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    // The invalidations of other commits stay in force.
    scene.cache.begin_invalidation(members, 92).await.expect("answered");
    scene.cache.end_invalidation(members, 93).await.expect("answered");
    assert!(!scene.cache.open_states(&who, 3).await.expect("answered"));
    scene.cache.end_invalidation(members, 92).await.expect("answered");
    assert!(scene.cache.open_states(&who, 4).await.expect("answered"));
}

pub(super) async fn what_a_member_likes_is_forgotten_when_the_relay_tells_it(cache: Given) {
    let scene = Scene::new(cache, "told_likers").await;
    scene.fill(1, &[1]).await;
    let who = SubjectMember { key: scene.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let ids = [scene.root(1, 1).reference.id];
    let states = || scene.cache.states(&who, &ids);
    let told = || CommittedState { likers: vec![who.clone()], ..CommittedState::default() };
    assert!(scene.cache.open_states(&who, 1).await.expect("answered"));
    scene.cache.fill_states(&who, 1, &[]).await.expect("answered");
    assert!(!scene.advance(7, told()).await);
    assert_eq!(states().await.expect("answered"), EntryLookup::Hit(Some(vec![Some(LikeValue::None)])));
    assert!(scene.advance(1, told()).await);
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    // A report of the relay does not end the invalidation of a commit in progress.
    scene.cache.begin_invalidation(std::slice::from_ref(&who), 90).await.expect("answered");
    assert!(scene.advance(2, told()).await);
    assert!(!scene.cache.open_states(&who, 2).await.expect("answered"));
}

/// Returns the revision and the likes of a cached comment.
async fn counted(scene: &Scene, floor: i32) -> Option<(i64, i32)> {
    let found = scene.cache.comments(&[scene.root(floor, 1).reference.id]).await.expect("answered").pop();
    match found {
        Some(EntryLookup::Hit(Some(view))) => Some((view.comment.lifecycle.revision, view.comment.counts.like_count)),
        Some(EntryLookup::Hit(None) | EntryLookup::Miss) | None => None,
    }
}
