//! The consistency of the cache with the rows under concurrent writes, reads, evictions, lost cache
//! updates and emptied servers, and under many reads of data that is not cached.
//!
//! The tests always run on the reference model. They run on Redis if RIPOSTE_TEST_REDIS names a
//! server, and under injected faults if the machine has a redis-server program.

// The futures of a whole service are deeper than the default limit of the compiler.
#![recursion_limit = "256"]
#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "cache_consistency/at_rest.rs"]
mod at_rest;
#[path = "cache_consistency/audits.rs"]
mod audits;
#[path = "cache_consistency/damaged.rs"]
mod damaged;
#[path = "cache_consistency/hidden_texts.rs"]
mod hidden_texts;
#[path = "cache_consistency/new_generations.rs"]
mod new_generations;
#[path = "cache_consistency/previews.rs"]
mod previews;
#[expect(dead_code, reason = "other test binaries use the rest of it")]
#[path = "environment/process.rs"]
mod process;
#[path = "cache_consistency/read_limit.rs"]
mod read_limit;
#[path = "cache_consistency/redis_faults.rs"]
mod redis_faults;
#[path = "cache_consistency/rendered_pages.rs"]
mod rendered_pages;
#[path = "cache_consistency/rights.rs"]
mod rights;
#[path = "environment/servers.rs"]
mod servers;
#[path = "cache_consistency/stress.rs"]
mod stress;
#[path = "cache_consistency/stuck.rs"]
mod stuck;

use std::sync::Arc;

use futures::future::join_all;
use riposte_cache::{Cache, CacheEvent, CacheLimits, CachedPageQuery, EntryLookup, ListPart, MemoryCache};
use riposte_conformance::stores::StepClock;
use riposte_core::comment::CommentView;
use riposte_core::page::{ListOrder, PageQuery, PageStart, ReplyPage, RootPage};
use riposte_core::ports::{CommentRows, LikeRows, ListRows, SubjectRows};
use riposte_core::{LikeValue, Result};
use riposte_store::StoreConfig;
use stress::Stress;

const FIRST_PAGE: PageQuery = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 20 };

#[test]
fn a_thousand_readers_of_a_cold_subject_cause_one_fill() {
    servers::run_test(async { check_concurrent_reads(Arc::new(MemoryCache::new(CacheLimits::default()))).await });
}

/// Checks that a thousand concurrent reads of one page, in two processes, cause one fill.
async fn check_concurrent_reads(cache: Arc<dyn Cache>) {
    let (config, _folder) = process::migrated_sqlite().await;
    process::register_relays(&*cache).await;
    let writer_cache: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
    let writer = process::start(&config, &writer_cache, StepClock::at(StepClock::START));
    let stress = Stress::new(vec![writer], 1);
    for _ in 0..60 {
        stress.create_root(0, 0).await;
    }
    let processes = [0, 1].map(|_| process::start(&config, &cache, StepClock::at(StepClock::START)));
    let key = &stress.keys[0];
    let readers = (0..1_000).map(|n| {
        let (reader, key) = (processes[n % 2].reader.clone(), key.clone());
        tokio::spawn(async move {
            reader.roots(&key, FIRST_PAGE, 0).await.expect("read").expect("exists").threads.items.len()
        })
    });
    for read in join_all(readers).await {
        assert_eq!(read.expect("no panic"), 20);
    }
    let total = |event| processes.iter().map(|process| process.reader.stats().of(event)).sum::<u64>();
    assert_eq!(total(CacheEvent::Fill), 1, "fills");
    assert!(total(CacheEvent::PrimaryRead) <= 4, "each process reads the subject once, and one of them the page");
}

/// One process with a cache, over rows of its own.
struct Fixture {
    config: StoreConfig,
    process: process::CachedProcess,
    stress: Stress,
    _folder: tempfile::TempDir,
}

async fn fixture() -> Fixture {
    // Boxed: the futures of a migration are too deep for the compiler inside those of a test.
    Box::pin(fixture_on(Arc::new(MemoryCache::new(CacheLimits::default())))).await
}

async fn fixture_on(cache: Arc<dyn Cache>) -> Fixture {
    let (config, _folder) = process::migrated_sqlite().await;
    process::register_relays(&*cache).await;
    let process = process::start(&config, &cache, StepClock::at(StepClock::START));
    let stress = Stress::new(vec![process.clone()], 1);
    Fixture { config, process, stress, _folder }
}

/// Returns a writer whose commits never reach the cache under test, like the commits of a process
/// that dies between a commit and its cache update.
fn unreported_writer(config: &StoreConfig) -> Stress {
    let other: Arc<dyn Cache> = Arc::new(MemoryCache::new(CacheLimits::default()));
    Stress::new(vec![process::start(config, &other, StepClock::at(StepClock::START))], 1)
}

#[test]
fn reads_ahead_serve_the_next_two_pages() {
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture().await;
        for _ in 0..70 {
            stress.create_root(0, 0).await;
        }
        let page = |start| process.reader.roots(&stress.keys[0], PageQuery { start, ..FIRST_PAGE }, 0);
        page(PageStart::Beginning).await.expect("read");
        let reads = process.reader.stats().of(CacheEvent::PrimaryRead);
        for floor in [51, 31] {
            let page = page(PageStart::After(floor)).await.expect("read").expect("exists");
            assert_eq!(page.threads.items[0].root.comment.reference.floor, floor - 1);
        }
        assert_eq!(process.reader.stats().of(CacheEvent::PrimaryRead), reads, "the rows were not read again");
    });
}

#[test]
fn selected_floors_are_read_once() {
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture().await;
        for _ in 0..30 {
            stress.create_root(0, 0).await;
        }
        let page = async |floors: &[i32]| {
            let page = process.reader.roots_at(&stress.keys[0], floors, 3).await.expect("read").expect("exists");
            page.threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect::<Vec<_>>()
        };
        let reads = || process.reader.stats().of(CacheEvent::PrimaryRead);
        assert_eq!(page(&[7, 29, 2]).await, [7, 29, 2]);
        let before = reads();
        assert_eq!(page(&[7, 29, 2]).await, [7, 29, 2]);
        assert_eq!(page(&[2, 7]).await, [2, 7], "a part of them");
        assert_eq!(reads(), before, "the rows were not read again");
        assert_eq!(page(&[2, 8]).await, [2, 8]);
        assert_eq!(reads(), before + 1, "one was not cached");
        stress.create_root(0, 0).await;
        assert_eq!(page(&[8, 29]).await, [8, 29]);
        assert_eq!(reads(), before + 1, "the commit updated the cache");
    });
}

#[test]
fn likes_and_replies_are_found_although_the_cache_has_their_subject_as_absent() {
    servers::run_test(async {
        let Fixture { config, process, stress, .. } = &fixture().await;
        let (key, reader) = (&stress.keys[0], &process.reader);
        for _ in 0..2 {
            assert_eq!(reader.subjects(std::slice::from_ref(key)).await.expect("read"), [None], "cached as absent");
        }
        let unreported = unreported_writer(config);
        unreported.create_root(0, 0).await;
        let (root, query) = (unreported.comment_ids(key)[0], PageQuery { order: ListOrder::Oldest, ..FIRST_PAGE });
        assert_eq!(
            reader.subjects(std::slice::from_ref(key)).await.expect("read"),
            [None],
            "the commit has not reached the cache"
        );
        unreported.like(0, key, root, 1).await;
        let member = unreported.members().remove(0);
        let states = reader.like_states(key, &member, &[root]).await.expect("read");
        assert_eq!(states, [Some(LikeValue::Like)]);
        assert!(reader.replies(key, root, query).await.expect("read").is_some());
    });
}

#[test]
fn the_reference_model_converges_whatever_is_lost() {
    servers::run_test(async {
        let (config, _folder) = process::migrated_sqlite().await;
        let reference = Arc::new(MemoryCache::new(CacheLimits { window: 100, ..CacheLimits::default() }));
        let (to_evict, to_clear) = (Arc::clone(&reference), Arc::clone(&reference));
        let cache: Arc<dyn Cache> = reference;
        let processes = [0, 1].map(|_| process::start(&config, &cache, StepClock::at(StepClock::START)));
        let mut stress = Stress::new(processes.to_vec(), 3);
        stress.evict = Some(Arc::new(move |id| to_evict.evict(id)));
        stress.clear = Some(Arc::new(move || to_clear.clear()));
        stress.run(&cache, 300).await;
        check_equal_or_absent(&stress, &cache).await;
    });
}

/// The parts run one after the other, because the last empties the server again and again.
#[test]
fn in_redis_previews_are_cached_concurrent_reads_cause_one_fill_and_the_cache_converges() {
    let Some(url) = servers::env_var("RIPOSTE_TEST_REDIS") else { return eprintln!("SKIPPED: no RIPOSTE_TEST_REDIS") };
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&url, CacheLimits { window: 100, ..CacheLimits::default() }).await);
        let cache: Arc<dyn Cache> = Arc::clone(&redis) as _;
        previews::check_previews(Arc::new(servers::redis(&url, CacheLimits::default()).await)).await;
        check_concurrent_reads(Arc::clone(&cache)).await;
        let (config, _folder) = process::migrated_sqlite().await;
        let processes = [0, 1].map(|_| process::start(&config, &cache, StepClock::at(StepClock::START)));
        let mut stress = Stress::new(processes.to_vec(), 3);
        stress.clear = Some(Arc::new(move || stress::flush(&url)));
        stress.run(&cache, 300).await;
        check_equal_or_absent(&stress, &cache).await;
        redis.disconnect().await;
    });
}

/// Returns a page as readers get it. Cached pages lack the content of invisible comments.
fn shown(page: Result<Option<RootPage>>) -> Option<RootPage> {
    page.expect("read").map(RootPage::redacted)
}

fn shown_replies(page: Result<Option<ReplyPage>>) -> Option<ReplyPage> {
    page.expect("read").map(ReplyPage::redacted)
}

fn shown_comments(comments: Result<Vec<Option<CommentView>>>) -> Vec<Option<CommentView>> {
    comments.expect("read").into_iter().map(|view| view.map(|view| view.seen_by(None))).collect()
}

/// Checks, when no task writes or relays, that cached data equals the rows or is absent, as readers
/// get both.
async fn check_equal_or_absent(stress: &Stress, cache: &Arc<dyn Cache>) {
    let process = &stress.processes[0];
    let rows = process.store.reader();
    let mut cached_pages = 0;
    let rendered = rendered_pages::check_equal_or_absent(stress).await;
    for key in &stress.keys {
        for (order, limit) in [(ListOrder::Newest, 20), (ListOrder::Oldest, 20), (ListOrder::Newest, 50)] {
            let query = PageQuery { order, limit, start: PageStart::Beginning };
            let request = CachedPageQuery { key: key.clone(), root: None, part: ListPart::Window(query), previews: 0 };
            if let EntryLookup::Hit(_) = cache.page(&request).await.expect("answered") {
                let cached = shown(process.reader.roots(key, query, 0).await);
                assert_eq!(cached, shown(rows.roots(key, query, 0).await));
                cached_pages += 1;
            }
        }
        for (n, floors) in [[3, 1, 2], [9, 40, 5], [9, 40, 5], [1, 40, 3]].iter().enumerate() {
            let cached = shown(process.reader.roots_at(key, floors, 3).await);
            assert_eq!(cached, shown(rows.roots_at(key, floors, 3).await), "{n}: {floors:?}");
        }
        // The first read uses the cached data, whatever it contains, and a later one the rows.
        for previews in [3, 3, 1, 5, 3] {
            let cached = shown(process.reader.roots(key, FIRST_PAGE, previews).await);
            assert_eq!(cached, shown(rows.roots(key, FIRST_PAGE, previews).await), "{previews} previews");
        }
        let ids = stress.comment_ids(key);
        for ids in ids.chunks(100) {
            let cached = shown_comments(process.reader.comments(ids).await);
            assert_eq!(cached, shown_comments(rows.comments(ids).await));
            for root in cached.iter().flatten().map(|view| &view.comment).filter(|comment| comment.is_root()) {
                let cached = shown_replies(process.reader.replies(key, root.reference.id, FIRST_PAGE).await);
                assert_eq!(cached, shown_replies(rows.replies(key, root.reference.id, FIRST_PAGE).await));
                let cached = shown_replies(process.reader.replies_at(key, root.reference.id, &[2, 1]).await);
                assert_eq!(cached, shown_replies(rows.replies_at(key, root.reference.id, &[2, 1]).await));
            }
            for member in stress.members() {
                let cached = process.reader.like_states(key, &member, ids).await.expect("read");
                assert_eq!(cached, rows.like_states(key, &member, ids).await.expect("read"), "{member:?}");
            }
        }
    }
    println!("{cached_pages} pages were cached, {rendered} rendered pages");
    assert_eq!(process.reader.stats().of(CacheEvent::Drift), 0);
}
