//! Abusive clients: all of them cost little, and other clients are served meanwhile.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use prost::bytes::Bytes;
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::{CommentSort, Content, CreateCommentRequest, ErrorReason, ListCommentsRequest};
use riposte_tests::{Say, Server, refused, until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::client::Grpc;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt;

use super::{dev, is_rejected};

/// The limit in bytes on the additional memory of a server under any of these attacks.
const MEMORY: u64 = 256 << 20;
const CREATE: &str = "/riposte.v1.CommentService/CreateComment";

/// Returns the additional memory of a server in bytes, and reports it for
/// docs/benchmarks/overload.md.
fn more(server: &Server, before: u64) -> Result<u64> {
    let more = memory(server)?.saturating_sub(before);
    println!("{} MiB more than before", more >> 20);
    Ok(more)
}

/// Returns the resident memory of a process in bytes.
fn memory(server: &Server) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{}/statm", server.pid()))?;
    let pages: u64 = text.split(' ').nth(1).context("no resident pages")?.parse()?;
    Ok(pages * 4096)
}

async fn channel(server: &Server) -> Result<Channel> {
    Ok(Endpoint::from_shared(server.target().to_owned())?.connect().await?)
}

/// Sends a create whose message never arrives.
async fn slow_create(channel: Channel) -> Result<(), Status> {
    let mut client = Grpc::new(channel);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let codec = ProstCodec::<CreateCommentRequest, ()>::default();
    let never = Request::new(tokio_stream::pending());
    client.client_streaming(never, CREATE.parse().map_err(|_| Status::internal("path"))?, codec).await.map(drop)
}

#[tokio::test]
async fn a_slow_sender_does_not_delay_other_calls() -> Result<()> {
    let server = dev(&["limits.writes=2", "limits.queue=0", "limits.body_time=30s"]).await?;
    let slow = channel(&server).await?;
    let slow: Vec<_> = (0..50).map(|_| tokio::spawn(slow_create(slow.clone()))).collect();
    let say = Say::on(&server.client()?, "article");
    for n in 0..20 {
        say.comment("m", &format!("beside slow ones, {n}")).await?;
    }
    ensure!(slow.iter().all(|call| !call.is_finished()), "slow calls ended");
    slow.iter().for_each(|call| call.abort());
    Ok(())
}

#[tokio::test]
async fn a_message_that_does_not_come_ends_its_call_and_one_that_is_too_large_too() -> Result<()> {
    let server = dev(&["limits.body_time=100ms"]).await?;
    let outcome = slow_create(channel(&server).await?).await;
    ensure!(refused(outcome)? == (Code::DeadlineExceeded, ErrorReason::DeadlineExceeded));
    let key = Say::on(&server.client()?, "article").key;
    let mut comments = CommentServiceClient::new(channel(&server).await?);
    let page_token = "x".repeat(9_000);
    let list = ListCommentsRequest { subject: Some(key.clone()), page_token, ..ListCommentsRequest::default() };
    let text = "x".repeat(300_000);
    let content = Some(Content { text, ..Content::default() });
    let create = CreateCommentRequest { subject: Some(key), member_id: "m".into(), content, ..Default::default() };
    let long = comments.list_comments(list).await.map(drop);
    let large = comments.create_comment(create).await.map(drop);
    for (outcome, limit) in [(long, "8192"), (large, "262144")] {
        let info = outcome.as_ref().err().and_then(StatusExt::get_details_error_info);
        ensure!(info.is_some_and(|info| info.metadata.get("limit").is_some_and(|info| info == limit)), "{outcome:?}");
        ensure!(refused(outcome)? == (Code::InvalidArgument, ErrorReason::MessageTooLarge));
    }
    Ok(())
}

#[tokio::test]
async fn headers_beyond_the_limit_are_refused_and_the_connection_stays_open() -> Result<()> {
    let server = dev(&[]).await?;
    let key = Say::on(&server.client()?, "article").key;
    let mut comments = CommentServiceClient::new(channel(&server).await?);
    let list = ListCommentsRequest { subject: Some(key), ..ListCommentsRequest::default() };
    for _ in 0..20 {
        let mut request = Request::new(list.clone());
        request.metadata_mut().insert("x-long", "x".repeat(64 << 10).parse()?);
        ensure!(comments.list_comments(request).await.is_err(), "64 KiB of headers were taken");
    }
    comments.list_comments(list).await?;
    Ok(())
}

#[tokio::test]
async fn ten_thousand_idle_connections_cost_little_and_end() -> Result<()> {
    let server = dev(&["limits.connections=2000"]).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "before").await?;
    let before = memory(&server)?;
    let address = server.target().trim_start_matches("http://").to_owned();
    let mut held = Vec::new();
    // Half of the descriptors that this process may open, if that is less.
    let limits = fs::read_to_string("/proc/self/limits")?;
    let files = limits.lines().find(|line| line.starts_with("Max open files")).context("no limit of files")?;
    let files: usize = files.split_whitespace().nth(3).context("no number")?.parse().unwrap_or(usize::MAX);
    let count = 10_000.min(files / 2);
    while held.len() < count {
        let some = join_all((0..100).map(|_| TcpStream::connect(&address))).await;
        held.extend(some.into_iter().collect::<Result<Vec<_>, _>>()?);
    }
    eprintln!("{count} idle connections");
    say.page(CommentSort::Newest, 10).await.context("a connected client gets a response")?;
    let more = more(&server, before)?;
    ensure!(more < MEMORY, "{more} bytes more");
    // The clients still hold their ends, and the server has closed its own.
    until("others connect again", || async {
        let Ok(channel) = channel(&server).await else { return Ok(false) };
        let list = ListCommentsRequest { subject: Some(say.key.clone()), ..ListCommentsRequest::default() };
        Ok(CommentServiceClient::new(channel).list_comments(list).await.is_ok())
    })
    .await?;
    drop(held);
    Ok(())
}

#[tokio::test]
async fn a_storm_of_calls_that_are_given_up_is_borne() -> Result<()> {
    let server = dev(&[]).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "before").await?;
    let before = memory(&server)?;
    let list = ListCommentsRequest { subject: Some(say.key.clone()), fresh: true, ..ListCommentsRequest::default() };
    let mut most = 0;
    for _ in 0..10 {
        let storm = CommentServiceClient::new(Endpoint::from_shared(server.target().to_owned())?.connect_lazy());
        let calls = (0..2_000).map(|n| {
            let (mut storm, list) = (storm.clone(), list.clone());
            let timeout = Duration::from_micros(n % 50 * 20);
            async move { tokio::time::timeout(timeout, storm.list_comments(list)).await.map(drop) }
        });
        drop(join_all(calls).await);
        most = most.max(more(&server, before)?);
        say.page(CommentSort::Newest, 10).await.context("others are answered")?;
    }
    ensure!(most < MEMORY, "{most} bytes more");
    Ok(())
}

/// Input that is not gRPC at all.
#[tokio::test]
async fn noise_ends_its_connection_and_no_other() -> Result<()> {
    let server = dev(&[]).await?;
    let say = Say::on(&server.client()?, "article");
    let address = server.target().trim_start_matches("http://").to_owned();
    let frame = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &[0xff; 4096]].concat();
    for noise in [Bytes::from_static(&[0; 4096]), Bytes::from_static(b"GET / HTTP/1.1\r\n\r\n"), frame.into()] {
        let mut stream = TcpStream::connect(&address).await?;
        stream.write_all(&noise).await?;
        let mut response = Vec::new();
        // The connection is closed or reset, and ends in any case.
        let ended = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut response)).await;
        ensure!(ended.is_ok(), "the connection stays open");
        say.page(CommentSort::Newest, 10).await?;
    }
    Ok(())
}

/// A flow-control window of zero: a client may request without limit and never read a response.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_rejected_and_disconnected() -> Result<()> {
    not_reading("response_cache.enabled=false").await?;
    not_reading("response_cache.threshold=0").await
}

/// Runs the case for pages that are rendered per call, or served from the response cache.
async fn not_reading(hot: &str) -> Result<()> {
    let server = dev(&["limits.send_buffer_size=16MiB", "limits.send_buffer_timeout=3s", hot]).await?;
    let say = Say::on(&server.client()?, "article");
    let long = "it is long ".repeat(440);
    for n in 0..50 {
        say.comment("m", &format!("{n}: {long}")).await?;
    }
    let before = memory(&server)?;
    let reader = Endpoint::from_shared(server.target().to_owned())?.initial_stream_window_size(0).connect().await?;
    let list = ListCommentsRequest { subject: Some(say.key.clone()), page_size: 50, ..ListCommentsRequest::default() };
    let ask = || {
        let (mut reader, list) = (CommentServiceClient::new(reader.clone()), list.clone());
        tokio::spawn(async move { reader.list_comments(list).await.map(drop) })
    };
    let calls: Vec<_> = (0..100).map(|_| ask()).collect();
    until("further calls are rejected", || async {
        let outcome = tokio::time::timeout(Duration::from_secs(1), ask()).await;
        let Ok(Ok(Err(status))) = outcome else { return Ok(false) };
        // The connection may have been closed already, and this call then uses a new one.
        if status.code() != Code::ResourceExhausted {
            return Ok(false);
        }
        is_rejected::<()>(Err(status), ErrorReason::Overloaded)?;
        Ok(true)
    })
    .await?;
    say.page(CommentSort::Newest, 50).await.context("a reading client gets a response")?;
    let more = more(&server, before)?;
    ensure!(more < MEMORY / 2, "{more} bytes more");
    until("its connection is closed", || async {
        drop(tokio::time::timeout(Duration::from_millis(100), ask()).await);
        Ok(calls.iter().all(tokio::task::JoinHandle::is_finished))
    })
    .await
}
