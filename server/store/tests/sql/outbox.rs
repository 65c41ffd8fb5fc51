//! The outbox beneath its port: transactions that are held open, rows with ids in a bad order, and a first lead.

use riposte_core::SubjectId;
use riposte_core::ports::Epoch;
use riposte_store::Store;
use riposte_store::shard::Tables;
use sea_orm::{ConnectionTrait, DatabaseTransaction, Statement};

use crate::databases::{Hands, NOON, Place, everywhere};
use crate::subject::run;

const SOURCE: usize = 0;
const OWNER: [u8; 16] = [7; 16];

/// The statement that tells a revision, as a commit would.
fn told(id: i64, subject: i64, revision: i64) -> String {
    format!(
        "INSERT INTO comment_outbox (id, part, subject_id, revision, changes, pub_seq, create_time) \
         VALUES ({id}, 0, {subject}, {revision}, '', NULL, {NOON})"
    )
}

async fn held_open(store: &Store, sql: &str) -> DatabaseTransaction {
    let tx = store.sources().all()[SOURCE].begin_write().await.expect("a connection");
    tx.execute_raw(Statement::from_string(tx.get_database_backend(), sql)).await.expect(sql);
    tx
}

async fn lead(store: &Store) -> Epoch {
    store.outbox().lead(SOURCE, &OWNER, riposte_core::Millis(NOON)).await.expect("asked").expect("nobody else leads")
}

/// The (subject, revision) of all numbers, in order.
async fn numbered(store: &Store) -> Vec<(i64, i64)> {
    let events = store.outbox().read(SOURCE, 0, 10_000).await.expect("read");
    assert!(events.iter().map(|numbered| numbered.number).eq(1..=events.len() as i64), "numbers have no holes");
    events.into_iter().map(|n| (n.event.subject.get(), n.event.revision.unwrap_or(0))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_commits_late_is_numbered_late() {
    // SQLite has one writer, so there nothing commits late.
    let Some(place) = Place::servers(1, Tables { subject: 1, index: 1 }).await else { return };
    let store = place.migrated(&Hands::at_noon()).await;
    let (outbox, term) = (store.outbox(), lead(&store).await);
    let late = held_open(&store, &told(10, 1, 1)).await;
    let early = held_open(&store, &told(20, 2, 1)).await;
    early.commit().await.expect("committed");
    assert_eq!(outbox.number(SOURCE, term, 5).await, Ok(Some(1)), "what is not committed is not waited for");
    assert_eq!(numbered(&store).await, [(2, 1)]);
    assert_eq!(outbox.number(SOURCE, term, 5).await, Ok(Some(0)));
    late.commit().await.expect("committed");
    assert_eq!(outbox.number(SOURCE, term, 5).await, Ok(Some(1)), "a smaller id is no reason to be skipped");
    assert_eq!(numbered(&store).await, [(2, 1), (1, 1)]);
    store.close().await;
    place.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revisions_are_numbered_in_order_whatever_the_order_of_their_ids() {
    for place in everywhere().await {
        let store = place.migrated(&Hands::at_noon()).await;
        let term = lead(&store).await;
        // One subject backwards, one in two strides, one as it should be, and likes between them.
        for n in 1..=30_i64 {
            let stride = if n % 2 == 0 { n } else { 100 + n };
            for (subject, id, revision) in [(1, 1_000 - n, n), (2, 2_000 + stride, n), (3, n, n), (4, 500 + n, 0)] {
                run(&store, told(id, subject, revision)).await;
            }
        }
        let mut picks = 0;
        while let Some(count @ 1..) = store.outbox().number(SOURCE, term, 7).await.expect("numbered") {
            assert!(count <= 7, "a pick is bounded");
            picks += 1;
        }
        assert_eq!(picks, 18);
        let numbered = numbered(&store).await;
        for subject in 1..=3 {
            let revisions = numbered.iter().filter(|(of, _)| *of == subject).map(|(_, revision)| *revision);
            assert!(revisions.eq(1..=30), "{subject}: {numbered:?}");
        }
        assert_eq!(numbered.len(), 120);
        assert_eq!(store.outbox().oldest_waiting(SOURCE).await, Ok(None));
        let id = SubjectId::new(2).expect("positive");
        let rest = store.outbox().of_subject(riposte_core::Partition::number(0), id, 27, 2).await.expect("read");
        assert!(rest.iter().map(|event| event.revision).eq([Some(28), Some(29)]));
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_begin_to_lead_at_once_one_leads() {
    for place in everywhere().await {
        let clock = Hands::at_noon();
        let stores = [place.migrated(&clock).await, place.open(&clock)];
        assert_eq!(stores[0].outbox().number(SOURCE, Epoch(0), 5).await, Ok(None), "before the first term");
        assert_eq!(stores[0].outbox().head(SOURCE).await, Ok(0));
        let ask = |n: u8| {
            let outbox = stores[usize::from(n % 2)].outbox();
            tokio::spawn(async move { outbox.lead(SOURCE, &[n; 16], riposte_core::Millis(NOON)).await })
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
