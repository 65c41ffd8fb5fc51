//! First pages that Redis stores as rendered pages.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{
    Cache, CacheAuditor, CacheEvent, CacheLimits, CachedPageQuery, EntryLookup, ListPart, RenderedPages,
};
use riposte_core::SubjectKey;
use riposte_core::page::{ListOrder, PageQuery, PageStart};
use riposte_core::ports::{CachedPages, ListRows, PageRenderer, RenderedPage};
use riposte_test_redis::{Program, Reply, Server};

use super::process::Cached;
use super::stress::Stress;
use super::{FIRST, Fixture, fixture_on, servers};

/// Returns the rendered page that is stored for the first page.
async fn rendered_page(process: &Cached, key: &SubjectKey, window: PageQuery, previews: u8) -> Option<RenderedPage> {
    process.reader.rendered_page(key, window.order, window.limit, previews).await
}

/// Returns `true` if the rendered page is stored, and checks that it equals the rows.
async fn is_kept(process: &Cached, key: &SubjectKey, window: PageQuery, previews: u8) -> bool {
    let Some(RenderedPage { subject, rendered }) = rendered_page(process, key, window, previews).await else {
        return false;
    };
    let rows = process.store.reader().roots(key, window, previews).await.expect("read").expect("there");
    assert_eq!(subject, rows.subject);
    assert_eq!(String::from_utf8_lossy(&rendered), String::from_utf8_lossy(&servers::Plain("plain").rendered(rows)));
    true
}

/// Checks that all rendered pages that readers may have stored equal the rows. Returns their
/// number.
pub(super) async fn equal_or_absent(stress: &Stress) -> usize {
    let mut kept = 0;
    for key in &stress.keys {
        for (order, limit, previews) in [ListOrder::Newest, ListOrder::Oldest]
            .into_iter()
            .flat_map(|order| (1..30).flat_map(move |limit| (0..4).map(move |previews| (order, limit, previews))))
        {
            let window = PageQuery { order, limit, start: PageStart::Beginning };
            kept += usize::from(is_kept(&stress.processes[0], key, window, previews).await);
        }
    }
    kept
}

fn count(server: &Server, pattern: &str) -> i64 {
    match server.ask(&["EVAL", "return #redis.call('KEYS', ARGV[1])", "0", pattern]).expect("answered") {
        Reply::Number(count) => count,
        other @ (Reply::Text(_) | Reply::Nil | Reply::List(_)) => panic!("{other:?}"),
    }
}

fn delete(server: &Server, pattern: &str) {
    let script = "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end return 1";
    server.ask(&["EVAL", script, "0", pattern]).expect("answered");
}

/// Waits until the page that was read last is rendered and stored, which happens after its reader
/// got the response.
async fn kept(server: &Server) {
    let lies_there = async {
        while count(server, "*:f:*") == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), lies_there).await.expect("a page is printed");
}

/// Leaves only the parts in Redis from which pages are assembled.
pub(super) async fn forget(server: &Server) {
    kept(server).await;
    delete(server, "*:f:*");
}

/// Returns a process on this server, with three roots.
async fn three_roots(server: &Server) -> Fixture {
    let fixture = fixture_on(Arc::new(servers::redis(&server.url(), CacheLimits::default()).await)).await;
    for _ in 0..3 {
        fixture.stress.root(0, 0).await;
    }
    fixture
}

/// Reads the page twice: the first read fills the cache, the second assembles the page from cached
/// data and stores it as a rendered page.
async fn rendered(server: &Server, process: &Cached, key: &SubjectKey) {
    delete(server, "*:f:*");
    for _ in 0..2 {
        process.reader.roots(key, FIRST, 3).await.expect("read");
    }
    kept(server).await;
}

#[test]
fn a_print_answers_until_anything_on_its_page_may_be_another() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    servers::play(async {
        let Fixture { process, stress, .. } = &three_roots(&server).await;
        let key = &stress.keys[0];
        let root = stress.ids_under(key)[1];
        let oldest = PageQuery { order: ListOrder::Oldest, ..FIRST };
        for turn in 0..3 {
            rendered(&server, process, key).await;
            // Only the rendered page can serve the read.
            delete(&server, "*:c:*");
            assert!(is_kept(process, key, FIRST, 3).await, "{turn}");
            for (window, previews) in [(PageQuery { limit: 19, ..FIRST }, 3), (FIRST, 2), (oldest, 3)] {
                assert_eq!(
                    rendered_page(process, key, window, previews).await,
                    None,
                    "it answers to its own name alone"
                );
            }
            match turn {
                0 => stress.like(0, key, root, 1).await,
                1 => drop(stress.reply(0, key, root).await),
                _ => stress.delete(0, key, root).await,
            }
            assert_eq!(rendered_page(process, key, FIRST, 3).await, None, "something has changed, {turn}");
        }
    });
}

#[test]
fn a_print_that_was_damaged_is_none() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    servers::play(async {
        let Fixture { process, stress, .. } = &three_roots(&server).await;
        let key = &stress.keys[0];
        rendered(&server, process, key).await;
        assert!(is_kept(process, key, FIRST, 3).await);
        for damage in
            ["redis.call('SETRANGE', key, redis.call('STRLEN', key) - 9, '\\1')", "redis.call('SET', key, 'x')"]
        {
            let damage = format!("local key = redis.call('KEYS', '*:f:*')[1] return {damage}");
            server.ask(&["EVAL", &damage, "0"]).expect("damaged");
            assert_eq!(rendered_page(process, key, FIRST, 3).await, None);
            rendered(&server, process, key).await;
            assert!(is_kept(process, key, FIRST, 3).await, "it is replaced");
        }
    });
}

#[test]
fn an_audit_finds_a_print_that_is_another_than_its_page() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    servers::play(async {
        let Fixture { process, stress, .. } = &three_roots(&server).await;
        let (key, auditor) = (&stress.keys[0], CacheAuditor::new(process.reader.clone()));
        rendered(&server, process, key).await;
        assert!(is_kept(process, key, FIRST, 3).await);
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        // Another rendered page with a correct checksum: its last byte is repeated. The version
        // before it is binary and may contain any byte.
        let rendered = rendered_page(process, key, FIRST, 3).await.expect("kept").rendered;
        let wrong = [&rendered[..], &rendered[rendered.len() - 1..]].concat();
        let sum = xxhash_rust::xxh3::xxh3_64(&wrong).to_be_bytes();
        let spelled: String = sum.iter().chain(&wrong).map(|byte| format!("\\{byte:03}")).collect();
        let replace = format!(
            "local key = redis.call('KEYS', '*:f:*')[1]
            local kept = redis.call('GET', key)
            return redis.call('SET', key, string.sub(kept, 1, #kept - {}) .. '{spelled}')",
            sum.len() + rendered.len()
        );
        server.ask(&["EVAL", &replace, "0"]).expect("replaced");
        assert_eq!(rendered_page(process, key, FIRST, 3).await.expect("kept").rendered, wrong);
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(true)));
        assert_eq!(process.reader.stats().of(CacheEvent::Drift), 1);
        assert_eq!(rendered_page(process, key, FIRST, 3).await, None, "it is forgotten");
    });
}

#[test]
fn an_audit_of_a_page_that_is_not_the_first_holds_no_print_against_it() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    servers::play(async {
        let Fixture { process, stress, .. } = &three_roots(&server).await;
        let (key, auditor) = (&stress.keys[0], CacheAuditor::new(process.reader.clone()));
        let second = PageQuery { start: PageStart::After(3), ..FIRST };
        rendered(&server, process, key).await;
        // The responses so far are audited first.
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        assert!(process.reader.roots(key, second, 3).await.expect("read").expect("there").threads.items.len() < 3);
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        assert!(is_kept(process, key, FIRST, 3).await, "it is still there");
        // Replies are requested like roots without previews.
        let root = stress.ids_under(key)[0];
        stress.reply(0, key, root).await;
        process.reader.replies(key, root, FIRST).await.expect("read");
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        delete(&server, "*:f:*");
        for _ in 0..2 {
            process.reader.roots(key, FIRST, 0).await.expect("read");
        }
        kept(&server).await;
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        process.reader.replies(key, root, FIRST).await.expect("read");
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        assert!(is_kept(process, key, FIRST, 0).await, "it is still there");
    });
}

#[test]
fn a_print_of_another_form_is_none_and_is_replaced_by_whoever_reads_next() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    servers::play(async {
        let Fixture { process, stress, .. } = &three_roots(&server).await;
        let key = &stress.keys[0];
        rendered(&server, process, key).await;
        let of = server.ask(&["EVAL", "return redis.call('KEYS', '*:f:*')[1]", "0"]).expect("answered");
        let timeline =
            of.text().expect("a key").split(['.', ':']).nth(1).and_then(|part| part.parse().ok()).expect("a timeline");
        let other = servers::client(&server.url(), CacheLimits::default(), timeline, Duration::from_secs(5));
        let other = other.printing(Arc::new(servers::Plain("another")));
        other.ready(Duration::from_secs(10)).await.expect("the server answers");
        let ask = CachedPageQuery { key: key.clone(), root: None, part: ListPart::Window(FIRST), previews: 3 };
        assert_eq!(other.rendered_page(&ask).await, Ok(EntryLookup::Miss));
        assert!(matches!(other.page(&ask).await, Ok(EntryLookup::Hit(Some(_)))));
        let replaced = async {
            while other.rendered_page(&ask).await == Ok(EntryLookup::Miss) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), replaced).await.expect("it is printed anew");
        assert_eq!(rendered_page(process, key, FIRST, 3).await, None);
    });
}
