//! Keys of page tokens that change during walks.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{ClaimReviewItemsRequest, ErrorReason, ListCommentsRequest, ListCommentsResponse};
use riposte_tests::{Say, Server};
use tonic::{Code, Status};

use super::{Files, SOON, refused, taken};

const OLD: &str = "b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkMTI=";
const NEW: &str = "bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3MTI=";

async fn page(say: &Say, page_token: &str) -> Result<ListCommentsResponse, Status> {
    let page_token = page_token.to_owned();
    say.list(ListCommentsRequest { page_size: 1, page_token, ..ListCommentsRequest::default() }).await
}

/// Returns the token of the second page.
async fn begun(say: &Say) -> Result<String> {
    let token = page(say, "").await?.next_page_token;
    ensure!(!token.is_empty(), "no second page");
    Ok(token)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_continues_while_its_key_is_in_the_ring_and_ends_when_the_key_is_dropped() -> Result<()> {
    let files = Files::new()?;
    files.write("first", OLD)?;
    files.write("second", OLD)?;
    let (first, second) = (files.path("first"), files.path("second"));
    let ring = format!("page_tokens.key_files=[{first:?}, {second:?}]");
    let server =
        Server::dev_with(None, &[&["--set", &ring, "--set", "response_cache.enabled=false"][..], &SOON].concat())
            .await?;
    let say = Say::on(&server.client()?, "article");
    for n in 0..3 {
        say.comment("m", &n.to_string()).await?;
    }
    let old = begun(&say).await?;

    taken(&server, || files.write("second", NEW)).await?;
    let still = begun(&say).await?;
    taken(&server, || files.write("first", NEW)).await?;
    let refused_with = |response: Result<ListCommentsResponse, Status>| riposte_tests::refused(response);
    let invalid = (Code::InvalidArgument, ErrorReason::PageTokenInvalid);
    for token in [&old, &still] {
        ensure!(refused_with(page(&say, token).await)? == invalid, "its key has been dropped");
    }
    let new = begun(&say).await?;

    // Back in the second place, the old key opens the tokens that it has sealed.
    taken(&server, || files.write("second", OLD)).await?;
    for token in [&old, &still, &new] {
        let opened = page(&say, token).await?;
        ensure!(opened.threads.len() == 1, "{opened:?}");
    }
    refused(&server, || files.write("first", "no key")).await?;
    let by_the_ring_before = begun(&say).await?;
    for token in [&old, &new, &by_the_ring_before] {
        page(&say, token).await.context("a key that cannot be used changed the ring")?;
    }
    taken(&server, || files.write("first", OLD)).await?;
    ensure!(refused_with(page(&say, &by_the_ring_before).await)? == invalid, "its key has been dropped");
    page(&say, &old).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_claim_finds_its_leases_while_a_key_is_replaced() -> Result<()> {
    let files = Files::new()?;
    files.write("first", OLD)?;
    files.write("second", NEW)?;
    let (first, second) = (files.path("first"), files.path("second"));
    let ring = format!("page_tokens.key_files=[{first:?}, {second:?}]");
    let server = Server::dev_with(None, &[&["--moderate", "pre", "--set", &ring][..], &SOON].concat()).await?;
    let say = Say::on(&server.client()?, "video");
    for n in 0..4 {
        say.comment("m", &n.to_string()).await?;
    }
    let request = ClaimReviewItemsRequest {
        object_type: "video".to_owned(),
        limit: 2,
        moderator_id: "mod".to_owned(),
        request_id: uuid::Uuid::new_v4().to_string(),
        ..ClaimReviewItemsRequest::default()
    };
    let claim = async |request: &ClaimReviewItemsRequest| -> Result<(Vec<i64>, String)> {
        let claimed = server.moderation()?.claim_review_items(request.clone()).await?.into_inner();
        let comments = claimed.items.into_iter().filter_map(|item| item.comment?.comment);
        Ok((comments.map(|comment| comment.id).collect(), claimed.lease_token))
    };
    let begun = claim(&request).await?;
    ensure!(begun.0.len() == 2, "{begun:?}");
    taken(&server, || files.write("first", NEW)).await?;
    taken(&server, || files.write("second", OLD)).await?;
    ensure!(claim(&request).await? == begun, "the key is the second one now");
    let other = ClaimReviewItemsRequest { request_id: uuid::Uuid::new_v4().to_string(), ..request.clone() };
    let others = claim(&other).await?;
    ensure!(others.0.len() == 2 && !others.0.iter().any(|id| begun.0.contains(id)), "{others:?}");
    Ok(())
}
