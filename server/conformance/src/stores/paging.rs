//! Pages: exact slices of the order that they name, in both orders, at rest and during writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::comment::CommentView;
use riposte_core::page::{ListOrder, Page, PageQuery, PageStart};
use riposte_core::verbs::{Delete, DeleteActor};
use riposte_core::{CommentId, SubjectKey};

use super::backend::Backend;
use super::fixture::{Fixture, first, floors};

/// A limit above the length of every list here at rest.
const LONGEST: usize = 100;

const ORDERS: [ListOrder; 2] = [ListOrder::Oldest, ListOrder::Newest];

/// Removes the comments with these floors from a list.
async fn punch(fixture: &Fixture, key: &SubjectKey, ids: &[CommentId], gone: &[usize]) {
    for floor in gone {
        let target = fixture.target(ids[floor - 1]).await;
        fixture.run(key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
    }
}

/// Computes the page that a query requests: the items, and whether more lie before and after.
fn slice(sorted: &[i32], window: PageQuery) -> Option<(Vec<i32>, bool, bool)> {
    let mut order = sorted.to_vec();
    let newest = window.order == ListOrder::Newest;
    if newest {
        order.reverse();
    }
    let behind = |at: i32, floor: i32| if newest { floor < at } else { floor > at };
    let (from, to) = match window.start {
        PageStart::Beginning => (0, window.limit.min(order.len())),
        PageStart::After(at) => {
            let from = order.iter().position(|floor| behind(at, *floor)).unwrap_or(order.len());
            (from, (from + window.limit).min(order.len()))
        }
        PageStart::Before(at) => {
            let to = order.iter().position(|floor| *floor == at || behind(at, *floor)).unwrap_or(order.len());
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
    let what = format!("{window:?} of {sorted:?} gave {found:?}");
    let mut order = sorted.to_vec();
    if window.order == ListOrder::Newest {
        order.reverse();
    }
    assert_eq!(found.len(), window.limit.min(order.len()), "{what}");
    let Some(head) = found.first() else { return };
    let from = order.iter().position(|floor| floor == head).unwrap_or_else(|| panic!("{what}"));
    assert_eq!(found, order[from..from + found.len()], "{what}");
    assert_eq!((page.more_before, page.more_after), (from > 0, from + found.len() < order.len()), "{what}");
    let near = |wanted: Option<&i32>| wanted.is_some_and(|wanted| found.contains(wanted));
    let below = sorted.iter().rfind(|floor| **floor <= at);
    let above = sorted.iter().find(|floor| **floor >= at);
    let inside = if below == above { near(below) } else { near(below) || near(above) };
    assert!(inside, "{what}");
}

async fn every_window(sorted: &[i32], read: impl AsyncFn(PageQuery) -> Page<CommentView>) {
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
                    assert_eq!(Some(found), slice(sorted, window), "{window:?} of {sorted:?}");
                }
            }
        }
    }
}

pub(super) async fn windows_of_roots_are_exact_in_both_orders(backend: Backend) {
    let fixture = Fixture::new(&backend, "windows_of_roots_are_exact_in_both_orders");
    let key = fixture.key();
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(fixture.root(&key).await.comment.reference.id);
    }
    punch(&fixture, &key, &ids, &[1, 5, 6, 7, 12]).await;
    let read = async |window| fixture.roots(&key, window).await.threads.map(|thread| thread.root);
    every_window(&[2, 3, 4, 8, 9, 10, 11], read).await;
}

pub(super) async fn windows_of_replies_are_exact_in_both_orders(backend: Backend) {
    let fixture = Fixture::new(&backend, "windows_of_replies_are_exact_in_both_orders");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let mut ids = vec![fixture.reply(&key, root, 3).await.comment.reference.id];
    for n in 1..12 {
        // Every other comment is a reply to a reply: a list of replies contains all depths.
        let parent = if n % 2 == 0 { root } else { ids[n - 1] };
        ids.push(fixture.reply(&key, parent, 3).await.comment.reference.id);
    }
    punch(&fixture, &key, &ids, &[2, 6, 7, 8, 12]).await;
    let read = async |window| fixture.replies(&key, root, window).await.replies;
    // 7 was deleted above 8, which is deleted too; 5 is kept as the parent of 6.
    every_window(&[1, 3, 4, 5, 9, 10, 11], read).await;
}

pub(super) async fn an_empty_list_has_empty_windows(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_empty_list_has_empty_windows");
    let key = fixture.key();
    fixture.open(&key).await;
    every_window(&[], async |window| fixture.roots(&key, window).await.threads.map(|thread| thread.root)).await;
}

/// Walks a list to its end, and all the way back.
async fn there_and_back(
    order: ListOrder,
    limit: usize,
    read: impl AsyncFn(PageQuery) -> Page<CommentView>,
) -> Vec<i32> {
    let mut there = Vec::new();
    let mut start = PageStart::Beginning;
    loop {
        let page = read(PageQuery { order, start, limit }).await;
        there.extend(floors(&page));
        assert!(there.len() <= LONGEST, "the walk turns in circles: {there:?}");
        if !page.more_after {
            break;
        }
        start = PageStart::After(*there.last().expect("a page with more behind it is not empty"));
    }
    let mut back = Vec::new();
    let mut start = PageStart::Before(if order == ListOrder::Oldest { i32::MAX } else { 0 });
    loop {
        let page = read(PageQuery { order, start, limit }).await;
        back.extend(floors(&page).into_iter().rev());
        assert!(back.len() <= LONGEST, "the walk turns in circles: {back:?}");
        if !page.more_before {
            break;
        }
        start = PageStart::Before(*back.last().expect("a page with more before it is not empty"));
    }
    back.reverse();
    assert_eq!(there, back, "the same way back, by {limit}");
    there
}

pub(super) async fn a_walk_meets_every_root_once_in_either_direction(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_walk_meets_every_root_once_in_either_direction");
    let key = fixture.key();
    let mut ids = Vec::new();
    for _ in 0..25 {
        ids.push(fixture.root(&key).await.comment.reference.id);
    }
    punch(&fixture, &key, &ids, &[10, 11, 25]).await;
    let mut expected: Vec<i32> = (1..=24).filter(|floor| ![10, 11].contains(floor)).collect();
    for order in ORDERS {
        for limit in [1, 4, 11, 22, 100] {
            let read = async |window| fixture.roots(&key, window).await.threads.map(|thread| thread.root);
            assert_eq!(there_and_back(order, limit, read).await, expected, "{order:?}");
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
                    fixture.run(&key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
                }
            }
        }));
    }
    for _ in 0..3 {
        let stood = read(PageQuery { order: ListOrder::Oldest, start: PageStart::Beginning, limit: 15 }).await;
        let stood = floors(&stood);
        let (mut met, mut start) = (Vec::new(), PageStart::Beginning);
        loop {
            let page = read(PageQuery { order, start, limit: 4 }).await;
            met.extend(floors(&page));
            assert!(met.windows(2).all(|pair| pair[0] != pair[1]), "the walk stands still: {met:?}");
            // Writers may be faster than the walk: the comments of its start are among the first.
            let done = order == ListOrder::Oldest && met.last() > stood.last();
            if !page.more_after || done {
                break;
            }
            start = PageStart::After(*met.last().expect("not empty"));
        }
        let monotone =
            if order == ListOrder::Oldest { met.is_sorted_by(|a, b| a < b) } else { met.is_sorted_by(|a, b| a > b) };
        assert!(monotone, "{order:?}: {met:?}");
        assert!(stood.iter().all(|floor| met.contains(floor)), "{order:?}: {stood:?} were not all in {met:?}");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("the writer ends well");
    }
    fixture.sound(&key).await;
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
    let gone: Vec<usize> = (2..=29).collect();
    punch(&fixture, &key, &ids, &gone).await;
    let page = fixture.roots(&key, first(2)).await.threads;
    assert_eq!((floors(&page.clone().map(|t| t.root)), page.more_after), (vec![1, 30], false));
}
