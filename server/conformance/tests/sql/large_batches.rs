//! Batches whose rows are larger than one packet of the database may be.

use riposte_core::subject::Metadata;
use riposte_core::{CommandKind, Content, SubjectKey};
use riposte_store::shard::TableCounts;

use crate::commits::{comment, commit_one, create_command, key, query_number};
use crate::databases::{ManualClock, TestDatabase};

/// A character of four bytes.
const CHARACTER: &str = "🏠";

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_of_512_longest_texts_is_committed() {
    for tables in [TableCounts { subject: 1, index: 1 }, TableCounts { subject: 2, index: 2 }] {
        let Some(database) = TestDatabase::servers(1, tables).await else { return };
        let store = database.migrated(&ManualClock::at_noon()).await;
        let limit = query_number(&store, "SELECT CAST(@@max_allowed_packet AS SIGNED)").await;
        assert_eq!(limit, 16 << 20, "the test is about this limit");
        let subjects: Vec<SubjectKey> = (0..8).map(|n| key(&format!("large {n}"))).collect();
        let mut batch = Vec::new();
        for n in 0..512 {
            let mut command = create_command(&store, &subjects[n % subjects.len()]).await;
            let CommandKind::Create(verb) = &mut command.verb else { panic!("a create") };
            verb.content = Content::stored(CHARACTER.repeat(5_000), Vec::new(), Metadata::new());
            batch.push(command);
        }
        let outputs = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        for (n, output) in outputs.iter().enumerate() {
            let output = output.as_ref().unwrap_or_else(|error| panic!("{n}: {error:?}"));
            assert_eq!((comment(output).reference.floor as usize, output.replayed), (1 + n / subjects.len(), false));
        }
        let again = commit_one(&store, &batch[511]).await.expect("the first result");
        assert!(again.replayed);
        let texts = store.reader().comments(&[comment(&again).reference.id]).await.expect("read");
        let text = texts[0].as_ref().and_then(|view| view.content.as_ref()).map(|content| content.text().to_owned());
        assert_eq!(text, Some(CHARACTER.repeat(5_000)));
        store.close().await;
        database.drop().await;
    }
}
