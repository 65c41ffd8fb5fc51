//! The health service, which needs no credentials: its responses, its limits, and its end.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use riposte_tests::raw::Raw;
use riposte_tests::{Server, until};
use tonic::{Code, Status, Streaming};

const CHECK: &str = "/grpc.health.v1.Health/Check";
const WATCH: &str = "/grpc.health.v1.Health/Watch";
const LONG: Duration = Duration::from_secs(60);
/// The number of watches that one connection may have.
const WATCHES: usize = 8;
/// The statuses, as the bytes of a message.
const SERVING: &[u8] = &[8, 1];
const NOT_SERVING: &[u8] = &[8, 2];

async fn watch(raw: &Raw) -> Result<Streaming<Vec<u8>>, Status> {
    raw.open(WATCH, Vec::new(), LONG).await
}

#[tokio::test]
async fn a_watch_of_health_reports_the_stop_and_ends() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "server.drain_timeout=1min"]).await?;
    let raw = Raw::to(server.target(), None)?;
    let mut health = watch(&raw).await?;
    ensure!(health.message().await?.as_deref() == Some(SERVING));
    kill(server.pid(), Signal::SIGTERM)?;
    ensure!(health.message().await?.as_deref() == Some(NOT_SERVING));
    // The stream was not cut, which would be an error here, after a minute.
    ensure!(health.message().await?.is_none());
    ensure!(server.ended().await? == Some(0));
    Ok(())
}

#[tokio::test]
async fn watches_of_health_are_few_on_each_connection_and_come_back() -> Result<()> {
    let server = Server::dev().await?;
    let raw = Raw::to(server.target(), None)?;
    let mut open = Vec::new();
    for _ in 0..WATCHES {
        open.push(watch(&raw).await?);
    }
    let refused = watch(&raw).await.err().context("one too many")?;
    ensure!(refused.code() == Code::Unimplemented, "{refused:?}");
    watch(&Raw::to(server.target(), None)?).await.context("another connection has its own")?;
    open.pop();
    until("one came back", async || Ok(watch(&raw).await.is_ok())).await
}

#[tokio::test]
async fn a_watch_ends_by_the_deadline_of_its_caller() -> Result<()> {
    let server = Server::dev().await?;
    let raw = Raw::to(server.target(), None)?;
    let mut health = raw.open(WATCH, Vec::new(), Duration::from_secs(1)).await?;
    ensure!(health.message().await?.as_deref() == Some(SERVING));
    let end = health.message().await.err().context("the watch ended without a status")?;
    ensure!(end.code() == Code::DeadlineExceeded, "{end:?}");
    Ok(())
}

#[tokio::test]
async fn a_question_about_health_is_a_short_one() -> Result<()> {
    let server = Server::dev().await?;
    let raw = Raw::to(server.target(), None)?;
    // service = 1, of the given number of bytes.
    let named = |bytes: u8| [&[0x0a, 0x80 | bytes, 16][..], &vec![b'x'; 2_048 + usize::from(bytes)]].concat();
    for path in [CHECK, WATCH] {
        let mut outcome = raw.open(path, named(1), LONG).await;
        let refused = match &mut outcome {
            Ok(responses) => responses.message().await.err(),
            Err(refused) => Some(refused.clone()),
        };
        let refused = refused.context("the call was accepted")?;
        ensure!(refused.code() == Code::InvalidArgument && refused.message().contains("1024 bytes"), "{refused:?}");
    }
    Ok(())
}
