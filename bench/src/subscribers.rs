//! Subscribe streams that receive all events.

use crate::clients::{Clients, TargetArgs};
use crate::report::{MeasuredTime, Samples};
use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::Error;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{EventFilter, SubscribeRequest, SubscribeResponse};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tonic::Streaming;

/// The reason with which the service ends a stream that reads too slowly.
const TOO_SLOW: &str = "WATCH_TOO_SLOW";
/// The streams that are opened at once.
const OPENED_AT_ONCE: usize = 64;

/// Open streams, each after its first item.
pub(crate) struct Subscribers(Vec<Streaming<SubscribeResponse>>);

/// Streams that are being read.
pub(crate) struct Receiving(JoinSet<Result<Received>>);

/// The events of all streams.
#[derive(Default)]
pub(crate) struct Received {
    pub(crate) samples: Samples,
    /// The streams that the service ended since they read too slowly.
    pub(crate) dropped: usize,
}

/// Returns the filter of all events of the measured subjects.
pub(crate) fn filter(target: &TargetArgs) -> EventFilter {
    EventFilter { object_types: vec![target.object_type.clone()], ..EventFilter::default() }
}

/// Opens a stream after a token, or from now on if the token is empty. Returns it after its first
/// item.
pub(crate) async fn open(
    clients: &Clients,
    target: &TargetArgs,
    number: usize,
    token: &str,
) -> Result<Streaming<SubscribeResponse>> {
    let request = SubscribeRequest { filter: Some(filter(target)), token: token.to_owned() };
    let mut stream = clients.of(number).events().subscribe(request).await?.into_inner();
    let opened = stream.message().await?.context("the stream ended")?;
    ensure!(matches!(opened.item, Some(Item::Opened(_))), "{opened:?} is not the first item");
    Ok(stream)
}

impl Subscribers {
    /// Opens streams from now on, spread over all connections.
    pub(crate) async fn open(clients: &Clients, target: &TargetArgs, count: usize) -> Result<Self> {
        let mut streams = Vec::with_capacity(count);
        for first in (0..count).step_by(OPENED_AT_ONCE) {
            let some = first..count.min(first + OPENED_AT_ONCE);
            streams.extend(try_join_all(some.map(|number| open(clients, target, number, ""))).await?);
        }
        Ok(Self(streams))
    }

    /// Reads all streams until the end of the window.
    pub(crate) fn receive(self, window: MeasuredTime) -> Receiving {
        let mut running = JoinSet::new();
        for stream in self.0 {
            running.spawn(receive(stream, window));
        }
        Receiving(running)
    }
}

impl Receiving {
    /// Returns what all streams received within the window.
    pub(crate) async fn end(mut self) -> Result<Received> {
        let mut all = Received::default();
        while let Some(one) = self.0.join_next().await {
            let Received { samples, dropped } = one??;
            all.samples.add(samples);
            all.dropped += dropped;
        }
        Ok(all)
    }
}

/// Reads one stream until the end of the window.
async fn receive(mut stream: Streaming<SubscribeResponse>, window: MeasuredTime) -> Result<Received> {
    let mut received = Received::default();
    while let Ok(item) = timeout_at(window.until, stream.message()).await {
        let item = match item {
            Ok(item) => item.context("the stream ended")?.item,
            Err(status) if Error::from(status.clone()).reason_name() == TOO_SLOW => {
                received.dropped = 1;
                break;
            }
            Err(status) => return Err(status.into()),
        };
        let Some(Item::Event(event)) = item else { continue };
        if Instant::now() >= window.from {
            received.samples.take(since(event.time.unwrap_or_default()), Ok(()));
        }
    }
    Ok(received)
}

/// Returns the time since a time of the service's clock.
#[expect(clippy::disallowed_methods, reason = "an event carries a time of the wall clock")]
pub(crate) fn since(time: prost_types::Timestamp) -> Duration {
    let seconds = Duration::from_secs(u64::try_from(time.seconds).unwrap_or_default());
    let time = seconds + Duration::from_nanos(u64::try_from(time.nanos).unwrap_or_default());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(time)
}
