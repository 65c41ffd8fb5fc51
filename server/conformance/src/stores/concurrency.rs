//! Concurrent calls: floors stay dense, counts exact, and results consistent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::verbs::{Delete, DeleteActor, Edit, Hide, Undelete, Unhide};
use riposte_core::{CommandKind, CommentId, SubjectKey};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::backend::Backend;
use super::fixture::{Fixture, by_moderator, comment, first, member, ruling, text};

const WRITERS: usize = 64;

/// Waits for all tasks and returns their results.
async fn all<T>(tasks: Vec<JoinHandle<T>>) -> Vec<T> {
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.expect("no panic"));
    }
    results
}

pub(super) async fn sixty_four_writers_leave_dense_floors_of_roots(backend: Backend) {
    let fixture = Fixture::new(&backend, "sixty_four_writers_leave_dense_floors_of_roots");
    let key = fixture.key();
    let write = |author: usize| {
        let (fixture, key) = (Arc::clone(&fixture), key.clone());
        tokio::spawn(async move {
            let mut floors = Vec::new();
            for _ in 0..4 {
                let verb = fixture.root_verb(&key, &format!("author {author}")).await;
                let created = comment(&fixture.run(&key, verb).await);
                assert_eq!(
                    fixture.view(created.comment.reference.id).await.comment.reference.floor,
                    created.comment.reference.floor,
                    "a read returns what the commit returned"
                );
                floors.push(created.comment.reference.floor);
            }
            // Each create returned before the next was sent.
            assert!(floors.is_sorted_by(|a, b| a < b), "{floors:?}");
            floors
        })
    };
    let mut floors: Vec<i32> = all((0..WRITERS).map(write).collect()).await.concat();
    floors.sort_unstable();
    assert_eq!(floors, (1..=4 * WRITERS as i32).collect::<Vec<_>>());
    let subject = fixture.subject(&key).await;
    assert_eq!((subject.counts.root_count, subject.counts.comment_count), (256, 256));
    assert_eq!(fixture.check_counts(&key).await, 256);
}

pub(super) async fn sixty_four_writers_leave_dense_floors_below_each_root(backend: Backend) {
    let fixture = Fixture::new(&backend, "sixty_four_writers_leave_dense_floors_below_each_root");
    let key = fixture.key();
    let mut roots = Vec::new();
    for _ in 0..3 {
        roots.push(fixture.root(&key).await.comment.reference.id);
    }
    let write = |n: usize| {
        let (fixture, key, root) = (Arc::clone(&fixture), key.clone(), roots[n % 3]);
        tokio::spawn(async move {
            let reply = fixture.reply(&key, root, 3).await.comment.reference.id;
            let below = fixture.reply(&key, reply, 3).await.comment.reference.id;
            fixture.reply(&key, below, 3).await;
        })
    };
    all((0..WRITERS).map(write).collect()).await;
    let counts = [22 * 3, 21 * 3, 21 * 3];
    for (root, count) in roots.iter().zip(counts) {
        let row = fixture.view(*root).await.comment;
        assert_eq!((row.counts.reply_count, row.counts.live_below, row.next_floor), (count, count, count + 1));
    }
    assert_eq!(fixture.check_counts(&key).await, 3 + 3 * WRITERS);
}

pub(super) async fn many_first_comments_at_once_create_one_subject(backend: Backend) {
    let fixture = Fixture::new(&backend, "many_first_comments_at_once_create_one_subject");
    for round in 0..4 {
        let key = fixture.key_named(round);
        let neighbour = fixture.neighbour(&key);
        let write = |n: usize| {
            let (fixture, key) =
                (Arc::clone(&fixture), if n.is_multiple_of(4) { neighbour.clone() } else { key.clone() });
            tokio::spawn(async move { fixture.root(&key).await.comment.reference.subject_id })
        };
        let subjects: Vec<_> = all((0..16).map(write).collect()).await;
        let subject = fixture.subject(&key).await;
        assert_eq!(subjects.iter().filter(|id| **id == subject.id).count(), 12);
        assert_eq!((fixture.check_counts(&key).await, subject.next_floor), (12, 13));
    }
}

/// Returns the verb by which a writer changes a reply of its own in the given step.
async fn change(fixture: &Fixture, id: CommentId, step: usize) -> CommandKind {
    let target = fixture.target(id).await;
    let author = member("replier");
    match step % 5 {
        0 => Hide { target, ruling: ruling() }.into(),
        1 => Unhide { target, ruling: ruling() }.into(),
        2 => Edit::allowed(target, author, text("changed")).into(),
        3 => Delete { target, actor: DeleteActor::Author(author), etag: String::new() }.into(),
        4.. => Undelete { target, member: author }.into(),
    }
}

pub(super) async fn a_mix_of_all_verbs_leaves_exact_counts(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_mix_of_all_verbs_leaves_exact_counts");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let write = |n: usize| {
        let (fixture, key) = (Arc::clone(&fixture), key.clone());
        tokio::spawn(async move {
            let reply = fixture.reply(&key, root, 4).await.comment.reference.id;
            let below = fixture.reply(&key, reply, 4).await.comment.reference.id;
            let deep = fixture.reply(&key, below, 4).await.comment.reference.id;
            for step in 0..n % 8 {
                let verb = change(&fixture, [reply, below, deep][n % 3], step).await;
                fixture.run(&key, verb).await;
            }
        })
    };
    all((0..24).map(write).collect()).await;
    assert_eq!(fixture.check_counts(&key).await, 73);
}

/// Checks that rows and counts of each page belong to one state, while others write. Counts the
/// pages in `pages`.
async fn check_pages(fixture: &Fixture, key: &SubjectKey, stop: &AtomicBool, pages: &watch::Sender<usize>) {
    let mut last = 0;
    while !stop.load(Ordering::Relaxed) {
        let page = fixture.process.reader.roots(key, first(100), 10).await.expect("read").expect("present");
        let visible = page.threads.items.iter().filter(|t| t.root.comment.lifecycle.state.is_visible());
        let (mut roots, mut comments) = (0, 0);
        for thread in visible.clone() {
            roots += 1;
            comments += 1 + thread.root.comment.counts.reply_count;
        }
        let below_tombstones: i32 = page
            .threads
            .items
            .iter()
            .filter(|t| !t.root.comment.lifecycle.state.is_visible())
            .map(|t| t.root.comment.counts.reply_count)
            .sum();
        assert_eq!(
            (page.subject.counts.root_count, page.subject.counts.comment_count),
            (roots, comments + below_tombstones),
            "at {}",
            page.subject.revision
        );
        for thread in page.threads.items.iter().filter(|t| !t.more_replies) {
            let visible = thread.replies.iter().filter(|r| r.comment.lifecycle.state.is_visible()).count();
            assert_eq!(thread.root.comment.counts.reply_count as usize, visible, "at {}", page.subject.revision);
        }
        assert!(page.subject.revision >= last, "revisions never go back");
        last = page.subject.revision;
        pages.send_modify(|pages| *pages += 1);
        // The oracle never waits: without this yield its writers would not run.
        tokio::task::yield_now().await;
    }
}

pub(super) async fn counts_equal_rows_in_every_page(backend: Backend) {
    let fixture = Fixture::new(&backend, "counts_equal_rows_in_every_page");
    let key = fixture.key();
    fixture.open(&key).await;
    let stop = Arc::new(AtomicBool::new(false));
    let (pages, read) = watch::channel(0);
    let senders = vec![pages; 2];
    let readers = senders
        .into_iter()
        .map(|pages| {
            let (fixture, key, stop) = (Arc::clone(&fixture), key.clone(), Arc::clone(&stop));
            tokio::spawn(async move { check_pages(&fixture, &key, &stop, &pages).await })
        })
        .collect();
    let write = |n: usize| {
        let (fixture, key) = (Arc::clone(&fixture), key.clone());
        let mut pages = read.clone();
        tokio::spawn(async move {
            for step in 0..4 {
                // However fast the writes are, a page is read between the first and the last.
                if step == 2 {
                    pages.wait_for(|pages| *pages > 0).await.expect("a reader runs");
                }
                let root = fixture.root(&key).await.comment.reference.id;
                let reply = fixture.reply(&key, root, 2).await.comment.reference.id;
                if (n + step).is_multiple_of(2) {
                    let id = if step < 2 { reply } else { root };
                    let target = fixture.target(id).await;
                    fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
                }
            }
        })
    };
    all((0..8).map(write).collect()).await;
    stop.store(true, Ordering::Relaxed);
    all(readers).await;
    assert_eq!(fixture.check_counts(&key).await, 64);
}

pub(super) async fn subjects_of_one_partition_cause_no_deadlock(backend: Backend) {
    let fixture = Fixture::new(&backend, "subjects_of_one_partition_cause_no_deadlock");
    let a = fixture.key();
    let b = fixture.neighbour(&a);
    let write = |n: usize| {
        let fixture = Arc::clone(&fixture);
        let keys = if n.is_multiple_of(2) { [a.clone(), b.clone()] } else { [b.clone(), a.clone()] };
        tokio::spawn(async move {
            for _ in 0..4 {
                let mut batch = Vec::new();
                for key in &keys {
                    let verb = fixture.root_verb(key, "author").await;
                    batch.push(fixture.command(key, verb));
                }
                // The order of the commands does not determine the order of the locks.
                assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
            }
        })
    };
    all((0..16).map(write).collect()).await;
    assert_eq!((fixture.check_counts(&a).await, fixture.check_counts(&b).await), (64, 64));
}
