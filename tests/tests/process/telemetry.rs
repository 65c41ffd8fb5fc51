//! The telemetry that an OpenTelemetry receiver gets, and its independence from the calls: none
//! waits for the receiver.

mod exemplars;
mod receiver;
mod registered;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use opentelemetry_proto::tonic::trace::v1::Span;
use riposte_sdk::v1;
use riposte_tests::{Say, Server};
use tonic::Request;

use super::cache::{cache_url, start_redis};
use receiver::{Receiver, attribute, hex};

/// The caller's trace and span.
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";
/// Texts that must never leave the process.
const TEXT: &str = "secret-in-a-text";
const MEMBER: &str = "secret-in-a-member";
const TOKEN: &str = "secret-in-a-token";

/// Starts a server that sends all telemetry to `endpoint`.
async fn exporting(endpoint: &str, more: &[&str]) -> Result<Server> {
    let endpoint = format!("telemetry.endpoint={endpoint}");
    let sets =
        [&endpoint, "telemetry.logs=true", "telemetry.interval=1s", "telemetry.sampling_ratio=0", "log.filter=info"];
    let mut arguments: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    arguments.extend(more.iter().flat_map(|set| ["--set", set]));
    Server::dev_with(None, &arguments).await
}

/// Creates a comment within the caller's trace.
async fn create(say: &Say, traceparent: Option<String>) -> Result<v1::CreateCommentResponse> {
    let mut request = Request::new(v1::CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: MEMBER.to_owned(),
        content: Some(v1::Content { text: TEXT.to_owned(), ..v1::Content::default() }),
        request_id: uuid::Uuid::new_v4().to_string(),
        ..v1::CreateCommentRequest::default()
    });
    request.metadata_mut().insert("authorization", format!("Bearer {TOKEN}").parse()?);
    if let Some(traceparent) = traceparent {
        request.metadata_mut().insert("traceparent", traceparent.parse()?);
    }
    Ok(say.client.comments().create_comment(request).await?.into_inner())
}

#[tokio::test]
async fn the_trace_of_a_create_has_spans_for_queue_transaction_and_cache() -> Result<()> {
    let receiver = Receiver::start().await?;
    let Some(redis) = start_redis()? else { return Ok(()) };
    let url = cache_url(&redis);
    let server = exporting(&receiver.address(), &["cache.kind=redis", &url, "telemetry.headers=tenant=shop"]).await?;
    let say = Say::on(&server.client()?, "article");
    create(&say, None).await?;
    create(&say, Some(format!("00-{TRACE}-{PARENT}-01"))).await?;
    // Telemetry that is not sent yet is sent at the end.
    ensure!(server.stop().await? == Some(0));

    let spans = receiver.spans();
    let foreign: Vec<&Span> = spans.iter().filter(|span| hex(&span.trace_id) != TRACE).collect();
    ensure!(foreign.is_empty(), "these traces were not requested: {foreign:?}");
    let named = |name: &str| spans.iter().filter(move |span| span.name == name).collect::<Vec<_>>();
    let call = named("riposte.v1.CommentService/CreateComment");
    let [call] = call.as_slice() else { anyhow::bail!("one call: {spans:?}") };
    ensure!(hex(&call.parent_span_id) == PARENT, "the caller's span is its parent: {call:?}");
    ensure!(attribute(&call.attributes, "rpc.response.status_code") == "OK", "{call:?}");
    let below = |span: &Span| {
        let parent = spans.iter().find(|other| other.span_id == span.parent_span_id);
        parent.map(|parent| parent.name.as_str()).unwrap_or_default().to_owned()
    };
    let [wait, batch] = [named("write_queue"), named("batch")].map(|found| found.first().copied().cloned());
    let (wait, batch) = (wait.context("no wait in a write queue")?, batch.context("no batch")?);
    ensure!(below(&wait) == call.name && below(&batch) == "write_queue", "{spans:?}");
    ensure!(wait.links.iter().any(|link| link.span_id == batch.span_id), "the wait is linked to its batch: {wait:?}");
    ensure!(wait.end_time_unix_nano <= batch.end_time_unix_nano, "the wait ends before its batch");
    let transactions = named("transaction");
    let commit = transactions.iter().find(|of| attribute(&of.attributes, "db.operation.name") == "commit comments");
    let commit = *commit.with_context(|| format!("no commit: {transactions:?}"))?;
    ensure!(below(commit) == "batch" && attribute(&commit.attributes, "db.system.name") == "sqlite", "{commit:?}");
    let calls = named("redis");
    let call = calls.iter().find(|call| below(call) == "transaction").with_context(|| format!("no call: {calls:?}"))?;
    ensure!(!attribute(&call.attributes, "db.operation.name").is_empty(), "{call:?}");

    let all = receiver.everything();
    for word in [TEXT, MEMBER, TOKEN] {
        ensure!(!all.contains(word), "{word} was exported: {all}");
    }
    ensure!(receiver.tenants().iter().all(|tenant| tenant == "shop"), "{:?}", receiver.tenants());
    registered::all(&receiver)
}

#[tokio::test]
async fn metrics_and_logs_of_the_process_come_with_its_name() -> Result<()> {
    let receiver = Receiver::start().await?;
    let named = ["telemetry.service_name=comments", "telemetry.scrape=false", "telemetry.resource={\"a.b\"=\"c\"}"];
    let server = exporting(&receiver.address(), &named).await?;
    create(&Say::on(&server.client()?, "article"), None).await?;
    receiver.until(|it| it.metrics().iter().any(|metric| metric.name == "rpc.server.call.duration")).await?;
    ensure!(server.metrics_target().is_empty(), "nothing is scraped");
    ensure!(server.stop().await? == Some(0));
    let metrics = receiver.metrics();
    let unit = metrics.iter().find(|metric| metric.name == "rpc.server.call.duration").map(|metric| &metric.unit);
    ensure!(unit.is_some_and(|unit| unit == "s"), "{unit:?}");
    for (name, value) in [("service.name", "comments"), ("a.b", "c")] {
        let resources = receiver.resources();
        ensure!(resources.iter().all(|of| attribute(&of.attributes, name) == value), "{name}: {resources:?}");
    }
    registered::all(&receiver)
}

#[tokio::test]
async fn calls_and_the_stop_wait_for_no_receiver() -> Result<()> {
    // The first address has no listener; the second accepts connections and never responds.
    let unresponsive = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let closed = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    for address in [closed, unresponsive.local_addr()?] {
        let server =
            exporting(&format!("http://{address}"), &["telemetry.timeout=1s", "telemetry.sampling_ratio=1"]).await?;
        let say = Say::on(&server.client()?, "article");
        for _ in 0..20 {
            create(&say, None).await?;
        }
        // Longer than the time limit of an export, so that some have failed.
        let metrics = super::metrics::ask(server.metrics_target(), "GET", "/metrics");
        ensure!(metrics.await?.contains("rpc_server_call_duration_seconds_count"));
        let failed = async {
            loop {
                let text = super::metrics::ask(server.metrics_target(), "GET", "/metrics").await?;
                let line = text.lines().find(|line| line.contains("outcome=\"failed\",signal=\"traces\""));
                if line.is_some_and(|line| !line.ends_with(" 0")) {
                    return Ok::<_, anyhow::Error>(());
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), failed).await.context("failures are never reported")??;
        create(&say, None).await?;
        // `stop` waits for 30 s: without its own limit, a stop would wait for the receiver forever.
        ensure!(server.stop().await? == Some(0));
    }
    Ok(())
}
