//! Watches over several servers, also after one of them has stopped.

use anyhow::{Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::v1::{ErrorReason, WatchSubjectRequest};
use riposte_tests::{Say, Server, Watch, mysql};
use tonic::Code;
use tonic::transport::Endpoint;

use super::metrics::ask;

async fn revision(say: &Say) -> Result<i64> {
    Ok(say.page(Default::default(), 1).await?.subject.unwrap_or_default().revision)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_at_one_server_returns_changes_made_at_another_and_resumes_there() -> Result<()> {
    let Some(databases) = mysql::servers() else { return Ok(()) };
    let name = mysql::fresh_name();
    let first = Server::serve(&databases, &name).await?;
    let second = Server::serve_with(&riposte_tests::settings::on_databases(&databases, &name)).await?;
    let here = Say::on(&first.client()?, "article");
    here.comment("m", "the first").await?;
    let there = Say { client: second.client()?, key: here.key.clone() };
    let begin = revision(&here).await?;
    let (mut near, mut far) = (Watch::open(&here, begin).await?, Watch::open(&there, begin).await?);
    for n in 0..20 {
        let say = if n % 2 == 0 { &here } else { &there };
        say.comment("m", &n.to_string()).await?;
    }
    let last = revision(&here).await?;
    ensure!(near.until(begin, last).await? == far.until(begin, last).await?, "the servers return different changes");
    // If the stopped server holds the lease, it hands the lease over. Its watches resume at the
    // other server.
    let stopped = first.stop();
    let (ended, stopped) = tokio::join!(near.end(), stopped);
    let ended = Error::from(ended?);
    ensure!((ended.code(), ended.reason()) == (Code::Unavailable, ErrorReason::ServerStopping), "{ended:?}");
    ensure!(stopped? == Some(0));
    let mut resumed = Watch::open(&there, last).await?;
    there.comment("m", "after the end").await?;
    ensure!(resumed.change().await?.revision == last + 1 && far.change().await?.revision == last + 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_not_read_is_ended_and_resumes_without_a_gap() -> Result<()> {
    let server = Server::dev().await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "the first").await?;
    let begin = revision(&say).await?;
    // A window so small that data that the client does not read is not sent either.
    let narrow = Endpoint::from_shared(server.target().to_owned())?.initial_stream_window_size(64).connect().await?;
    let request = WatchSubjectRequest { subject: Some(say.key.clone()), after_revision: begin };
    let idle = SubjectServiceClient::new(narrow).watch_subject(request).await?.into_inner();
    // One after the other, because concurrent writes share a revision.
    for _ in 0..1_280 {
        say.comment("m", "one more").await?;
    }
    let last = revision(&say).await?;
    ensure!(last == begin + 1_280, "{last}");
    // The client that has read no event is now more than a thousand revisions behind.
    Watch::open(&say, last - 1).await?.until(last - 1, last).await?;
    let ended = Error::from(Watch::of(idle).await?.end().await?);
    ensure!((ended.code(), ended.reason()) == (Code::ResourceExhausted, ErrorReason::WatchTooSlow), "{ended:?}");
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    ensure!(metrics.contains("riposte_watch_streams_dropped_total 1"), "{metrics}");
    Watch::open(&say, last - 1_000).await?.until(last - 1_000, last).await?;
    Ok(())
}
