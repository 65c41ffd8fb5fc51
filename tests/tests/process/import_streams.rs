//! ImportComments with a plain gRPC client that knows nothing of the server's limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::StreamExt;
use riposte_sdk::v1::{
    ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, ImportedSubject, import_item::Kind,
};
use riposte_tests::{Server, locks, real, say::content, until};
use tokio::sync::watch;

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

/// The smallest item that is imported.
fn smallest_subject() -> ImportCommentsRequest {
    let subject = ImportedSubject { key: Some(real::key("a", "1")), ..ImportedSubject::default() };
    let item = ImportItem { source: "o".into(), external_id: "1".into(), kind: Some(Kind::Subject(subject)) };
    ImportCommentsRequest { item: Some(item) }
}

/// Four streams of a connection are full of the smallest items and of the smallest messages, each
/// in a frame of its own.
#[tokio::test(flavor = "multi_thread")]
async fn four_streams_of_the_smallest_messages_keep_their_connection() -> Result<()> {
    for (message, count) in [(smallest_subject(), 6_000), (ImportCommentsRequest::default(), 16_000)] {
        let data = tempfile::tempdir()?;
        let server = Server::dev_on(data.path()).await?;
        let stalled = locks::lock(&data.path().join("riposte.db-shm"), locks::SQLITE_WRITER)?;
        let sent = Arc::new(AtomicUsize::new(0));
        let admin = server.admin()?;
        let (release, held) = watch::channel(false);
        // The responses of all streams are read at the same time: they share a connection.
        let imports: Vec<_> = (0..4)
            .map(|_| {
                let (message, sent, mut admin) = (message.clone(), Arc::clone(&sent), admin.clone());
                let messages = std::iter::once(smallest_subject()).chain(std::iter::repeat_n(message, count));
                let items = futures::stream::iter(messages).then(move |message| {
                    sent.fetch_add(1, Ordering::SeqCst);
                    // A client library sends what it has when the next message is not there yet.
                    async {
                        tokio::task::yield_now().await;
                        message
                    }
                });
                let mut held = held.clone();
                tokio::spawn(async move {
                    let mut responses = admin.import_comments(items).await?.into_inner();
                    held.wait_for(|is_over| *is_over).await?;
                    let mut done = 0;
                    while let Some(_response) =
                        responses.message().await.with_context(|| format!("after {done} responses"))?
                    {
                        done += 1;
                    }
                    anyhow::Ok(done)
                })
            })
            .collect();
        let last = AtomicUsize::new(0);
        let stays = || async {
            let now = sent.load(Ordering::SeqCst);
            Ok(now > 0 && last.swap(now, Ordering::SeqCst) == now)
        };
        until("the clients are held", stays).await?;
        drop(stalled);
        release.send(true)?;
        for import in imports {
            let done =
                tokio::time::timeout(Duration::from_secs(300), import).await.context("the import hangs")???;
            ensure!(done == count + 1, "{done} responses");
        }
    }
    Ok(())
}
