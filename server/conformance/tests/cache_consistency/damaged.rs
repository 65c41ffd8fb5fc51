//! Keys that were damaged or that another program has written: they are misses and are replaced.

use std::sync::Arc;

use riposte_cache::{
    Cache, CacheEvent, CacheLimits, CommittedState, ConcealedComment, LikeCounts, RelayCursor, SubjectMember,
};
use riposte_core::MemberId;
use riposte_core::page::RootPage;
use riposte_core::ports::ListRows;
use riposte_test_support::redis::{Program, Reply, Server};

use super::{FIRST_PAGE, Fixture, fixture_on, rendered_pages, servers};

#[test]
fn a_damaged_entry_is_replaced_by_the_next_fill_and_a_damaged_cursor_by_a_renewal() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&server.url(), CacheLimits::default()).await);
        let Fixture { process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        stress.create_root(0, 0).await;
        let rows = process.store.reader();
        // Compares the page with the rows. Returns whether rows were read for it.
        let page = async || {
            let before = process.reader.stats().of(CacheEvent::PrimaryRead);
            let page = process.reader.roots(&stress.keys[0], FIRST_PAGE, 0).await.expect("read");
            assert_eq!(page, rows.roots(&stress.keys[0], FIRST_PAGE, 0).await.expect("read"));
            process.reader.stats().of(CacheEvent::PrimaryRead) > before
        };
        page().await;
        assert!(!page().await);
        let damage = "local key = redis.call('KEYS', '*:c:*')[1]
            return redis.call('SETRANGE', key, redis.call('STRLEN', key) - 1, 'x')";
        rendered_pages::delete_all(&server).await;
        server.ask(&["EVAL", damage, "0"]).expect("damaged");
        assert!(page().await, "the damaged entry is a miss");
        assert!(!page().await, "the entry is replaced");
        let partition = stress.keys[0].partition();
        let replace = "local key = redis.call('KEYS', ARGV[1])[1]
            redis.call('DEL', key)
            return redis.call('SET', key, 'x')";
        let pattern = format!("{{p{:04}}}*:cur", partition.get());
        server.ask(&["EVAL", replace, "0", &pattern]).expect("damaged");
        assert_eq!(redis.cursors(&[partition]).await.expect("answered"), [None], "a damaged cursor counts as missing");
        redis.renew(partition, RelayCursor(1), 7).await.expect("renewed");
        assert_eq!(redis.cursors(&[partition]).await.expect("answered"), [Some(RelayCursor(1))]);
    });
}

#[test]
fn a_key_of_another_type_is_a_miss_and_delays_no_reads_or_commits() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&server.url(), CacheLimits::default()).await);
        let Fixture { process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        stress.create_root(0, 0).await;
        let (rows, key) = (process.store.reader(), &stress.keys[0]);
        let page = async || {
            let page = process.reader.roots(key, FIRST_PAGE, 3).await.expect("read");
            assert_eq!(page, rows.roots(key, FIRST_PAGE, 3).await.expect("read"));
            page.expect("exists")
        };
        let is_cached = async || {
            let before = process.reader.stats().of(CacheEvent::PrimaryRead);
            page().await;
            process.reader.stats().of(CacheEvent::PrimaryRead) == before
        };
        page().await;
        assert!(is_cached().await);
        // Strings are replaced by lists, and all other types by strings.
        let replace = "local replaced = 0
            for _, key in ipairs(redis.call('KEYS', '*')) do
                local kind = redis.call('TYPE', key).ok
                if not string.find(key, ':cur$') then
                    redis.call('DEL', key)
                    if kind == 'string' then redis.call('RPUSH', key, 'x') else redis.call('SET', key, 'x') end
                    replaced = replaced + 1
                end
            end
            return replaced";
        for write in [false, true] {
            rendered_pages::delete_all(&server).await;
            let replaced = server.ask(&["EVAL", replace, "0"]).expect("damaged");
            assert!(matches!(replaced, Reply::Number(3..)), "{replaced:?}");
            if write {
                // The cache update of a commit finds the damaged keys first.
                stress.create_root(0, 0).await;
            }
            page().await;
            page().await;
            assert!(is_cached().await, "the keys are replaced, after a write: {write}");
        }
        // A value of the right type in the wrong form is a miss too.
        let truncate = "for _, key in ipairs(redis.call('KEYS', '*:p:*')) do
                redis.call('SET', key, string.sub(redis.call('GET', key), 1, 8))
            end
            for _, key in ipairs(redis.call('KEYS', '*:z:*')) do
                local sentinel = redis.call('ZRANGE', key, 0, 0)[1]
                redis.call('ZREM', key, sentinel)
                redis.call('ZADD', key, '-inf', string.sub(sentinel, 1, 9))
            end
            return #redis.call('KEYS', '*:p:*')";
        let reply = stress.reply(0, key, page().await.threads.items[0].root.comment.reference.id).await;
        assert!(reply.is_some());
        page().await;
        page().await;
        assert!(is_cached().await);
        rendered_pages::delete_all(&server).await;
        assert_eq!(server.ask(&["EVAL", truncate, "0"]).expect("damaged"), Reply::Number(1));
        page().await;
        page().await;
        assert!(is_cached().await);
        let RootPage { subject, threads, .. } = page().await;
        server.ask(&["EVAL", replace, "0"]).expect("damaged");
        let at = key.partition();
        let likes = vec![LikeCounts::of(&threads.items[0].root.comment)];
        let likers = vec![SubjectMember { key: key.clone(), member: MemberId::stored("m".to_owned()) }];
        let comment = threads.items[0].root.comment.reference.id;
        let concealed = vec![ConcealedComment { subject: subject.id, comment, revision: subject.revision + 1 }];
        let revisions = vec![(subject.id, subject.revision + 1)];
        let state = CommittedState { revisions, likes, concealed, likers };
        redis.renew(at, RelayCursor(1), 7).await.expect("renewed");
        assert_eq!(
            redis.advance(at, RelayCursor(1), RelayCursor(2), &state).await,
            Ok(true),
            "the relay advances past damaged keys"
        );
    });
}
