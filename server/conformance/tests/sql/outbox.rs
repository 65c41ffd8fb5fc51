//! The tables of the outbox under its port: transactions that are held open, rows with ids in an
//! adverse order, and a first lease.

use riposte_core::SubjectId;
use riposte_core::ports::{Epoch, LeaseCandidate};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, DatabaseTransaction, Statement};

use crate::databases::{ManualClock, NOON, Place, everywhere};
use crate::subject::run;

const SOURCE: usize = 0;
const LEADER: LeaseCandidate = LeaseCandidate::mending([7; 16]);

/// Returns the statements that record one revision, as a commit would.
fn told(id: i64, subject: i64, revision: i64) -> Vec<String> {
    tells(id, &[(subject, revision)])
}

/// Returns the statements that record one revision of each of some subjects.
fn tells(id: i64, made: &[(i64, i64)]) -> Vec<String> {
    // OutboxCommit encoded by hand: field 1 holds an event, of which 1 is the subject (fixed64) and
    // 2 the revision (one byte here).
    let event = |(subject, revision): &(i64, i64)| {
        let subject: String = subject.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("0a0b09{subject}10{revision:02x}")
    };
    let events: String = made.iter().map(event).collect();
    let commit = format!("INSERT INTO outbox_commit (id, events, create_time) VALUES ({id}, x'{events}', {NOON})");
    let made = made.iter().filter(|(_, revision)| *revision > 0).map(|(subject, revision)| {
        format!("INSERT INTO outbox_revision (commit_id, subject_id, revision) VALUES ({id}, {subject}, {revision})")
    });
    std::iter::once(commit).chain(made).collect()
}

async fn held_open(store: &SqlStore, statements: Vec<String>) -> DatabaseTransaction {
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
        .expect("asked")
        .expect("nobody else leads")
}

/// Returns the (subject, revision) of all sequence numbers, in order.
async fn sequenced(store: &SqlStore) -> Vec<(i64, i64)> {
    let events = store.outbox().read(SOURCE, 0, 10_000).await.expect("read");
    assert!(events.iter().map(|sequenced| sequenced.number).eq(1..=events.len() as i64), "numbers have no holes");
    events.into_iter().map(|n| (n.event.subject.get(), n.event.revision.unwrap_or(0))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_commits_late_is_numbered_late() {
    // SQLite has one writer, so nothing commits late there.
    let Some(place) = Place::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let store = place.migrated(&ManualClock::at_noon()).await;
    let (outbox, term) = (store.outbox(), acquire_lease(&store).await);
    let late = held_open(&store, told(10, 1, 1)).await;
    let early = held_open(&store, told(20, 2, 1)).await;
    early.commit().await.expect("committed");
    assert_eq!(outbox.assign_sequence(SOURCE, term, 5).await, Ok(Some(1)), "what is not committed is not waited for");
    assert_eq!(sequenced(&store).await, [(2, 1)]);
    assert_eq!(outbox.assign_sequence(SOURCE, term, 5).await, Ok(Some(0)));
    late.commit().await.expect("committed");
    assert_eq!(outbox.assign_sequence(SOURCE, term, 5).await, Ok(Some(1)), "a smaller id is no reason to be skipped");
    assert_eq!(sequenced(&store).await, [(2, 1), (1, 1)]);
    store.close().await;
    place.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revisions_are_numbered_in_order_whatever_the_order_of_their_ids() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
        let term = acquire_lease(&store).await;
        // One subject with descending ids, one with two strides, one in order, and likes between
        // them.
        for n in 1..=30_i64 {
            let stride = if n % 2 == 0 { n } else { 100 + n };
            for (subject, id, revision) in [(1, 1_000 - n, n), (2, 2_000 + stride, n), (3, n, n), (4, 500 + n, 0)] {
                run_all(&store, told(id, subject, revision)).await;
            }
        }
        let mut picks = 0;
        while let Some(count @ 1..) = store.outbox().assign_sequence(SOURCE, term, 7).await.expect("numbered") {
            assert!(count <= 7, "a pick is bounded");
            picks += 1;
        }
        assert_eq!(picks, 18);
        let sequenced = sequenced(&store).await;
        for subject in 1..=3 {
            let revisions = sequenced.iter().filter(|(of, _)| *of == subject).map(|(_, revision)| *revision);
            assert!(revisions.eq(1..=30), "{subject}: {sequenced:?}");
        }
        assert_eq!(sequenced.len(), 120);
        assert_eq!(store.outbox().oldest_waiting(SOURCE).await, Ok(None));
        let id = SubjectId::new(2).expect("positive");
        let rest = store.outbox().of_subject(riposte_core::Partition::number(0), id, 27, 2).await.expect("read");
        assert!(rest.iter().map(|event| event.revision).eq([Some(28), Some(29)]));
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_over_several_subjects_are_numbered_as_all_of_their_revisions_follow_each_other() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
        let term = acquire_lease(&store).await;
        // Each commit shares a subject with the one before it, and their ids descend.
        for n in 1..=20_i64 {
            run_all(&store, tells(1_000 - n, &[(n, 2), (n + 1, 1)])).await;
        }
        run_all(&store, tells(2_000, &[(1, 1)])).await;
        let mut picks = Vec::new();
        while let Some(count @ 1..) = store.outbox().assign_sequence(SOURCE, term, 4).await.expect("numbered") {
            picks.push(count);
        }
        assert_eq!(picks, [4, 4, 4, 4, 4, 1], "a pick is full until nothing waits");
        let events = store.outbox().read(SOURCE, 0, 100).await.expect("read");
        let first = |number| events.iter().find(|told| told.number == number).map(|told| told.event.subject.get());
        assert!((2..=21).all(|number| first(number) == Some(number - 1)), "{events:?}");
        for subject in 1..=20 {
            let of = events.iter().filter(|told| told.event.subject.get() == subject);
            assert!(of.map(|told| told.event.revision).eq([Some(1), Some(2)]), "{subject}: {events:?}");
        }
        assert_eq!(store.outbox().read(SOURCE, 20, 1).await.expect("read").len(), 2, "a commit is read as a whole");
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_row_that_cannot_be_read_the_revisions_are_told() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
        let term = acquire_lease(&store).await;
        run_all(&store, tells(1, &[(1, 1), (2, 1)])).await;
        run(&store, "UPDATE outbox_commit SET events = x'ff' WHERE id = 1".to_owned()).await;
        run(&store, format!("INSERT INTO outbox_commit (id, events, create_time) VALUES (2, x'ff', {NOON})")).await;
        run_all(&store, told(3, 1, 2)).await;
        assert_eq!(store.outbox().assign_sequence(SOURCE, term, 10).await, Ok(Some(3)));
        let events = store.outbox().read(SOURCE, 0, 1).await.expect("read");
        assert!(events.iter().all(|told| told.number == 1 && told.event.changes.subject), "{events:?}");
        let made = events.iter().map(|told| (told.event.subject.get(), told.event.revision));
        assert!(made.eq([(1, Some(1)), (2, Some(1))]), "{events:?}");
        let next = store.outbox().read(SOURCE, 1, 1).await.expect("read");
        assert!(next.iter().map(|told| told.number).eq([3]), "what tells nothing keeps nobody: {next:?}");
        let id = SubjectId::new(1).expect("positive");
        let of = store.outbox().of_subject(riposte_core::Partition::number(0), id, 0, 9).await.expect("read");
        assert!(of.iter().map(|event| event.revision).eq([Some(1), Some(2)]), "{of:?}");
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_begin_to_lead_at_once_one_leads() {
    for place in everywhere().await {
        let clock = ManualClock::at_noon();
        let stores = [place.migrated(&clock).await, place.open(&clock)];
        assert_eq!(stores[0].outbox().assign_sequence(SOURCE, Epoch(0), 5).await, Ok(None), "before the first term");
        assert_eq!(stores[0].outbox().head(SOURCE).await, Ok(0));
        let ask = |n: u8| {
            let outbox = stores[usize::from(n % 2)].outbox();
            tokio::spawn(async move {
                outbox.acquire_lease(SOURCE, LeaseCandidate::mending([n; 16]), riposte_core::Millis(NOON)).await
            })
        };
        let mut terms = Vec::new();
        for asked in (1..=16).map(ask).collect::<Vec<_>>() {
            terms.extend(asked.await.expect("ended well").expect("nobody is failed by another"));
        }
        assert_eq!(terms, [Epoch(1)]);
        for store in &stores {
            store.close().await;
        }
        place.drop().await;
    }
}
