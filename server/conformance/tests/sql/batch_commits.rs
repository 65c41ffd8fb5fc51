//! The queries of a batch of writes, as a proxy before the server sees them.

use std::sync::Arc;

use riposte_core::{LikeValue, SubjectKey};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;

use crate::batch_reads::QueryCounter;
use crate::commits::{comment, create_command, key, like_command};
use crate::databases::{ManualClock, TestDatabase};

/// The queries of one batch of each type.
#[derive(Debug)]
struct BatchQueries {
    creates: usize,
    likes: usize,
}

/// Counts the queries of batches that are spread over all tables.
async fn measure(tables: TableCounts) -> Option<BatchQueries> {
    let database = TestDatabase::servers(1, tables).await?;
    let clock = ManualClock::at_noon();
    let direct = database.migrated(&clock).await;
    let TestDatabase::Servers(urls, _) = &database else { unreachable!("servers") };
    let (address, name) = urls[0].trim_start_matches("mysql://root@").split_once('/').expect("host:port/database");
    let counter = Arc::new(QueryCounter::default());
    let port = counter.proxy(address.to_owned()).await;
    let url = format!("mysql://root@127.0.0.1:{port}/{name}?ssl-mode=disabled");
    let mut config = riposte_store::StoreConfig::mysql(&[url], tables);
    config.write.connections = 1;
    let store = SqlStore::open(&config, clock).expect("the configuration is sound");
    let subjects: Vec<SubjectKey> = (0..128).map(|n| key(&format!("spread {n}"))).collect();
    let mut counted = BatchQueries { creates: 0, likes: 0 };
    // The first round creates the subjects, and the second one prepares what is prepared.
    for round in 0..3 {
        let mut creates = Vec::new();
        for subject in &subjects {
            creates.push(create_command(&direct, subject).await);
        }
        let before = counter.count();
        let outputs = store.writer().commit(&creates.into()).await.expect("committed");
        counted.creates = counter.count() - before;
        let like = |(subject, output): (&SubjectKey, _)| {
            let id = comment(&Result::expect(output, "created")).reference.id;
            like_command(&store, subject, id, "fan", LikeValue::Like)
        };
        let likes: Vec<_> = subjects.iter().zip(outputs).map(like).collect();
        let before = counter.count();
        let outputs = store.writer().commit(&likes.into()).await.expect("committed");
        assert!(outputs.iter().all(Result::is_ok), "{round}: {outputs:?}");
        counted.likes = counter.count() - before;
    }
    store.close().await;
    direct.close().await;
    database.drop().await;
    Some(counted)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_counter_of_a_batch_do_not_grow_with_the_number_of_tables() {
    for tables in [TableCounts { subject: 8, index: 32 }, TableCounts { subject: 50, index: 200 }] {
        let Some(BatchQueries { creates, likes }) = measure(tables).await else { return };
        // BEGIN with the locks and reads; the writes with COMMIT; the ROLLBACK of the connection
        // that returns to its pool, after this batch and after the one before it.
        assert!(creates <= 4 && likes <= 4, "{creates} queries of creates, {likes} of likes: {tables:?}");
    }
}
