//! Properties of every call: a request id in its trailers, errors as the contract defines them, and
//! deadlines.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{CommentSort, GetCommentRequest, ListCommentsRequest};
use riposte_sdk::{Error, v1};
use riposte_tests::{Case, Fixture, Say, cases};

pub(crate) const CASES: &[Case] = cases![
    every_response_has_a_request_id_which_is_that_of_the_caller_if_it_sent_one,
    an_error_carries_reason_domain_and_request_id,
    a_call_dropped_at_random_loses_and_duplicates_nothing,
    dev_alone_honours_faults_on_request,
    a_create_whose_responses_are_lost_is_executed_once,
    a_passed_deadline_is_reported_as_such,
];

/// Creates a request with a fault header.
fn with_fault<T>(message: T, fault: &str) -> Result<tonic::Request<T>> {
    let mut request = tonic::Request::new(message);
    let unique = format!("{fault};key={}", uuid::Uuid::new_v4());
    request.metadata_mut().insert("riposte-fault", unique.parse()?);
    Ok(request)
}

async fn dev_alone_honours_faults_on_request(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let list = ListCommentsRequest { subject: Some(say.key.clone()), ..ListCommentsRequest::default() };
    // The client's own retries hide two faults; a permanent error is not retried and is returned.
    say.client.comments().list_comments(with_fault(list.clone(), "code=UNAVAILABLE;n=2")?).await?;
    let refused = say.client.comments().list_comments(with_fault(list, "code=PERMISSION_DENIED;n=1")?).await;
    ensure!(refused.is_err() == fixture.dev, "{refused:?}");
    if let Err(status) = refused {
        ensure!(status.metadata().contains_key("riposte-not-executed"), "{status:?}");
    }
    Ok(())
}

async fn a_create_whose_responses_are_lost_is_executed_once(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let request = v1::CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: "m".into(),
        content: riposte_tests::say::content("once"),
        ..v1::CreateCommentRequest::default()
    };
    let made = say.client.comments().create_comment(with_fault(request, "lose=2")?).await?.into_inner();
    let listed = say.roots(CommentSort::Oldest, 50).await?;
    ensure!(listed.iter().map(|comment| comment.id).eq(made.comment.map(|comment| comment.id)), "{listed:?}");
    Ok(())
}

async fn a_passed_deadline_is_reported_as_such(fixture: Fixture) -> Result<()> {
    if !fixture.dev {
        return Ok(()); // only dev supports injected delays
    }
    let say = Say::on(&fixture.client, "article");
    let list = ListCommentsRequest { subject: Some(say.key.clone()), ..ListCommentsRequest::default() };
    let mut request = with_fault(list, "delay_ms=60000")?;
    request.set_timeout(Duration::from_millis(200));
    let status = say.client.comments().list_comments(request).await.err().context("the call succeeded")?;
    ensure!(status.code() == tonic::Code::DeadlineExceeded, "{status:?}");
    Ok(())
}

async fn every_response_has_a_request_id_which_is_that_of_the_caller_if_it_sent_one(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut request =
        tonic::Request::new(ListCommentsRequest { subject: Some(say.key.clone()), ..ListCommentsRequest::default() });
    request.metadata_mut().insert("riposte-request-id", "mine-42".parse()?);
    let response = say.client.comments().list_comments(request).await?;
    // Unary clients merge the trailers into the metadata of the response.
    ensure!(response.metadata().get("riposte-request-id").context("no id")?.to_str()? == "mine-42");
    let request = ListCommentsRequest { subject: Some(say.key.clone()), ..ListCommentsRequest::default() };
    let response = say.client.comments().list_comments(request).await?;
    ensure!(response.metadata().contains_key("riposte-request-id"));
    Ok(())
}

async fn an_error_carries_reason_domain_and_request_id(fixture: Fixture) -> Result<()> {
    let mut request = tonic::Request::new(GetCommentRequest { id: 1, ..GetCommentRequest::default() });
    request.metadata_mut().insert("riposte-request-id", "mine-43".parse()?);
    let status = fixture.client.comments().get_comment(request).await.err().context("not refused")?;
    let details = tonic_types::StatusExt::get_error_details(&status);
    let info = details.error_info().context("no ErrorInfo")?;
    ensure!(info.domain == "riposte" && info.reason == "COMMENT_NOT_FOUND", "{info:?}");
    ensure!(Error::from(status).request_id() == Some("mine-43"));
    Ok(())
}

async fn a_call_dropped_at_random_loses_and_duplicates_nothing(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut acknowledged = Vec::new();
    for n in 0..120_u64 {
        let request_id = fixture.client.request_ids().next();
        let request = v1::CreateCommentRequest {
            subject: Some(say.key.clone()),
            member_id: "m".into(),
            content: riposte_tests::say::content(&n.to_string()),
            request_id,
            ..v1::CreateCommentRequest::default()
        };
        let timeout = Duration::from_micros(rand::random_range(50..8_000));
        let mut comments = say.client.comments();
        let dropped = tokio::time::timeout(timeout, comments.create_comment(request.clone())).await;
        let first = dropped.ok().transpose()?.map(|a| a.into_inner().comment.unwrap_or_default());
        let again = say.client.comments().create_comment(request).await?.into_inner().comment.unwrap_or_default();
        if let Some(first) = first {
            ensure!((first.id, first.floor) == (again.id, again.floor), "the repeat answered another comment");
        }
        acknowledged.push(again.id);
    }
    let mut listed: Vec<_> = say.roots(CommentSort::Oldest, 50).await?.iter().map(|c| c.id).collect();
    ensure!(listed.len() == acknowledged.len(), "{} of {}", listed.len(), acknowledged.len());
    listed.sort_unstable();
    acknowledged.sort_unstable();
    ensure!(listed == acknowledged);
    super::floors::verify(&fixture, &say).await
}
