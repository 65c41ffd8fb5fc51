//! The cases of ordinary operation.

use std::sync::Arc;

use riposte_core::comment::CommentView;
use riposte_core::page::{PageStart, RootPage, Thread};
use riposte_core::{CommentId, CommentState, LikeValue, MemberId, Millis, Subject};

use super::fixture::{Fixture, NEWEST, content};
use riposte_cache::{
    Cache, CacheFill, CachedPage, CachedPageQuery, CommentUpdate, EntryLookup, FillOutcome, FillScope, LeaseOutcome,
    LikeCounts, ListPart, ListRange, RelayCursor, SubjectMember, SubjectUpdate,
};

pub(super) async fn what_was_filled_is_found_and_what_was_not_is_missed(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "found").await;
    assert_eq!(fixture.cached_floors().await, None);
    fixture.fill(1, &[1, 2, 3]).await;
    assert_eq!(fixture.cached_floors().await, Some((1, vec![3, 2, 1])));
    let ids = [fixture.root(2, 1).reference.id, fixture.root(9, 1).reference.id];
    let found = fixture.cache.comments(&ids).await.expect("available");
    assert_eq!(found, [EntryLookup::Hit(Some(fixture.item(2).view(&fixture.subject))), EntryLookup::Miss]);
    let subjects = fixture.cache.subjects(std::slice::from_ref(&fixture.subject.key)).await.expect("available");
    assert_eq!(subjects, [EntryLookup::Hit(Some(fixture.subject_at(1)))]);
    fixture.cache.invalidate_subject(&fixture.subject.key).await.expect("available");
    assert_eq!(fixture.cached_floors().await, None);
}

pub(super) async fn nothing_is_stored_before_a_relay_has_registered(cache: Arc<dyn Cache>) {
    let fixture = Fixture::cold(cache, "cold");
    let opened = fixture.cache.open(&fixture.subject.key, FillScope::Row, 1).await.expect("available");
    assert_eq!(opened, LeaseOutcome::Cold);
    assert_eq!(fixture.cache.cursors(&[fixture.subject.key.partition()]).await.expect("available"), [None]);
}

pub(super) async fn one_process_fills_and_the_others_wait(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "busy").await;
    let fill_lease = fixture.fill_lease().await;
    let again = fixture.cache.open(&fixture.subject.key, FillScope::List(NEWEST), 78).await.expect("available");
    assert_eq!(again, LeaseOutcome::Busy);
    fixture.cache.close(&fill_lease).await.expect("available");
    let fill_lease = fixture.fill_lease().await;
    let filled = fixture.cache.fill(&fill_lease, &fixture.fill_data(1, &[1])).await.expect("available");
    assert_eq!(filled, FillOutcome::Stored);
    fixture.fill_lease().await;
}

pub(super) async fn a_page_of_selected_comments_is_updated_by_commits(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "picked").await;
    let cached = async |floors: &[i32]| {
        let ids = floors.iter().map(|floor| fixture.root(*floor, 1).reference.id).collect();
        let query = CachedPageQuery { part: ListPart::Ids(ids), ..fixture.page_query(PageStart::Beginning, 1) };
        let EntryLookup::Hit(page) = fixture.cache.page(&query).await.expect("available") else { return None };
        let RootPage { subject, threads, .. } = page.and_then(CachedPage::roots).expect("the subject exists");
        assert!(!threads.more_before && !threads.more_after);
        let summary = |Thread { root: CommentView { comment, .. }, .. }: Thread| {
            (comment.reference.floor, comment.lifecycle.state.is_visible(), comment.counts.like_count)
        };
        Some((subject.revision, threads.items.into_iter().map(summary).collect::<Vec<_>>()))
    };
    let scope = FillScope::Floors { root: None, first: 3 };
    let fill_lease = fixture.lease_for(scope).await;
    let again = fixture.cache.open(&fixture.subject.key, scope, 5).await.expect("available");
    assert_eq!(again, LeaseOutcome::Busy, "one process fills them");
    fixture.lease_for(FillScope::Floors { root: None, first: 7 }).await;
    let items = [3, 1].map(|floor| fixture.item(floor)).to_vec();
    let fill = CacheFill { subject: Some(fixture.subject_at(1)), items, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&fill_lease, &fill).await.expect("available"), FillOutcome::Stored);
    assert_eq!(cached(&[3, 1]).await, Some((1, vec![(3, true, 1), (1, true, 1)])), "in the requested order");
    assert_eq!(cached(&[3, 2]).await, None, "one of them is not cached");
    assert_eq!(cached(&[]).await, Some((1, Vec::new())));
    fixture.apply(fixture.root_created(2, 4)).await;
    let mut deleted = fixture.root(1, 3);
    (deleted.lifecycle.state, deleted.lifecycle.listed) = (CommentState::Deleted, false);
    fixture
        .apply(SubjectUpdate {
            patches: vec![CommentUpdate { comment: deleted, content: None }],
            ..fixture.root_created(3, 5)
        })
        .await;
    let mut liked = fixture.root(3, 4);
    liked.counts.like_count = 9;
    fixture.cache.like(&[LikeCounts::of(&liked)]).await.expect("available");
    let expected = vec![(4, true, 1), (3, true, 9), (1, false, 3)];
    assert_eq!(cached(&[4, 3, 1]).await, Some((3, expected)), "the deleted one too: the reader omits it");
}

pub(super) async fn a_fill_that_a_commit_overtook_is_brought_up_to_date(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "overtaken").await;
    let fill_lease = fixture.fill_lease().await;
    let data = fixture.fill_data(1, &[1]);
    fixture.apply(fixture.root_created(2, 2)).await;
    fixture.apply(fixture.root_created(3, 3)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(fixture.cached_floors().await, Some((3, vec![3, 2, 1])));
    // A fill of an existing entry that a commit advanced meanwhile is brought forward too.
    let fill_lease = fixture.fill_lease().await;
    let data = fixture.fill_data(3, &[1, 2, 3]);
    fixture.apply(fixture.root_created(4, 4)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(fixture.cached_floors().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn a_fill_of_a_removed_entry_is_refused(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "gone").await;
    let fill_lease = fixture.fill_lease().await;
    let data = fixture.fill_data(1, &[1]);
    fixture.cache.invalidate_subject(&fixture.subject.key).await.expect("available");
    fixture.apply(fixture.root_created(2, 2)).await;
    fixture.cache.name(&fixture.subject.key, fixture.subject.id).await.expect("available");
    let other = fixture.fill_lease().await;
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Refused);
    assert_eq!(fixture.cached_floors().await, None);
    assert_eq!(
        fixture.cache.fill(&other, &fixture.fill_data(2, &[1, 2])).await.expect("available"),
        FillOutcome::Stored
    );
    assert_eq!(fixture.cached_floors().await, Some((2, vec![2, 1])));
}

pub(super) async fn a_fill_waits_until_the_commits_that_it_contains_are_applied(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "ahead").await;
    fixture.fill(1, &[1]).await;
    let fill_lease = fixture.fill_lease().await;
    let mut data = fixture.fill_data(2, &[1, 2]);
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Behind);
    fixture.apply(fixture.root_created(2, 2)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(fixture.cached_floors().await, Some((2, vec![2, 1])));
    // When the apply of a commit never arrives, the entry is rebuilt from the data that was read.
    let fill_lease = fixture.fill_lease().await;
    data = CacheFill { force: true, ..fixture.fill_data(3, &[1, 2, 3]) };
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(fixture.cached_floors().await, Some((3, vec![3, 2, 1])));
    fixture.apply(fixture.root_created(4, 4)).await;
    assert_eq!(fixture.cached_floors().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn updates_that_arrive_out_of_order_wait_for_their_predecessors(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "crossed").await;
    fixture.fill(1, &[1]).await;
    fixture.apply(fixture.root_created(4, 4)).await;
    fixture.apply(fixture.root_created(3, 3)).await;
    assert_eq!(fixture.cached_floors().await, None, "an entry that is known to be outdated is not read");
    fixture.apply(fixture.root_created(2, 2)).await;
    assert_eq!(fixture.cached_floors().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn an_update_that_arrives_twice_changes_nothing(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "twice").await;
    fixture.fill(1, &[1]).await;
    fixture.apply(fixture.root_created(2, 2)).await;
    let mut removed = fixture.root_created(3, 2);
    removed.lists[0].removed = vec![2];
    removed.lists[0].added.clear();
    fixture.apply(removed).await;
    fixture.apply(fixture.root_created(2, 2)).await;
    assert_eq!(fixture.cached_floors().await, Some((3, vec![1])));
}

pub(super) async fn a_commit_that_no_process_applied_is_reported_by_the_relay(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "report").await;
    fixture.fill(1, &[1]).await;
    assert!(fixture.advance(1, fixture.committed(2)).await);
    assert_eq!(fixture.cached_floors().await, None);
    // The apply of the commit was only late.
    fixture.apply(fixture.root_created(2, 2)).await;
    assert_eq!(fixture.cached_floors().await, Some((2, vec![2, 1])));
    assert!(fixture.advance(2, fixture.committed(3)).await);
    // A fill with older data is stored, but the page is not read; with current data it is.
    let fill_lease = fixture.fill_lease().await;
    fixture.cache.fill(&fill_lease, &fixture.fill_data(2, &[1, 2])).await.expect("available");
    assert_eq!(fixture.cached_floors().await, None);
    let fill_lease = fixture.fill_lease().await;
    let data = CacheFill { force: true, ..fixture.fill_data(3, &[1, 2, 3]) };
    assert_eq!(fixture.cache.fill(&fill_lease, &data).await.expect("available"), FillOutcome::Stored);
    assert_eq!(fixture.cached_floors().await, Some((3, vec![3, 2, 1])));
}

pub(super) async fn a_wrong_cursor_is_refused_and_a_new_generation_invalidates_everything(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "generation").await;
    fixture.fill(1, &[1]).await;
    let fill_lease = fixture.fill_lease().await;
    let partition = fixture.subject.key.partition();
    assert!(!fixture.advance(9, fixture.committed(2)).await);
    assert_eq!(fixture.cached_floors().await, Some((1, vec![1])));
    fixture.cache.renew(partition, RelayCursor(10), 2).await.expect("available");
    assert_eq!(fixture.cache.cursors(&[partition]).await.expect("available"), [Some(RelayCursor(10))]);
    assert_eq!(fixture.cached_floors().await, None);
    assert_eq!(
        fixture.cache.fill(&fill_lease, &fixture.fill_data(1, &[1])).await.expect("available"),
        FillOutcome::Refused
    );
    fixture.fill(1, &[1]).await;
    assert_eq!(fixture.cached_floors().await, Some((1, vec![1])));
}

/// Returns the revision and the like count of a cached root.
pub(super) async fn cached_likes(fixture: &Fixture, floor: i32) -> (i64, i32) {
    let page = fixture.page(100).await.expect("found");
    let mut roots = page.threads.items.into_iter().map(|thread| thread.root.comment);
    let root = roots.find(|root| root.reference.floor == floor).expect("listed");
    (root.lifecycle.revision, root.counts.like_count)
}

/// Returns the likes of a root at the given revision.
pub(super) fn like_counts(fixture: &Fixture, floor: i32, revision: i64) -> LikeCounts {
    LikeCounts::of(&fixture.root(floor, revision))
}

pub(super) async fn the_likes_with_the_greater_revision_win(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "likes").await;
    fixture.fill(1, &[1]).await;
    for (revision, expected) in [(5, 5), (3, 5), (5, 5), (9, 9)] {
        fixture.cache.like(&[like_counts(&fixture, 1, revision)]).await.expect("available");
        assert_eq!(cached_likes(&fixture, 1).await, (expected, expected as i32));
    }
    // A commit that changed the row between two likes updates the row and leaves the likes alone.
    let mut change = fixture.root_created(2, 1);
    change.lists.clear();
    change.patches[0].comment = fixture.root(1, 7);
    change.patches[0].comment.counts.reply_count = 4;
    change.patches[0].content = None;
    fixture.apply(change).await;
    assert_eq!(cached_likes(&fixture, 1).await, (9, 9));
    let root = fixture.page(1).await.expect("found").threads.items.remove(0).root;
    assert_eq!((root.comment.counts.reply_count, root.content), (4, Some(content(1))));
}

pub(super) async fn a_like_that_overtook_a_fill_is_not_lost(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "like_and_fill").await;
    let fill_lease = fixture.fill_lease().await;
    fixture.cache.like(&[like_counts(&fixture, 1, 8)]).await.expect("available");
    assert_eq!(
        fixture.cache.fill(&fill_lease, &fixture.fill_data(1, &[1])).await.expect("available"),
        FillOutcome::Stored
    );
    assert_eq!(cached_likes(&fixture, 1).await, (8, 8));
}

pub(super) async fn a_negative_entry_ends_when_the_subject_is_created(cache: Arc<dyn Cache>) {
    let fixture = Fixture::cold(cache, "negative");
    let key = &fixture.subject.key;
    fixture.cache.renew(key.partition(), RelayCursor(1), 1).await.expect("available");
    let open = |token| fixture.cache.open(key, FillScope::Row, token);
    assert_eq!(open(1).await.expect("available"), LeaseOutcome::Unknown { token: 1 });
    fixture.cache.absent(key, 1).await.expect("available");
    let cached_subject = || fixture.cache.subjects(std::slice::from_ref(key));
    assert_eq!(cached_subject().await.expect("available"), [EntryLookup::Hit(None)]);
    // The report of a reader that ran before the subject was created arrives too late.
    assert_eq!(open(2).await.expect("available"), LeaseOutcome::Unknown { token: 2 });
    fixture.apply(riposte_cache::SubjectUpdate { created: true, ..fixture.root_created(1, 1) }).await;
    fixture.cache.absent(key, 2).await.expect("available");
    assert_eq!(cached_subject().await.expect("available"), [EntryLookup::Miss]);
    fixture.fill(1, &[1]).await;
    assert_eq!(cached_subject().await.expect("available"), [EntryLookup::Hit(Some(fixture.subject_at(1)))]);
}

pub(super) async fn a_list_ends_only_where_its_end_was_read(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "ends").await;
    let fill_lease = fixture.fill_lease().await;
    let mut data = fixture.fill_data(1, &[8, 9, 10]);
    data.lists[0].low = 8;
    fixture.cache.fill(&fill_lease, &data).await.expect("available");
    let page = fixture.page(2).await.expect("the first two");
    assert!(page.threads.more_after && !page.threads.more_before);
    assert!(fixture.page(3).await.is_none(), "the cache does not know whether a fourth root exists");
    // The next, adjoining part of the list, up to its end.
    let fill_lease = fixture.fill_lease().await;
    let mut data = fixture.fill_data(1, &[6, 7]);
    data.lists = vec![ListRange { low: 0, high: 7, ..data.lists.remove(0) }];
    fixture.cache.fill(&fill_lease, &data).await.expect("available");
    assert_eq!(fixture.cached_floors().await, Some((1, vec![10, 9, 8, 7, 6])));
    let after = fixture.cache.page(&fixture.page_query(PageStart::After(9), 2)).await.expect("available");
    let EntryLookup::Hit(Some(CachedPage::Roots(after))) = after else { panic!("a miss") };
    let threads = after.threads;
    let floors: Vec<i32> = threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect();
    assert_eq!((floors, threads.more_before, threads.more_after), (vec![8, 7], true, true));
}

pub(super) async fn a_list_that_grows_is_cut_at_its_far_end(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "grows").await;
    fixture.fill(1, &[1]).await;
    // Every cache of the suite is configured with list windows of 400 entries.
    for (revision, floor) in (2..).zip(2..=502) {
        fixture.apply(fixture.root_created(revision, floor)).await;
    }
    let page = fixture.page(100).await.expect("the newest are cached");
    assert_eq!(page.threads.items[0].root.comment.reference.floor, 502);
    let deep = fixture.cache.page(&fixture.page_query(PageStart::After(60), 20)).await.expect("available");
    assert_eq!(deep, EntryLookup::Miss, "roots beyond the window are read from the rows");
}

pub(super) async fn a_deleted_subject_shows_nothing(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "deleted").await;
    fixture.fill(1, &[1]).await;
    let mut change = fixture.root_created(2, 1);
    change.subject = Subject { delete_time: Some(Millis(9)), ..fixture.subject_at(2) };
    (change.lists, change.patches) = (Vec::new(), Vec::new());
    fixture.apply(change).await;
    let page = fixture.cache.page(&fixture.page_query(PageStart::Beginning, 5)).await.expect("available");
    assert_eq!(page, EntryLookup::Hit(None));
    let comment = fixture.cache.comments(&[fixture.root(1, 1).reference.id]).await.expect("available");
    assert_eq!(comment, [EntryLookup::Hit(None)]);
}

pub(super) async fn the_likes_of_a_member_are_removed_during_an_invalidation(cache: Arc<dyn Cache>) {
    let fixture = Fixture::new(cache, "states").await;
    fixture.fill(1, &[1, 2]).await;
    let member = SubjectMember { key: fixture.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let ids: Vec<CommentId> = [1, 2, 3].map(|floor| fixture.root(floor, 1).reference.id).to_vec();
    let states = || fixture.cache.states(&member, &ids);
    let hit = |first| EntryLookup::Hit(Some(vec![Some(first), Some(LikeValue::None), None]));
    assert_eq!(states().await.expect("available"), EntryLookup::Miss);
    assert!(fixture.cache.open_states(&member, 1).await.expect("available"));
    fixture.cache.fill_states(&member, 1, &[(ids[0], LikeValue::Like)]).await.expect("available");
    assert_eq!(states().await.expect("available"), hit(LikeValue::Like));
    fixture.cache.record_existing(&member, &ids[2..]).await.expect("available");
    let all = EntryLookup::Hit(Some(vec![Some(LikeValue::Like), Some(LikeValue::None), Some(LikeValue::None)]));
    assert_eq!(states().await.expect("available"), all);
    // A caller that read before a commit began may not store the result.
    assert!(fixture.cache.open_states(&member, 2).await.expect("available"));
    fixture.cache.begin_invalidation(std::slice::from_ref(&member), 90).await.expect("available");
    fixture.cache.begin_invalidation(std::slice::from_ref(&member), 91).await.expect("available");
    fixture.cache.fill_states(&member, 2, &[(ids[0], LikeValue::Like)]).await.expect("available");
    assert_eq!(states().await.expect("available"), EntryLookup::Miss);
    fixture.cache.end_invalidation(std::slice::from_ref(&member), 90).await.expect("available");
    assert!(!fixture.cache.open_states(&member, 3).await.expect("available"), "another commit is under way");
    fixture.cache.end_invalidation(std::slice::from_ref(&member), 91).await.expect("available");
    assert!(fixture.cache.open_states(&member, 4).await.expect("available"));
    fixture.cache.fill_states(&member, 4, &[(ids[0], LikeValue::Dislike)]).await.expect("available");
    assert_eq!(states().await.expect("available"), hit(LikeValue::Dislike));
}
