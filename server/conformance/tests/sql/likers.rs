//! The cost of the first likers of several comments, some of which have very many likes.

use std::collections::HashMap;

use riposte_core::page::LikersQuery;
use riposte_core::{CommentId, LikeValue, MemberId};
use riposte_store::SqlStore;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, TestDatabase, all_databases};
use crate::subject::{Subject, member, run};

const LIKES: usize = 100_000;
/// Half of the likes of one comment, whose time is one and the same.
const OF_ONE_TIME: usize = LIKES / 2;

/// Stores [`LIKES`] likes of a comment: those of the lower half at the time 1, the others each a
/// millisecond later than the one before.
async fn like_very_often(store: &SqlStore, subject: &Subject, id: CommentId) {
    let row = store.reader().subjects(std::slice::from_ref(&subject.key)).await.expect("read").remove(0);
    let (subject_id, part) = (row.expect("exists").id.get(), subject.key.partition().get());
    let numbers: Vec<usize> = (0..LIKES).collect();
    for chunk in numbers.chunks(1_000) {
        let rows = chunk.iter().map(|n| {
            let hex: String = member(*n).as_str().bytes().map(|byte| format!("{byte:02x}")).collect();
            let time = n.saturating_sub(OF_ONE_TIME) + 1;
            format!("({subject_id}, x'{hex}', {}, {part}, 1, x'{}', 1, {time})", id.get(), "00".repeat(16))
        });
        let rows = rows.collect::<Vec<_>>().join(", ");
        let columns = "subject_id, member_id, comment_id, part, value, operation, changed, time";
        run(store, format!("INSERT INTO comment_like ({columns}) VALUES {rows}")).await;
    }
    run(store, format!("UPDATE comment_index SET like_count = {LIKES} WHERE id = {}", id.get())).await;
}

/// Returns counters of the only read connection so far, by name.
async fn counters(store: &SqlStore) -> HashMap<String, i64> {
    let session = store.sources().all()[0].begin_read().await.expect("a connection");
    let sql = "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_key', 'Handler_read_next', \
               'Handler_read_prev', 'Handler_read_rnd_next', 'Sort_rows', 'Com_select')";
    let rows = session.query_all_raw(Statement::from_string(session.get_database_backend(), sql)).await.expect(sql);
    session.rollback().await.expect("rolled back");
    let counter = |row: sea_orm::QueryResult| {
        let value: String = row.try_get_by_index(1).expect("a value");
        (row.try_get_by_index(0).expect("a name"), value.parse().expect("a number"))
    };
    rows.into_iter().map(counter).collect()
}

/// Reads the first likers, and checks that one statement and a bounded number of rows were enough.
async fn check_cost(store: &SqlStore, subject: &Subject, query: &LikersQuery) {
    let before = counters(store).await;
    store.reader().comment_likers(&subject.key, query).await.expect("read").expect("exists");
    let after = counters(store).await;
    let used = |name: &str| after[name] - before[name];
    let (comments, members) = (query.ids.len().max(1) as i64, query.first.len() as i64);
    let description = format!("{comments} comments, {members} members, {} likers: {before:?} {after:?}", query.limit);
    assert_eq!(used("Com_select"), 1, "{description}");
    assert_eq!(used("Sort_rows"), 0, "{description}");
    let steps = used("Handler_read_next") + used("Handler_read_prev");
    assert!(steps <= comments * (query.limit as i64 + 2), "{steps} steps, {description}");
    // A padded list has up to half as many comments again.
    let lookups = used("Handler_read_key");
    assert!(lookups <= 2 * comments * (members + 4) + 50, "{lookups} lookups, {description}");
    let scanned = used("Handler_read_rnd_next");
    assert!(scanned <= 2 * comments * (members + query.limit as i64 + 6) + 100, "{scanned} scanned, {description}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_likers_of_comments_with_100_000_likes_read_few_rows() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        database.migrated(&clock).await.close().await;
        let mut config = database.config();
        // With one connection, the counters of the session cover all reads.
        config.read.connections = 1;
        let store = SqlStore::open(&config, clock).expect("the configuration is sound");
        let subject = Subject::new(&store, "loved");
        let ids = subject.create_roots(50).await;
        for id in [ids[0], ids[49]] {
            like_very_often(&store, &subject, id).await;
        }
        subject.add_likes(ids[1], 30).await;
        let query = |ids: &[CommentId], first: Vec<MemberId>, limit| LikersQuery {
            ids: ids.to_vec(),
            value: LikeValue::Like,
            first,
            limit,
        };
        // The last ones like nothing.
        let first: Vec<MemberId> = (0..20).map(|n| member(n * 6_000)).collect();

        let found = store.reader().comment_likers(&subject.key, &query(&ids, first.clone(), 10)).await;
        let found = found.expect("read").expect("exists").comments;
        for (n, comment) in found.iter().enumerate() {
            let comment = comment.as_ref().expect("is in the subject");
            let names: Vec<&str> = comment.latest.iter().map(|liker| liker.member.as_str()).collect();
            let expected = match n {
                0 | 49 => (LIKES as i32, 10, 17, "m99999"),
                1 => (30, 10, 1, "m29"),
                _ => (0, 0, 0, ""),
            };
            let latest = names.first().copied().unwrap_or_default();
            assert_eq!((comment.count, names.len(), comment.named.len(), latest), expected, "comment {n}");
        }

        if matches!(database, TestDatabase::Servers(..)) {
            for analyzed in [false, true] {
                if analyzed {
                    run(&store, "ANALYZE TABLE comment_index, comment_like, comment_subject".to_owned()).await;
                }
                for ids in [&ids[..1], &ids[..20], &ids[..]] {
                    for first in [&[][..], &first[..3], &first[..]] {
                        check_cost(&store, &subject, &query(ids, first.to_vec(), 3)).await;
                        check_cost(&store, &subject, &query(ids, first.to_vec(), 10)).await;
                    }
                }
            }
        }
        store.close().await;
        database.drop().await;
    }
}
