//! The rate limits of callers and members.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{CommentSort, ErrorReason, LikeValue, WatchSubjectRequest};
use riposte_tests::{Say, until};
use tonic::Status;
use tonic_types::StatusExt;

use super::{dev, is_rejected};

/// Returns the subject of the quota that a refusal names.
fn quota(status: &Status) -> Option<String> {
    let violations = status.get_details_quota_failure()?.violations;
    violations.into_iter().next().map(|violation| violation.subject)
}

#[tokio::test]
async fn a_member_writes_as_much_as_the_type_allows_and_does_not_delay_others() -> Result<()> {
    let rate = ["object_type_defaults.writes_per_minute=1", "object_type_defaults.write_burst=2"];
    let server = dev(&[rate[0], rate[1], "object_types.deep.writes_per_minute=0"]).await?;
    let client = server.client()?;
    let say = Say::on(&client, "article");
    let root = say.comment("m7", "one").await?;
    say.like(root.id, "m7", LikeValue::Like).await?;
    let status = say.comment("m7", "three").await.err().context("a third write")?;
    ensure!(quota(&status).as_deref() == Some("member:m7"), "{status:?}");
    let delay = is_rejected::<()>(Err(status), ErrorReason::RateLimited)?;
    ensure!(delay <= Duration::from_secs(60), "{delay:?}");
    is_rejected(say.reply(root.id, "m7", "another verb").await, ErrorReason::RateLimited)?;
    let other = Say::on(&client, "article");
    is_rejected(other.comment("m7", "another subject").await, ErrorReason::RateLimited)?;
    say.comment("m8", "another member").await?;
    for n in 0..5 {
        Say::on(&client, "deep").comment("m7", &format!("a type without a rate, {n}")).await?;
    }
    let stored = say.roots(CommentSort::Oldest, 10).await?;
    ensure!(stored.len() == 2, "a refused write was stored: {stored:?}");
    Ok(())
}

#[tokio::test]
async fn a_caller_has_its_own_rate_and_reads_count_too() -> Result<()> {
    let server = dev(&["limits.caller_calls_per_second=1", "limits.caller_burst=5"]).await?;
    let say = Say::on(&server.client()?, "article");
    let mut admitted = 0;
    let status = loop {
        match say.page(CommentSort::Newest, 10).await {
            Ok(_) => admitted += 1,
            Err(status) => break status,
        }
    };
    ensure!(admitted >= 5, "{admitted} of a burst of 5");
    ensure!(quota(&status).is_some_and(|who| who.starts_with("caller:")), "{status:?}");
    is_rejected::<()>(Err(status), ErrorReason::RateLimited)?;
    Ok(())
}

#[tokio::test]
async fn a_caller_has_its_share_of_the_streams() -> Result<()> {
    let server = dev(&["limits.streams=8", "limits.streams_per_caller=2"]).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "watched").await?;
    let watch = || async {
        let watch = WatchSubjectRequest { subject: Some(say.key.clone()), ..WatchSubjectRequest::default() };
        say.client.subjects().watch_subject(watch).await
    };
    let mut held = vec![watch().await?, watch().await?];
    is_rejected(watch().await.map(drop), ErrorReason::Overloaded)?;
    held.pop();
    until("the share comes back", || async { Ok(watch().await.is_ok()) }).await
}
