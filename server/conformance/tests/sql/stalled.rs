//! Transactions that hold rows for too long: no caller waits longer than the lock timeout, and only
//! callers that need the same rows wait.

use riposte_core::Error;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};

use crate::commits::{assign_sequence, create, key, one};
use crate::databases::{ManualClock, Place};

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_rests_is_ended_by_mariadb_and_the_subject_is_free_again() {
    let Some(place) = Place::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let (stalled, other) = (place.migrated(&clock).await, place.open(&clock));
    let pool = stalled.sources().all()[0].write_pool();
    let sql = |text: &str| Statement::from_string(pool.get_database_backend(), text);
    let version = pool.query_one_raw(sql("SELECT VERSION() AS version")).await.expect("asked").expect("answered");
    if !version.try_get::<String>("", "version").expect("text").contains("MariaDB") {
        eprintln!("SKIPPED: only MariaDB ends transactions that rest");
        return;
    }
    let subject = key("1");
    one(&stalled, &create(&stalled, &subject).await).await.expect("the subject comes into being");
    let held = stalled.sources().all()[0].begin_write().await.expect("a transaction");
    let locked = held.query_all_raw(sql("SELECT id FROM comment_subject FOR UPDATE")).await.expect("locked");
    assert_eq!(locked.len(), 1);

    let command = create(&other, &subject).await;
    // Both wait for the same time, so the first tries may be over just before the stalled one is. A
    // refused try has waited for a lock: a few are enough.
    let mut tries = 0;
    while let Err(refused) =
        other.writer().commit(&vec![command.clone()].into()).await.and_then(|mut all| all.remove(0))
    {
        assert!(matches!(refused, Error::Overloaded { .. }), "{refused:?}");
        tries += 1;
        assert!(tries < 5, "the stalled transaction is never ended");
    }
    let resumed = held.query_all_raw(sql("SELECT id FROM comment_subject FOR UPDATE")).await;
    assert!(resumed.is_err(), "the stalled transaction lives: {resumed:?}");
    drop(held);
    stalled.close().await;
    other.close().await;
    place.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_that_somebody_holds_keeps_no_other_subject_of_its_batch() {
    let Some(place) = Place::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    let (holder, store) = (place.migrated(&clock).await, place.open(&clock));
    let (held, free) = (key("held"), key("free"));
    for subject in [&held, &free] {
        one(&store, &create(&store, subject).await).await.expect("the subject comes into being");
    }
    let source = &holder.sources().all()[0];
    let tx = source.begin_write().await.expect("a transaction");
    let sql = |text: &str| Statement::from_string(source.write_pool().get_database_backend(), text);
    tx.execute_raw(sql("SET @rest = 1 /*M!, SESSION idle_transaction_timeout = 0 */")).await.expect("it may rest");
    let lock = "SELECT id FROM comment_subject WHERE object_type = 'video' AND object_id = 'held' FOR UPDATE";
    assert_eq!(tx.query_all_raw(sql(lock)).await.expect("locked").len(), 1);

    let batch = [create(&store, &held).await, create(&store, &free).await, create(&store, &held).await];
    let answers = store.writer().commit(&batch.to_vec().into()).await.expect("the batch is divided");
    assert!(matches!(answers[0], Err(Error::Overloaded { .. })), "{:?}", answers[0]);
    assert!(answers[1].is_ok(), "the neighbour was kept: {:?}", answers[1]);
    assert!(matches!(answers[2], Err(Error::Overloaded { .. })), "{:?}", answers[2]);
    tx.rollback().await.expect("let go");
    let again = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
    assert!(again.iter().all(Result::is_ok), "{again:?}");
    assert_eq!(assign_sequence(&store, "SELECT COUNT(*) FROM comment_index").await, 5, "nothing came twice");
    holder.close().await;
    store.close().await;
    place.drop().await;
}
