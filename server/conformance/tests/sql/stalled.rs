//! Transactions that lock rows for too long: no caller waits longer than the lock timeout, and only
//! callers that need the same rows wait.

use riposte_core::Error;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};

use crate::commits::{commit_one, create_command, key, query_number};
use crate::databases::{ManualClock, TestDatabase};

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_transaction_is_ended_by_mariadb_and_its_subject_is_unlocked() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let (stalled, other) = (database.migrated(&clock).await, database.open(&clock));
    let pool = stalled.sources().all()[0].write_pool();
    let sql = |text: &str| Statement::from_string(pool.get_database_backend(), text);
    let version = pool.query_one_raw(sql("SELECT VERSION() AS version")).await.expect("read").expect("a row");
    if !version.try_get::<String>("", "version").expect("text").contains("MariaDB") {
        eprintln!("SKIPPED: only MariaDB ends idle transactions");
        return;
    }
    let subject = key("1");
    commit_one(&stalled, &create_command(&stalled, &subject).await).await.expect("the subject is created");
    let transaction = stalled.sources().all()[0].begin_write().await.expect("a transaction");
    let locked = transaction.query_all_raw(sql("SELECT id FROM comment_subject FOR UPDATE")).await.expect("locked");
    assert_eq!(locked.len(), 1);

    let command = create_command(&other, &subject).await;
    // The lock timeout equals the idle timeout, so that the first attempts may fail just before the
    // stalled transaction is ended. A failed attempt has waited for the lock: a few are enough.
    let mut attempts = 0;
    while let Err(error) = other.writer().commit(&vec![command.clone()].into()).await.and_then(|mut all| all.remove(0))
    {
        assert!(matches!(error, Error::Overloaded { .. }), "{error:?}");
        attempts += 1;
        assert!(attempts < 5, "the stalled transaction is never ended");
    }
    let resumed = transaction.query_all_raw(sql("SELECT id FROM comment_subject FOR UPDATE")).await;
    assert!(resumed.is_err(), "the stalled transaction is still open: {resumed:?}");
    drop(transaction);
    stalled.close().await;
    other.close().await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_locked_by_another_transaction_delays_no_other_subject_of_its_batch() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let (holder, store) = (database.migrated(&clock).await, database.open(&clock));
    let (locked, free) = (key("locked"), key("free"));
    for subject in [&locked, &free] {
        commit_one(&store, &create_command(&store, subject).await).await.expect("the subject is created");
    }
    let source = &holder.sources().all()[0];
    let tx = source.begin_write().await.expect("a transaction");
    let sql = |text: &str| Statement::from_string(source.write_pool().get_database_backend(), text);
    tx.execute_raw(sql("SET @unused = 1 /*M!, SESSION idle_transaction_timeout = 0 */")).await.expect("it may be idle");
    let lock = "SELECT id FROM comment_subject WHERE object_type = 'video' AND object_id = 'locked' FOR UPDATE";
    assert_eq!(tx.query_all_raw(sql(lock)).await.expect("locked").len(), 1);

    let batch = [
        create_command(&store, &locked).await,
        create_command(&store, &free).await,
        create_command(&store, &locked).await,
    ];
    let results = store.writer().commit(&batch.to_vec().into()).await.expect("the batch is divided");
    assert!(matches!(results[0], Err(Error::Overloaded { .. })), "{:?}", results[0]);
    assert!(results[1].is_ok(), "the other subject was delayed: {:?}", results[1]);
    assert!(matches!(results[2], Err(Error::Overloaded { .. })), "{:?}", results[2]);
    tx.rollback().await.expect("unlocked");
    let again = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
    assert!(again.iter().all(Result::is_ok), "{again:?}");
    assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_index").await, 5, "no command took effect twice");
    holder.close().await;
    store.close().await;
    database.drop().await;
}
