//! Subscribers that resume: the service reads their events from the outbox.

use super::Args;
use crate::clients::Clients;
use crate::closed::Caller;
use crate::create::Creates;
use crate::report::{MeasuredTime, Report, Samples};
use crate::subscribers::{filter, open};
use anyhow::{Context, Result, bail};
use futures::future::try_join_all;
use riposte_sdk::v1::ListEventsRequest;
use riposte_sdk::v1::subscribe_response::Item;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The concurrent callers that create the backlog.
const CALLERS: usize = 256;

/// Creates comments, and then measures how fast the subscribers receive their events. A latency is
/// the time from the begin until an event was received.
pub(super) async fn run(args: &Args, clients: &Clients, comments: usize) -> Result<Report> {
    let subjects = Arc::new(args.target.keys(args.rate.subjects));
    let request = ListEventsRequest { filter: Some(filter(&args.target)), ..ListEventsRequest::default() };
    let token = clients.of(0).events().list_events(request).await?.into_inner().next_token;
    let mut creating = JoinSet::new();
    for number in 0..CALLERS {
        let client = clients.of(number).comments();
        let mut caller = Creates { comments: client, subjects: Arc::clone(&subjects), next: number << 32, aside: None };
        let share = comments / CALLERS + usize::from(number < comments % CALLERS);
        creating.spawn(async move {
            for _ in 0..share {
                caller.call().await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(one) = creating.join_next().await {
        one??;
    }
    let (meter, from) = (args.span.start()?, Instant::now());
    let receive = |number| {
        let token = &token;
        async move {
            let mut stream = open(clients, &args.target, number, token).await?;
            let mut samples = Samples::default();
            for _ in 0..comments {
                loop {
                    match stream.message().await?.context("the stream ended")?.item {
                        Some(Item::Event(_)) => break,
                        Some(Item::Gap(gap)) => bail!("a gap: {gap:?}"),
                        Some(Item::Opened(_) | Item::Heartbeat(_)) | None => {}
                    }
                }
                samples.take(from.elapsed(), Ok(()));
            }
            Ok(samples)
        }
    };
    let received = try_join_all((0..args.subscribers).map(receive)).await?;
    let (meter, until) = (meter.stop()?, Instant::now());
    let mut samples = Samples::default();
    received.into_iter().for_each(|one| samples.add(one));
    samples.report(MeasuredTime { from, until }, &meter)
}
