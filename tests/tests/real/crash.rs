//! `kill -9` of the server in the middle of an import: acknowledged comments are kept, and the next
//! run completes the import.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{BatchGetCommentsRequest, ImportCommentsRequest, ImportItem, ImportOutcome, import_item::Kind};
use riposte_tests::Server;
use riposte_tests::real::madrid::{Madrid, OBJECT_TYPE, Orphans};
use riposte_tests::real::{self, Storage};
use riposte_tests::thread_tree::verify;
use tokio_stream::wrappers::ReceiverStream;

/// The id and the floor of comments whose response arrived, by external id.
type Acknowledged = HashMap<String, (i64, i32)>;

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_three_random_points_sqlite_loses_no_answered_comment() -> Result<()> {
    killed(Some(Storage::sqlite()?)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_three_random_points_the_server_on_mariadb_loses_no_answered_comment() -> Result<()> {
    killed(Storage::mariadb().await?).await
}

async fn killed(storage: Option<Storage>) -> Result<()> {
    let (Some(data), Some(storage)) = (real::data(), storage) else { return Ok(()) };
    let madrid = Madrid::read(&data, Orphans::Reject)?;
    let items = madrid.items();
    let mut acknowledged = Acknowledged::new();
    let third = items.len() / 3;
    for round in 0..3 {
        // Each round proceeds further than the one before it.
        let at = round * third + rand::random_range(third / 10..third);
        import_and_kill(storage.start().await?, &items, at, &mut acknowledged).await?;
        println!("killed after {at} answers; {} comments are acknowledged", acknowledged.len());
        ensure!(acknowledged.len() > round * third, "nothing was acknowledged in round {round}");
        let server = storage.start().await?;
        assert_present(&server, &acknowledged).await?;
        verify(&server, OBJECT_TYPE).await?;
        ensure!(server.stop().await? == Some(0));
    }
    let server = storage.start().await?;
    let scratch = tempfile::tempdir()?;
    let file = data.join("decide-madrid/comments.csv.gz");
    let map = real::workspace().join("docs/import/decide-madrid.toml");
    let (file, map) = (file.to_str().context("a path")?, map.to_str().context("a path")?);
    let ran = real::import(&server, &[file, "--format", "csv", "--map", map], scratch.path()).await?.ended(6)?;
    print!("the run that completes it:\n{}", ran.out);
    assert_present(&server, &acknowledged).await?;
    real::compare(&server, OBJECT_TYPE, storage.levels(), &madrid.trees).await?;
    ensure!(verify(&server, OBJECT_TYPE).await? == madrid.proposals.len());
    Ok(())
}

/// Imports from the start, and kills the server once `at` responses have arrived; every response
/// that arrives counts.
async fn import_and_kill(
    server: Server,
    items: &[ImportItem],
    at: usize,
    acknowledged: &mut Acknowledged,
) -> Result<()> {
    let (sender, requests) = tokio::sync::mpsc::channel(256);
    let sent = items.to_vec();
    let feeding = tokio::spawn(async move {
        for item in sent {
            if sender.send(ImportCommentsRequest { item: Some(item) }).await.is_err() {
                break;
            }
        }
    });
    let mut responses = server.admin()?.import_comments(ReceiverStream::new(requests)).await?.into_inner();
    let mut server = Some(server);
    // After the kill, responses that were in transit still arrive, then an error.
    let mut count = 0;
    while let Ok(Some(response)) = responses.message().await {
        let item = items.get(usize::try_from(response.index)?).context("a response to no item")?;
        ensure!(
            item.external_id == response.external_id && response.outcome() != ImportOutcome::Rejected,
            "{response:?}"
        );
        if let Some(Kind::Comment(_)) = item.kind {
            let made = (response.comment_id, response.floor);
            if let Some(known) = acknowledged.insert(response.external_id.clone(), made) {
                ensure!(
                    known == made && response.outcome() == ImportOutcome::Unchanged,
                    "{known:?} before, {response:?}"
                );
            }
        }
        count += 1;
        if count >= at
            && let Some(server) = server.take()
        {
            server.crash().await?;
        }
    }
    ensure!(server.is_none(), "the import ended after {count} answers, before the server was killed");
    feeding.abort();
    Ok(())
}

/// Fails unless every acknowledged comment exists under its id and floor.
async fn assert_present(server: &Server, acknowledged: &Acknowledged) -> Result<()> {
    let all: Vec<_> = acknowledged.iter().collect();
    for chunk in all.chunks(100) {
        let ids = chunk.iter().map(|(_, (id, _))| *id).collect();
        let request = BatchGetCommentsRequest { ids, ..BatchGetCommentsRequest::default() };
        let found = server.client()?.comments().batch_get_comments(request).await?.into_inner().comments;
        for ((name, made), comment) in chunk.iter().zip(&found) {
            ensure!((comment.id, comment.floor) == **made, "{name}: {made:?} was acknowledged, {comment:?}");
        }
        ensure!(found.len() == chunk.len());
    }
    Ok(())
}
