//! First pages that Redis stores in rendered form.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{
    Cache, CacheAuditor, CacheEvent, CacheLimits, CachedPageQuery, EntryLookup, ListPart, RenderedPages,
};
use riposte_core::SubjectKey;
use riposte_core::page::{ListOrder, PageQuery, PageStart};
use riposte_core::ports::{CachedPages, ListRows, PageRenderer, RenderedPage};
use riposte_test_support::redis::{Program, Reply, Server};

use super::process::CachedProcess;
use super::stress::Stress;
use super::{FIRST_PAGE, Fixture, fixture_on, servers};

/// Returns the rendered page that is stored for the first page.
async fn rendered_page(
    process: &CachedProcess,
    key: &SubjectKey,
    query: PageQuery,
    previews: u8,
) -> Option<RenderedPage> {
    process.reader.rendered_page(key, query.order, query.limit, previews).await
}

/// Checks that the rendered page equals the rows if it is stored. Returns whether it is.
async fn is_stored(process: &CachedProcess, key: &SubjectKey, query: PageQuery, previews: u8) -> bool {
    let Some(RenderedPage { subject, rendered }) = rendered_page(process, key, query, previews).await else {
        return false;
    };
    let rows = super::shown(process.store.reader().roots(key, query, previews).await).expect("exists");
    assert_eq!(subject, rows.subject);
    assert_eq!(
        String::from_utf8_lossy(&rendered),
        String::from_utf8_lossy(&servers::DebugRenderer("plain").render(rows))
    );
    true
}

/// Checks that all rendered pages that the readers have stored equal the rows. Returns their
/// number.
pub(super) async fn check_equal_or_absent(stress: &Stress) -> usize {
    let mut stored = 0;
    for key in &stress.keys {
        for (order, limit, previews) in [ListOrder::Newest, ListOrder::Oldest]
            .into_iter()
            .flat_map(|order| (1..30).flat_map(move |limit| (0..4).map(move |previews| (order, limit, previews))))
        {
            let query = PageQuery { order, limit, start: PageStart::Beginning };
            stored += usize::from(is_stored(&stress.processes[0], key, query, previews).await);
        }
    }
    stored
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

/// Waits until the page of the last read is rendered and stored, which happens after the read has
/// returned.
pub(super) async fn wait_until_stored(server: &Server) {
    let page_is_stored = async {
        while count(server, "*:f:*") == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), page_is_stored).await.expect("a page is stored");
}

/// Waits for the rendered page of the last read and deletes all rendered pages, so that Redis has
/// only the parts from which pages are assembled.
pub(super) async fn delete_all(server: &Server) {
    wait_until_stored(server).await;
    delete(server, "*:f:*");
}

/// Returns a process with this server as its cache, and three roots.
async fn fixture_with_three_roots(server: &Server) -> Fixture {
    let fixture = fixture_on(Arc::new(servers::redis(&server.url(), CacheLimits::default()).await)).await;
    for _ in 0..3 {
        fixture.stress.create_root(0, 0).await;
    }
    fixture
}

/// Reads the page twice: the first read fills the cache, the second assembles the page from cached
/// data and stores it as a rendered page.
async fn store_rendered_page(server: &Server, process: &CachedProcess, key: &SubjectKey) {
    delete(server, "*:f:*");
    for _ in 0..2 {
        process.reader.roots(key, FIRST_PAGE, 3).await.expect("read");
    }
    wait_until_stored(server).await;
}

#[test]
fn a_rendered_page_is_served_until_its_page_may_have_changed() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture_with_three_roots(&server).await;
        let key = &stress.keys[0];
        let root = stress.comment_ids(key)[1];
        let oldest = PageQuery { order: ListOrder::Oldest, ..FIRST_PAGE };
        for change in 0..3 {
            store_rendered_page(&server, process, key).await;
            // Only the rendered page can serve the read.
            delete(&server, "*:c:*");
            assert!(is_stored(process, key, FIRST_PAGE, 3).await, "{change}");
            for (query, previews) in [(PageQuery { limit: 19, ..FIRST_PAGE }, 3), (FIRST_PAGE, 2), (oldest, 3)] {
                assert_eq!(
                    rendered_page(process, key, query, previews).await,
                    None,
                    "another page has no rendered form"
                );
            }
            match change {
                0 => stress.like(0, key, root, 1).await,
                1 => drop(stress.reply(0, key, root).await),
                _ => stress.delete(0, key, root).await,
            }
            assert_eq!(rendered_page(process, key, FIRST_PAGE, 3).await, None, "the page has changed, {change}");
        }
    });
}

#[test]
fn a_damaged_rendered_page_is_a_miss() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture_with_three_roots(&server).await;
        let key = &stress.keys[0];
        store_rendered_page(&server, process, key).await;
        assert!(is_stored(process, key, FIRST_PAGE, 3).await);
        for damage in
            ["redis.call('SETRANGE', key, redis.call('STRLEN', key) - 9, '\\1')", "redis.call('SET', key, 'x')"]
        {
            let damage = format!("local key = redis.call('KEYS', '*:f:*')[1] return {damage}");
            server.ask(&["EVAL", &damage, "0"]).expect("damaged");
            assert_eq!(rendered_page(process, key, FIRST_PAGE, 3).await, None);
            store_rendered_page(&server, process, key).await;
            assert!(is_stored(process, key, FIRST_PAGE, 3).await, "the page is stored again");
        }
    });
}

#[test]
fn an_audit_finds_a_rendered_page_that_differs_from_its_page() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture_with_three_roots(&server).await;
        let (key, auditor) = (&stress.keys[0], CacheAuditor::new(process.reader.clone()));
        store_rendered_page(&server, process, key).await;
        assert!(is_stored(process, key, FIRST_PAGE, 3).await);
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        // The stored page is replaced by a different one with a correct checksum: its last byte is
        // repeated. The bytes before the checksum stay.
        let rendered = rendered_page(process, key, FIRST_PAGE, 3).await.expect("stored").rendered;
        let wrong = [&rendered[..], &rendered[rendered.len() - 1..]].concat();
        let checksum = xxhash_rust::xxh3::xxh3_64(&wrong).to_be_bytes();
        let escaped: String = checksum.iter().chain(&wrong).map(|byte| format!("\\{byte:03}")).collect();
        let replace = format!(
            "local key = redis.call('KEYS', '*:f:*')[1]
            local stored = redis.call('GET', key)
            return redis.call('SET', key, string.sub(stored, 1, #stored - {}) .. '{escaped}')",
            checksum.len() + rendered.len()
        );
        server.ask(&["EVAL", &replace, "0"]).expect("replaced");
        assert_eq!(rendered_page(process, key, FIRST_PAGE, 3).await.expect("stored").rendered, wrong);
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(true)));
        assert_eq!(process.reader.stats().of(CacheEvent::Drift), 1);
        assert_eq!(rendered_page(process, key, FIRST_PAGE, 3).await, None, "the audit has invalidated it");
    });
}

#[test]
fn an_audit_of_a_later_page_does_not_invalidate_the_rendered_first_page() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture_with_three_roots(&server).await;
        let (key, auditor) = (&stress.keys[0], CacheAuditor::new(process.reader.clone()));
        let second = PageQuery { start: PageStart::After(3), ..FIRST_PAGE };
        store_rendered_page(&server, process, key).await;
        // This audits the responses up to here.
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        assert!(process.reader.roots(key, second, 3).await.expect("read").expect("exists").threads.items.len() < 3);
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        assert!(is_stored(process, key, FIRST_PAGE, 3).await, "the page is still stored");
        // The cache query of replies is that of roots without previews.
        let root = stress.comment_ids(key)[0];
        stress.reply(0, key, root).await;
        process.reader.replies(key, root, FIRST_PAGE).await.expect("read");
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        delete(&server, "*:f:*");
        for _ in 0..2 {
            process.reader.roots(key, FIRST_PAGE, 0).await.expect("read");
        }
        wait_until_stored(&server).await;
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        process.reader.replies(key, root, FIRST_PAGE).await.expect("read");
        assert_eq!(auditor.audit(Duration::ZERO, None).await, Ok(Some(false)));
        assert!(is_stored(process, key, FIRST_PAGE, 0).await, "the page is still stored");
    });
}

#[test]
fn a_rendered_page_of_another_form_is_a_miss_and_is_replaced_by_the_next_read() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let Fixture { process, stress, .. } = &fixture_with_three_roots(&server).await;
        let key = &stress.keys[0];
        store_rendered_page(&server, process, key).await;
        let stored_key = server.ask(&["EVAL", "return redis.call('KEYS', '*:f:*')[1]", "0"]).expect("answered");
        let timeline = stored_key
            .text()
            .expect("a key")
            .split(['.', ':'])
            .nth(1)
            .and_then(|part| part.parse().ok())
            .expect("a timeline");
        let other = servers::client(&server.url(), CacheLimits::default(), timeline, Duration::from_secs(5));
        let other = other.with_renderer(Arc::new(servers::DebugRenderer("another")));
        other.connect(Duration::from_secs(10)).await.expect("the server answers");
        let request = CachedPageQuery { key: key.clone(), root: None, part: ListPart::Window(FIRST_PAGE), previews: 3 };
        assert_eq!(other.rendered_page(&request).await, Ok(EntryLookup::Miss));
        assert!(matches!(other.page(&request).await, Ok(EntryLookup::Hit(Some(_)))));
        let replaced = async {
            while other.rendered_page(&request).await == Ok(EntryLookup::Miss) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), replaced).await.expect("the page is rendered again");
        assert_eq!(rendered_page(process, key, FIRST_PAGE, 3).await, None);
    });
}
