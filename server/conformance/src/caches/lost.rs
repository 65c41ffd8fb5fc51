//! Cases of data that is lost, late or overtaken: fill leases, likes, single comments,
//! invalidations.

use std::sync::Arc;

use riposte_core::{LikeValue, MemberId};

use super::cases::{liked, likes};
use super::fixture::Fixture;
use riposte_cache::{
    Cache, CacheFill, CachedComment, CommittedState, EntryLookup, FillLease, FillOutcome, FillScope, LeaseOutcome,
    LikeCounts, SubjectMember,
};

type Given = Arc<dyn Cache>;

pub(super) async fn a_ticket_given_back_twice_leaves_the_others_out(cache: Given) {
    let fixture = Fixture::new(cache, "given_back").await;
    fixture.fill(1, &[1]).await;
    let mine = fixture.ticket_for(FillScope::Comments).await;
    let theirs = fixture.ticket_for(FillScope::Comments).await;
    fixture.cache.close(&mine).await.expect("answered");
    fixture.cache.close(&mine).await.expect("answered");
    fixture.apply(fixture.born(2, 2)).await;
    fixture.cache.like(&[liked(&fixture, 3, 8)]).await.expect("answered");
    let read = CacheFill { items: vec![fixture.item(3)], seen: 2, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&theirs, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(counted(&fixture, 3).await, Some((8, 8)));
    // A lease that was used is no longer outstanding.
    assert_eq!(fixture.cache.fill(&theirs, &read).await.expect("answered"), FillOutcome::Refused);
}

pub(super) async fn a_ticket_that_was_never_given_is_refused(cache: Given) {
    let fixture = Fixture::new(cache, "never_given").await;
    let fill_lease = fixture.fill_lease().await;
    // The same holds for a lease that another server issued before this one replaced it.
    let other = FillLease { token: fill_lease.token ^ 1, ..fill_lease.clone() };
    assert_eq!(fixture.cache.fill(&other, &fixture.read(1, &[1])).await.expect("answered"), FillOutcome::Refused);
    fixture.cache.close(&other).await.expect("answered");
    assert_eq!(fixture.cache.fill(&fill_lease, &fixture.read(1, &[1])).await.expect("answered"), FillOutcome::Kept);
}

pub(super) async fn likes_that_the_relay_tells_reach_whoever_is_filling(cache: Given) {
    let fixture = Fixture::new(cache, "relayed").await;
    let fill_lease = fixture.fill_lease().await;
    let told =
        |floor, revision| CommittedState { likes: vec![liked(&fixture, floor, revision)], ..CommittedState::default() };
    assert!(fixture.advance(1, told(1, 8)).await);
    // An advance from a wrong cursor is rejected.
    assert!(!fixture.advance(1, told(1, 9)).await);
    assert_eq!(fixture.cache.fill(&fill_lease, &fixture.read(1, &[1])).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(likes(&fixture, 1).await, (8, 8));
    assert!(fixture.advance(2, told(1, 9)).await);
    assert_eq!(likes(&fixture, 1).await, (9, 9));
}

pub(super) async fn a_like_that_overtook_its_comment_waits_for_it(cache: Given) {
    let fixture = Fixture::new(cache, "overtook").await;
    fixture.fill(1, &[1]).await;
    // The comment is created and liked, and its apply is late. The relay reports both at once.
    fixture.cache.like(&[liked(&fixture, 2, 8)]).await.expect("answered");
    assert!(fixture.advance(1, CommittedState { likes: vec![liked(&fixture, 2, 8)], ..fixture.committed(2) }).await);
    // Operations in between do not lose the like.
    let fill_lease = fixture.ticket_for(FillScope::Row).await;
    fixture.cache.close(&fill_lease).await.expect("answered");
    fixture.apply(fixture.born(2, 2)).await;
    assert_eq!((likes(&fixture, 1).await, likes(&fixture, 2).await), ((1, 1), (8, 8)));
    // The same through a process itself, after the relay has already passed the commit.
    assert!(fixture.advance(2, fixture.committed(3)).await);
    fixture.cache.like(&[liked(&fixture, 3, 7), liked(&fixture, 1, 7)]).await.expect("answered");
    fixture.apply(fixture.born(3, 3)).await;
    assert_eq!((likes(&fixture, 1).await, likes(&fixture, 3).await), ((7, 7), (7, 7)));
}

pub(super) async fn a_block_behind_that_lost_its_log_begins_anew(cache: Given) {
    let fixture = Fixture::new(cache, "overflow").await;
    fixture.fill(1, &[1]).await;
    assert!(fixture.advance(1, fixture.committed(2)).await);
    let many: Vec<LikeCounts> = (2..4_000).map(|floor| liked(&fixture, floor, 8)).collect();
    fixture.cache.like(&many).await.expect("answered");
    fixture.apply(fixture.born(2, 2)).await;
    assert_eq!(fixture.seen().await, None, "the likes of what the commit brought are lost");
    fixture.fill(2, &[1, 2]).await;
    assert_eq!(fixture.seen().await, Some((2, vec![2, 1])));
}

pub(super) async fn single_comments_come_behind_their_subjects_row(cache: Given) {
    let fixture = Fixture::new(cache, "row_first").await;
    let open = || fixture.cache.open(&fixture.subject.key, FillScope::Comments, 5);
    assert_eq!(open().await.expect("answered"), LeaseOutcome::Busy);
    fixture.fill(1, &[1]).await;
    assert!(matches!(open().await.expect("answered"), LeaseOutcome::Ticket(_)));
    // And once more, after the whole entry was rebuilt in between.
    let fill_lease = fixture.ticket_for(FillScope::Comments).await;
    let forced = fixture.fill_lease().await;
    let read = CacheFill { force: true, ..fixture.read(2, &[1]) };
    assert_eq!(fixture.cache.fill(&forced, &read).await.expect("answered"), FillOutcome::Kept);
    let read = CacheFill { items: vec![fixture.item(2)], seen: 1, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Refused);
    assert_eq!(counted(&fixture, 2).await, None);
}

pub(super) async fn single_comments_wait_for_the_commit_they_show(cache: Given) {
    let fixture = Fixture::new(cache, "seen_after").await;
    fixture.fill(1, &[1]).await;
    let late = CachedComment { comment: fixture.root(2, 4), ..fixture.item(2) };
    let mut read = CacheFill { items: vec![late], seen: 2, ..CacheFill::default() };
    let fill_lease = fixture.ticket_for(FillScope::Comments).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Behind);
    assert_eq!(counted(&fixture, 2).await, None);
    fixture.apply(fixture.born(2, 5)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(counted(&fixture, 2).await, Some((4, 4)));
    // A fill of single comments does not wait forever: with `force` it is refused, and the entry is
    // not rebuilt.
    let fill_lease = fixture.ticket_for(FillScope::Comments).await;
    read = CacheFill { items: vec![fixture.item(3)], seen: 3, force: true, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Refused);
    assert_eq!((counted(&fixture, 3).await, fixture.seen().await), (None, Some((2, vec![5, 1]))));
}

pub(super) async fn a_doubt_that_was_lost_is_noticed_when_it_is_settled(cache: Given) {
    let fixture = Fixture::new(cache, "lost_doubt").await;
    fixture.fill(1, &[1]).await;
    let who = SubjectMember { key: fixture.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let (members, ids) = (std::slice::from_ref(&who), [fixture.root(1, 1).reference.id]);
    let states = || fixture.cache.states(&who, &ids);
    let values = [(ids[0], LikeValue::Like)];
    // A fill before the invalidation ends.
    assert!(fixture.cache.open_states(&who, 1).await.expect("answered"));
    fixture.cache.fill_states(&who, 1, &values).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Hit(Some(vec![Some(LikeValue::Like)])));
    fixture.cache.end_invalidation(members, 90).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    // And a fill after it, with values that were read before.
    assert!(fixture.cache.open_states(&who, 2).await.expect("answered"));
    fixture.cache.end_invalidation(members, 91).await.expect("answered");
    fixture.cache.fill_states(&who, 2, &values).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    // The invalidations of other commits stay in force.
    fixture.cache.begin_invalidation(members, 92).await.expect("answered");
    fixture.cache.end_invalidation(members, 93).await.expect("answered");
    assert!(!fixture.cache.open_states(&who, 3).await.expect("answered"));
    fixture.cache.end_invalidation(members, 92).await.expect("answered");
    assert!(fixture.cache.open_states(&who, 4).await.expect("answered"));
}

pub(super) async fn what_a_member_likes_is_forgotten_when_the_relay_tells_it(cache: Given) {
    let fixture = Fixture::new(cache, "told_likers").await;
    fixture.fill(1, &[1]).await;
    let who = SubjectMember { key: fixture.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let ids = [fixture.root(1, 1).reference.id];
    let states = || fixture.cache.states(&who, &ids);
    let told = || CommittedState { likers: vec![who.clone()], ..CommittedState::default() };
    assert!(fixture.cache.open_states(&who, 1).await.expect("answered"));
    fixture.cache.fill_states(&who, 1, &[]).await.expect("answered");
    assert!(!fixture.advance(7, told()).await);
    assert_eq!(states().await.expect("answered"), EntryLookup::Hit(Some(vec![Some(LikeValue::None)])));
    assert!(fixture.advance(1, told()).await);
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    // A report of the relay does not end the invalidation of a commit in progress.
    fixture.cache.begin_invalidation(std::slice::from_ref(&who), 90).await.expect("answered");
    assert!(fixture.advance(2, told()).await);
    assert!(!fixture.cache.open_states(&who, 2).await.expect("answered"));
}

/// Returns the revision and the likes of a cached comment.
async fn counted(fixture: &Fixture, floor: i32) -> Option<(i64, i32)> {
    let found = fixture.cache.comments(&[fixture.root(floor, 1).reference.id]).await.expect("answered").pop();
    match found {
        Some(EntryLookup::Hit(Some(view))) => Some((view.comment.lifecycle.revision, view.comment.counts.like_count)),
        Some(EntryLookup::Hit(None) | EntryLookup::Miss) | None => None,
    }
}
