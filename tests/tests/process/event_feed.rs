//! The feed of events over restarts, a restore of the data and a reader that is too slow.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use futures::{StreamExt, stream, try_join};
use riposte_sdk::v1::event_service_client::EventServiceClient;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{ErrorReason, EventGapReason, EventKind, SubscribeRequest};
use riposte_tests::feed::{EventPages, Subscription, public};
use riposte_tests::{Say, Server};
use tonic::transport::Endpoint;

use super::metrics::ask;

const KEYS: &str = "page_tokens.keys=[\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\"]";

/// Starts a server on this folder with the keys of an earlier one.
async fn server(folder: &Path, timeline: u16) -> Result<Server> {
    let timeline = format!("store.timeline={timeline}");
    Server::dev_with(Some(folder), &["--set", KEYS, "--set", &timeline]).await
}

#[tokio::test]
async fn a_reader_continues_over_restarts_without_a_loss_and_without_an_event_twice() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (mut token, mut written, mut ids) = (String::new(), HashSet::new(), HashSet::new());
    for _ in 0..3 {
        let server = server(folder.path(), 0).await?;
        let client = server.client()?;
        let mut stream = Subscription::open(&client, public("article"), &token).await?;
        let say = Say::on(&client, "article");
        for n in 0..20 {
            written.insert(say.comment("ann", &n.to_string()).await?.id);
        }
        // The server stops while a part of the events is not received.
        for _ in 0..15 {
            match stream.item().await? {
                Item::Event(event) => {
                    ensure!(ids.insert(event.id.clone()), "{event:?} came twice");
                    ensure!(event.kind() != EventKind::CommentPublished || written.remove(&event.comment_id));
                }
                Item::Heartbeat(_) => {}
                other @ (Item::Gap(_) | Item::Opened(_)) => bail!("{other:?}"),
            }
        }
        token = stream.token().to_owned();
        server.stop().await?;
    }
    let server = server(folder.path(), 0).await?;
    let mut pages = EventPages::after(&server.client()?, public("article"), &token);
    while !written.is_empty() {
        let page = pages.page(7, Duration::from_secs(5)).await?;
        ensure!(page.gap.is_none(), "{page:?}");
        for event in page.events {
            ensure!(ids.insert(event.id.clone()), "{event:?} came twice");
            ensure!(event.kind() != EventKind::CommentPublished || written.remove(&event.comment_id));
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_token_of_before_a_restore_gets_a_gap_and_continues_with_the_next_event() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let before = server(folder.path(), 0).await?;
    let client = before.client()?;
    let pages = EventPages::begin(&client, public("article")).await?;
    Say::on(&client, "article").comment("ann", "before").await?;
    before.stop().await?;
    let after = server(folder.path(), 1).await?;
    let client = after.client()?;
    let mut pages = EventPages::after(&client, public("article"), pages.token());
    let page = pages.page(0, Duration::ZERO).await?;
    let gap = page.gap.map(|gap| gap.reason());
    ensure!(gap == Some(EventGapReason::Restored) && page.events.is_empty(), "{page:?}");
    let say = Say::on(&client, "article");
    let comment = say.comment("ann", "after").await?;
    let events = pages.until(&say.key, 0, |events| events.len() == 2).await?;
    ensure!(events[1].comment_id == comment.id && events[1].id.starts_with("1.1."), "{events:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_does_not_read_is_ended_and_continues_with_its_token() -> Result<()> {
    let server = Server::dev().await?;
    let client = server.client()?;
    // A window so small that events that the client does not read are not sent either.
    let narrow = Endpoint::from_shared(server.target().to_owned())?.initial_stream_window_size(64).connect().await?;
    let request = SubscribeRequest { filter: Some(public("article")), ..SubscribeRequest::default() };
    let mut slow = Subscription::of(EventServiceClient::new(narrow).subscribe(request).await?.into_inner()).await?;
    let mut fast = Subscription::open(&client, public("article"), "").await?;
    let say = Say::on(&client, "article");
    // More than a ring of the feed has room for.
    const COMMENTS: usize = 10_000;
    let writes = (0..COMMENTS).map(|n| {
        let say = say.clone();
        async move { say.comment(&format!("m{n}"), "hi").await }
    });
    let read = async {
        let mut ids = HashSet::new();
        for event in fast.events(&say.key, COMMENTS + 1).await? {
            ensure!(ids.insert(event.id.clone()), "{event:?} came twice");
        }
        Ok(ids)
    };
    let write = async {
        let mut writes = stream::iter(writes).buffer_unordered(256);
        while let Some(comment) = writes.next().await {
            comment?;
        }
        anyhow::Ok(())
    };
    let (mut missing, ()) = try_join!(read, write)?;
    // The slow reader gets what was on its way, then the end, and the rest with its token.
    let status = loop {
        match slow.item().await {
            Ok(Item::Event(event)) => ensure!(missing.remove(&event.id), "{event:?}"),
            Ok(Item::Heartbeat(_)) => {}
            Ok(other) => bail!("{other:?}"),
            Err(status) => break riposte_sdk::Error::from(status),
        }
    };
    ensure!(status.reason() == ErrorReason::WatchTooSlow, "{status:?}");
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    ensure!(metrics.contains("riposte_event_streams_dropped_total 1"), "{metrics}");
    let rest = missing.len();
    ensure!(rest > 0, "nothing was missing");
    let mut resumed = Subscription::open(&client, public("article"), slow.token()).await?;
    for event in resumed.events(&say.key, rest).await? {
        ensure!(missing.remove(&event.id), "{event:?}");
    }
    Ok(())
}
