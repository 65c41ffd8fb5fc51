//! The server's limits on the duration of calls, whatever deadline the caller sets.

use std::time::Duration;

use anyhow::{Result, ensure};
use futures::future::join_all;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::{Content, CreateCommentRequest, ErrorReason, ListCommentsRequest};
use riposte_tests::{Say, refused};
use tonic::body::Body;
use tonic::transport::Endpoint;
use tonic::{Code, Request};

use super::dev;

/// Returns a call with a deadline of one minute that is delayed by `delay_ms` before its handler
/// runs.
fn slow<T>(message: T, delay_ms: u32) -> Result<Request<T>> {
    let mut request = Request::new(message);
    request.set_timeout(Duration::from_secs(60));
    request.metadata_mut().insert("riposte-fault", format!("delay_ms={delay_ms}").parse()?);
    Ok(request)
}

#[tokio::test]
async fn reads_end_by_the_time_of_reads_and_writes_by_that_of_writes() -> Result<()> {
    let server = dev(&["server.max_read_time=100ms", "server.max_write_time=30s", "server.max_call_time=40s"]).await?;
    let key = Say::on(&server.client()?, "article").key;
    let mut comments = CommentServiceClient::new(Endpoint::from_shared(server.target().to_owned())?.connect().await?);
    let list = ListCommentsRequest { subject: Some(key.clone()), ..ListCommentsRequest::default() };
    let outcome = comments.list_comments(slow(list, 50_000)?).await;
    ensure!(refused(outcome)? == (Code::DeadlineExceeded, ErrorReason::DeadlineExceeded));
    let create = CreateCommentRequest {
        subject: Some(key),
        member_id: "m".to_owned(),
        content: Some(Content { text: "takes longer than a read may".to_owned(), ..Content::default() }),
        ..CreateCommentRequest::default()
    };
    comments.create_comment(slow(create, 300)?).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_every_deadline_is_reported_as_such() -> Result<()> {
    let server = dev(&[]).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "is not read in time").await?;
    // A client without timers of its own: the status that it reads comes from the server.
    let client = Client::builder(TokioExecutor::new()).http2_only(true).build_http::<Body>();
    let comments = CommentServiceClient::with_origin(client, server.target().parse()?);
    for timeout in ["soon", "-1S", "1s", "100000000S", ""] {
        let mut list = Request::new(ListCommentsRequest { subject: Some(say.key.clone()), ..Default::default() });
        list.metadata_mut().insert("grpc-timeout", timeout.parse()?);
        let outcome = refused(comments.clone().list_comments(list).await)?;
        ensure!(outcome == (Code::InvalidArgument, ErrorReason::FieldInvalid), "{timeout:?}: {outcome:?}");
    }
    for timeout in ["0m", "1n", "100u", "999u", "1m", "2m", "3m", "5m", "10m", "30m"] {
        let outcomes = join_all((0..50).map(|_| {
            let (mut comments, subject) = (comments.clone(), Some(say.key.clone()));
            async move {
                let mut list = Request::new(ListCommentsRequest { subject, fresh: true, ..Default::default() });
                list.metadata_mut().insert("riposte-fault", "delay_ms=1000".parse()?);
                list.metadata_mut().insert("grpc-timeout", timeout.parse()?);
                refused(comments.list_comments(list).await)
            }
        }));
        for outcome in outcomes.await {
            let outcome = outcome?;
            ensure!(outcome == (Code::DeadlineExceeded, ErrorReason::DeadlineExceeded), "{timeout}: {outcome:?}");
        }
    }
    Ok(())
}
