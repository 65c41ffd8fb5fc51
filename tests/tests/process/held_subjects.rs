//! Subjects whose rows other transactions hold: only their own writes wait, in every process.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{Comment, CommentSort};
use riposte_tests::mysql::{self, Databases};
use riposte_tests::{Say, Server, settings};
use tokio::task::JoinSet;
use tonic::Status;
use tonic::transport::Endpoint;

use super::write_queues::{Caller, hold};

/// The number of subjects.
const SUBJECTS: usize = 40;
/// The number of subjects that are held, from the first one on: more than a process has committers
/// that wait for locks.
const HELD: usize = 3;
/// The number of comments that each process adds to each subject.
const COMMENTS: usize = 5;

#[tokio::test]
async fn held_subjects_delay_no_write_of_another_subject_in_either_process() -> Result<()> {
    let Some([url, _]) = mysql::servers() else { return Ok(()) };
    let more = [
        "store.subject_tables=1",
        "store.index_tables=1",
        "store.lock_wait_timeout=30s",
        "store.transaction_timeout=1min",
        "server.max_write_time=60s",
        "server.max_call_time=1min",
    ];
    let databases = Databases::on(std::slice::from_ref(&url), settings::sets(more)).await?;
    let servers = [Server::serve_with(&databases.arguments).await?, Server::serve_with(&databases.arguments).await?];
    let subjects: Vec<Say> =
        (0..SUBJECTS).map(|_| Ok(Say::on(&servers[0].client()?, "article"))).collect::<Result<_>>()?;
    for say in &subjects {
        say.comment("first", "the subject comes into being").await?;
    }
    let mut holders = Vec::new();
    for say in &subjects[..HELD] {
        let row = format!("object_type = 'article' AND object_id = '{}'", say.key.object_id);
        holders.push(hold(&url, &databases.name, &row).await?);
    }

    let mut waiting: Vec<JoinSet<_>> = (0..HELD).map(|_| JoinSet::new()).collect();
    let mut others = JoinSet::new();
    for (process, server) in servers.iter().enumerate() {
        let channel = Endpoint::from_shared(server.target().to_owned())?.connect().await?;
        for number in 0..COMMENTS {
            for (n, say) in subjects.iter().enumerate() {
                let caller = Caller { channel: channel.clone(), key: say.key.clone() };
                let calls = waiting.get_mut(n).unwrap_or(&mut others);
                calls.spawn(caller.create(process * COMMENTS + number, Duration::from_secs(50)));
            }
        }
    }
    // The holders never end by themselves, so these calls end while the rows are held.
    all_end(&mut others, 2 * COMMENTS * (SUBJECTS - HELD)).await?;
    // The last one is released first: which one a committer waits for is not known.
    for (mut holder, mut calls) in holders.into_iter().zip(waiting).rev() {
        ensure!(calls.try_join_next().is_none(), "a write of a held subject ended");
        drop(holder.stdin.take());
        ensure!(holder.wait().await?.success(), "the holder failed");
        let floors = all_end(&mut calls, 2 * COMMENTS).await?;
        ensure!(floors == (2..=1 + 2 * COMMENTS as i32).collect(), "{floors:?}");
    }
    for say in &subjects {
        let stored = say.roots(CommentSort::Oldest, 100).await?;
        ensure!(stored.len() == 1 + 2 * COMMENTS, "{} comments", stored.len());
    }
    for server in servers {
        server.stop().await?;
    }
    Ok(())
}

/// Waits until all of these calls have created their comments, and returns their floors.
async fn all_end(calls: &mut JoinSet<Result<Comment, Status>>, count: usize) -> Result<BTreeSet<i32>> {
    let mut floors = BTreeSet::new();
    for ended in 0..count {
        let outcome = tokio::time::timeout(Duration::from_secs(20), calls.join_next()).await;
        let outcome = outcome.with_context(|| format!("{ended} writes ended; the others wait for a held subject"))?;
        floors.insert(outcome.context("a call is missing")??.context("a write of a free subject")?.floor);
    }
    ensure!(calls.is_empty(), "more than {count} calls");
    Ok(floors)
}
