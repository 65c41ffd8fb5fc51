//! Pages: exact ranges of a list in both orders, without and during writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::comment::CommentView;
use riposte_core::ids::IdTick;
use riposte_core::page::{ListOrder, Page, PageQuery, PageStart};
use riposte_core::ports::NewestComments;
use riposte_core::verbs::Delete;
use riposte_core::{CommentId, SubjectKey};

use super::backend::Backend;
use super::fixture::{Fixture, by_moderator, first, floors};

/// A number above the length of every list that no writer changes.
const MAX_LENGTH: usize = 100;

const ORDERS: [ListOrder; 2] = [ListOrder::Oldest, ListOrder::Newest];

/// Deletes the comments with these floors.
async fn delete_floors(fixture: &Fixture, key: &SubjectKey, ids: &[CommentId], deleted: &[usize]) {
    for floor in deleted {
        let target = fixture.target(ids[floor - 1]).await;
        fixture.run(key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    }
}

/// Computes the page that a query requests: the items, and whether more lie before and after.
fn expected_page(sorted: &[i32], window: PageQuery) -> Option<(Vec<i32>, bool, bool)> {
    let mut order = sorted.to_vec();
    let newest = window.order == ListOrder::Newest;
    if newest {
        order.reverse();
    }
    let is_after = |at: i32, floor: i32| if newest { floor < at } else { floor > at };
    let (from, to) = match window.start {
        PageStart::Beginning => (0, window.limit.min(order.len())),
        PageStart::After(at) => {
            let from = order.iter().position(|floor| is_after(at, *floor)).unwrap_or(order.len());
            (from, (from + window.limit).min(order.len()))
        }
        PageStart::Before(at) => {
            let to = order.iter().position(|floor| *floor == at || is_after(at, *floor)).unwrap_or(order.len());
            (to.saturating_sub(window.limit), to)
        }
        PageStart::Around(_) => return None,
    };
    Some((order[from..to].to_vec(), from > 0, to < order.len()))
}

/// Checks a page around a floor: it is full if the list can fill it, contains the floor or its
/// neighbour, and reports both sides.
fn check_around(sorted: &[i32], window: PageQuery, at: i32, page: &Page<CommentView>) {
    let found = floors(page);
    let context = format!("{window:?} of {sorted:?} gave {found:?}");
    let mut order = sorted.to_vec();
    if window.order == ListOrder::Newest {
        order.reverse();
    }
    assert_eq!(found.len(), window.limit.min(order.len()), "{context}");
    let Some(head) = found.first() else { return };
    let from = order.iter().position(|floor| floor == head).unwrap_or_else(|| panic!("{context}"));
    assert_eq!(found, order[from..from + found.len()], "{context}");
    assert_eq!((page.more_before, page.more_after), (from > 0, from + found.len() < order.len()), "{context}");
    let contains = |floor: Option<&i32>| floor.is_some_and(|floor| found.contains(floor));
    let below = sorted.iter().rfind(|floor| **floor <= at);
    let above = sorted.iter().find(|floor| **floor >= at);
    let is_around = if below == above { contains(below) } else { contains(below) || contains(above) };
    assert!(is_around, "{context}");
}

/// Reads all kinds of pages of a list and compares them with the sorted floors.
async fn check_every_page(sorted: &[i32], read: impl AsyncFn(PageQuery) -> Page<CommentView>) {
    let last = sorted.last().copied().unwrap_or(0) + 2;
    let anchors = [0, 1, 2, 5, 6, 7, 9, last - 3, last - 2, last - 1, last, i32::MAX];
    let starts =
        anchors.into_iter().flat_map(|at| [PageStart::After(at), PageStart::Before(at), PageStart::Around(at)]);
    for start in starts.chain([PageStart::Beginning]) {
        for order in ORDERS {
            for limit in [1, 3, 100] {
                let window = PageQuery { order, start, limit };
                let page = read(window).await;
                if let PageStart::Around(at) = start {
                    check_around(sorted, window, at, &page);
                } else {
                    let found = (floors(&page), page.more_before, page.more_after);
                    assert_eq!(Some(found), expected_page(sorted, window), "{window:?} of {sorted:?}");
                }
            }
        }
    }
}

pub(super) async fn pages_of_roots_are_exact_in_both_orders(backend: Backend) {
    let fixture = Fixture::new(&backend, "pages_of_roots_are_exact_in_both_orders");
    let key = fixture.key();
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(fixture.root(&key).await.comment.reference.id);
    }
    delete_floors(&fixture, &key, &ids, &[1, 5, 6, 7, 12]).await;
    let read = async |window| fixture.roots(&key, window).await.threads.map(|thread| thread.root);
    check_every_page(&[2, 3, 4, 8, 9, 10, 11], read).await;
}

pub(super) async fn pages_of_replies_are_exact_in_both_orders(backend: Backend) {
    let fixture = Fixture::new(&backend, "pages_of_replies_are_exact_in_both_orders");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let mut ids = vec![fixture.reply(&key, root, 3).await.comment.reference.id];
    for n in 1..12 {
        // Every other comment is a reply to a reply, because a list of replies contains all depths.
        let parent = if n % 2 == 0 { root } else { ids[n - 1] };
        ids.push(fixture.reply(&key, parent, 3).await.comment.reference.id);
    }
    delete_floors(&fixture, &key, &ids, &[2, 6, 7, 8, 12]).await;
    let read = async |window| fixture.replies(&key, root, window).await.replies;
    // 7 is not listed as a tombstone, because its only reply, 8, is deleted too.
    check_every_page(&[1, 3, 4, 5, 9, 10, 11], read).await;
}

pub(super) async fn an_empty_list_has_empty_pages(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_empty_list_has_empty_pages");
    let key = fixture.key();
    fixture.open(&key).await;
    check_every_page(&[], async |window| fixture.roots(&key, window).await.threads.map(|thread| thread.root)).await;
}

/// Walks a list to its end and back to its beginning. Returns the floors.
async fn walk_both_ways(
    order: ListOrder,
    limit: usize,
    read: impl AsyncFn(PageQuery) -> Page<CommentView>,
) -> Vec<i32> {
    let mut forward = Vec::new();
    let mut start = PageStart::Beginning;
    loop {
        let page = read(PageQuery { order, start, limit }).await;
        forward.extend(floors(&page));
        assert!(forward.len() <= MAX_LENGTH, "the walk does not end: {forward:?}");
        if !page.more_after {
            break;
        }
        start = PageStart::After(*forward.last().expect("a page with more after it is not empty"));
    }
    let mut backward = Vec::new();
    let mut start = PageStart::Before(if order == ListOrder::Oldest { i32::MAX } else { 0 });
    loop {
        let page = read(PageQuery { order, start, limit }).await;
        backward.extend(floors(&page).into_iter().rev());
        assert!(backward.len() <= MAX_LENGTH, "the walk does not end: {backward:?}");
        if !page.more_before {
            break;
        }
        start = PageStart::Before(*backward.last().expect("a page with more before it is not empty"));
    }
    backward.reverse();
    assert_eq!(forward, backward, "the walk back differs, by {limit}");
    forward
}

pub(super) async fn a_walk_returns_every_root_once_in_either_direction(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_walk_returns_every_root_once_in_either_direction");
    let key = fixture.key();
    let mut ids = Vec::new();
    for _ in 0..25 {
        ids.push(fixture.root(&key).await.comment.reference.id);
    }
    delete_floors(&fixture, &key, &ids, &[10, 11, 25]).await;
    let mut expected: Vec<i32> = (1..=24).filter(|floor| ![10, 11].contains(floor)).collect();
    for order in ORDERS {
        for limit in [1, 4, 11, 22, 100] {
            let read = async |window| fixture.roots(&key, window).await.threads.map(|thread| thread.root);
            assert_eq!(walk_both_ways(order, limit, read).await, expected, "{order:?}");
        }
        expected.reverse();
    }
}

/// Walks a list while others add and remove comments: each comment that was listed at the start and
/// stayed is returned exactly once, in order.
async fn walk_among_writers(
    fixture: &Arc<Fixture>,
    key: SubjectKey,
    order: ListOrder,
    read: impl AsyncFn(PageQuery) -> Page<CommentView>,
    root: Option<CommentId>,
) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut writers = Vec::new();
    for writer in 0..3 {
        let (fixture, key, stop) = (Arc::clone(fixture), key.clone(), Arc::clone(&stop));
        writers.push(tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                tokio::task::yield_now().await;
                let new = match root {
                    Some(root) => fixture.reply(&key, root, 2).await.comment.reference.id,
                    None => fixture.root(&key).await.comment.reference.id,
                };
                if writer == 0 {
                    let target = fixture.target(new).await;
                    fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
                }
            }
        }));
    }
    for _ in 0..3 {
        let initial = read(PageQuery { order: ListOrder::Oldest, start: PageStart::Beginning, limit: 15 }).await;
        let initial = floors(&initial);
        let (mut found, mut start) = (Vec::new(), PageStart::Beginning);
        loop {
            let page = read(PageQuery { order, start, limit: 4 }).await;
            found.extend(floors(&page));
            assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "the walk makes no progress: {found:?}");
            // Writers may be faster than the walk, which ends after the initial comments.
            let done = order == ListOrder::Oldest && found.last() > initial.last();
            if !page.more_after || done {
                break;
            }
            start = PageStart::After(*found.last().expect("not empty"));
        }
        let monotone = if order == ListOrder::Oldest {
            found.is_sorted_by(|a, b| a < b)
        } else {
            found.is_sorted_by(|a, b| a > b)
        };
        assert!(monotone, "{order:?}: {found:?}");
        assert!(
            initial.iter().all(|floor| found.contains(floor)),
            "{order:?}: {found:?} does not contain all of {initial:?}"
        );
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("no panic");
    }
    fixture.check_counts(&key).await;
}

pub(super) async fn walks_of_roots_are_exact_while_others_write(backend: Backend) {
    for order in ORDERS {
        let fixture = Fixture::new(&backend, &format!("walks_of_roots_are_exact_while_others_write {order:?}"));
        let key = fixture.key();
        for _ in 0..15 {
            fixture.root(&key).await;
        }
        let read = async |window| fixture.roots(&key, window).await.threads.map(|thread| thread.root);
        walk_among_writers(&fixture, key.clone(), order, read, None).await;
    }
}

pub(super) async fn walks_of_replies_are_exact_while_others_write(backend: Backend) {
    for order in ORDERS {
        let fixture = Fixture::new(&backend, &format!("walks_of_replies_are_exact_while_others_write {order:?}"));
        let key = fixture.key();
        let root = fixture.root(&key).await.comment.reference.id;
        for _ in 0..15 {
            fixture.reply(&key, root, 2).await;
        }
        let read = async |window| fixture.replies(&key, root, window).await.replies;
        walk_among_writers(&fixture, key.clone(), order, read, Some(root)).await;
    }
}

pub(super) async fn the_limit_counts_listed_items_only(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_limit_counts_listed_items_only");
    let key = fixture.key();
    let mut ids = Vec::new();
    for _ in 0..30 {
        ids.push(fixture.root(&key).await.comment.reference.id);
    }
    let deleted: Vec<usize> = (2..=29).collect();
    delete_floors(&fixture, &key, &ids, &deleted).await;
    let page = fixture.roots(&key, first(2)).await.threads;
    assert_eq!((floors(&page.clone().map(|t| t.root)), page.more_after), (vec![1, 30], false));
}

pub(super) async fn a_walk_by_time_returns_every_comment_of_the_time_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_walk_by_time_returns_every_comment_of_the_time_once");
    let mut ids = Vec::new();
    for name in 0..5 {
        let key = fixture.key_named(name);
        let root = fixture.root(&key).await.comment.reference.id;
        ids.extend([root, fixture.reply(&key, root, 3).await.comment.reference.id]);
    }
    let ticks: Vec<IdTick> = ids.iter().map(|id| id.tick()).collect();
    let first = ticks.iter().min().copied().expect("a comment");
    let last = ticks.iter().max().copied().expect("a comment");
    let walk = async |ticks: std::ops::Range<IdTick>, limit: usize| {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let (part, next) = fixture.process.reader.comment_ids(ticks.clone(), after, limit).await.expect("a part");
            assert!(part.len() <= limit && part.iter().all(|id| ticks.contains(&id.tick())), "{part:?}");
            found.extend(part.into_iter().filter(|id| ids.contains(id)));
            after = next;
            if after.is_none() {
                break found;
            }
        }
    };
    for limit in [1, 3, 1_000] {
        let mut found = walk(first..IdTick(last.0 + 1), limit).await;
        found.sort_unstable();
        let mut expected = ids.clone();
        expected.sort_unstable();
        assert_eq!(found, expected, "{limit}");
    }
    let mut earlier = walk(first..last, 2).await;
    earlier.sort_unstable();
    let mut expected: Vec<CommentId> = ids.iter().copied().filter(|id| id.tick() < last).collect();
    expected.sort_unstable();
    assert_eq!(earlier, expected);
}

pub(super) async fn a_walk_from_the_newest_returns_every_comment_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_walk_from_the_newest_returns_every_comment_once");
    let mut ids = Vec::new();
    for name in 0..5 {
        let key = fixture.key_named(name);
        let root = fixture.root(&key).await.comment.reference.id;
        ids.extend([(key.clone(), root), (key.clone(), fixture.reply(&key, root, 3).await.comment.reference.id)]);
    }
    let walk = async |subject: Option<SubjectKey>, from: IdTick, limit: usize| {
        let mut range = NewestComments { subject, from, before: None };
        let mut found: Vec<CommentId> = Vec::new();
        loop {
            let (part, next) = fixture.process.reader.newest_comment_ids(&range, limit).await.expect("a part");
            assert!(part.iter().all(|id| id.tick() >= from && range.before.is_none_or(|before| *id < before)));
            found.extend(part);
            range.before = next;
            if next.is_none() {
                assert!(found.is_sorted_by(|a, b| a > b), "{found:?}");
                break found;
            }
        }
    };
    let mut expected: Vec<CommentId> = ids.iter().map(|(_, id)| *id).collect();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    // Tests that share the tables write comments of their own.
    let is_own = |id: &CommentId| expected.contains(id);
    let first = expected.last().expect("a comment").tick();
    for limit in [1, 3, 1_000] {
        let found = walk(None, first, limit).await;
        assert_eq!(found.into_iter().filter(is_own).collect::<Vec<_>>(), expected, "{limit}");
    }
    let last = expected.first().expect("a comment").tick();
    let newest: Vec<CommentId> = expected.iter().copied().filter(|id| id.tick() >= last).collect();
    assert_eq!(walk(None, last, 2).await.into_iter().filter(is_own).collect::<Vec<_>>(), newest);
    for (key, _) in ids.chunks(2).map(|of_subject| &of_subject[0]) {
        let of_subject: Vec<CommentId> =
            expected.iter().copied().filter(|id| ids.contains(&(key.clone(), *id))).collect();
        assert_eq!(walk(Some(key.clone()), first, 1).await, of_subject);
    }
    assert_eq!(walk(Some(fixture.key_named(9)), first, 1).await, []);
}
