//! How long calls may take, whatever their callers say.

use std::time::Duration;

use anyhow::{Result, ensure};
use riposte_sdk::v1::comment_service_client::CommentServiceClient;
use riposte_sdk::v1::{Content, CreateCommentRequest, ErrorReason, ListCommentsRequest};
use riposte_tests::{Say, refused};
use tonic::transport::Endpoint;
use tonic::{Code, Request};

use super::dev;

/// A call that may take a minute, and is held up for so long before it is looked at.
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
