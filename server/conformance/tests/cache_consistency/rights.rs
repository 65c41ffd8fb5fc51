//! The rights that docs/operate.md names for the Redis user are sufficient.

use std::sync::Arc;

use riposte_cache::{CacheEvent, CacheLimits};
use riposte_core::ports::{LikeRows, ListRows};
use riposte_test_support::redis::{Program, Reply, Server};

use super::{FIRST_PAGE, Fixture, fixture_on, servers};

const OPERATIONS_PAGE: &str = include_str!("../../../../docs/operate.md");

#[test]
fn a_user_with_the_documented_rights_can_use_the_cache() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    let rights = OPERATIONS_PAGE.split('`').find(|text| text.starts_with("-@all ")).expect("the page names the rights");
    let user = ["ACL", "SETUSER", "riposte", "on", ">secret", "~{p*"].into_iter().chain(rights.split_whitespace());
    server.ask(&user.collect::<Vec<_>>()).expect("a user");
    servers::run_test(async {
        let url = server.url().replace("redis://", "redis://riposte:secret@");
        let redis = Arc::new(servers::redis(&url, CacheLimits::default()).await);
        let Fixture { process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        stress.create_root(0, 0).await;
        let (key, reads) = (&stress.keys[0], || process.reader.stats().of(CacheEvent::PrimaryRead));
        let page = async || process.reader.roots(key, FIRST_PAGE, 3).await.expect("read").expect("exists");
        let root = page().await.threads.items[0].root.comment.reference.id;
        let before = reads();
        for _ in 0..3 {
            page().await;
        }
        assert_eq!(reads(), before, "the cache serves the reads");
        stress.like(0, key, root, 2).await;
        stress.reply(0, key, root).await;
        assert_eq!(page().await.threads.items[0].root.comment.counts.like_count, 2);
        let member = stress.members().remove(0);
        for _ in 0..2 {
            process.reader.like_states(key, &member, &[root]).await.expect("read");
        }
        assert!(redis.health().await.expect("it answers").version.is_some(), "doctor may read the version");
        assert_eq!(server.ask(&["ACL", "LOG"]).expect("answered"), Reply::List(Vec::new()), "nothing was denied");
    });
}
