//! SIGTERM: calls in flight finish, acknowledged data is kept, and the exit code is 0.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_sdk::v1::{
    CommentSort, ErrorReason, ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, import_item::Kind,
};
use riposte_tests::{Say, Server, command, locks, real, refused, say::content, until};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;
use tonic::transport::Endpoint;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use super::metrics::ask;

#[tokio::test(flavor = "multi_thread")]
async fn an_import_ends_with_the_process_and_its_stored_items_are_kept() -> Result<()> {
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
    for _ in 0..10 {
        let response = responses.message().await?.context("no answer")?;
        ensure!(response.outcome() == ImportOutcome::Created, "{response:?}");
    }
    kill(server.pid(), Signal::SIGTERM)?;
    // The client sends nothing and holds the stream open. It need not wait for the drain timeout.
    let stopping = (Code::Unavailable, ErrorReason::ServerStopping);
    ensure!(refused(responses.message().await)? == stopping, "the stream went on");
    refuses(server.target()).await?;
    ensure!(server.ended().await? == Some(0));
    drop(sender);
    let again = Server::dev_on(data.path()).await?;
    let say = Say { client: again.client()?, key };
    ensure!(say.roots(CommentSort::Oldest, 50).await?.len() == 10);
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
    let ready =
        async || anyhow::Ok(ask(server.metrics_target(), "GET", "/metrics").await?.contains("\nriposte_ready 1"));
    ensure!(ready().await?);
    // A supervisor may pass on a signal that its own supervisor sends to the whole group as well.
    kill(server.pid(), Signal::SIGTERM)?;
    kill(server.pid(), Signal::SIGTERM)?;
    let flipped = async {
        while command::run(["healthcheck", "--target", &target]).await?.code == 0 {}
        command::run(["healthcheck", "--target", &target]).await?.ended(5)?.says(&["NOT_SERVING"])
    };
    tokio::time::timeout(Duration::from_secs(10), flipped).await??;
    ensure!(!ready().await?, "a server that drains is not ready");
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

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_waits_for_its_database_is_ended_by_a_signal() -> Result<()> {
    let data = tempfile::tempdir()?;
    ensure!(Server::dev_on(data.path()).await?.stop().await? == Some(0));
    let path = data.path().join("riposte.db");
    let _locked = locks::lock(&path, locks::SQLITE_FILE)?;
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let mut dev = command::riposte(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--data"])?;
        let mut child = dev.arg(data.path()).kill_on_drop(true).spawn()?;
        let pid = Pid::from_raw(i32::try_from(child.id().context("it has ended")?)?);
        let files = std::path::PathBuf::from(format!("/proc/{pid}/fd"));
        let waits = || async {
            let mut open = std::fs::read_dir(&files)?.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
            Ok(open.any(|file| file == path))
        };
        until("it has opened its database", waits).await?;
        kill(pid, signal)?;
        let ended = tokio::time::timeout(Duration::from_secs(30), child.wait()).await.context("it ignores a signal")?;
        // Without the signal it ends with an error once SQLite no longer waits for the lock.
        ensure!(ended?.code() == Some(0), "{signal} during the start");
    }
    Ok(())
}

/// A write that waits for its database keeps the process alive after the drain.
#[tokio::test(flavor = "multi_thread")]
async fn after_the_drain_timeout_connections_are_closed_before_the_process_ends() -> Result<()> {
    let data = tempfile::tempdir()?;
    let times = ["--set", "server.drain_delay=0s", "--set", "server.drain_timeout=4s"];
    let server = Server::dev_with(Some(data.path()), &times).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "first").await?;
    let _stalled = locks::lock(&data.path().join("riposte.db-shm"), locks::SQLITE_WRITER)?;
    let write = tokio::spawn(async move { say.comment("m", "stalled").await });
    // A call without an end, which no part of the server ends.
    let channel = Endpoint::from_shared(server.target().to_owned())?.connect().await?;
    let (sender, requests) = tokio::sync::mpsc::channel(1);
    sender
        .send(ServerReflectionRequest {
            host: String::new(),
            message_request: Some(MessageRequest::ListServices(String::new())),
        })
        .await?;
    let mut client = ServerReflectionClient::new(channel);
    let mut responses = client.server_reflection_info(ReceiverStream::new(requests)).await?.into_inner();
    ensure!(responses.message().await?.is_some());
    kill(server.pid(), Signal::SIGTERM)?;
    let ended = tokio::time::timeout(Duration::from_secs(60), responses.message()).await.context("the call goes on")?;
    ensure!(!matches!(ended, Ok(Some(_))), "{ended:?}");
    let alive = ask(server.metrics_target(), "GET", "/metrics").await.context("the call ended with the process")?;
    ensure!(alive.contains("\nriposte_ready 0"), "{alive}");
    drop(write);
    Ok(())
}
