//! Reviews of object types that a moderator's caller is not granted.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::{ErrorReason, ListDecisionsRequest, MemberOfType};
use riposte_sdk::{Error, v1};
use riposte_tests::Say;

use super::callers::{Callers, dev};
use super::{GRANTED, OTHER};

#[tokio::test]
async fn leases_of_a_type_that_was_not_granted_are_not_given_back() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED).and("both", &["writer", "moderator"], &[GRANTED, OTHER]);
    let server = dev(None, &callers, &["--moderate", "pre"]).await?;
    let waits = Say::on(&callers.client(&server, "both")?, OTHER).comment("ann", "a text").await?.id;
    let mut both = callers.client(&server, "both")?.moderation()?;
    let claim = v1::ClaimReviewItemsRequest {
        object_type: OTHER.into(),
        moderator_id: "mod".into(),
        ..v1::ClaimReviewItemsRequest::default()
    };
    let claimed = both.claim_review_items(claim).await?.into_inner();
    ensure!(claimed.items.len() == 1, "{claimed:?}");
    let release = v1::ReleaseReviewItemsRequest {
        comment_ids: vec![waits],
        lease_token: claimed.lease_token,
        moderator_id: "mod".into(),
        ..v1::ReleaseReviewItemsRequest::default()
    };
    let mut granted = callers.client(&server, "moderator")?.moderation()?;
    let released = granted.release_review_items(release.clone()).await?.into_inner().released;
    ensure!(released == 0, "a caller without the type gave {released} leases back");
    let released = both.release_review_items(release).await?.into_inner().released;
    ensure!(released == 1, "{released}");
    Ok(())
}

#[tokio::test]
async fn an_error_of_decisions_on_a_member_names_the_type_that_was_not_granted() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let server = dev(None, &callers, &[]).await?;
    let member = MemberOfType { object_type: OTHER.into(), member_id: "ann".into() };
    let request = ListDecisionsRequest { of: Some(Of::Member(member)), ..ListDecisionsRequest::default() };
    let refused = callers.client(&server, "moderator")?.moderation()?.list_decisions(request).await;
    let error = Error::from(refused.err().context("the call succeeded")?);
    ensure!(error.reason() == ErrorReason::CallerNotAllowed, "{error:?}");
    ensure!(error.metadata().get("object_type").is_some_and(|object_type| object_type == OTHER), "{error:?}");
    Ok(())
}
