//! A Polis conversation: 49,997 votes of 1,921 people on 197 comments; many were cast more than
//! once.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use riposte_tests::real::{self, Storage, polis::Polis};
use riposte_tests::{Server, thread_tree};

const CLIENTS: usize = 16;

#[tokio::test(flavor = "multi_thread")]
async fn votes_cast_by_sixteen_clients_at_once_count_as_the_last_of_each_voter_in_sqlite() -> Result<()> {
    replay(Some(Storage::sqlite()?)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn votes_cast_by_sixteen_clients_at_once_count_as_the_last_of_each_voter_in_mariadb() -> Result<()> {
    replay(Storage::mariadb().await?).await
}

async fn replay(storage: Option<Storage>) -> Result<()> {
    let (Some(data), Some(storage)) = (real::data(), storage) else { return Ok(()) };
    let polis = Polis::read(&data.join("polis-votes/vtaiwan.uberx"))?;
    ensure!((polis.comments.len(), polis.total(), polis.votes.len()) == (197, 49_997, 1_921));
    let server = storage.start().await?;
    let ids = polis.import(&server, "uberx").await?;
    let begin = Instant::now();
    polis.replay(&server, "uberx", &ids, CLIENTS).await?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{} votes by {CLIENTS} clients: {seconds:.1} s, {:.0}/s", polis.total(), polis.total() as f64 / seconds);
    polis.compare(&server, "uberx", &ids).await?;
    ensure!(thread_tree::verify(&server, "conversation").await? == 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn votes_imported_from_the_file_count_the_same() -> Result<()> {
    let Some(data) = real::data() else { return Ok(()) };
    let folder = data.join("polis-votes/vtaiwan.uberx");
    let server = Server::dev().await?;
    let scratch = tempfile::tempdir()?;
    let map = real::workspace().join("docs/import/polis.toml");
    let (file, map) = (folder.join("comments.csv.gz"), map.to_str().context("a path")?);
    let arguments = [file.to_str().context("a path")?, "--format", "csv", "--map", map];
    let ran = real::import(&server, &arguments, scratch.path()).await?.ended(0)?;
    print!("{:.1?}:\n{}", ran.took, ran.out);
    let polis = Polis::read(&folder)?;
    let tree = thread_tree::walk(&server, &real::key("conversation", "vtaiwan.uberx"), real::FLAT).await?;
    let outcome = polis.outcome();
    ensure!(tree.len() == polis.comments.len(), "{} comments", tree.len());
    for (id, node) in &tree {
        let expected = outcome.get(id.as_str()).copied().unwrap_or_default();
        ensure!((node.likes, node.dislikes) == expected, "{id}: {expected:?} expected, {node:?}");
    }
    Ok(())
}
