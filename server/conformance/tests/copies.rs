//! The cache under stress: writers, readers, evictions, lost applies and emptied servers at the
//! same time, and many readers of data that is not cached.
//!
//! The tests run on the reference model always, on Redis where RIPOSTE_TEST_REDIS names a server,
//! and under storms of faults where the machine has a redis-server program.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "copies/damaged.rs"]
mod damaged;
#[expect(dead_code, reason = "other tests play the suite")]
#[path = "environment/process.rs"]
mod process;
#[path = "copies/rendered_pages.rs"]
mod rendered_pages;
#[path = "copies/rights.rs"]
mod rights;
#[path = "environment/servers.rs"]
mod servers;
#[path = "copies/storms.rs"]
mod storms;
#[path = "copies/stress.rs"]
mod stress;
#[path = "copies/stuck.rs"]
mod stuck;

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use riposte_cache::{
    Cache, CacheAuditor, CacheEvent, CacheLimits, CacheRepair, CachedPageQuery, CommittedState, EntryLookup, ListPart,
    RelayCursor, RelayState,
};
use riposte_conformance::caches::ReferenceCache;
use riposte_conformance::stores::StepClock;
use riposte_core::ids::PARTITIONS;
use riposte_core::page::{ListOrder, PageQuery, PageStart};
use riposte_core::ports::{CommentRows, LikeRows, ListRows, Reader, SubjectRows};
use riposte_core::{LikeValue, Partition};
use stress::{RepairRun, Stress};

const FIRST: PageQuery = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 20 };

#[test]
fn a_thousand_readers_of_a_cold_subject_cause_one_fill() {
    servers::play(async { storm(Arc::new(ReferenceCache::new(CacheLimits::default()))).await });
}

/// Runs two processes, each with half of the readers.
async fn storm(cache: Arc<dyn Cache>) {
    let (config, _folder) = process::sqlite().await;
    process::warm(&*cache).await;
    let bare: Arc<dyn Cache> = Arc::new(ReferenceCache::new(CacheLimits::default()));
    let writer = process::cached(&config, &bare, StepClock::at(StepClock::START));
    let stress = Stress::new(vec![writer], 1);
    for _ in 0..60 {
        stress.root(0, 0).await;
    }
    let processes = [0, 1].map(|_| process::cached(&config, &cache, StepClock::at(StepClock::START)));
    let key = &stress.keys[0];
    let readers = (0..1_000).map(|n| {
        let (reader, key) = (processes[n % 2].reader.clone(), key.clone());
        tokio::spawn(
            async move { reader.roots(&key, FIRST, 0).await.expect("read").expect("there").threads.items.len() },
        )
    });
    for read in join_all(readers).await {
        assert_eq!(read.expect("ends"), 20);
    }
    let sum = |what| processes.iter().map(|process| process.reader.stats().of(what)).sum::<u64>();
    assert_eq!(sum(CacheEvent::Fill), 1, "fills");
    assert!(sum(CacheEvent::PrimaryRead) <= 4, "each process reads the subject's name once, and one of them the page");
}

/// One process with cached data, over rows of its own.
struct Fixture {
    config: riposte_store::StoreConfig,
    process: process::Cached,
    stress: Stress,
    _folder: tempfile::TempDir,
}

async fn fixture() -> Fixture {
    fixture_on(Arc::new(ReferenceCache::new(CacheLimits::default()))).await
}

async fn fixture_on(cache: Arc<dyn Cache>) -> Fixture {
    let (config, _folder) = process::sqlite().await;
    process::warm(&*cache).await;
    let process = process::cached(&config, &cache, StepClock::at(StepClock::START));
    let stress = Stress::new(vec![process.clone()], 1);
    Fixture { config, process, stress, _folder }
}

#[test]
fn reads_ahead_serve_the_next_two_pages() {
    servers::play(async {
        let Fixture { process, stress, .. } = &fixture().await;
        for _ in 0..70 {
            stress.root(0, 0).await;
        }
        let page = |start| process.reader.roots(&stress.keys[0], PageQuery { start, ..FIRST }, 0);
        page(PageStart::Beginning).await.expect("read");
        let reads = process.reader.stats().of(CacheEvent::PrimaryRead);
        for floor in [51, 31] {
            let page = page(PageStart::After(floor)).await.expect("read").expect("there");
            assert_eq!(page.threads.items[0].root.comment.reference.floor, floor - 1);
        }
        assert_eq!(process.reader.stats().of(CacheEvent::PrimaryRead), reads, "the rows were not read again");
    });
}

#[test]
fn picked_floors_are_read_once() {
    servers::play(async {
        let Fixture { process, stress, .. } = &fixture().await;
        for _ in 0..30 {
            stress.root(0, 0).await;
        }
        let page = async |floors: &[i32]| {
            let page = process.reader.roots_at(&stress.keys[0], floors, 3).await.expect("read").expect("there");
            page.threads.items.iter().map(|thread| thread.root.comment.reference.floor).collect::<Vec<_>>()
        };
        let reads = || process.reader.stats().of(CacheEvent::PrimaryRead);
        assert_eq!(page(&[7, 29, 2]).await, [7, 29, 2]);
        let before = reads();
        assert_eq!(page(&[7, 29, 2]).await, [7, 29, 2]);
        assert_eq!(page(&[2, 7]).await, [2, 7], "any of them");
        assert_eq!(reads(), before, "the rows were not read again");
        assert_eq!(page(&[2, 8]).await, [2, 8]);
        assert_eq!(reads(), before + 1, "one was not known");
        stress.root(0, 0).await;
        assert_eq!(page(&[8, 29]).await, [8, 29]);
        assert_eq!(reads(), before + 1, "copies moved on with the commit");
    });
}

#[test]
fn a_commit_that_no_copy_heard_of_is_asked_of_the_rows_and_found_by_the_auditor() {
    servers::play(async {
        let Fixture { config, process, stress, .. } = &fixture().await;
        stress.root(0, 0).await;
        let key = &stress.keys[0];
        let revision = async |reader: &dyn Reader| {
            reader.roots(key, FIRST, 0).await.expect("read").expect("there").subject.revision
        };
        assert_eq!(revision(&process.reader).await, 1);
        // A process that dies between its commit and its apply.
        let deaf: Arc<dyn Cache> = Arc::new(ReferenceCache::new(CacheLimits::default()));
        let deaf = process::cached(config, &deaf, StepClock::at(StepClock::START));
        let elsewhere = Stress::new(vec![deaf], 1);
        elsewhere.root(0, 0).await;
        assert_eq!(revision(&process.reader).await, 1, "nobody has told the copies");
        assert_eq!(revision(process.reader.primary().expect("the rows")).await, 2);
        let auditor = CacheAuditor::new(process.reader.clone());
        let audit = async || auditor.audit(Duration::from_millis(1), None).await.expect("read");
        assert_eq!(audit().await, Some(true));
        assert_eq!(process.reader.stats().of(CacheEvent::Drift), 1);
        assert_eq!(audit().await, None, "nothing was answered since");
        // The first read fills the cache, and the cache serves the second.
        for _ in 0..2 {
            assert_eq!(revision(&process.reader).await, 2);
        }
        assert_eq!(audit().await, Some(false));
        // Another list of the same subject is audited with the query of its read.
        let oldest = async || {
            let window = PageQuery { order: ListOrder::Oldest, ..FIRST };
            process.reader.roots(key, window, 0).await.expect("read").expect("there").subject.revision
        };
        assert_eq!((oldest().await, oldest().await), (2, 2));
        elsewhere.root(0, 0).await;
        assert_eq!(audit().await, Some(true));
        assert_eq!((oldest().await, oldest().await), (3, 3));
        assert_eq!(audit().await, Some(false));
    });
}

#[test]
fn what_belongs_to_a_comment_that_stands_is_found_where_copies_have_not_heard_of_its_subject() {
    servers::play(async {
        let Fixture { config, process, stress, .. } = &fixture().await;
        let (key, reader) = (&stress.keys[0], &process.reader);
        for _ in 0..2 {
            assert_eq!(reader.subjects(std::slice::from_ref(key)).await.expect("read"), [None], "kept as absent");
        }
        let deaf: Arc<dyn Cache> = Arc::new(ReferenceCache::new(CacheLimits::default()));
        let elsewhere = Stress::new(vec![process::cached(config, &deaf, StepClock::at(StepClock::START))], 1);
        elsewhere.root(0, 0).await;
        let (root, window) = (elsewhere.ids_under(key)[0], PageQuery { order: ListOrder::Oldest, ..FIRST });
        assert_eq!(
            reader.subjects(std::slice::from_ref(key)).await.expect("read"),
            [None],
            "nobody has told the copies"
        );
        elsewhere.like(0, key, root, 1).await;
        let member = elsewhere.members().remove(0);
        let states = reader.like_states(key, &member, &[root]).await.expect("read");
        assert_eq!(states, [Some(LikeValue::Like)]);
        assert!(reader.replies(key, root, window).await.expect("read").is_some());
    });
}

#[test]
fn what_the_relay_has_not_brought_yet_is_no_fault_of_copies_and_what_it_has_passed_is() {
    servers::play(async {
        let cache: Arc<dyn Cache> = Arc::new(ReferenceCache::new(CacheLimits::default()));
        let Fixture { config, process, stress, .. } = &fixture_on(Arc::clone(&cache)).await;
        stress.root(0, 0).await;
        let (key, store) = (&stress.keys[0], &process.store);
        let revision =
            async || process.reader.roots(key, FIRST, 0).await.expect("read").expect("there").subject.revision;
        assert_eq!(revision().await, 1);
        let deaf: Arc<dyn Cache> = Arc::new(ReferenceCache::new(CacheLimits::default()));
        let elsewhere = Stress::new(vec![process::cached(config, &deaf, StepClock::at(StepClock::START))], 1);
        elsewhere.root(0, 0).await;
        assert_eq!(revision().await, 1, "nobody has told the copies");
        let (auditor, stats) = (CacheAuditor::new(process.reader.clone()), process.reader.stats());
        let relayed =
            RelayState::new(Arc::clone(&cache), store.outbox(), Box::new(|_| 0), StepClock::at(StepClock::START));
        let relay = async {
            let begun = async {
                while stats.of(CacheEvent::Audited) == 0 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(30), begun).await.expect("the audit begins");
            let all = (0..PARTITIONS).map(Partition::number).collect();
            let repair = CacheRepair::new(Arc::clone(&cache), store.outbox(), store.reader(), stats.clone(), 0, all);
            let mut mender = RepairRun::new(repair, store.clone());
            while !elsewhere.relay(&mut mender).await {}
        };
        let (audited, ()) = tokio::join!(auditor.audit(Duration::from_millis(1), Some(&relayed)), relay);
        assert_eq!(audited, Ok(Some(false)), "the relay was on its way");
        // A relay that skips a commit without reporting it.
        assert_eq!((revision().await, revision().await), (2, 2));
        elsewhere.root(0, 0).await;
        let (at, head) = (key.partition(), RelayCursor(elsewhere.assign_sequence().await.expect("numbered")));
        let from = cache.cursors(&[at]).await.expect("answered")[0].expect("there");
        assert!(cache.advance(at, from, head, &CommittedState::default()).await.expect("answered"));
        assert_eq!(revision().await, 2);
        assert_eq!(auditor.audit(Duration::from_millis(1), Some(&relayed)).await, Ok(Some(true)));
        assert_eq!((revision().await, revision().await), (3, 3));
    });
}

#[test]
fn the_auditor_looks_at_subjects_comments_and_like_states_too() {
    servers::play(async {
        let Fixture { config, process, stress, .. } = &fixture().await;
        stress.root(0, 0).await;
        let (key, reader) = (&stress.keys[0], &process.reader);
        let (id, member) = (stress.ids_under(key)[0], stress.members().remove(0));
        let subject = async || {
            let found = reader.subjects(std::slice::from_ref(key)).await.expect("read");
            found[0].as_ref().expect("there").revision
        };
        let likes =
            async || reader.comments(&[id]).await.expect("read")[0].as_ref().expect("there").comment.counts.like_count;
        let state = async || reader.like_states(key, &member, &[id]).await.expect("read")[0];
        // The first reads fill the cache, which serves the last ones.
        for _ in 0..3 {
            assert_eq!((subject().await, likes().await, state().await), (1, 0, Some(LikeValue::None)));
        }
        let deaf: Arc<dyn Cache> = Arc::new(ReferenceCache::new(CacheLimits::default()));
        let elsewhere = Stress::new(vec![process::cached(config, &deaf, StepClock::at(StepClock::START))], 1);
        elsewhere.like(0, key, id, 1).await;
        elsewhere.root(0, 0).await;
        assert_eq!((subject().await, likes().await, state().await), (1, 0, Some(LikeValue::None)), "told by nobody");
        let auditor = CacheAuditor::new(reader.clone());
        assert_eq!(auditor.audit(Duration::from_millis(1), None).await.expect("read"), Some(true));
        let drifted = reader.stats().of(CacheEvent::Drift);
        assert!(drifted >= 2, "what a member likes, and a comment: {drifted}");
        assert_eq!((subject().await, likes().await, state().await), (2, 1, Some(LikeValue::Like)));
        // Correct entries are left alone.
        for _ in 0..3 {
            assert_eq!((subject().await, likes().await, state().await), (2, 1, Some(LikeValue::Like)));
        }
        assert_eq!(auditor.audit(Duration::from_millis(1), None).await.expect("read"), Some(false));
        // A comment alone.
        elsewhere.like(0, key, id, 2).await;
        assert_eq!(likes().await, 1);
        assert_eq!(auditor.audit(Duration::from_millis(1), None).await.expect("read"), Some(true));
        assert_eq!(likes().await, 2);
    });
}

#[test]
fn who_changes_their_mind_all_the_time_is_no_drift() {
    servers::play(async {
        let Fixture { process, stress, .. } = &fixture().await;
        stress.root(0, 0).await;
        let (key, reader) = (&stress.keys[0], &process.reader);
        let (id, member) = (stress.ids_under(key)[0], stress.members().remove(0));
        let state = async || reader.like_states(key, &member, &[id]).await.expect("read")[0];
        let over = std::cell::Cell::new(false);
        let change = async {
            for value in [LikeValue::Like, LikeValue::None].into_iter().cycle().take_while(|_| !over.get()) {
                stress.set_like(0, key, id, member.clone(), value).await;
                // The first read fills the cache, which serves the second.
                state().await;
                state().await;
            }
        };
        let audit = async {
            let auditor = CacheAuditor::new(reader.clone());
            while reader.stats().of(CacheEvent::Audited) < 300 {
                let audited = auditor.audit(Duration::from_millis(1), None).await.expect("read");
                assert_ne!(audited, Some(true));
                tokio::task::yield_now().await;
            }
            over.set(true);
        };
        tokio::join!(change, audit);
    });
}

#[test]
fn copies_in_the_reference_model_converge_whatever_is_lost() {
    servers::play(async {
        let (config, _folder) = process::sqlite().await;
        let memory = Arc::new(ReferenceCache::new(CacheLimits { window: 100, ..CacheLimits::default() }));
        let (of, cleared) = (Arc::clone(&memory), Arc::clone(&memory));
        let cache: Arc<dyn Cache> = memory;
        let processes = [0, 1].map(|_| process::cached(&config, &cache, StepClock::at(StepClock::START)));
        let mut stress = Stress::new(processes.to_vec(), 3);
        stress.evict = Some(Arc::new(move |id| of.evict(id)));
        stress.clear = Some(Arc::new(move || cleared.clear()));
        stress.burn(&cache, 300).await;
        equal_or_absent(&stress, &cache).await;
    });
}

/// The steps run one after the other: the last empties the server again and again.
#[test]
fn in_redis_previews_are_kept_a_storm_causes_one_fill_and_copies_converge_whatever_is_lost() {
    let Some(url) = servers::told("RIPOSTE_TEST_REDIS") else { return eprintln!("SKIPPED: no RIPOSTE_TEST_REDIS") };
    servers::play(async {
        let redis = Arc::new(servers::redis(&url, CacheLimits { window: 100, ..CacheLimits::default() }).await);
        let cache: Arc<dyn Cache> = Arc::clone(&redis) as _;
        previewed(Arc::new(servers::redis(&url, CacheLimits::default()).await)).await;
        storm(Arc::clone(&cache)).await;
        let (config, _folder) = process::sqlite().await;
        let processes = [0, 1].map(|_| process::cached(&config, &cache, StepClock::at(StepClock::START)));
        let mut stress = Stress::new(processes.to_vec(), 3);
        stress.clear = Some(Arc::new(move || stress::flush(&url)));
        stress.burn(&cache, 300).await;
        equal_or_absent(&stress, &cache).await;
        redis.shut().await;
    });
}

#[test]
fn pages_with_previews_come_from_copies() {
    servers::play(async { previewed(Arc::new(ReferenceCache::new(CacheLimits::default()))).await });
}

#[test]
fn in_a_cluster_pages_with_previews_come_from_copies() {
    let name = "RIPOSTE_TEST_REDIS_CLUSTER";
    let Some(url) = servers::told(name) else { return eprintln!("SKIPPED: no {name}") };
    servers::play(async { previewed(Arc::new(servers::redis(&url, CacheLimits::default()).await)).await });
}

/// Checks the default page while likes, replies and deletions change its previews: it is correct at
/// once, and served without reading the rows wherever the cached data suffices.
async fn previewed(cache: Arc<dyn Cache>) {
    let (config, _folder) = process::sqlite().await;
    process::warm(&*cache).await;
    let process = process::cached(&config, &cache, StepClock::at(StepClock::START));
    let stress = Stress::new(vec![process.clone()], 1);
    let key = &stress.keys[0];
    let mut replies = Vec::new();
    for root in 0..25 {
        stress.root(0, 0).await;
        let id = stress.ids_under(key).last().copied().expect("a root");
        for _ in 0..root % 7 {
            replies.push(stress.reply(0, key, id).await.expect("an id"));
        }
    }
    for (n, reply) in replies.iter().enumerate() {
        stress.like(0, key, *reply, n % 4).await;
    }
    let boards_follow = async || {
        stress.assign_sequence().await.expect("numbered");
        while stress.rank(100).await.expect("ranked") > 0 {}
    };
    boards_follow().await;
    let reads = || process.reader.stats().of(CacheEvent::PrimaryRead);
    // Returns the page, and whether the rows were read for it.
    let page = async || {
        let before = reads();
        let page = process.reader.roots(key, FIRST, 3).await.expect("read");
        assert_eq!(page, process.store.reader().roots(key, FIRST, 3).await.expect("read"));
        reads() > before
    };
    assert!(page().await, "nothing is kept yet");
    assert!(!page().await);
    let after = PageQuery { start: PageStart::After(6), ..FIRST };
    let (before, next) = (reads(), process.reader.roots(key, after, 3).await.expect("read"));
    assert_eq!(next, process.store.reader().roots(key, after, 3).await.expect("read"));
    assert_eq!(reads(), before, "the next page was read ahead");
    // Comments on the page may be liked, edited, replied to and deleted.
    let shown = process.reader.roots(key, FIRST, 3).await.expect("read").expect("there");
    let on_page: Vec<_> = shown.threads.items.iter().flat_map(|thread| &thread.replies).collect();
    for reply in on_page.iter().map(|view| view.comment.reference.id).step_by(3) {
        stress.like(0, key, reply, 4).await;
        boards_follow().await;
        assert!(!page().await);
    }
    let bare = shown.threads.items.iter().find(|thread| thread.replies.is_empty()).expect("one without replies");
    for _ in 0..5 {
        stress.reply(0, key, bare.root.comment.reference.id).await;
        assert!(!page().await, "the first replies of a root are all there are");
    }
    for reply in on_page.iter().map(|view| view.comment.reference.id).step_by(5) {
        stress.delete(0, key, reply).await;
        boards_follow().await;
        page().await;
        assert!(!page().await);
    }
    // A reply that is not cached moves to the front.
    let crowded =
        shown.threads.items.iter().find(|thread| thread.more_replies).expect("one with many").root.comment.reference.id;
    let mut last = crowded;
    for _ in 0..20 {
        last = stress.reply(0, key, crowded).await.expect("an id");
    }
    stress.like(0, key, last, 4).await;
    boards_follow().await;
    page().await;
    assert!(!page().await);
    let shown = process.reader.roots(key, FIRST, 3).await.expect("read").expect("there");
    let thread =
        shown.threads.items.iter().find(|thread| thread.root.comment.reference.id == crowded).expect("on the page");
    assert!(thread.replies.iter().any(|view| view.comment.reference.id == last));
    // A change that the relay has reported and the rank indexes do not contain yet is in no cached
    // preview.
    stress.like(0, key, replies[0], 1).await;
    let head = stress.assign_sequence().await.expect("numbered");
    let partition = key.partition();
    cache.renew(partition, RelayCursor(head), rand::random()).await.expect("answered");
    page().await;
    assert!(page().await, "the boards are behind");
    boards_follow().await;
    page().await;
    assert!(!page().await);
}

/// Checks, when all is quiet, that cached data equals the rows or is absent.
async fn equal_or_absent(stress: &Stress, cache: &Arc<dyn Cache>) {
    let process = &stress.processes[0];
    let rows = process.store.reader();
    let mut kept = 0;
    let rendered_page = rendered_pages::equal_or_absent(stress).await;
    for key in &stress.keys {
        for (order, limit) in [(ListOrder::Newest, 20), (ListOrder::Oldest, 20), (ListOrder::Newest, 50)] {
            let window = PageQuery { order, limit, start: PageStart::Beginning };
            let ask = CachedPageQuery { key: key.clone(), root: None, part: ListPart::Window(window), previews: 0 };
            if let EntryLookup::Hit(_) = cache.page(&ask).await.expect("answered") {
                let copies = process.reader.roots(key, window, 0).await.expect("read");
                assert_eq!(copies, rows.roots(key, window, 0).await.expect("read"));
                kept += 1;
            }
        }
        for (n, floors) in [[3, 1, 2], [9, 40, 5], [9, 40, 5], [1, 40, 3]].iter().enumerate() {
            let copies = process.reader.roots_at(key, floors, 3).await.expect("read");
            assert_eq!(copies, rows.roots_at(key, floors, 3).await.expect("read"), "{n}: {floors:?}");
        }
        // First from cached data, whatever it contains, and then from the rows.
        for previews in [3, 3, 1, 5, 3] {
            let copies = process.reader.roots(key, FIRST, previews).await.expect("read");
            assert_eq!(copies, rows.roots(key, FIRST, previews).await.expect("read"), "{previews} previews");
        }
        let ids = stress.ids_under(key);
        for ids in ids.chunks(100) {
            let copies = process.reader.comments(ids).await.expect("read");
            assert_eq!(copies, rows.comments(ids).await.expect("read"));
            for root in copies.iter().flatten().map(|view| &view.comment).filter(|comment| comment.is_root()) {
                let copies = process.reader.replies(key, root.reference.id, FIRST).await.expect("read");
                assert_eq!(copies, rows.replies(key, root.reference.id, FIRST).await.expect("read"));
                let copies = process.reader.replies_at(key, root.reference.id, &[2, 1]).await.expect("read");
                assert_eq!(copies, rows.replies_at(key, root.reference.id, &[2, 1]).await.expect("read"));
            }
            for member in stress.members() {
                let copies = process.reader.like_states(key, &member, ids).await.expect("read");
                assert_eq!(copies, rows.like_states(key, &member, ids).await.expect("read"), "{member:?}");
            }
        }
    }
    println!("{kept} pages were kept, {rendered_page} in print");
    assert_eq!(process.reader.stats().of(CacheEvent::Drift), 0);
}
