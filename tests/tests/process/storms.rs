//! Connections that arrive faster than they are accepted, and those that cannot be accepted.

use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use riposte_sdk::v1::ErrorReason;
use riposte_sdk::{Client, v1};
use riposte_tests::{Server, command, refused, until};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;
use tonic::Code;

/// More than the backlog of 128 that the libraries set, and less than the descriptors of a test.
const STORM: usize = 400;

fn host(target: &str) -> &str {
    target.trim_start_matches("http://")
}

/// Checks that a server responds.
async fn serves(target: &str) -> Result<()> {
    let key = v1::SubjectKey { object_type: "article".into(), object_id: "none".into() };
    let get = v1::GetSubjectRequest { key: Some(key), ..v1::GetSubjectRequest::default() };
    let result = Client::connect(target.to_owned())?.subjects().get_subject(get).await;
    ensure!(result.is_ok() || refused(result)? == (Code::NotFound, ErrorReason::SubjectNotFound));
    Ok(())
}

#[tokio::test]
async fn a_storm_of_connections_waits_for_a_process_that_does_not_run() -> Result<()> {
    let allowed: usize = std::fs::read_to_string("/proc/sys/net/core/somaxconn")?.trim().parse()?;
    let server = Server::dev().await?;
    kill(server.pid(), Signal::SIGSTOP)?;
    let mut waiting = Vec::new();
    for target in [server.target(), server.admin_target()] {
        let connect = (0..STORM.min(allowed)).map(|_| TcpStream::connect(host(target)));
        // A connection that finds the queue full is retried for minutes.
        let all = tokio::time::timeout(std::time::Duration::from_secs(20), futures::future::try_join_all(connect));
        waiting.push(all.await.with_context(|| format!("the queue of {target} is full"))??);
    }
    kill(server.pid(), Signal::SIGCONT)?;
    drop(waiting);
    serves(server.target()).await
}

#[tokio::test]
async fn a_process_without_descriptors_logs_this_sometimes_with_a_count_and_continues_when_it_has_some() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let endpoint = folder.path().join("endpoint");
    let mut dev = command::riposte(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--endpoint-file"])?;
    dev.arg(&endpoint).args(["--set", "log.format=json", "--set", "log.filter=warn"]);
    let mut child = dev.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut log = BufReader::new(child.stderr.take().context("no log")?).lines();
    until("it serves", || async { Ok(endpoint.exists()) }).await?;
    let addresses: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&endpoint)?)?;
    let address = addresses["grpc"].as_str().context("no address")?.to_owned();
    serves(&format!("http://{address}")).await?;
    let pid = child.id().context("the server has ended")?.to_string();
    let descriptors = async |count: &str| {
        let limit = format!("--nofile={count}:");
        let status = Command::new("prlimit").args(["--pid", &pid, &limit]).status().await?;
        ensure!(status.success(), "prlimit: {status}");
        anyhow::Ok(())
    };
    descriptors("3").await?;
    let _waits = TcpStream::connect(&address).await?;
    let mut failures = Vec::new();
    while failures.len() < 2 {
        let line = log.next_line().await?.context("the server has ended")?;
        let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let message = event["message"].as_str().unwrap_or_default();
        if message.contains("could not be accepted") {
            failures.push(event["failures"].as_u64().with_context(|| line.clone())?);
        }
    }
    ensure!(failures[0] == 1 && failures[1] > 1, "{failures:?}");
    descriptors("1024").await?;
    serves(&format!("http://{address}")).await
}
