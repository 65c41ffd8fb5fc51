//! First pages with previews of replies.

use std::sync::Arc;

use riposte_cache::{Cache, CacheEvent, CacheLimits, MemoryCache, RelayCursor};
use riposte_conformance::stores::StepClock;
use riposte_core::page::{PageQuery, PageStart};
use riposte_core::ports::ListRows;

use super::stress::Stress;
use super::{FIRST_PAGE, process, servers};

#[test]
fn pages_with_previews_come_from_the_cache() {
    servers::run_test(async { check_previews(Arc::new(MemoryCache::new(CacheLimits::default()))).await });
}

#[test]
fn in_a_cluster_pages_with_previews_come_from_the_cache() {
    let name = "RIPOSTE_TEST_REDIS_CLUSTER";
    let Some(url) = servers::env_var(name) else { return eprintln!("SKIPPED: no {name}") };
    servers::run_test(async { check_previews(Arc::new(servers::redis(&url, CacheLimits::default()).await)).await });
}

/// Checks the default page while likes, replies and deletions change its previews. The page is
/// correct at once, and no row is read if the cached data suffices.
pub(super) async fn check_previews(cache: Arc<dyn Cache>) {
    let (config, _folder) = process::migrated_sqlite().await;
    process::register_relays(&*cache).await;
    let process = process::start(&config, &cache, StepClock::at(StepClock::START));
    let stress = Stress::new(vec![process.clone()], 1);
    let key = &stress.keys[0];
    let mut replies = Vec::new();
    for root in 0..25 {
        stress.create_root(0, 0).await;
        let id = stress.comment_ids(key).last().copied().expect("a root");
        for _ in 0..root % 7 {
            replies.push(stress.reply(0, key, id).await.expect("an id"));
        }
    }
    for (n, reply) in replies.iter().enumerate() {
        stress.like(0, key, *reply, n % 4).await;
    }
    let update_rank_index = async || {
        stress.assign_sequence().await.expect("sequence numbers");
        while stress.update_rank_index(100).await.expect("updated") > 0 {}
    };
    update_rank_index().await;
    let reads = || process.reader.stats().of(CacheEvent::PrimaryRead);
    // Compares the page with the rows. Returns whether rows were read for it.
    let page = async || {
        let before = reads();
        let page = process.reader.roots(key, FIRST_PAGE, 3).await.expect("read");
        assert_eq!(page, process.store.reader().roots(key, FIRST_PAGE, 3).await.expect("read"));
        reads() > before
    };
    assert!(page().await, "the page is not cached yet");
    assert!(!page().await);
    let after = PageQuery { start: PageStart::After(6), ..FIRST_PAGE };
    let (before, next) = (reads(), process.reader.roots(key, after, 3).await.expect("read"));
    assert_eq!(next, process.store.reader().roots(key, after, 3).await.expect("read"));
    assert_eq!(reads(), before, "the next page was read ahead");
    // Comments on the page may be liked, edited, replied to and deleted.
    let shown = process.reader.roots(key, FIRST_PAGE, 3).await.expect("read").expect("exists");
    let on_page: Vec<_> = shown.threads.items.iter().flat_map(|thread| &thread.replies).collect();
    for reply in on_page.iter().map(|view| view.comment.reference.id).step_by(3) {
        stress.like(0, key, reply, 4).await;
        update_rank_index().await;
        assert!(!page().await);
    }
    let without_replies =
        shown.threads.items.iter().find(|thread| thread.replies.is_empty()).expect("a root without replies");
    for _ in 0..5 {
        stress.reply(0, key, without_replies.root.comment.reference.id).await;
        assert!(!page().await, "the cache has all replies of the root");
    }
    for reply in on_page.iter().map(|view| view.comment.reference.id).step_by(5) {
        stress.delete(0, key, reply).await;
        update_rank_index().await;
        page().await;
        assert!(!page().await);
    }
    // A reply that is not cached moves to the front.
    let busy_root = shown
        .threads
        .items
        .iter()
        .find(|thread| thread.more_replies)
        .expect("a root with many replies")
        .root
        .comment
        .reference
        .id;
    let mut last = busy_root;
    for _ in 0..20 {
        last = stress.reply(0, key, busy_root).await.expect("an id");
    }
    stress.like(0, key, last, 4).await;
    update_rank_index().await;
    page().await;
    assert!(!page().await);
    let shown = process.reader.roots(key, FIRST_PAGE, 3).await.expect("read").expect("exists");
    let thread =
        shown.threads.items.iter().find(|thread| thread.root.comment.reference.id == busy_root).expect("on the page");
    assert!(thread.replies.iter().any(|view| view.comment.reference.id == last));
    // The relay has reported this change, and the rank index does not contain it yet: no cached
    // preview contains it either.
    stress.like(0, key, replies[0], 1).await;
    let head = stress.assign_sequence().await.expect("sequence numbers");
    let partition = key.partition();
    cache.renew(partition, RelayCursor(head), rand::random()).await.expect("answered");
    page().await;
    assert!(page().await, "the rank index is behind");
    update_rank_index().await;
    page().await;
    assert!(!page().await);
}
