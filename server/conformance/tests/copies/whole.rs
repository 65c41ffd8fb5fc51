//! First pages as Redis keeps them whole.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{Cache, Limits, Lookup, PageAsk, Part, Told};
use riposte_core::page::{Order, Window};
use riposte_core::ports::Reader;
use riposte_test_redis::{Program, Reply, Server};

use super::{FIRST, Scene, scene_on, servers};

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

/// Waits for the page that was read last to be kept, which happens behind the back of who reads it.
async fn kept(server: &Server) {
    while count(server, "*:f:*") == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Leaves Redis with the parts that pages are put together of.
pub(super) async fn forget(server: &Server) {
    kept(server).await;
    delete(server, "*:f:*");
}

#[test]
fn a_first_page_is_answered_whole_until_anything_on_it_may_be_another() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    servers::runtime().block_on(async {
        let redis = Arc::new(servers::redis(&server.url(), Limits::default()).await);
        let Scene { process, fire, .. } = &scene_on(Arc::clone(&redis) as _).await;
        for _ in 0..3 {
            fire.root(0, 0).await;
        }
        let (rows, key) = (process.store.reader(), &fire.keys[0]);
        let page = async |window: Window| {
            let before = process.reader.tally().of(Told::Read);
            let page = process.reader.roots(key, window, 3).await.expect("read");
            assert_eq!(page, rows.roots(key, window, 3).await.expect("read"));
            process.reader.tally().of(Told::Read) > before
        };
        let root = fire.ids_under(key)[1];
        let oldest = Window { order: Order::Oldest, ..FIRST };
        for turn in 0..3 {
            delete(&server, "*:f:*");
            page(FIRST).await;
            page(FIRST).await;
            kept(&server).await;
            // Nothing but the whole page can answer.
            delete(&server, "*:c:*");
            assert!(!page(FIRST).await, "it is answered whole, {turn}");
            let ask = |window, previews| PageAsk { key: key.clone(), root: None, part: Part::Window(window), previews };
            for (window, previews) in [(Window { limit: 19, ..FIRST }, 3), (FIRST, 2), (oldest, 3)] {
                let other = redis.page(&ask(window, previews)).await.expect("answered");
                assert_eq!(other, Lookup::Miss, "it answers to its own name alone");
            }
            match turn {
                0 => fire.like(0, key, root, 1).await,
                1 => drop(fire.reply(0, key, root).await),
                _ => fire.delete(0, key, root).await,
            }
            let missed = redis.page(&ask(FIRST, 3)).await.expect("answered");
            assert_eq!(missed, Lookup::Miss, "something has changed, {turn}");
        }
        // Damage is seen.
        delete(&server, "*:f:*");
        page(FIRST).await;
        page(FIRST).await;
        kept(&server).await;
        let damage = "local key = redis.call('KEYS', '*:f:*')[1]
            return redis.call('SETRANGE', key, redis.call('STRLEN', key) - 9, 'x')";
        server.ask(&["EVAL", damage, "0"]).expect("damaged");
        assert!(page(FIRST).await, "it is seen");
        page(FIRST).await;
        assert!(!page(FIRST).await, "it is replaced");
    });
}
