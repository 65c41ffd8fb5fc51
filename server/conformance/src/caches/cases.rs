//! The cases of ordinary operation.

use std::sync::Arc;

use riposte_core::comment::CommentView;
use riposte_core::page::{PageStart, RootPage, Thread};
use riposte_core::{CommentId, CommentState, LikeValue, MemberId, Millis, Subject};

use super::fixture::{Fixture, NEWEST};
use riposte_cache::{
    Cache, CacheFill, CachedPage, CachedPageQuery, CommentUpdate, EntryLookup, FillOutcome, FillScope, LeaseOutcome,
    LikeCounts, ListPart, ListRange, RelayCursor, SubjectMember, SubjectUpdate,
};

type Given = Arc<dyn Cache>;

pub(super) async fn what_was_filled_is_found_and_what_was_not_is_missed(cache: Given) {
    let fixture = Fixture::new(cache, "found").await;
    assert_eq!(fixture.seen().await, None);
    fixture.fill(1, &[1, 2, 3]).await;
    assert_eq!(fixture.seen().await, Some((1, vec![3, 2, 1])));
    let ids = [fixture.root(2, 1).reference.id, fixture.root(9, 1).reference.id];
    let found = fixture.cache.comments(&ids).await.expect("answered");
    assert_eq!(found, [EntryLookup::Hit(Some(fixture.item(2).view(&fixture.subject))), EntryLookup::Miss]);
    let subjects = fixture.cache.subjects(std::slice::from_ref(&fixture.subject.key)).await.expect("answered");
    assert_eq!(subjects, [EntryLookup::Hit(Some(fixture.at(1)))]);
    fixture.cache.forget(&fixture.subject.key).await.expect("answered");
    assert_eq!(fixture.seen().await, None);
}

pub(super) async fn nothing_is_kept_before_the_relay_has_come(cache: Given) {
    let fixture = Fixture::cold(cache, "cold");
    let opened = fixture.cache.open(&fixture.subject.key, FillScope::Row, 1).await.expect("answered");
    assert_eq!(opened, LeaseOutcome::Cold);
    assert_eq!(fixture.cache.cursors(&[fixture.subject.key.partition()]).await.expect("answered"), [None]);
}

pub(super) async fn one_fills_and_the_others_wait(cache: Given) {
    let fixture = Fixture::new(cache, "busy").await;
    let fill_lease = fixture.fill_lease().await;
    let again = fixture.cache.open(&fixture.subject.key, FillScope::List(NEWEST), 78).await.expect("answered");
    assert_eq!(again, LeaseOutcome::Busy);
    fixture.cache.close(&fill_lease).await.expect("answered");
    let fill_lease = fixture.fill_lease().await;
    let filled = fixture.cache.fill(&fill_lease, &fixture.read(1, &[1])).await.expect("answered");
    assert_eq!(filled, FillOutcome::Kept);
    fixture.fill_lease().await;
}

pub(super) async fn a_page_of_picked_comments_moves_on_like_any_other(cache: Given) {
    let fixture = Fixture::new(cache, "picked").await;
    let seen = async |floors: &[i32]| {
        let ids = floors.iter().map(|floor| fixture.root(*floor, 1).reference.id).collect();
        let ask = CachedPageQuery { part: ListPart::These(ids), ..fixture.ask(PageStart::Beginning, 1) };
        let EntryLookup::Hit(page) = fixture.cache.page(&ask).await.expect("answered") else { return None };
        let RootPage { subject, threads, .. } = page.and_then(CachedPage::roots).expect("the subject is there");
        assert!(!threads.more_before && !threads.more_after);
        let shown = |Thread { root: CommentView { comment, .. }, .. }: Thread| {
            (comment.reference.floor, comment.lifecycle.state.is_visible(), comment.counts.like_count)
        };
        Some((subject.revision, threads.items.into_iter().map(shown).collect::<Vec<_>>()))
    };
    let kind = FillScope::Picked { root: None, first: 3 };
    let fill_lease = fixture.ticket_for(kind).await;
    let again = fixture.cache.open(&fixture.subject.key, kind, 5).await.expect("answered");
    assert_eq!(again, LeaseOutcome::Busy, "one process picks them");
    fixture.ticket_for(FillScope::Picked { root: None, first: 7 }).await;
    let items = [3, 1].map(|floor| fixture.item(floor)).to_vec();
    let fill = CacheFill { subject: Some(fixture.at(1)), items, ..CacheFill::default() };
    assert_eq!(fixture.cache.fill(&fill_lease, &fill).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(seen(&[3, 1]).await, Some((1, vec![(3, true, 1), (1, true, 1)])), "in the order that was asked for");
    assert_eq!(seen(&[3, 2]).await, None, "of one nothing is known");
    assert_eq!(seen(&[]).await, Some((1, Vec::new())));
    fixture.apply(fixture.born(2, 4)).await;
    let mut gone = fixture.root(1, 3);
    (gone.lifecycle.state, gone.lifecycle.listed) = (CommentState::Deleted, false);
    fixture
        .apply(SubjectUpdate { patches: vec![CommentUpdate { comment: gone, content: None }], ..fixture.born(3, 5) })
        .await;
    let mut liked = fixture.root(3, 4);
    liked.counts.like_count = 9;
    fixture.cache.like(&[LikeCounts::of(&liked)]).await.expect("answered");
    let expected = vec![(4, true, 1), (3, true, 9), (1, false, 3)];
    assert_eq!(seen(&[4, 3, 1]).await, Some((3, expected)), "the one that went away too: whoever asks leaves it out");
}

pub(super) async fn a_fill_that_a_commit_overtook_is_brought_forward(cache: Given) {
    let fixture = Fixture::new(cache, "overtaken").await;
    let fill_lease = fixture.fill_lease().await;
    let read = fixture.read(1, &[1]);
    fixture.apply(fixture.born(2, 2)).await;
    fixture.apply(fixture.born(3, 3)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(fixture.seen().await, Some((3, vec![3, 2, 1])));
    // A fill of an existing entry that a commit advanced meanwhile is brought forward too.
    let fill_lease = fixture.fill_lease().await;
    let read = fixture.read(3, &[1, 2, 3]);
    fixture.apply(fixture.born(4, 4)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(fixture.seen().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn a_fill_of_a_block_that_went_away_is_refused(cache: Given) {
    let fixture = Fixture::new(cache, "gone").await;
    let fill_lease = fixture.fill_lease().await;
    let read = fixture.read(1, &[1]);
    fixture.cache.forget(&fixture.subject.key).await.expect("answered");
    fixture.apply(fixture.born(2, 2)).await;
    fixture.cache.name(&fixture.subject.key, fixture.subject.id).await.expect("answered");
    let other = fixture.fill_lease().await;
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Refused);
    assert_eq!(fixture.seen().await, None);
    assert_eq!(fixture.cache.fill(&other, &fixture.read(2, &[1, 2])).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(fixture.seen().await, Some((2, vec![2, 1])));
}

pub(super) async fn a_commit_that_was_read_before_it_was_applied_is_waited_for(cache: Given) {
    let fixture = Fixture::new(cache, "ahead").await;
    fixture.fill(1, &[1]).await;
    let fill_lease = fixture.fill_lease().await;
    let mut read = fixture.read(2, &[1, 2]);
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Behind);
    fixture.apply(fixture.born(2, 2)).await;
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(fixture.seen().await, Some((2, vec![2, 1])));
    // When the apply of a commit never arrives, the entry is rebuilt from the data that was read.
    let fill_lease = fixture.fill_lease().await;
    read = CacheFill { force: true, ..fixture.read(3, &[1, 2, 3]) };
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(fixture.seen().await, Some((3, vec![3, 2, 1])));
    fixture.apply(fixture.born(4, 4)).await;
    assert_eq!(fixture.seen().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn applies_that_come_in_the_wrong_order_wait_for_their_predecessors(cache: Given) {
    let fixture = Fixture::new(cache, "crossed").await;
    fixture.fill(1, &[1]).await;
    fixture.apply(fixture.born(4, 4)).await;
    fixture.apply(fixture.born(3, 3)).await;
    assert_eq!(fixture.seen().await, None, "what is known to be behind does not answer");
    fixture.apply(fixture.born(2, 2)).await;
    assert_eq!(fixture.seen().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn an_apply_that_comes_twice_changes_nothing(cache: Given) {
    let fixture = Fixture::new(cache, "twice").await;
    fixture.fill(1, &[1]).await;
    fixture.apply(fixture.born(2, 2)).await;
    let mut gone = fixture.born(3, 2);
    gone.lists[0].went = vec![2];
    gone.lists[0].came.clear();
    fixture.apply(gone).await;
    fixture.apply(fixture.born(2, 2)).await;
    assert_eq!(fixture.seen().await, Some((3, vec![1])));
}

pub(super) async fn a_commit_that_nobody_applied_is_told_by_the_relay(cache: Given) {
    let fixture = Fixture::new(cache, "told").await;
    fixture.fill(1, &[1]).await;
    assert!(fixture.advance(1, fixture.committed(2)).await);
    assert_eq!(fixture.seen().await, None);
    // The apply of the commit was only late.
    fixture.apply(fixture.born(2, 2)).await;
    assert_eq!(fixture.seen().await, Some((2, vec![2, 1])));
    assert!(fixture.advance(2, fixture.committed(3)).await);
    // A fill with older data is kept, but does not serve the page; a fill with current data does.
    let fill_lease = fixture.fill_lease().await;
    fixture.cache.fill(&fill_lease, &fixture.read(2, &[1, 2])).await.expect("answered");
    assert_eq!(fixture.seen().await, None);
    let fill_lease = fixture.fill_lease().await;
    let read = CacheFill { force: true, ..fixture.read(3, &[1, 2, 3]) };
    assert_eq!(fixture.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(fixture.seen().await, Some((3, vec![3, 2, 1])));
}

pub(super) async fn a_cursor_that_moved_is_noticed_and_a_new_generation_forgets(cache: Given) {
    let fixture = Fixture::new(cache, "generation").await;
    fixture.fill(1, &[1]).await;
    let fill_lease = fixture.fill_lease().await;
    let at = fixture.subject.key.partition();
    assert!(!fixture.advance(9, fixture.committed(2)).await);
    assert_eq!(fixture.seen().await, Some((1, vec![1])));
    fixture.cache.renew(at, RelayCursor(10), 2).await.expect("answered");
    assert_eq!(fixture.cache.cursors(&[at]).await.expect("answered"), [Some(RelayCursor(10))]);
    assert_eq!(fixture.seen().await, None);
    assert_eq!(fixture.cache.fill(&fill_lease, &fixture.read(1, &[1])).await.expect("answered"), FillOutcome::Refused);
    fixture.fill(1, &[1]).await;
    assert_eq!(fixture.seen().await, Some((1, vec![1])));
}

pub(super) async fn likes(fixture: &Fixture, floor: i32) -> (i64, i32) {
    let page = fixture.page(100).await.expect("found");
    let mut roots = page.threads.items.into_iter().map(|thread| thread.root.comment);
    let root = roots.find(|root| root.reference.floor == floor).expect("listed");
    (root.lifecycle.revision, root.counts.like_count)
}

pub(super) fn liked(fixture: &Fixture, floor: i32, revision: i64) -> LikeCounts {
    LikeCounts::of(&fixture.root(floor, revision))
}

pub(super) async fn of_likes_the_greater_revision_stands(cache: Given) {
    let fixture = Fixture::new(cache, "likes").await;
    fixture.fill(1, &[1]).await;
    for (revision, stands) in [(5, 5), (3, 5), (5, 5), (9, 9)] {
        fixture.cache.like(&[liked(&fixture, 1, revision)]).await.expect("answered");
        assert_eq!(likes(&fixture, 1).await, (stands, stands as i32));
    }
    // A commit that changed the row between two likes updates the row and leaves the likes alone.
    let mut change = fixture.born(2, 1);
    change.lists.clear();
    change.patches[0].comment = fixture.root(1, 7);
    change.patches[0].comment.counts.reply_count = 4;
    change.patches[0].content = None;
    fixture.apply(change).await;
    assert_eq!(likes(&fixture, 1).await, (9, 9));
    let root = fixture.page(1).await.expect("found").threads.items.remove(0).root;
    assert_eq!((root.comment.counts.reply_count, root.content), (4, Some(super::fixture::said(1))));
}

pub(super) async fn a_like_that_overtook_a_fill_stands(cache: Given) {
    let fixture = Fixture::new(cache, "like_and_fill").await;
    let fill_lease = fixture.fill_lease().await;
    fixture.cache.like(&[liked(&fixture, 1, 8)]).await.expect("answered");
    assert_eq!(fixture.cache.fill(&fill_lease, &fixture.read(1, &[1])).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(likes(&fixture, 1).await, (8, 8));
}

pub(super) async fn a_negative_entry_yields_to_the_subject(cache: Given) {
    let fixture = Fixture::cold(cache, "negative");
    let key = &fixture.subject.key;
    fixture.cache.renew(key.partition(), RelayCursor(1), 1).await.expect("answered");
    let open = |token| fixture.cache.open(key, FillScope::Row, token);
    assert_eq!(open(1).await.expect("answered"), LeaseOutcome::Unknown { token: 1 });
    fixture.cache.absent(key, 1).await.expect("answered");
    let look = || fixture.cache.subjects(std::slice::from_ref(key));
    assert_eq!(look().await.expect("answered"), [EntryLookup::Hit(None)]);
    // A caller that checked before the subject was created reports its absence too late.
    assert_eq!(open(2).await.expect("answered"), LeaseOutcome::Unknown { token: 2 });
    fixture.apply(riposte_cache::SubjectUpdate { created: true, ..fixture.born(1, 1) }).await;
    fixture.cache.absent(key, 2).await.expect("answered");
    assert_eq!(look().await.expect("answered"), [EntryLookup::Miss]);
    fixture.fill(1, &[1]).await;
    assert_eq!(look().await.expect("answered"), [EntryLookup::Hit(Some(fixture.at(1)))]);
}

pub(super) async fn a_list_ends_only_where_its_end_was_seen(cache: Given) {
    let fixture = Fixture::new(cache, "ends").await;
    let fill_lease = fixture.fill_lease().await;
    let mut read = fixture.read(1, &[8, 9, 10]);
    read.lists[0].low = 8;
    fixture.cache.fill(&fill_lease, &read).await.expect("answered");
    let page = fixture.page(2).await.expect("the first two");
    assert!(page.threads.more_after && !page.threads.more_before);
    assert!(fixture.page(3).await.is_none(), "whether there is a fourth is not known");
    // The next, adjoining part of the list, up to its end.
    let fill_lease = fixture.fill_lease().await;
    let mut read = fixture.read(1, &[6, 7]);
    read.lists = vec![ListRange { low: 0, high: 7, ..read.lists.remove(0) }];
    fixture.cache.fill(&fill_lease, &read).await.expect("answered");
    assert_eq!(fixture.seen().await, Some((1, vec![10, 9, 8, 7, 6])));
    let after = fixture.cache.page(&fixture.ask(PageStart::After(9), 2)).await.expect("answered");
    let EntryLookup::Hit(Some(CachedPage::Roots(after))) = after else { panic!("missed") };
    let threads = after.threads;
    let floors: Vec<i32> = threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect();
    assert_eq!((floors, threads.more_before, threads.more_after), (vec![8, 7], true, true));
}

pub(super) async fn a_list_that_grows_is_cut_at_its_far_end(cache: Given) {
    let fixture = Fixture::new(cache, "grows").await;
    fixture.fill(1, &[1]).await;
    // Every cache of the suite is configured with list windows of 400 entries.
    for (revision, floor) in (2..).zip(2..=502) {
        fixture.apply(fixture.born(revision, floor)).await;
    }
    let page = fixture.page(100).await.expect("the newest are kept");
    assert_eq!(page.threads.items[0].root.comment.reference.floor, 502);
    let deep = fixture.cache.page(&fixture.ask(PageStart::After(60), 20)).await.expect("answered");
    assert_eq!(deep, EntryLookup::Miss, "what lies beyond the window the rows answer");
}

pub(super) async fn a_deleted_subject_shows_nothing(cache: Given) {
    let fixture = Fixture::new(cache, "deleted").await;
    fixture.fill(1, &[1]).await;
    let mut change = fixture.born(2, 1);
    change.subject = Subject { delete_time: Some(Millis(9)), ..fixture.at(2) };
    (change.lists, change.patches) = (Vec::new(), Vec::new());
    fixture.apply(change).await;
    let page = fixture.cache.page(&fixture.ask(PageStart::Beginning, 5)).await.expect("answered");
    assert_eq!(page, EntryLookup::Hit(None));
    let comment = fixture.cache.comments(&[fixture.root(1, 1).reference.id]).await.expect("answered");
    assert_eq!(comment, [EntryLookup::Hit(None)]);
}

pub(super) async fn what_a_member_likes_is_forgotten_while_it_is_in_doubt(cache: Given) {
    let fixture = Fixture::new(cache, "states").await;
    fixture.fill(1, &[1, 2]).await;
    let who = SubjectMember { key: fixture.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let ids: Vec<CommentId> = [1, 2, 3].map(|floor| fixture.root(floor, 1).reference.id).to_vec();
    let states = || fixture.cache.states(&who, &ids);
    let known = |first| EntryLookup::Hit(Some(vec![Some(first), Some(LikeValue::None), None]));
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    assert!(fixture.cache.open_states(&who, 1).await.expect("answered"));
    fixture.cache.fill_states(&who, 1, &[(ids[0], LikeValue::Like)]).await.expect("answered");
    assert_eq!(states().await.expect("answered"), known(LikeValue::Like));
    fixture.cache.exist(&who, &ids[2..]).await.expect("answered");
    let all = EntryLookup::Hit(Some(vec![Some(LikeValue::Like), Some(LikeValue::None), Some(LikeValue::None)]));
    assert_eq!(states().await.expect("answered"), all);
    // A caller that read before a commit began may not store the result.
    assert!(fixture.cache.open_states(&who, 2).await.expect("answered"));
    fixture.cache.begin_invalidation(std::slice::from_ref(&who), 90).await.expect("answered");
    fixture.cache.begin_invalidation(std::slice::from_ref(&who), 91).await.expect("answered");
    fixture.cache.fill_states(&who, 2, &[(ids[0], LikeValue::Like)]).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    fixture.cache.end_invalidation(std::slice::from_ref(&who), 90).await.expect("answered");
    assert!(!fixture.cache.open_states(&who, 3).await.expect("answered"), "another commit is under way");
    fixture.cache.end_invalidation(std::slice::from_ref(&who), 91).await.expect("answered");
    assert!(fixture.cache.open_states(&who, 4).await.expect("answered"));
    fixture.cache.fill_states(&who, 4, &[(ids[0], LikeValue::Dislike)]).await.expect("answered");
    assert_eq!(states().await.expect("answered"), known(LikeValue::Dislike));
}
