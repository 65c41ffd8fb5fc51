//! A subject whose row another transaction holds: only its own writes wait, in every process.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::CommentSort;
use riposte_tests::mysql::{self, Databases};
use riposte_tests::{Say, Server, settings};
use tokio::task::JoinSet;
use tonic::transport::Endpoint;

use super::write_queues::{Caller, hold};

/// The number of subjects, of which the first one is held.
const SUBJECTS: usize = 40;
/// The number of comments that each process adds to each subject.
const COMMENTS: usize = 5;

#[tokio::test]
async fn a_held_subject_delays_no_write_of_another_subject_in_either_process() -> Result<()> {
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
    let row = format!("object_type = 'article' AND object_id = '{}'", subjects[0].key.object_id);
    let mut holder = hold(&url, &databases.name, &row).await?;

    let (mut waiting, mut others) = (JoinSet::new(), JoinSet::new());
    for (process, server) in servers.iter().enumerate() {
        let channel = Endpoint::from_shared(server.target().to_owned())?.connect().await?;
        for number in 0..COMMENTS {
            for (n, say) in subjects.iter().enumerate() {
                let caller = Caller { channel: channel.clone(), key: say.key.clone() };
                let calls = if n == 0 { &mut waiting } else { &mut others };
                calls.spawn(caller.create(process * COMMENTS + number, Duration::from_secs(50)));
            }
        }
    }
    // The holder never ends by itself, so these calls end while the row is held.
    let mut committed = 0;
    while committed < 2 * COMMENTS * (SUBJECTS - 1) {
        let outcome = tokio::time::timeout(Duration::from_secs(20), others.join_next()).await;
        outcome
            .with_context(|| format!("{committed} writes ended; the others wait for the held subject"))?
            .context("a call is missing")??
            .context("a write of a subject that no transaction holds")?;
        committed += 1;
    }
    ensure!(waiting.try_join_next().is_none(), "a write of the held subject ended");

    drop(holder.stdin.take());
    ensure!(holder.wait().await?.success(), "the holder failed");
    let mut floors = BTreeSet::new();
    while let Some(outcome) = waiting.join_next().await {
        floors.insert(outcome?.context("a write of the released subject")?.floor);
    }
    ensure!(floors == (2..=1 + 2 * COMMENTS as i32).collect(), "{floors:?}");
    for say in &subjects {
        let stored = say.roots(CommentSort::Oldest, 100).await?;
        ensure!(stored.len() == 1 + 2 * COMMENTS, "{} comments", stored.len());
    }
    for server in servers {
        server.stop().await?;
    }
    Ok(())
}
