//! The roles of subscribers: a feed is refused without them, and ends when they are taken.

use anyhow::{Result, bail, ensure};
use riposte_sdk::v1::ErrorReason;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_tests::feed::{EventPages, Subscription, moderation, public};
use riposte_tests::refused;
use tonic::Code;

use super::callers::{Callers, dev};

const GRANTED: &str = "article";
const REFUSED: (Code, ErrorReason) = (Code::PermissionDenied, ErrorReason::CallerNotAllowed);

#[tokio::test(flavor = "multi_thread")]
async fn what_moderators_see_needs_both_roles_and_every_type() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED).and("staff", &["subscriber", "moderator"], &[GRANTED]);
    let server = dev(None, &callers, &[]).await?;
    let of_types = |types: &[&str]| {
        let object_types = types.iter().map(|name| (*name).to_owned()).collect();
        riposte_sdk::v1::EventFilter { object_types, ..public(GRANTED) }
    };
    for (caller, filter, is_allowed) in [
        ("subscriber", public(GRANTED), true),
        ("subscriber", moderation(GRANTED), false),
        ("moderator", moderation(GRANTED), false),
        ("staff", moderation(GRANTED), true),
        ("staff", of_types(&[GRANTED, "video"]), false),
    ] {
        let client = callers.client(&server, caller)?;
        let page = EventPages::begin(&client, filter.clone()).await;
        let stream = Subscription::open(&client, filter.clone(), "").await;
        if is_allowed {
            page?;
            stream?;
        } else {
            ensure!(refused(page)? == REFUSED && refused(stream)? == REFUSED, "{caller}: {filter:?}");
        }
    }
    // A token is the caller's own.
    let subscriber = callers.client(&server, "subscriber")?;
    let token = EventPages::begin(&subscriber, public(GRANTED)).await?.token().to_owned();
    let of_other = Subscription::open(&callers.client(&server, "staff")?, public(GRANTED), &token).await;
    ensure!(refused(of_other)? == (Code::InvalidArgument, ErrorReason::PageTokenMismatch));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_when_its_caller_loses_a_role() -> Result<()> {
    let mut callers = Callers::with_each_role(GRANTED).and("staff", &["subscriber", "moderator"], &[GRANTED]);
    let server = dev(None, &callers, &["--set", "auth.reload_interval=1s"]).await?;
    let client = callers.client(&server, "staff")?;
    let mut all = Subscription::open(&client, moderation(GRANTED), "").await?;
    let mut open = Subscription::open(&client, public(GRANTED), "").await?;
    callers.remove("staff");
    callers = callers.and("staff", &["subscriber"], &[GRANTED]);
    callers.write()?;
    let ended = loop {
        match all.item().await {
            Ok(Item::Heartbeat(_)) => {}
            Ok(other) => bail!("{other:?}"),
            Err(status) => break refused::<()>(Err(status))?,
        }
    };
    ensure!(ended == REFUSED, "{ended:?}");
    // It is still a subscriber.
    ensure!(matches!(open.item().await?, Item::Heartbeat(_)));
    Ok(())
}
