//! ImportComments with a plain gRPC client that knows nothing of the server's limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, import_item::Kind};
use riposte_tests::{Server, locks, real, say::content, until};

/// More items than a connection can hold, as small as a comment can be.
const ITEMS: usize = 8_000;
/// The number of subjects, whose items are mixed.
const SUBJECTS: usize = 40;

fn item(n: usize) -> ImportCommentsRequest {
    let comment = ImportedComment {
        subject: Some(real::key("article", &format!("s{}", n % SUBJECTS))),
        member_id: "m".into(),
        content: content("x"),
        create_time: Some(prost_types::Timestamp { seconds: 1_440_000_000, nanos: 0 }),
        ..ImportedComment::default()
    };
    let item = ImportItem { source: "o".into(), external_id: n.to_string(), kind: Some(Kind::Comment(comment)) };
    ImportCommentsRequest { item: Some(item) }
}

/// The client sends as fast as its library lets it, and reads no answer before the database, which
/// is locked at first, goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_far_ahead_of_its_answers_is_held_and_loses_nothing() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::dev_on(data.path()).await?;
    let stalled = locks::lock(&data.path().join("riposte.db-shm"), locks::SQLITE_WRITER)?;
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let items = futures::stream::iter((0..ITEMS).map(move |n| {
        counter.fetch_add(1, Ordering::SeqCst);
        item(n)
    }));
    let mut admin = server.admin()?;
    let import = tokio::spawn(async move { anyhow::Ok(admin.import_comments(items).await?.into_inner()) });
    let last = AtomicUsize::new(0);
    let stays = || async {
        let now = sent.load(Ordering::SeqCst);
        Ok(now > 0 && last.swap(now, Ordering::SeqCst) == now)
    };
    until("the client is held", stays).await?;
    let held_at = sent.load(Ordering::SeqCst);
    ensure!((256..ITEMS).contains(&held_at), "the client was held after {held_at} items");
    drop(stalled);
    let responses = tokio::time::timeout(Duration::from_secs(300), async {
        let mut stream = import.await??;
        let mut done = 0;
        while let Some(response) = stream.message().await.with_context(|| format!("after {done} responses"))? {
            ensure!(response.index == i64::try_from(done)?, "out of order: {response:?}");
            ensure!(response.outcome() == ImportOutcome::Created, "{response:?}");
            done += 1;
        }
        Ok(done)
    });
    ensure!(responses.await.context("the import hangs")?? == ITEMS, "items without an answer");
    Ok(())
}
