//! Full admission pools, and the calls that they do not affect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{CommentSort, ErrorReason, HideCommentRequest, ListCommentsRequest, UnhideCommentRequest};
use riposte_tests::mysql;
use riposte_tests::mysql::Databases;
use riposte_tests::{Say, Server, Watch, until};
use tokio::task::JoinSet;
use tonic::transport::Endpoint;

use super::{dev, is_rejected};
use crate::process::metrics::ask;
use crate::process::write_queues::{Caller, hold};

/// Reads a page from the rows, which no cache can serve.
async fn fresh(say: &Say) -> Result<(), tonic::Status> {
    say.list(ListCommentsRequest { fresh: true, ..ListCommentsRequest::default() }).await.map(drop)
}

#[tokio::test]
async fn a_flood_of_lists_stops_neither_moderators_nor_writers_nor_kept_pages() -> Result<()> {
    let server = dev(&["limits.reads=2", "limits.queue=0", "response_cache.threshold=0"]).await?;
    let say = Say::on(&server.client()?, "article");
    let root = say.comment("m", "to be hidden").await?;
    say.page(CommentSort::Newest, 10).await?;
    let (stop, turned) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut flood = JoinSet::new();
    for _ in 0..16 {
        let (say, stop, turned) = (Say::on(&server.client()?, "article"), Arc::clone(&stop), Arc::clone(&turned));
        flood.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                if let Err(status) = fresh(&say).await {
                    is_rejected::<()>(Err(status), ErrorReason::Overloaded)?;
                    turned.fetch_add(1, Ordering::Relaxed);
                }
            }
            anyhow::Ok(())
        });
    }
    let seen = Arc::clone(&turned);
    until("lists are turned away", || async { Ok(seen.load(Ordering::Relaxed) > 100) }).await?;
    let mut admin = server.admin()?;
    let before = turned.load(Ordering::Relaxed);
    for n in 0..20 {
        let moderator_id = "mod".to_owned();
        let hide = HideCommentRequest { id: root.id, moderator_id, ..HideCommentRequest::default() };
        let unhide =
            UnhideCommentRequest { id: root.id, moderator_id: "mod".to_owned(), ..UnhideCommentRequest::default() };
        admin.hide_comment(hide).await.context("a moderator waits behind lists")?;
        admin.unhide_comment(unhide).await?;
        say.comment("m", &format!("a writer, {n}")).await.context("a writer waits behind lists")?;
        say.page(CommentSort::Newest, 10).await.context("a page of the response cache waits behind lists")?;
    }
    ensure!(turned.load(Ordering::Relaxed) > before, "there was no flood meanwhile");
    stop.store(true, Ordering::Relaxed);
    while let Some(one) = flood.join_next().await {
        one??;
    }
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    ensure!(metrics.contains("riposte_calls_refused_total{class=\"sheddable\",limit=\"reads\"}"), "{metrics}");
    fresh(&say).await.context("after the flood, calls are admitted")?;
    Ok(())
}

#[tokio::test]
async fn a_stream_uses_its_capacity_until_it_ends() -> Result<()> {
    let server = dev(&["limits.streams=3"]).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "something to watch").await?;
    let (first, _second) = (Watch::open(&say, 0).await?, Watch::open(&say, 0).await?);
    let third = Watch::open(&say, 0).await;
    is_rejected(third, ErrorReason::Overloaded)?;
    say.page(CommentSort::Newest, 10).await.context("streams take no room from reads")?;
    drop(first);
    until("the capacity is free again", || async { Ok(Watch::open(&say, 0).await.is_ok()) }).await
}

/// A server that admits ten concurrent writes, and a subject whose row is locked.
#[tokio::test]
async fn full_writes_refuse_creates_and_take_down_what_has_to_go() -> Result<()> {
    let Some([url, _]) = mysql::servers() else { return Ok(()) };
    let more = [
        "store.subject_tables=1",
        "store.index_tables=1",
        "store.lock_wait_timeout=30s",
        "store.transaction_timeout=1min",
        "limits.writes=10",
        "limits.queue=0",
        "server.max_write_time=30s",
        "server.max_call_time=40s",
    ];
    let databases = Databases::on(std::slice::from_ref(&url), riposte_tests::settings::sets(more)).await?;
    let server = Server::serve_with(&databases.arguments).await?;
    let (held, other) = (Say::on(&server.client()?, "article"), Say::on(&server.client()?, "article"));
    held.comment("m", "the subject comes into being").await?;
    let bad = other.comment("m", "to be taken down").await?;
    // By the whole key: a scan would lock every row that it reads.
    let row = format!("object_type = '{}' AND object_id = '{}'", held.key.object_type, held.key.object_id);
    let mut holder = hold(&url, &databases.name, &row).await?;
    let mut waiting = JoinSet::new();
    let channel = Endpoint::from_shared(server.target().to_owned())?.connect().await?;
    for n in 0..30 {
        let caller = Caller { channel: channel.clone(), key: held.key.clone() };
        waiting.spawn(caller.create(n, Duration::from_secs(25)));
    }
    for _ in 0..23 {
        let outcome = waiting.join_next().await.context("all were let in")??;
        is_rejected(outcome, ErrorReason::Overloaded)?;
    }
    is_rejected(other.comment("m", "no room either").await, ErrorReason::Overloaded)?;
    let hide = HideCommentRequest { id: bad.id, moderator_id: "mod".to_owned(), ..HideCommentRequest::default() };
    server.admin()?.hide_comment(hide).await.context("a part is kept for moderators")?;
    other.page(CommentSort::Newest, 10).await.context("reads have a pool of their own")?;
    drop(holder.stdin.take());
    ensure!(holder.wait().await?.success(), "the holder failed");
    let made = waiting.join_all().await;
    ensure!(made.len() == 7 && made.iter().all(Result::is_ok), "{made:?}");
    let stored = held.roots(CommentSort::Oldest, 100).await?;
    ensure!(stored.len() == 8, "{} stand", stored.len());
    tokio::time::timeout(Duration::from_secs(30), server.stop()).await??;
    Ok(())
}
