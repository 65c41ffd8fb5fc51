//! Decide Madrid, complete: 5,633 comments below 80 proposals.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::GetSubjectRequest;
use riposte_tests::Server;
use riposte_tests::real::madrid::{Madrid, OBJECT_TYPE, Orphans, by_reason};
use riposte_tests::real::{self, DEEP, Storage};
use riposte_tests::thread_tree::{histogram, verify};

/// The number of comments at each depth, as the publishers counted them.
const DEPTHS: [usize; 25] =
    [2931, 1232, 508, 319, 204, 125, 75, 67, 52, 33, 20, 14, 11, 9, 6, 5, 4, 4, 4, 3, 2, 2, 1, 1, 1];

#[test]
fn the_file_is_the_one_that_is_known() -> Result<()> {
    let Some(data) = real::data() else { return Ok(()) };
    let madrid = Madrid::read(&data, Orphans::Reject)?;
    ensure!(histogram(madrid.file.values()) == DEPTHS, "{:?}", histogram(madrid.file.values()));
    let sizes = || madrid.file.values().map(BTreeMap::len);
    ensure!((sizes().count(), sizes().sum::<usize>(), sizes().max()) == (80, 5633, Some(592)));
    let counts = by_reason(&madrid.rejected);
    let count = |reason| counts.get(reason).copied().unwrap_or_default();
    ensure!(count("PARENT_MISSING") + count("PARENT_REJECTED") == 361 && count("TEXT_EMPTY") == 55, "{counts:?}");
    ensure!(madrid.comments().count() == 5217 && madrid.comments().filter(|node| node.gone).count() == 7);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_in_sqlite_equals_the_file_and_a_second_import_changes_nothing() -> Result<()> {
    import_all(Some(Storage::sqlite()?)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_in_two_mariadb_servers_equals_the_file_and_a_second_import_changes_nothing() -> Result<()> {
    import_all(Storage::mariadb().await?).await
}

async fn import_all(storage: Option<Storage>) -> Result<()> {
    let (Some(data), Some(storage)) = (real::data(), storage) else { return Ok(()) };
    let madrid = Madrid::read(&data, Orphans::Reject)?;
    let server = storage.start().await?;
    let scratch = tempfile::tempdir()?;
    let first = import(&server, &data, &[], scratch.path()).await?.ended(6)?;
    let (likes, comments) = (madrid.comments().map(|node| node.likes + node.dislikes).sum::<i32>(), 5217);
    let first = first.says(&["subjects  80 created, 0 unchanged"])?;
    let first =
        first.says(&[&format!("comments  {comments} created, 0 unchanged"), &format!("likes     {likes} created")])?;
    print!("first import, {:.1?}:\n{}", first.took, first.out);
    let listed: BTreeMap<_, _> = real::rejects(scratch.path())?.into_iter().collect();
    let known = madrid.rejected.iter().map(|(id, reason)| (id.clone(), (*reason).to_owned()));
    ensure!(listed == known.collect(), "other records were rejected than expected");
    // On shared databases a second server shows the data that the first one imported.
    let other = match &storage {
        Storage::Sqlite(_) => None,
        Storage::MariaDb(_) => Some(storage.start().await?),
    };
    held(other.as_ref().unwrap_or(&server), &madrid, storage.levels()).await?;

    let before = exported(&server, scratch.path()).await?;
    let second = import(&server, &data, &[], scratch.path()).await?.ended(6)?;
    let second =
        second.says(&["subjects  0 created, 80 unchanged", &format!("comments  0 created, {comments} unchanged")])?;
    let second = second.says(&[&format!("likes     0 created, {likes} unchanged")])?;
    print!("second import, {:.1?}:\n{}", second.took, second.out);
    ensure!(exported(&server, scratch.path()).await? == before, "the second import changed something");

    let copy = Server::dev().await?;
    let file = scratch.path().join("proposal.jsonl");
    let arguments = [file.to_str().context("a path")?, "--format", "jsonl"];
    real::import(&copy, &arguments, scratch.path()).await?.ended(0)?;
    ensure!(exported(&copy, scratch.path()).await? == before, "the copy differs");
    held(&copy, &madrid, real::FLAT).await
}

#[tokio::test(flavor = "multi_thread")]
async fn orphans_become_roots_on_request_and_every_text_is_kept() -> Result<()> {
    let Some(data) = real::data() else { return Ok(()) };
    let madrid = Madrid::read(&data, Orphans::Root)?;
    ensure!(madrid.comments().count() == 5633 - 55);
    let deep = format!("object_types.proposal.max_depth={DEEP}");
    let server = Server::dev_with(None, &["--set", &deep]).await?;
    let scratch = tempfile::tempdir()?;
    import(&server, &data, &["--orphans", "root"], scratch.path()).await?.ended(6)?.says(&["5578 created"])?;
    held(&server, &madrid, DEEP).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_rejects_is_itself_valid_input() -> Result<()> {
    let Some(data) = real::data() else { return Ok(()) };
    let server = Server::dev().await?;
    let scratch = tempfile::tempdir()?;
    import(&server, &data, &[], scratch.path()).await?.ended(6)?;
    let file = scratch.path().join("again.jsonl");
    std::fs::rename(scratch.path().join("rejects.jsonl"), &file)?;
    let again = [file.to_str().context("a path")?, "--format", "jsonl"];
    // Without a change they are rejected again, though not each for the same reason.
    let ended = real::import(&server, &again, scratch.path()).await?.ended(6)?;
    ended.says(&["comments  0 created, 0 unchanged", "rejected  416"])?;
    // Allowed to be roots, the orphans are imported, and the result is the same as if they had been
    // allowed from the start.
    let with_roots = [&again[..], &["--orphans", "root"]].concat();
    real::import(&server, &with_roots, scratch.path())
        .await?
        .ended(6)?
        .says(&["comments  361 created", "rejected  55"])?;
    held(&server, &Madrid::read(&data, Orphans::Root)?, real::FLAT).await
}

pub(super) async fn import(
    server: &Server,
    data: &Path,
    more: &[&str],
    scratch: &Path,
) -> Result<riposte_tests::command::Ran> {
    let file = data.join("decide-madrid/comments.csv.gz");
    let map = real::workspace().join("docs/import/decide-madrid.toml");
    let (file, map) = (file.to_str().context("a path")?, map.to_str().context("a path")?);
    real::import(server, &[&[file, "--format", "csv", "--map", map], more].concat(), scratch).await
}

/// Fails unless all data of the server equals that of the file, and every count is correct.
async fn held(server: &Server, madrid: &Madrid, levels: i32) -> Result<()> {
    let walked = real::compare(server, OBJECT_TYPE, levels, &madrid.trees).await?;
    ensure!(histogram(&walked) == histogram(madrid.trees.values()));
    println!("{} comments by depth: {:?}", walked.iter().map(BTreeMap::len).sum::<usize>(), histogram(&walked));
    ensure!(verify(server, OBJECT_TYPE).await? == madrid.proposals.len());
    for (object_id, (owner, title, created)) in &madrid.proposals {
        let request =
            GetSubjectRequest { key: Some(real::key(OBJECT_TYPE, object_id)), ..GetSubjectRequest::default() };
        let subject = server.client()?.subjects().get_subject(request).await?.into_inner().subject.unwrap_or_default();
        ensure!(subject.owner_id == *owner && subject.metadata.get("title") == Some(title), "{subject:?}");
        ensure!(subject.create_time.map(|time| time.seconds * 1000) == Some(*created), "{created}: {subject:?}");
    }
    Ok(())
}

/// Returns the lines of an export, in an order that does not depend on ids and floors.
async fn exported(server: &Server, scratch: &Path) -> Result<Vec<String>> {
    let file = scratch.join("proposal.jsonl");
    real::export(server, OBJECT_TYPE, &file).await?;
    let mut lines: Vec<_> = std::fs::read_to_string(file)?.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    Ok(lines)
}
