//! The cost of reads, and the detection of wrong counts.

use riposte_conformance::stores::{root_location, ruling};
use riposte_core::page::{CountDrift, LikerCursor, ListOrder, PageQuery, PageStart, SubtreeQuery};
use riposte_core::ports::UnlistedRow;
use riposte_core::verbs::{BatchVerb, Hide};
use riposte_core::{CommentId, LikeValue, Millis, Path};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, TestDatabase, all_databases};
use crate::subject::{Subject, member, run};

/// Returns the work of the only read connection so far: index entries read, and rows sorted.
async fn session_work(store: &SqlStore) -> (i64, i64) {
    let session = store.sources().all()[0].begin_read().await.expect("a connection");
    let sql = "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_read_prev', 'Sort_rows')";
    let rows = session.query_all_raw(Statement::from_string(session.get_database_backend(), sql)).await.expect(sql);
    let (mut steps, mut sorted) = (0, 0);
    for row in rows {
        let name: String = row.try_get_by_index(0).expect("a name");
        let value: i64 = row.try_get_by_index::<String>(1).expect("a value").parse().expect("a number");
        *(if name == "Sort_rows" { &mut sorted } else { &mut steps }) += value;
    }
    session.rollback().await.expect("rolled back");
    (steps, sorted)
}

const STARTS: [PageStart; 5] = [
    PageStart::Beginning,
    PageStart::After(1_500),
    PageStart::Before(1_500),
    PageStart::Around(1_500),
    PageStart::After(2_990),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_a_list_reads_only_its_own_page_and_sorts_no_rows() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    database.migrated(&clock).await.close().await;
    let mut config = database.config();
    // With one connection, the counters of the session cover all reads.
    config.read.connections = 1;
    let store = SqlStore::open(&config, clock).expect("the configuration is sound");
    let subject = Subject::new(&store, "long");
    let roots = subject.create_roots(3_000).await;
    let replies = subject.create_replies(&roots[..1], 3_000, 2).await;
    for root in &roots[1..40] {
        subject.create_replies(&[*root], 6, 2).await;
    }
    subject.add_likes(roots[0], 3_000).await;
    run(&store, "ANALYZE TABLE comment_index, comment_like, comment_content".to_owned()).await;

    let (reader, key) = (store.reader(), &subject.key);
    let mut before = session_work(&store).await;
    let mut check = async |query: String| {
        let after = session_work(&store).await;
        let (steps, sorted) = (after.0 - before.0, after.1 - before.1);
        assert!(steps <= 200 && sorted == 0, "{query}: {steps} steps, {sorted} rows sorted");
        before = after;
    };
    for order in [ListOrder::Newest, ListOrder::Oldest] {
        for start in STARTS {
            let window = PageQuery { order, start, limit: 20 };
            let page = reader.roots(key, window, 3).await.expect("read").expect("exists");
            assert!(page.threads.items.len() >= 10);
            check(format!("roots, {window:?}")).await;
            let page = reader.replies(key, roots[0], window).await.expect("read").expect("exists");
            assert!(page.replies.items.len() >= 10);
            check(format!("replies, {window:?}")).await;
        }
    }
    let top = Path::root(roots[0]);
    for (after, max_depth) in [(None, 9), (Some(top.child(2_500)), 9), (None, 0)] {
        let part = SubtreeQuery { top: top.clone(), max_depth, after, limit: 20 };
        reader.thread(key, &part).await.expect("read").expect("exists");
        check(format!("a thread, {part:?}")).await;
    }
    for after in [None, Some(LikerCursor { time: Millis(7_000), member: member(1) })] {
        let page = reader.likers(roots[0], LikeValue::Like, after.as_ref(), 20).await.expect("read");
        assert_eq!(page.items.len(), 20);
        check(format!("likers after {after:?}")).await;
    }
    for after in [None, Some(replies[1_500]), Some(roots[1_500])] {
        assert_eq!(reader.export_comments(key, after, 20).await.expect("read").len(), 20);
        check(format!("an export after {after:?}")).await;
    }
    store.close().await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_count_is_reported_and_no_correct_one() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subject = Subject::new(&store, "counted");
        let roots = subject.create_roots(3).await;
        let replies = subject.create_replies(&roots[..1], 3, 4).await;
        let deep = subject.create_replies(&[roots[0], replies[1]], 2, 4).await;
        subject.add_likes(deep[1], 2).await;
        let reader = store.reader();
        let found = reader.verify(&subject.key).await.expect("verified");
        assert_eq!((found.comments, found.drifts), (8, Vec::new()));

        run(&store, "UPDATE comment_subject SET root_count = 9, next_floor = 5".to_owned()).await;
        let set = async |assignments: &str, id: CommentId| {
            run(&store, format!("UPDATE comment_index SET {assignments} WHERE id = {}", id.get())).await;
        };
        set("reply_count = 1, next_floor = 9", roots[0]).await;
        set("listed = 0", roots[1]).await;
        set("live_below = 0, dislike_count = 4", replies[1]).await;
        set("like_count = 3, live_below = 1", deep[1]).await;
        let drift = |comment, count, stored, actual| CountDrift { comment, count, stored, actual };
        let drifts = reader.verify(&subject.key).await.expect("verified").drifts;
        assert_eq!(
            drifts,
            [
                drift(None, "root_count", 9, 3),
                drift(None, "next_floor", 5, 4),
                drift(Some(roots[0]), "reply_count", 1, 5),
                drift(Some(roots[0]), "next_floor", 9, 6),
                drift(Some(roots[1]), "listed", 0, 1),
                drift(Some(replies[1]), "dislike_count", 4, 0),
                drift(Some(replies[1]), "live_below", 0, 2),
                drift(Some(deep[1]), "like_count", 3, 2),
                drift(Some(deep[1]), "live_below", 1, 0),
            ]
        );
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn likers_with_equal_times_are_listed_once_for_every_page_size() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subject = Subject::new(&store, "liked");
        let id = subject.create_roots(1).await[0];
        subject.add_likes(id, 40).await;
        // Three distinct times, the middle one with thirty members.
        run(
            &store,
            "UPDATE comment_like SET time = CASE WHEN time < 7 THEN 1 WHEN time < 37 THEN 2 ELSE 3 END".to_owned(),
        )
        .await;
        let reader = store.reader();
        let all = reader.likers(id, LikeValue::Like, None, 100).await.expect("read").items;
        assert_eq!(all.len(), 40);
        assert!(all.is_sorted_by(|a, b| (b.time, &b.member) < (a.time, &a.member)), "{all:?}");
        for size in [1, 7, 13, 39, 40] {
            let (mut walked, mut after): (Vec<_>, Option<LikerCursor>) = (Vec::new(), None);
            loop {
                let page = reader.likers(id, LikeValue::Like, after.as_ref(), size).await.expect("read");
                assert_eq!(page.more_before, after.is_some());
                after = page.items.last().map(|l| LikerCursor { time: l.time, member: l.member.clone() });
                walked.extend(page.items);
                if !page.more_after {
                    break;
                }
            }
            assert_eq!(walked, all, "in pages of {size}");
        }
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_over_every_table_is_read_completely() {
    let Some(database) = TestDatabase::servers(2, TableCounts { subject: 50, index: 200 }).await else { return };
    let store = database.migrated(&ManualClock::at_noon()).await;
    let (mut ids, mut keys) = (Vec::new(), Vec::new());
    for n in 0..200 {
        let subject = Subject::new(&store, &format!("subject {n}"));
        ids.extend(subject.create_roots(1).await);
        keys.push(subject.key);
    }
    let reader = store.reader();
    for attempt in ["cold", "warm"] {
        let begin = std::time::Instant::now();
        let comments = reader.comments(&ids).await.expect("read");
        let comments_took = begin.elapsed();
        let located = reader.locate(&ids).await.expect("read");
        let subjects = reader.subjects(&keys).await.expect("read");
        eprintln!("{attempt}: comments {comments_took:?}, all three {:?}", begin.elapsed());
        assert!(comments.iter().zip(&ids).all(|(c, id)| c.as_ref().is_some_and(|c| c.comment.reference.id == *id)));
        assert!(located.iter().zip(&keys).all(|(l, key)| l.as_ref().is_some_and(|l| l.subject == *key)));
        assert!(subjects.iter().zip(&keys).all(|(s, key)| s.as_ref().is_some_and(|s| s.key == *key)));
    }
    let (mut found, mut at) = (Vec::new(), Some(riposte_core::page::SubjectCursor::default()));
    while let Some(cursor) = at {
        let (subjects, next) = reader.list_subjects(Some(keys[0].object_type()), cursor, 7).await.expect("read");
        assert!(subjects.len() == 7 || next.is_none());
        found.extend(subjects.into_iter().map(|subject| subject.key));
        at = next;
    }
    found.sort();
    keys.sort();
    assert_eq!(found, keys, "each subject once");
    store.close().await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_comment_is_recent_until_its_time_by_the_clock_of_the_database() {
    for database in all_databases().await {
        let store = database.fresh().await;
        let subject = Subject::new(&store, "refused");
        let id = subject.create_roots(1).await[0];
        // A decision takes the text out of sight, so that the list of its author has it.
        let target = root_location(&subject.key, id);
        subject.commit(vec![Hide { target, ruling: ruling() }.into_type()]).await;
        let found = store.reader().subjects(std::slice::from_ref(&subject.key)).await.expect("read").remove(0);
        let subject_id = found.expect("a subject").id;
        let now =
            if matches!(database, TestDatabase::Sqlite(_)) { "unixepoch('subsec')" } else { "UNIX_TIMESTAMP(NOW(3))" };
        // A minute before and after the present time, and that of a comment that was not refused.
        for (until, expected) in [
            (format!("{now} * 1000 + 60000"), true),
            (format!("{now} * 1000 - 60000"), false),
            (format!("{now} * 1000 + 60000"), true),
            ("0".to_owned(), false),
        ] {
            run(&store, format!("UPDATE comment_review SET unlisted_until = {until}")).await;
            let listed = store.reader().unlisted(&subject.key, subject_id, &member(0), None, 9).await.expect("read");
            assert_eq!(listed, [UnlistedRow { comment_id: id, was_rejected_recently: expected }], "{until}");
        }
        store.close().await;
        database.drop().await;
    }
}
