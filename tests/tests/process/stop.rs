//! SIGTERM: calls in flight finish, acknowledged data is kept, and the exit code is 0.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use riposte_sdk::v1::{
    CommentSort, ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, import_item::Kind,
};
use riposte_tests::{Say, Server, command, real, say::content};
use tokio_stream::wrappers::ReceiverStream;

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_finishes_and_new_ones_are_refused() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::dev_on(data.path()).await?;
    let key = real::key("article", "in-flight");
    let item = |n: i64| {
        let comment = ImportedComment {
            subject: Some(key.clone()),
            member_id: "m".into(),
            content: content("in flight"),
            create_time: Some(prost_types::Timestamp { seconds: 1_440_000_000 + n, nanos: 0 }),
            ..ImportedComment::default()
        };
        let item = ImportItem { source: "old".into(), external_id: n.to_string(), kind: Some(Kind::Comment(comment)) };
        ImportCommentsRequest { item: Some(item) }
    };
    let (sender, requests) = tokio::sync::mpsc::channel(32);
    for n in 0..10 {
        sender.send(item(n)).await?;
    }
    let mut responses = server.admin()?.import_comments(ReceiverStream::new(requests)).await?.into_inner();
    let first = responses.message().await?.context("no answer")?;
    ensure!(first.outcome() == ImportOutcome::Created, "{first:?}");
    kill(server.pid(), Signal::SIGTERM)?;
    refuses(server.target()).await?;
    // The stream was open before the signal: later items on it still get responses.
    sender.send(item(10)).await?;
    drop(sender);
    let mut done = 1;
    while let Some(response) = responses.message().await? {
        ensure!(response.outcome() == ImportOutcome::Created, "{response:?}");
        done += 1;
    }
    ensure!(done == 11, "{done} of 11 items have a response");
    ensure!(server.ended().await? == Some(0));
    let again = Server::dev_on(data.path()).await?;
    let say = Say { client: again.client()?, key };
    ensure!(say.roots(CommentSort::Oldest, 50).await?.len() == 11);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn under_fire_everything_answered_before_the_end_is_kept() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::dev_on(data.path()).await?;
    let key = real::key("article", "under-fire");
    let writer = |_| {
        let (client, key) = (server.client(), key.clone());
        tokio::spawn(async move {
            let say = Say { client: client?, key };
            let mut made = Vec::new();
            // Writes until the server accepts no more.
            while let Ok(Ok(comment)) = tokio::time::timeout(Duration::from_secs(5), say.comment("m", "fire")).await {
                made.push(comment.id);
            }
            anyhow::Ok(made)
        })
    };
    let writers: Vec<_> = (0..8).map(writer).collect();
    let say = Say { client: server.client()?, key: key.clone() };
    let burning = async {
        // Until the first comment has created the subject, the read fails.
        while say.page(CommentSort::Newest, 1).await.map_or(0, |page| page.subject.unwrap_or_default().comment_count)
            < 200
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), burning).await?;
    ensure!(server.stop().await? == Some(0));
    let mut acknowledged = Vec::new();
    for shooter in writers {
        acknowledged.extend(shooter.await??);
    }
    println!("{} comments were answered before the end", acknowledged.len());
    let again = Server::dev_on(data.path()).await?;
    let say = Say { client: again.client()?, key };
    let stored: std::collections::HashSet<_> = say.roots(CommentSort::Oldest, 50).await?.iter().map(|c| c.id).collect();
    ensure!(
        !acknowledged.is_empty() && acknowledged.iter().all(|id| stored.contains(id)),
        "an answered comment is lost"
    );
    Ok(())
}

#[tokio::test]
async fn while_it_drains_health_says_so_and_calls_are_still_taken() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "server.drain_delay=2s"]).await?;
    let target = server.target().trim_start_matches("http://").to_owned();
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "before").await?;
    kill(server.pid(), Signal::SIGTERM)?;
    let flipped = async {
        while command::run(["healthcheck", "--target", &target]).await?.code == 0 {}
        command::run(["healthcheck", "--target", &target]).await?.ended(5)?.says(&["NOT_SERVING"])
    };
    tokio::time::timeout(Duration::from_secs(10), flipped).await??;
    ensure!(say.comment("m", "while it drains").await?.floor == 2);
    ensure!(server.ended().await? == Some(0));
    Ok(())
}

#[tokio::test]
async fn healthcheck_returns_health_as_an_exit_code() -> Result<()> {
    let server = Server::dev().await?;
    let target = server.target().trim_start_matches("http://").to_owned();
    command::run(["healthcheck", "--target", &target]).await?.ended(0)?.says(&["SERVING"])?;
    ensure!(server.stop().await? == Some(0));
    command::run(["healthcheck", "--target", &target]).await?.ended(5)?.says(&[&target])?;
    // A port that accepts connections and never responds.
    let unresponsive = std::net::TcpListener::bind("127.0.0.1:0")?;
    let unresponsive = unresponsive.local_addr()?.to_string();
    for more in [&[][..], &["--live"]] {
        let ask = [&["healthcheck", "--target", &unresponsive, "--timeout", "200ms"], more].concat();
        command::run(ask).await?.ended(5)?;
    }
    Ok(())
}

/// Waits until no process listens at an address any more.
async fn refuses(target: &str) -> Result<()> {
    let address = target.trim_start_matches("http://").to_owned();
    let refused = async {
        while tokio::net::TcpStream::connect(&address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), refused).await.context("it still takes connections")
}
