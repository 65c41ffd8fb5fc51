//! Redis contains no content of an invisible comment: every value of every key is searched.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{CacheAuditor, CacheEvent, CacheLimits, CacheRepair};
use riposte_conformance::stores::ruling;
use riposte_core::content::ClientInfo;
use riposte_core::ids::PARTITIONS;
use riposte_core::lifecycle::DeletedBy;
use riposte_core::origin::ImportOrigin;
use riposte_core::ports::{CommentRows, ListRows};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{Delete, DeleteActor, Edit, Hide, Import, ImportParent, ImportTimes, Undelete, Unhide};
use riposte_core::{
    CommentId, CommentState, Content, MemberId, Millis, ObjectTypeScope, Partition, SubjectId, SubjectKey,
};
use riposte_test_support::redis::{Program, Server};

use super::process::CachedProcess;
use super::stress::{RepairRun, Stress};
use super::{FIRST_PAGE, Fixture, fixture_on, rendered_pages, servers, unreported_writer};

/// The states that only the domain can make yet are among them.
const INVISIBLE: [CommentState; 5] = [
    CommentState::Pending,
    CommentState::Rejected,
    CommentState::Hidden,
    CommentState::Shadowed,
    CommentState::Deleted,
];

fn author() -> MemberId {
    MemberId::stored("author".to_owned())
}

fn content(text: &str) -> Content {
    Content::stored(text.to_owned(), Vec::new(), Metadata::new())
}

pub(crate) fn keys_with(server: &Server, text: &str) -> Vec<String> {
    server.keys_with(text).expect("the keys")
}

/// Imports a comment in this state with this text.
pub(crate) async fn import(stress: &Stress, text: &str, state: CommentState, parent: Option<CommentId>) -> CommentId {
    let (key, ids) = (&stress.keys[0], stress.processes[0].store.ids());
    let id = ids.comment(key.partition()).await.expect("an id");
    let import = Import {
        id,
        parent: parent.map(ImportParent::InBatch),
        member: author(),
        content: content(text),
        client: ClientInfo::default(),
        origin: ImportOrigin { source: "canary".to_owned(), external_id: text.to_owned() },
        state,
        deleted_by: (state == CommentState::Deleted).then_some(DeletedBy::Author),
        times: ImportTimes { create: Millis(1), edit: None, delete: None },
        max_depth: 3,
        auto_create: Some(SubjectId::from(id)),
    };
    assert!(stress.send(0, key, import).await, "imported");
    id
}

/// Reads the comments in every way that may cache them. The pages are rendered, too.
pub(crate) async fn read_all(process: &CachedProcess, key: &SubjectKey, ids: &[CommentId]) {
    for _ in 0..3 {
        process.reader.roots(key, FIRST_PAGE, 3).await.expect("read");
        for id in ids {
            process.reader.replies(key, *id, FIRST_PAGE).await.expect("read");
            process.reader.comments_among(&[*id], &ObjectTypeScope::All).await.expect("read");
        }
    }
}

#[test]
fn redis_has_no_content_of_a_comment_that_was_never_visible_and_its_reads_by_id_use_the_rows() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&server.url(), CacheLimits::default()).await);
        let Fixture { process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        let (key, stats) = (&stress.keys[0], process.reader.stats());
        let mut roots = Vec::new();
        for state in INVISIBLE {
            let root = import(stress, &format!("canary {state}"), state, None).await;
            import(stress, &format!("reply to {state}"), CommentState::Active, Some(root)).await;
            import(stress, &format!("canary {state} below"), state, Some(root)).await;
            roots.push((state, root));
        }
        let ids: Vec<CommentId> = roots.iter().map(|(_, id)| *id).collect();
        read_all(process, key, &ids).await;
        rendered_pages::wait_until_stored(&server).await;
        let page = process.reader.roots(key, FIRST_PAGE, 3).await.expect("read").expect("exists");
        assert_eq!(page.threads.items.len(), INVISIBLE.len(), "each is a tombstone above a visible reply");
        for (state, root) in roots {
            assert_eq!(keys_with(&server, &format!("canary {state}")), [""; 0], "{state}");
            assert!(!keys_with(&server, &format!("reply to {state}")).is_empty(), "the cache is in use");
            let before = stats.of(CacheEvent::PrimaryRead);
            let found = process.reader.comments(&[root]).await.expect("read").remove(0).expect("exists");
            let seen = found.seen_by(Some(&author()));
            let (is_seen, is_read) = (seen.content.is_some(), stats.of(CacheEvent::PrimaryRead) > before);
            let is_author_only =
                matches!(state, CommentState::Pending | CommentState::Rejected | CommentState::Shadowed);
            assert_eq!((is_seen, is_read), (is_author_only, is_author_only), "{state}");
        }
        let audit = CacheAuditor::new(process.reader.clone()).audit(Duration::from_millis(1), None).await;
        assert_eq!(audit, Ok(Some(false)), "what is shown does not differ from the rows");
        redis.disconnect().await;
    });
}

#[test]
fn the_content_leaves_redis_with_the_commit_that_hides_it_and_returns_with_the_next() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&server.url(), CacheLimits::default()).await);
        let Fixture { process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        let key = &stress.keys[0];
        let root = import(stress, "canary root", CommentState::Active, None).await;
        let reply = import(stress, "canary reply", CommentState::Active, Some(root)).await;
        import(stress, "another reply", CommentState::Active, Some(root)).await;
        let edit = async |text: &str| {
            let (target, member) = (locate(process, root).await, author());
            let edit = Edit::allowed(target, member, content(text));
            assert!(stress.send(0, key, edit).await);
        };
        for round in 0..3 {
            edit(&format!("canary root {round}")).await;
            read_all(process, key, &[root]).await;
            rendered_pages::wait_until_stored(&server).await;
            let found = keys_with(&server, "canary");
            assert!([":c:", ":f:"].iter().all(|kind| found.iter().any(|key| key.contains(kind))), "{found:?}");
            for id in [root, reply] {
                let target = locate(process, id).await;
                if round == 1 {
                    let actor = DeleteActor::Author(author());
                    assert!(stress.send(0, key, Delete { target, actor, etag: String::new() }).await);
                } else {
                    assert!(stress.send(0, key, Hide { target, ruling: ruling() }).await);
                }
            }
            assert_eq!(keys_with(&server, "canary"), [""; 0], "round {round}");
            read_all(process, key, &[root, reply]).await;
            assert_eq!(keys_with(&server, "canary"), [""; 0], "round {round}: after reads");
            for id in [reply, root] {
                let target = locate(process, id).await;
                let shown = if round == 1 {
                    stress.send(0, key, Undelete { target, member: author() }).await
                } else {
                    stress.send(0, key, Unhide { target, ruling: ruling() }).await
                };
                assert!(shown);
            }
            let page = process.reader.roots(key, FIRST_PAGE, 3).await.expect("read").expect("exists");
            let text = page.threads.items[0].root.content.as_ref().map(Content::text);
            assert_eq!(text, Some(format!("canary root {round}").as_str()));
            assert_eq!(page.threads.items[0].replies.len(), 2);
            assert!(page.threads.items[0].replies.iter().all(|reply| reply.content.is_some()));
        }
        redis.disconnect().await;
    });
}

#[test]
fn the_relay_removes_the_content_of_a_comment_whose_process_died_before_its_update() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&server.url(), CacheLimits::default()).await);
        let Fixture { config, process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        let (key, stats) = (&stress.keys[0], process.reader.stats().clone());
        let (store, all) = (process.store.clone(), (0..PARTITIONS).map(Partition::number).collect());
        let repair = CacheRepair::new(Arc::clone(&redis) as _, store.outbox(), store.reader(), stats, 0, all);
        let mut repair = RepairRun::new(repair, store);
        let ids = [import(stress, "canary 1", CommentState::Active, None).await, {
            import(stress, "canary 2", CommentState::Active, None).await
        }];
        read_all(process, key, &ids).await;
        rendered_pages::wait_until_stored(&server).await;
        while !stress.run_relay_once(&mut repair).await {}
        let unreported = unreported_writer(config);
        assert!(unreported.send(0, key, Hide { target: locate(process, ids[0]).await, ruling: ruling() }).await);
        assert!(!keys_with(&server, "canary 1").is_empty(), "no process has updated the cache");
        while !unreported.run_relay_once(&mut repair).await {}
        assert_eq!(keys_with(&server, "canary 1"), [""; 0]);
        read_all(process, key, &ids).await;
        assert_eq!(keys_with(&server, "canary 1"), [""; 0], "after reads");
        assert!(!keys_with(&server, "canary 2").is_empty());
        redis.disconnect().await;
    });
}

#[test]
fn the_relay_removes_the_content_also_where_only_its_cursor_was_lost() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        let redis = Arc::new(servers::redis(&server.url(), CacheLimits::default()).await);
        let Fixture { config, process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
        let (key, stats) = (&stress.keys[0], process.reader.stats().clone());
        let (store, all) = (process.store.clone(), (0..PARTITIONS).map(Partition::number).collect());
        let repair = CacheRepair::new(Arc::clone(&redis) as _, store.outbox(), store.reader(), stats, 0, all);
        let mut repair = RepairRun::new(repair, store);
        let id = import(stress, "canary", CommentState::Active, None).await;
        read_all(process, key, &[id]).await;
        rendered_pages::wait_until_stored(&server).await;
        while !stress.run_relay_once(&mut repair).await {}
        let unreported = unreported_writer(config);
        assert!(unreported.send(0, key, Hide { target: locate(process, id).await, ruling: ruling() }).await);
        // The server evicts single keys when its memory is full.
        let cursors = "for _, key in ipairs(redis.call('KEYS', '*:cur')) do redis.call('DEL', key) end return 0";
        server.ask(&["EVAL", cursors, "0"]).expect("evicted");
        assert!(!keys_with(&server, "canary").is_empty(), "the cursors are lost alone");
        while !unreported.run_relay_once(&mut repair).await {}
        assert_eq!(keys_with(&server, "canary"), [""; 0]);
        redis.disconnect().await;
    });
}

pub(crate) async fn locate(process: &CachedProcess, id: CommentId) -> riposte_core::CommentLocation {
    process.store.reader().locate(&[id]).await.expect("read").remove(0).expect("exists")
}
