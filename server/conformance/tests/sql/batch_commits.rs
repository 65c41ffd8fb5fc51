//! The queries of a batch of writes, as a proxy before the server sees them.

use std::sync::Arc;

use riposte_conformance::stores::ranking_config;
use riposte_core::event::{ChangeKind, Changes, CommentChange, Event, SequencedEvent};
use riposte_core::{Comment, LikeValue, Millis, SubjectKey};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;

use crate::batch_reads::QueryCounter;
use crate::commits::{comment, create_command, key, like_command};
use crate::databases::{ManualClock, NOON, TestDatabase};
use crate::statements::session_counter;

/// The queries of one batch of each type.
#[derive(Debug)]
struct BatchQueries {
    creates: usize,
    likes: usize,
    /// Those of the rank index, which follows the likes.
    ranks: usize,
    /// The statements that the connection has prepared for all of them.
    prepared: usize,
}

/// Counts the queries of batches of this number of commands, each for another subject.
async fn measure(tables: TableCounts, width: usize) -> Option<BatchQueries> {
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
    let (ranks, _) = store.ranks(ranking_config());
    let subjects: Vec<SubjectKey> = (0..width).map(|n| key(&format!("spread {n}"))).collect();
    let mut counted = BatchQueries { creates: usize::MAX, likes: usize::MAX, ranks: usize::MAX, prepared: 0 };
    // The first round creates the subjects, and the second one prepares what is prepared. The
    // renewal of the worker lease uses the same connection and may add its queries to a batch of
    // one round, so the fewest count.
    for round in 0..4 {
        let mut creates = Vec::new();
        for subject in &subjects {
            creates.push(create_command(&direct, subject).await);
        }
        let before = counter.count();
        let outputs = store.writer().commit(&creates.into()).await.expect("committed");
        counted.creates = counted.creates.min(counter.count() - before);
        let created: Vec<Comment> = outputs.iter().map(|output| comment(output.as_ref().expect("created"))).collect();
        let like = |(subject, comment): (&SubjectKey, &Comment)| {
            like_command(&store, subject, comment.reference.id, "fan", LikeValue::Like)
        };
        let likes: Vec<_> = subjects.iter().zip(&created).map(like).collect();
        let before = counter.count();
        let outputs = store.writer().commit(&likes.into()).await.expect("committed");
        assert!(outputs.iter().all(Result::is_ok), "{round}: {outputs:?}");
        counted.likes = counted.likes.min(counter.count() - before);
        let before = counter.count();
        ranks.apply(0, &created.iter().map(liked).collect::<Vec<_>>()).await.expect("applied");
        counted.ranks = counted.ranks.min(counter.count() - before);
    }
    counted.prepared = session_counter(store.sources().all()[0].write_pool(), "Com_stmt_prepare").await;
    store.close().await;
    direct.close().await;
    database.drop().await;
    Some(counted)
}

/// Returns the event of a like of a comment.
fn liked(comment: &Comment) -> SequencedEvent {
    let change = CommentChange { id: comment.reference.id, root: None, kind: ChangeKind::Liked };
    let event = Event {
        partition: comment.reference.id.partition(),
        subject: comment.reference.subject_id,
        revision: None,
        changes: Changes { comments: vec![change], ..Changes::default() },
        time: Millis(NOON),
    };
    SequencedEvent { number: 1, event }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queries_of_a_batch_do_not_grow_with_the_number_of_tables() {
    for tables in [TableCounts { subject: 8, index: 32 }, TableCounts { subject: 50, index: 200 }] {
        for width in [1, 128] {
            let Some(counted) = measure(tables, width).await else { return };
            let BatchQueries { creates, likes, ranks, prepared } = counted;
            // BEGIN with the locks and reads; the writes with COMMIT; the ROLLBACK of the
            // connection that returns to its pool, after this batch and after the one before it.
            assert!(creates <= 4, "{creates} queries of {width} creates: {tables:?}");
            assert!(likes <= 4, "{likes} queries of {width} likes: {tables:?}");
            // COMMIT is a query of its own here.
            assert!(ranks <= 5, "{ranks} queries of the ranks of {width} likes: {tables:?}");
            // The ids of the process, and the read of the counter.
            assert!(prepared <= 16, "{prepared} statements for {width} commands: {tables:?}");
        }
    }
}
