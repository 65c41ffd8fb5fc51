//! The cases of ordinary operation.

use std::sync::Arc;

use riposte_core::page::PageStart;
use riposte_core::{CommentId, CommentState, LikeValue, MemberId, Millis, Subject};

use super::scene::{NEWEST, Scene};
use riposte_cache::{
    Cache, CacheFill, CachedComment, CachedPageQuery, CommentUpdate, EntryLookup, FillOutcome, FillScope, LeaseOutcome,
    LikeCounts, ListPart, ListRange, RelayCursor, SubjectMember, SubjectUpdate,
};

type Given = Arc<dyn Cache>;

pub(super) async fn what_was_filled_is_found_and_what_was_not_is_missed(cache: Given) {
    let scene = Scene::new(cache, "found").await;
    assert_eq!(scene.seen().await, None);
    scene.fill(1, &[1, 2, 3]).await;
    assert_eq!(scene.seen().await, Some((1, vec![3, 2, 1])));
    let ids = [scene.root(2, 1).reference.id, scene.root(9, 1).reference.id];
    let found = scene.cache.comments(&ids).await.expect("answered");
    assert_eq!(found, [EntryLookup::Hit(Some(scene.item(2).view(&scene.subject))), EntryLookup::Miss]);
    let subjects = scene.cache.subjects(std::slice::from_ref(&scene.subject.key)).await.expect("answered");
    assert_eq!(subjects, [EntryLookup::Hit(Some(scene.at(1)))]);
    scene.cache.forget(&scene.subject.key).await.expect("answered");
    assert_eq!(scene.seen().await, None);
}

pub(super) async fn nothing_is_kept_before_the_relay_has_come(cache: Given) {
    let scene = Scene::cold(cache, "cold");
    let opened = scene.cache.open(&scene.subject.key, FillScope::Row, 1).await.expect("answered");
    assert_eq!(opened, LeaseOutcome::Cold);
    assert_eq!(scene.cache.cursors(&[scene.subject.key.partition()]).await.expect("answered"), [None]);
}

pub(super) async fn one_fills_and_the_others_wait(cache: Given) {
    let scene = Scene::new(cache, "busy").await;
    let fill_lease = scene.fill_lease().await;
    let again = scene.cache.open(&scene.subject.key, FillScope::List(NEWEST), 78).await.expect("answered");
    assert_eq!(again, LeaseOutcome::Busy);
    scene.cache.close(&fill_lease).await.expect("answered");
    let fill_lease = scene.fill_lease().await;
    let filled = scene.cache.fill(&fill_lease, &scene.read(1, &[1])).await.expect("answered");
    assert_eq!(filled, FillOutcome::Kept);
    scene.fill_lease().await;
}

pub(super) async fn a_page_of_picked_comments_moves_on_like_any_other(cache: Given) {
    let scene = Scene::new(cache, "picked").await;
    let seen = async |floors: &[i32]| {
        let ids = floors.iter().map(|floor| scene.root(*floor, 1).reference.id).collect();
        let ask = CachedPageQuery { part: ListPart::These(ids), ..scene.ask(PageStart::Beginning, 1) };
        let EntryLookup::Hit(page) = scene.cache.page(&ask).await.expect("answered") else { return None };
        let page = page.expect("the subject is there");
        assert!(!page.items.more_before && !page.items.more_after);
        let shown = |item: CachedComment| {
            (item.comment.reference.floor, item.comment.lifecycle.state.is_visible(), item.comment.counts.like_count)
        };
        Some((page.subject.revision, page.items.items.into_iter().map(shown).collect::<Vec<_>>()))
    };
    let kind = FillScope::Picked { root: None, first: 3 };
    let fill_lease = scene.ticket_for(kind).await;
    let again = scene.cache.open(&scene.subject.key, kind, 5).await.expect("answered");
    assert_eq!(again, LeaseOutcome::Busy, "one process picks them");
    scene.ticket_for(FillScope::Picked { root: None, first: 7 }).await;
    let items = [3, 1].map(|floor| scene.item(floor)).to_vec();
    let fill = CacheFill { subject: Some(scene.at(1)), items, ..CacheFill::default() };
    assert_eq!(scene.cache.fill(&fill_lease, &fill).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(seen(&[3, 1]).await, Some((1, vec![(3, true, 1), (1, true, 1)])), "in the order that was asked for");
    assert_eq!(seen(&[3, 2]).await, None, "of one nothing is known");
    assert_eq!(seen(&[]).await, Some((1, Vec::new())));
    scene.apply(scene.born(2, 4)).await;
    let mut gone = scene.root(1, 3);
    (gone.lifecycle.state, gone.lifecycle.listed) = (CommentState::Deleted, false);
    scene
        .apply(SubjectUpdate { patches: vec![CommentUpdate { comment: gone, content: None }], ..scene.born(3, 5) })
        .await;
    let mut liked = scene.root(3, 4);
    liked.counts.like_count = 9;
    scene.cache.like(&[LikeCounts::of(&liked)]).await.expect("answered");
    let expected = vec![(4, true, 1), (3, true, 9), (1, false, 3)];
    assert_eq!(seen(&[4, 3, 1]).await, Some((3, expected)), "the one that went away too: whoever asks leaves it out");
}

pub(super) async fn a_fill_that_a_commit_overtook_is_brought_forward(cache: Given) {
    let scene = Scene::new(cache, "overtaken").await;
    let fill_lease = scene.fill_lease().await;
    let read = scene.read(1, &[1]);
    scene.apply(scene.born(2, 2)).await;
    scene.apply(scene.born(3, 3)).await;
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(scene.seen().await, Some((3, vec![3, 2, 1])));
    // A fill of an existing entry that a commit advanced meanwhile is brought forward too.
    let fill_lease = scene.fill_lease().await;
    let read = scene.read(3, &[1, 2, 3]);
    scene.apply(scene.born(4, 4)).await;
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(scene.seen().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn a_fill_of_a_block_that_went_away_is_refused(cache: Given) {
    let scene = Scene::new(cache, "gone").await;
    let fill_lease = scene.fill_lease().await;
    let read = scene.read(1, &[1]);
    scene.cache.forget(&scene.subject.key).await.expect("answered");
    scene.apply(scene.born(2, 2)).await;
    scene.cache.name(&scene.subject.key, scene.subject.id).await.expect("answered");
    let other = scene.fill_lease().await;
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Refused);
    assert_eq!(scene.seen().await, None);
    assert_eq!(scene.cache.fill(&other, &scene.read(2, &[1, 2])).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(scene.seen().await, Some((2, vec![2, 1])));
}

pub(super) async fn a_commit_that_was_read_before_it_was_applied_is_waited_for(cache: Given) {
    let scene = Scene::new(cache, "ahead").await;
    scene.fill(1, &[1]).await;
    let fill_lease = scene.fill_lease().await;
    let mut read = scene.read(2, &[1, 2]);
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Behind);
    scene.apply(scene.born(2, 2)).await;
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(scene.seen().await, Some((2, vec![2, 1])));
    // When the apply of a commit never arrives, the entry is rebuilt from the data that was read.
    let fill_lease = scene.fill_lease().await;
    read = CacheFill { force: true, ..scene.read(3, &[1, 2, 3]) };
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(scene.seen().await, Some((3, vec![3, 2, 1])));
    scene.apply(scene.born(4, 4)).await;
    assert_eq!(scene.seen().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn applies_that_come_in_the_wrong_order_wait_for_their_predecessors(cache: Given) {
    let scene = Scene::new(cache, "crossed").await;
    scene.fill(1, &[1]).await;
    scene.apply(scene.born(4, 4)).await;
    scene.apply(scene.born(3, 3)).await;
    assert_eq!(scene.seen().await, None, "what is known to be behind does not answer");
    scene.apply(scene.born(2, 2)).await;
    assert_eq!(scene.seen().await, Some((4, vec![4, 3, 2, 1])));
}

pub(super) async fn an_apply_that_comes_twice_changes_nothing(cache: Given) {
    let scene = Scene::new(cache, "twice").await;
    scene.fill(1, &[1]).await;
    scene.apply(scene.born(2, 2)).await;
    let mut gone = scene.born(3, 2);
    gone.lists[0].went = vec![2];
    gone.lists[0].came.clear();
    scene.apply(gone).await;
    scene.apply(scene.born(2, 2)).await;
    assert_eq!(scene.seen().await, Some((3, vec![1])));
}

pub(super) async fn a_commit_that_nobody_applied_is_told_by_the_relay(cache: Given) {
    let scene = Scene::new(cache, "told").await;
    scene.fill(1, &[1]).await;
    assert!(scene.advance(1, scene.committed(2)).await);
    assert_eq!(scene.seen().await, None);
    // The apply of the commit was only late.
    scene.apply(scene.born(2, 2)).await;
    assert_eq!(scene.seen().await, Some((2, vec![2, 1])));
    assert!(scene.advance(2, scene.committed(3)).await);
    // A fill with older data is kept, but does not serve the page; a fill with current data does.
    let fill_lease = scene.fill_lease().await;
    scene.cache.fill(&fill_lease, &scene.read(2, &[1, 2])).await.expect("answered");
    assert_eq!(scene.seen().await, None);
    let fill_lease = scene.fill_lease().await;
    let read = CacheFill { force: true, ..scene.read(3, &[1, 2, 3]) };
    assert_eq!(scene.cache.fill(&fill_lease, &read).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(scene.seen().await, Some((3, vec![3, 2, 1])));
}

pub(super) async fn a_cursor_that_moved_is_noticed_and_a_new_generation_forgets(cache: Given) {
    let scene = Scene::new(cache, "generation").await;
    scene.fill(1, &[1]).await;
    let fill_lease = scene.fill_lease().await;
    let at = scene.subject.key.partition();
    assert!(!scene.advance(9, scene.committed(2)).await);
    assert_eq!(scene.seen().await, Some((1, vec![1])));
    scene.cache.renew(at, RelayCursor(10), 2).await.expect("answered");
    assert_eq!(scene.cache.cursors(&[at]).await.expect("answered"), [Some(RelayCursor(10))]);
    assert_eq!(scene.seen().await, None);
    assert_eq!(scene.cache.fill(&fill_lease, &scene.read(1, &[1])).await.expect("answered"), FillOutcome::Refused);
    scene.fill(1, &[1]).await;
    assert_eq!(scene.seen().await, Some((1, vec![1])));
}

pub(super) async fn likes(scene: &Scene, floor: i32) -> (i64, i32) {
    let page = scene.page(100).await.expect("found");
    let root = page.items.items.into_iter().find(|item| item.comment.reference.floor == floor).expect("listed").comment;
    (root.lifecycle.revision, root.counts.like_count)
}

pub(super) fn liked(scene: &Scene, floor: i32, revision: i64) -> LikeCounts {
    LikeCounts::of(&scene.root(floor, revision))
}

pub(super) async fn of_likes_the_greater_revision_stands(cache: Given) {
    let scene = Scene::new(cache, "likes").await;
    scene.fill(1, &[1]).await;
    for (revision, stands) in [(5, 5), (3, 5), (5, 5), (9, 9)] {
        scene.cache.like(&[liked(&scene, 1, revision)]).await.expect("answered");
        assert_eq!(likes(&scene, 1).await, (stands, stands as i32));
    }
    // A commit that changed the row between two likes updates the row and leaves the likes alone.
    let mut change = scene.born(2, 1);
    change.lists.clear();
    change.patches[0].comment = scene.root(1, 7);
    change.patches[0].comment.counts.reply_count = 4;
    change.patches[0].content = None;
    scene.apply(change).await;
    assert_eq!(likes(&scene, 1).await, (9, 9));
    let root = scene.page(1).await.expect("found").items.items.remove(0);
    assert_eq!((root.comment.counts.reply_count, root.content), (4, Some(super::scene::said(1))));
}

pub(super) async fn a_like_that_overtook_a_fill_stands(cache: Given) {
    let scene = Scene::new(cache, "like_and_fill").await;
    let fill_lease = scene.fill_lease().await;
    scene.cache.like(&[liked(&scene, 1, 8)]).await.expect("answered");
    assert_eq!(scene.cache.fill(&fill_lease, &scene.read(1, &[1])).await.expect("answered"), FillOutcome::Kept);
    assert_eq!(likes(&scene, 1).await, (8, 8));
}

pub(super) async fn a_negative_entry_yields_to_the_subject(cache: Given) {
    let scene = Scene::cold(cache, "negative");
    let key = &scene.subject.key;
    scene.cache.renew(key.partition(), RelayCursor(1), 1).await.expect("answered");
    let open = |token| scene.cache.open(key, FillScope::Row, token);
    assert_eq!(open(1).await.expect("answered"), LeaseOutcome::Unknown { token: 1 });
    scene.cache.absent(key, 1).await.expect("answered");
    let look = || scene.cache.subjects(std::slice::from_ref(key));
    assert_eq!(look().await.expect("answered"), [EntryLookup::Hit(None)]);
    // A caller that checked before the subject was created reports its absence too late.
    assert_eq!(open(2).await.expect("answered"), LeaseOutcome::Unknown { token: 2 });
    scene.apply(riposte_cache::SubjectUpdate { created: true, ..scene.born(1, 1) }).await;
    scene.cache.absent(key, 2).await.expect("answered");
    assert_eq!(look().await.expect("answered"), [EntryLookup::Miss]);
    scene.fill(1, &[1]).await;
    assert_eq!(look().await.expect("answered"), [EntryLookup::Hit(Some(scene.at(1)))]);
}

pub(super) async fn a_list_ends_only_where_its_end_was_seen(cache: Given) {
    let scene = Scene::new(cache, "ends").await;
    let fill_lease = scene.fill_lease().await;
    let mut read = scene.read(1, &[8, 9, 10]);
    read.lists[0].low = 8;
    scene.cache.fill(&fill_lease, &read).await.expect("answered");
    let page = scene.page(2).await.expect("the first two");
    assert!(page.items.more_after && !page.items.more_before);
    assert!(scene.page(3).await.is_none(), "whether there is a fourth is not known");
    // The next, adjoining part of the list, up to its end.
    let fill_lease = scene.fill_lease().await;
    let mut read = scene.read(1, &[6, 7]);
    read.lists = vec![ListRange { low: 0, high: 7, ..read.lists.remove(0) }];
    scene.cache.fill(&fill_lease, &read).await.expect("answered");
    assert_eq!(scene.seen().await, Some((1, vec![10, 9, 8, 7, 6])));
    let after = scene.cache.page(&scene.ask(PageStart::After(9), 2)).await.expect("answered");
    let EntryLookup::Hit(Some(after)) = after else { panic!("missed") };
    let floors: Vec<i32> = after.items.items.iter().map(|item| item.comment.reference.floor).collect();
    assert_eq!((floors, after.items.more_before, after.items.more_after), (vec![8, 7], true, true));
}

pub(super) async fn a_list_that_grows_is_cut_at_its_far_end(cache: Given) {
    let scene = Scene::new(cache, "grows").await;
    scene.fill(1, &[1]).await;
    // Every cache of the suite is configured with list windows of 400 entries.
    for (revision, floor) in (2..).zip(2..=502) {
        scene.apply(scene.born(revision, floor)).await;
    }
    let page = scene.page(100).await.expect("the newest are kept");
    assert_eq!(page.items.items[0].comment.reference.floor, 502);
    let deep = scene.cache.page(&scene.ask(PageStart::After(60), 20)).await.expect("answered");
    assert_eq!(deep, EntryLookup::Miss, "what lies beyond the window the rows answer");
}

pub(super) async fn a_deleted_subject_shows_nothing(cache: Given) {
    let scene = Scene::new(cache, "deleted").await;
    scene.fill(1, &[1]).await;
    let mut change = scene.born(2, 1);
    change.subject = Subject { delete_time: Some(Millis(9)), ..scene.at(2) };
    (change.lists, change.patches) = (Vec::new(), Vec::new());
    scene.apply(change).await;
    let page = scene.cache.page(&scene.ask(PageStart::Beginning, 5)).await.expect("answered");
    assert_eq!(page, EntryLookup::Hit(None));
    let comment = scene.cache.comments(&[scene.root(1, 1).reference.id]).await.expect("answered");
    assert_eq!(comment, [EntryLookup::Hit(None)]);
}

pub(super) async fn what_a_member_likes_is_forgotten_while_it_is_in_doubt(cache: Given) {
    let scene = Scene::new(cache, "states").await;
    scene.fill(1, &[1, 2]).await;
    let who = SubjectMember { key: scene.subject.key.clone(), member: MemberId::stored("fan".into()) };
    let ids: Vec<CommentId> = [1, 2, 3].map(|floor| scene.root(floor, 1).reference.id).to_vec();
    let states = || scene.cache.states(&who, &ids);
    let known = |first| EntryLookup::Hit(Some(vec![Some(first), Some(LikeValue::None), None]));
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    assert!(scene.cache.open_states(&who, 1).await.expect("answered"));
    scene.cache.fill_states(&who, 1, &[(ids[0], LikeValue::Like)]).await.expect("answered");
    assert_eq!(states().await.expect("answered"), known(LikeValue::Like));
    scene.cache.exist(&who, &ids[2..]).await.expect("answered");
    let all = EntryLookup::Hit(Some(vec![Some(LikeValue::Like), Some(LikeValue::None), Some(LikeValue::None)]));
    assert_eq!(states().await.expect("answered"), all);
    // A caller that read before a commit began may not store the result.
    assert!(scene.cache.open_states(&who, 2).await.expect("answered"));
    scene.cache.begin_invalidation(std::slice::from_ref(&who), 90).await.expect("answered");
    scene.cache.begin_invalidation(std::slice::from_ref(&who), 91).await.expect("answered");
    scene.cache.fill_states(&who, 2, &[(ids[0], LikeValue::Like)]).await.expect("answered");
    assert_eq!(states().await.expect("answered"), EntryLookup::Miss);
    scene.cache.end_invalidation(std::slice::from_ref(&who), 90).await.expect("answered");
    assert!(!scene.cache.open_states(&who, 3).await.expect("answered"), "another commit is under way");
    scene.cache.end_invalidation(std::slice::from_ref(&who), 91).await.expect("answered");
    assert!(scene.cache.open_states(&who, 4).await.expect("answered"));
    scene.cache.fill_states(&who, 4, &[(ids[0], LikeValue::Dislike)]).await.expect("answered");
    assert_eq!(states().await.expect("answered"), known(LikeValue::Dislike));
}
