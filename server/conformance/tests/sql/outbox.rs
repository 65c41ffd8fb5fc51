//! The tables of the outbox under its port: transactions that stay open, rows whose ids are in an
//! adverse order, and the first lease.

use riposte_core::SubjectId;
use riposte_core::ports::{Epoch, LeaseCandidate};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, DatabaseTransaction, Statement};

use crate::databases::{ManualClock, NOON, TestDatabase, all_databases};
use crate::subject::run;

const SOURCE: usize = 0;
const LEADER: LeaseCandidate = LeaseCandidate::repairing([7; 16]);

/// Returns the statements that record one revision, as a commit would.
fn revision_statements(id: i64, subject: i64, revision: i64) -> Vec<String> {
    commit_statements(id, &[(subject, revision)])
}

/// Returns the statements that record one revision of each of some subjects.
fn commit_statements(id: i64, revisions: &[(i64, i64)]) -> Vec<String> {
    // OutboxCommit encoded by hand: field 1 holds an event, of which 1 is the subject (fixed64) and
    // 2 the revision (one byte here).
    let event = |(subject, revision): &(i64, i64)| {
        let subject: String = subject.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("0a0b09{subject}10{revision:02x}")
    };
    let events: String = revisions.iter().map(event).collect();
    let commit = format!("INSERT INTO outbox_commit (id, events, create_time) VALUES ({id}, x'{events}', {NOON})");
    let revisions = revisions.iter().filter(|(_, revision)| *revision > 0).map(|(subject, revision)| {
        format!("INSERT INTO outbox_revision (commit_id, subject_id, revision) VALUES ({id}, {subject}, {revision})")
    });
    std::iter::once(commit).chain(revisions).collect()
}

async fn open_transaction(store: &SqlStore, statements: Vec<String>) -> DatabaseTransaction {
    let tx = store.sources().all()[SOURCE].begin_write().await.expect("a connection");
    for sql in statements {
        tx.execute_raw(Statement::from_string(tx.get_database_backend(), &sql)).await.expect(&sql);
    }
    tx
}

async fn run_all(store: &SqlStore, statements: Vec<String>) {
    for sql in statements {
        run(store, sql).await;
    }
}

async fn acquire_lease(store: &SqlStore) -> Epoch {
    store
        .outbox()
        .acquire_lease(SOURCE, LEADER, riposte_core::Millis(NOON))
        .await
        .expect("requested")
        .expect("no other process holds the lease")
}

/// Returns the (subject, revision) of all sequenced events, in order.
async fn sequenced_revisions(store: &SqlStore) -> Vec<(i64, i64)> {
    let events = store.outbox().read(SOURCE, 0, 10_000).await.expect("read");
    assert!(
        events.iter().map(|sequenced| sequenced.number).eq(1..=events.len() as i64),
        "sequence numbers have no holes"
    );
    events.into_iter().map(|sequenced| (sequenced.event.subject.get(), sequenced.event.revision.unwrap_or(0))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_commits_late_gets_a_late_sequence_number() {
    // SQLite has one writer, so no transaction commits late there.
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let store = database.migrated(&ManualClock::at_noon()).await;
    let (outbox, epoch) = (store.outbox(), acquire_lease(&store).await);
    let late = open_transaction(&store, revision_statements(10, 1, 1)).await;
    let early = open_transaction(&store, revision_statements(20, 2, 1)).await;
    early.commit().await.expect("committed");
    assert_eq!(outbox.assign_sequence(SOURCE, epoch, 5).await, Ok(Some(1)), "an open transaction delays no other");
    assert_eq!(sequenced_revisions(&store).await, [(2, 1)]);
    assert_eq!(outbox.assign_sequence(SOURCE, epoch, 5).await, Ok(Some(0)));
    late.commit().await.expect("committed");
    assert_eq!(outbox.assign_sequence(SOURCE, epoch, 5).await, Ok(Some(1)), "a smaller id is not skipped");
    assert_eq!(sequenced_revisions(&store).await, [(2, 1), (1, 1)]);
    store.close().await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revisions_get_sequence_numbers_in_order_whatever_the_order_of_their_ids() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let epoch = acquire_lease(&store).await;
        // One subject with descending ids, one with two interleaved ranges of ids, one in order,
        // and likes between them.
        for n in 1..=30_i64 {
            let offset = if n % 2 == 0 { n } else { 100 + n };
            for (subject, id, revision) in [(1, 1_000 - n, n), (2, 2_000 + offset, n), (3, n, n), (4, 500 + n, 0)] {
                run_all(&store, revision_statements(id, subject, revision)).await;
            }
        }
        let mut batches = 0;
        while let Some(count @ 1..) = store.outbox().assign_sequence(SOURCE, epoch, 7).await.expect("numbered") {
            assert!(count <= 7, "a batch is bounded");
            batches += 1;
        }
        assert_eq!(batches, 18);
        let revisions_in_order = sequenced_revisions(&store).await;
        for subject in 1..=3 {
            let revisions = revisions_in_order.iter().filter(|(of, _)| *of == subject).map(|(_, revision)| *revision);
            assert!(revisions.eq(1..=30), "{subject}: {revisions_in_order:?}");
        }
        assert_eq!(revisions_in_order.len(), 120);
        assert_eq!(store.outbox().state(SOURCE).await.expect("read").oldest_waiting, None);
        let id = SubjectId::new(2).expect("positive");
        let next = store.outbox().of_subject(riposte_core::Partition::number(0), id, 27, 2).await.expect("read");
        assert!(next.iter().map(|event| event.revision).eq([Some(28), Some(29)]));
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_over_several_subjects_get_sequence_numbers_in_the_order_of_all_their_revisions() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let epoch = acquire_lease(&store).await;
        // Each commit shares a subject with the one before it, and their ids descend.
        for n in 1..=20_i64 {
            run_all(&store, commit_statements(1_000 - n, &[(n, 2), (n + 1, 1)])).await;
        }
        run_all(&store, commit_statements(2_000, &[(1, 1)])).await;
        let mut batches = Vec::new();
        while let Some(count @ 1..) = store.outbox().assign_sequence(SOURCE, epoch, 4).await.expect("numbered") {
            batches.push(count);
        }
        assert_eq!(batches, [4, 4, 4, 4, 4, 1], "every batch but the last is full");
        let events = store.outbox().read(SOURCE, 0, 100).await.expect("read");
        let first = |number| {
            events.iter().find(|sequenced| sequenced.number == number).map(|sequenced| sequenced.event.subject.get())
        };
        assert!((2..=21).all(|number| first(number) == Some(number - 1)), "{events:?}");
        for subject in 1..=20 {
            let of = events.iter().filter(|sequenced| sequenced.event.subject.get() == subject);
            assert!(of.map(|sequenced| sequenced.event.revision).eq([Some(1), Some(2)]), "{subject}: {events:?}");
        }
        assert_eq!(store.outbox().read(SOURCE, 20, 1).await.expect("read").len(), 2, "a commit is read as a whole");
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_revisions_of_an_unreadable_row_are_reported() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let epoch = acquire_lease(&store).await;
        run_all(&store, commit_statements(1, &[(1, 1), (2, 1)])).await;
        run(&store, "UPDATE outbox_commit SET events = x'ff' WHERE id = 1".to_owned()).await;
        run(&store, format!("INSERT INTO outbox_commit (id, events, create_time) VALUES (2, x'ff', {NOON})")).await;
        run_all(&store, revision_statements(3, 1, 2)).await;
        assert_eq!(store.outbox().assign_sequence(SOURCE, epoch, 10).await, Ok(Some(3)));
        let events = store.outbox().read(SOURCE, 0, 1).await.expect("read");
        assert!(events.iter().all(|sequenced| sequenced.number == 1 && sequenced.event.changes.subject), "{events:?}");
        let revisions = events.iter().map(|sequenced| (sequenced.event.subject.get(), sequenced.event.revision));
        assert!(revisions.eq([(1, Some(1)), (2, Some(1))]), "{events:?}");
        let next = store.outbox().read(SOURCE, 1, 1).await.expect("read");
        assert!(next.iter().map(|sequenced| sequenced.number).eq([3]), "a row without a revision is skipped: {next:?}");
        let id = SubjectId::new(1).expect("positive");
        let own = store.outbox().of_subject(riposte_core::Partition::number(0), id, 0, 9).await.expect("read");
        assert!(own.iter().map(|event| event.revision).eq([Some(1), Some(2)]), "{own:?}");
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_candidates_that_request_the_lease_at_once_one_acquires_it() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let stores = [database.migrated(&clock).await, database.open(&clock)];
        assert_eq!(stores[0].outbox().assign_sequence(SOURCE, Epoch(0), 5).await, Ok(None), "before the first epoch");
        assert_eq!(stores[0].outbox().head(SOURCE).await, Ok(0));
        let acquire = |n: u8| {
            let outbox = stores[usize::from(n % 2)].outbox();
            tokio::spawn(async move {
                outbox.acquire_lease(SOURCE, LeaseCandidate::repairing([n; 16]), riposte_core::Millis(NOON)).await
            })
        };
        let mut epochs = Vec::new();
        for task in (1..=16).map(acquire).collect::<Vec<_>>() {
            epochs.extend(task.await.expect("no panic").expect("no candidate makes another fail"));
        }
        assert_eq!(epochs, [Epoch(1)]);
        for store in &stores {
            store.close().await;
        }
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_continue_after_those_of_the_events_when_the_row_of_the_relay_was_lost_or_lowered() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let outbox = store.outbox();
        let commit = async |id: i64| run_all(&store, revision_statements(id, id, 1)).await;
        let epoch = acquire_lease(&store).await;
        for id in 1..=3 {
            commit(id).await;
        }
        assert_eq!(outbox.assign_sequence(SOURCE, epoch, 9).await, Ok(Some(3)));

        // The leader finds that its position was lowered.
        run(&store, "UPDATE relay_state SET position = 1 WHERE name = x'72656c6179'".to_owned()).await;
        for id in 4..=5 {
            commit(id).await;
        }
        assert_eq!(outbox.assign_sequence(SOURCE, epoch, 9).await, Ok(Some(2)));
        assert_eq!(outbox.head(SOURCE).await, Ok(5));

        // Numbers that were trimmed are not assigned again.
        run(&store, "DELETE FROM outbox_commit WHERE pub_seq < 5".to_owned()).await;
        run(&store, "UPDATE relay_state SET position = 0 WHERE name = x'72656c6179'".to_owned()).await;
        assert_eq!(outbox.assign_sequence(SOURCE, epoch, 9).await, Ok(Some(0)));
        assert_eq!(outbox.head(SOURCE).await, Ok(5));

        // The next leader finds that the row is missing.
        run(&store, "DELETE FROM relay_state WHERE name = x'72656c6179'".to_owned()).await;
        commit(6).await;
        assert_eq!(outbox.assign_sequence(SOURCE, epoch, 9).await, Ok(None), "no process leads");
        let epoch = acquire_lease(&store).await;
        assert_eq!(outbox.head(SOURCE).await, Ok(5), "readers see no lower head");
        assert_eq!(outbox.assign_sequence(SOURCE, epoch, 9).await, Ok(Some(1)));

        // The next leader finds that its position was lowered.
        run(&store, "UPDATE relay_state SET position = 0, leased_until = 0 WHERE name = x'72656c6179'".to_owned())
            .await;
        acquire_lease(&store).await;
        assert_eq!(outbox.head(SOURCE).await, Ok(6));
        let numbers: Vec<i64> =
            outbox.read(SOURCE, 0, 9).await.expect("read").iter().map(|event| event.number).collect();
        assert_eq!(numbers, [5, 6]);
        store.close().await;
        database.drop().await;
    }
}
