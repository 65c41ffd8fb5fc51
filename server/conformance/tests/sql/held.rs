//! Rows that other transactions hold: a batch that may not wait executes all other commands.

use std::time::Duration;

use riposte_core::{CommentId, LikeValue, SubjectKey};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, DatabaseTransaction, Statement};

use crate::commits::{comment, commit_one, create_command, key, like_command};
use crate::databases::{ManualClock, TestDatabase};
use crate::statements::session_counter;

/// The layouts of the tables: one of each kind, and several.
const LAYOUTS: [TableCounts; 2] = [TableCounts { subject: 1, index: 1 }, TableCounts { subject: 8, index: 32 }];

/// Begins a transaction that may be idle for longer than a statement waits for a lock.
async fn begin(store: &SqlStore) -> DatabaseTransaction {
    let tx = store.sources().all()[0].begin_write().await.expect("a transaction");
    let unlimited = "SET @unused = 1 /*M!, SESSION idle_transaction_timeout = 0 */";
    tx.execute_raw(Statement::from_string(tx.get_database_backend(), unlimited)).await.expect("it may be idle");
    tx
}

/// Locks a row in the tables of a subject.
async fn lock(tx: &DatabaseTransaction, store: &SqlStore, subject: &SubjectKey, table: &str, condition: &str) {
    let sql = format!("SELECT id FROM {table} WHERE {condition} FOR UPDATE");
    let sql = store.sources().slot(subject.partition()).bind(sql);
    let rows = tx.query_all_raw(Statement::from_string(tx.get_database_backend(), sql)).await.expect("locked");
    assert_eq!(rows.len(), 1, "{subject:?}");
}

fn keys() -> Vec<SubjectKey> {
    (0..40).map(|n| key(&format!("s{n}"))).collect()
}

fn is_held(n: usize) -> bool {
    [3, 4, 21].contains(&n)
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_of_held_subjects_are_left_out_and_all_others_are_committed() {
    for tables in LAYOUTS {
        let Some(database) = TestDatabase::servers(1, tables).await else { return };
        let clock = ManualClock::at_noon();
        let (holder, store) = (database.migrated(&clock).await, database.open(&clock));
        let subjects = keys();
        let tx = begin(&holder).await;
        for (n, subject) in subjects.iter().enumerate() {
            let created = commit_one(&store, &create_command(&store, subject).await).await.expect("created");
            if is_held(n) {
                // By its id: a scan by another column would also lock rows on its way.
                let id = comment(&created).reference.subject_id.get();
                lock(&tx, &store, subject, "comment_subject_@", &format!("id = {id}")).await;
            }
        }
        let mut batch = Vec::new();
        for subject in subjects.iter().chain(&subjects) {
            batch.push(create_command(&store, subject).await);
        }
        let outputs = store.writer().commit_without_wait(&batch.to_vec().into()).await.expect("committed");
        for (n, output) in outputs.iter().enumerate() {
            match output {
                None => assert!(is_held(n % 40), "{n} was left out"),
                Some(output) => {
                    let floor = comment(output.as_ref().expect("created")).reference.floor as usize;
                    assert!(!is_held(n % 40) && floor == 2 + n / 40, "{n}: {output:?}");
                }
            }
        }
        tx.rollback().await.expect("released");
        let outputs = store.writer().commit_without_wait(&batch.to_vec().into()).await.expect("committed");
        for (n, output) in outputs.iter().enumerate() {
            let output = output.as_ref().expect("nothing is held").as_ref().expect("created");
            assert_eq!((comment(output).reference.floor as usize, output.replayed), (2 + n / 40, !is_held(n % 40)));
        }
        holder.close().await;
        store.close().await;
        database.drop().await;
    }
}

/// A bound for the statements of a batch of 40 subjects of which three are held: two attempts and
/// the bisection, together about 80. One read that is repeated while its rows are held exceeds it.
const STATEMENTS_MAX: usize = 120;

#[tokio::test(flavor = "multi_thread")]
async fn each_read_of_the_search_for_held_subjects_is_sent_once() {
    let Some(database) = TestDatabase::servers(1, LAYOUTS[0]).await else { return };
    let clock = ManualClock::at_noon();
    let holder = database.migrated(&clock).await;
    let mut config = database.config();
    config.write.connections = 1;
    let store = SqlStore::open(&config, clock).expect("the configuration is sound");
    let (tx, mut batch) = (begin(&holder).await, Vec::new());
    for (n, subject) in keys().iter().enumerate() {
        let created = commit_one(&store, &create_command(&store, subject).await).await.expect("created");
        if is_held(n) {
            let id = comment(&created).reference.subject_id.get();
            lock(&tx, &store, subject, "comment_subject_@", &format!("id = {id}")).await;
        }
        batch.push(create_command(&store, subject).await);
    }
    let pool = store.sources().all()[0].write_pool();
    let before = session_counter(pool, "Questions").await;
    let outputs = store.writer().commit_without_wait(&batch.into()).await.expect("committed");
    assert_eq!(outputs.iter().filter(|output| output.is_none()).count(), 3, "{outputs:?}");
    let statements = session_counter(pool, "Questions").await - before;
    assert!(statements <= STATEMENTS_MAX, "{statements} statements");
    tx.rollback().await.expect("released");
    holder.close().await;
    store.close().await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn likes_of_held_comments_are_left_out_and_all_others_are_committed() {
    for tables in LAYOUTS {
        let Some(database) = TestDatabase::servers(1, tables).await else { return };
        let clock = ManualClock::at_noon();
        let holder = database.migrated(&clock).await;
        let mut config = database.config();
        config.lock_wait = Duration::from_secs(1);
        let store = SqlStore::open(&config, clock).expect("the configuration is sound");
        let mut roots: Vec<(SubjectKey, CommentId)> = Vec::new();
        let tx = begin(&holder).await;
        for (n, subject) in keys().into_iter().enumerate() {
            let created = commit_one(&store, &create_command(&store, &subject).await).await.expect("created");
            let id = comment(&created).reference.id;
            if is_held(n) {
                lock(&tx, &store, &subject, "comment_index_@", &format!("id = {}", id.get())).await;
            }
            roots.push((subject, id));
        }
        let like = |(subject, id): &(SubjectKey, CommentId)| like_command(&store, subject, *id, "fan", LikeValue::Like);
        let batch: Vec<_> = roots.iter().map(like).collect();
        let outputs = store.writer().commit_without_wait(&batch.clone().into()).await.expect("committed");
        for (n, output) in outputs.iter().enumerate() {
            assert_eq!(output.as_ref().map(Result::is_ok), (!is_held(n)).then_some(true), "{n}: {output:?}");
        }
        tx.rollback().await.expect("released");
        let outputs = store.writer().commit_without_wait(&batch.into()).await.expect("committed");
        assert!(outputs.iter().all(|output| matches!(output, Some(Ok(_)))), "{outputs:?}");
        holder.close().await;
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fails_in_a_batch_that_may_not_wait_does_not_fail_the_others() {
    let Some(database) = TestDatabase::servers(1, LAYOUTS[0]).await else { return };
    let store = database.fresh().await;
    let subject = key("rejected");
    let stored = create_command(&store, &subject).await;
    commit_one(&store, &stored).await.expect("created");
    let mut batch = Vec::new();
    for _ in 0..6 {
        batch.push(create_command(&store, &subject).await);
    }
    // The primary key rejects the id of another comment.
    let riposte_core::CommandKind::Create(verb) = &mut batch[3].verb else { panic!("a create") };
    verb.id = stored.verb.comment_id().expect("an id");
    let outputs = store.writer().commit_without_wait(&batch.to_vec().into()).await.expect("committed");
    for (n, output) in outputs.iter().enumerate() {
        assert_eq!(output.as_ref().map(Result::is_ok), Some(n != 3), "{n}: {output:?}");
    }
    store.close().await;
    database.drop().await;
}
