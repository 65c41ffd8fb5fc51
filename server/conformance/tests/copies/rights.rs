//! The rights that the operations page names for the Redis user are sufficient, and no other user
//! needs them.

use std::sync::Arc;

use riposte_cache::{CacheEvent, CacheLimits};
use riposte_core::ports::{LikeRows, ListRows};
use riposte_test_redis::{Program, Reply, Server};

use super::{FIRST, Fixture, fixture_on, servers};

const PAGE: &str = include_str!("../../../../docs/operate.md");

#[test]
fn a_user_with_the_rights_of_the_manual_keeps_copies() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("it starts");
    let rights = PAGE.split('`').find(|text| text.starts_with("-@all ")).expect("the manual names them");
    let user = ["ACL", "SETUSER", "riposte", "on", ">secret", "~{p*"].into_iter().chain(rights.split_whitespace());
    server.ask(&user.collect::<Vec<_>>()).expect("a user");
    servers::play(async {
        let url = server.url().replace("redis://", "redis://riposte:secret@");
        let redis = Arc::new(servers::redis(&url, CacheLimits::default()).await);
        let Fixture { process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        stress.root(0, 0).await;
        let (key, reads) = (&stress.keys[0], || process.reader.stats().of(CacheEvent::PrimaryRead));
        let page = async || process.reader.roots(key, FIRST, 3).await.expect("read").expect("there");
        let root = page().await.threads.items[0].root.comment.reference.id;
        let before = reads();
        for _ in 0..3 {
            page().await;
        }
        assert_eq!(reads(), before, "copies answer");
        stress.like(0, key, root, 2).await;
        stress.reply(0, key, root).await;
        assert_eq!(page().await.threads.items[0].root.comment.counts.like_count, 2);
        let member = stress.members().remove(0);
        for _ in 0..2 {
            process.reader.like_states(key, &member, &[root]).await.expect("read");
        }
        assert!(redis.health().await.expect("it answers").version.is_some(), "doctor may ask");
        assert_eq!(server.ask(&["ACL", "LOG"]).expect("answered"), Reply::List(Vec::new()), "nothing was denied");
    });
}
