//! One reader of the feed of events. It follows all object types of the run, by streams and by
//! pages, at either server, and continues with the token of the last item that it received.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::Error;
use riposte_sdk::v1::event_service_client::EventServiceClient;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{
    CommentEvent, EventFilter, EventKind, EventScope, ListEventsRequest, ListEventsResponse, SubscribeRequest,
};
use tokio::sync::watch;
use tonic::Status;

use super::Environment;
use crate::feed::Subscription;
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{FeedCall, FeedRead, FeedReaderKind, Nanos, SeenEvent};
use crate::histcheck::names;

/// The longest time of a stream at one server.
const LONGEST_STREAM: Duration = Duration::from_secs(15);
/// The longest pause between two reads.
const PAUSE: Duration = Duration::from_millis(500);
/// Time limit for a stream to begin, and for a page.
const WITHIN: Duration = Duration::from_secs(10);
/// The events of a page.
const PAGE_SIZE: i32 = 1_000;
/// Number of attempts of the first page. Servers that have just started may refuse some.
const ATTEMPTS: usize = 10;
/// The seconds for which the last pages wait for an event.
const LAST_WAIT: i64 = 1;

/// A reader of the feed.
#[derive(Debug)]
pub(crate) struct FeedReader {
    kind: FeedReaderKind,
    /// The token of the last item.
    token: String,
    rng: StdRng,
}

impl FeedReader {
    /// Returns a reader that has received nothing and begins now.
    ///
    /// # Errors
    /// Fails when no server responds.
    pub(crate) async fn begin(environment: &Environment, kind: FeedReaderKind, seed: u64) -> Result<Self> {
        let rng = StdRng::seed_from_u64(seed ^ kind as u64);
        let mut reader = Self { kind, token: String::new(), rng };
        let mut failure = None;
        for server in 0..ATTEMPTS {
            match reader.page(environment, server, reader.filter(), 0).await {
                Ok(page) => {
                    reader.token = page.next_token;
                    return Ok(reader);
                }
                Err(status) => failure = Some(status),
            }
        }
        bail!("no token of the feed: {failure:?}")
    }

    /// Reads until `over` is true, and then until it has received everything.
    ///
    /// # Errors
    /// Fails when the history cannot be written, or when at the end a server does not respond.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut over: watch::Receiver<bool>) -> Result<()> {
        while !*over.borrow() {
            let server = self.rng.random_range(0..SERVERS);
            match self.rng.random_range(0..10) {
                0 => self.other_filter(&environment, server).await?,
                1..=3 => drop(self.list(&environment, server, 0).await?),
                _stream => {
                    let length = LONGEST_STREAM.mul_f64(self.rng.random());
                    let over = async { over.wait_for(|over| *over).await.is_ok() };
                    let leave = async { tokio::time::timeout(length, over).await.is_ok() };
                    self.subscribe(&environment, server, leave).await?;
                }
            }
            tokio::time::sleep(PAUSE.mul_f64(self.rng.random())).await;
        }
        self.catch_up(&environment).await
    }

    /// Reads pages until one is empty. It is called after the last write and the last fault.
    ///
    /// # Errors
    /// Fails when the server does not respond, or when the history cannot be written.
    pub(crate) async fn catch_up(&mut self, environment: &Environment) -> Result<()> {
        let server = self.rng.random_range(0..SERVERS);
        loop {
            let page = self.list(environment, server, LAST_WAIT).await?;
            let page = page.map_err(|status| anyhow::anyhow!(status)).context("the last pages of the feed")?;
            if page.events.is_empty() && page.gap.is_none() {
                return Ok(());
            }
        }
    }

    fn filter(&self) -> EventFilter {
        let scope = match self.kind {
            FeedReaderKind::Public | FeedReaderKind::Late | FeedReaderKind::Topic => EventScope::Public,
            FeedReaderKind::Moderation => EventScope::Moderation,
        };
        let object_types = names::all_types().map(str::to_owned).collect();
        EventFilter { object_types, kinds: Vec::new(), scope: scope.into() }
    }

    async fn page(
        &self,
        environment: &Environment,
        server: usize,
        filter: EventFilter,
        wait: i64,
    ) -> Result<ListEventsResponse, Status> {
        let request = ListEventsRequest {
            filter: Some(filter),
            token: self.token.clone(),
            page_size: PAGE_SIZE,
            wait: Some(prost_types::Duration { seconds: wait, nanos: 0 }),
        };
        let mut service = EventServiceClient::new(environment.channels.to(server));
        let page = tokio::time::timeout(WITHIN, service.list_events(request)).await;
        Ok(page.map_err(|_| Status::deadline_exceeded("the page did not come in time"))??.into_inner())
    }

    /// Reads one page.
    async fn list(
        &mut self,
        environment: &Environment,
        server: usize,
        wait: i64,
    ) -> Result<Result<ListEventsResponse, Status>> {
        let begun = environment.now();
        let page = self.page(environment, server, self.filter(), wait).await;
        let read = FeedRead { begun, ..self.read(server, FeedCall::List) };
        match &page {
            Ok(page) => {
                let events = page.events.iter().map(seen_event).collect::<Result<_>>()?;
                self.token.clone_from(&page.next_token);
                record(environment, FeedRead { events, gap: page.gap.is_some(), ..read })?;
            }
            Err(status) => record(environment, FeedRead { reason: reason(status), ..read })?,
        }
        Ok(page)
    }

    /// Sends the token with another filter.
    async fn other_filter(&self, environment: &Environment, server: usize) -> Result<()> {
        let begun = environment.now();
        let filter = EventFilter { kinds: vec![EventKind::CommentEdited.into()], ..self.filter() };
        let page = self.page(environment, server, filter, 0).await;
        let reason = page.as_ref().map_or_else(reason, |_| "".into());
        record(environment, FeedRead { begun, reason, ..self.read(server, FeedCall::OtherFilter) })
    }

    /// Reads a stream until `leave` is ready or the stream breaks.
    async fn subscribe<T>(
        &mut self,
        environment: &Environment,
        server: usize,
        leave: impl Future<Output = T>,
    ) -> Result<()> {
        let mut read = FeedRead { begun: environment.now(), ..self.read(server, FeedCall::Subscribe) };
        let opened = tokio::time::timeout(WITHIN, self.open(environment, server)).await;
        let opened = opened.unwrap_or_else(|_| Err(Status::deadline_exceeded("the stream did not begin in time")));
        let mut stream = match opened {
            Ok(stream) => stream,
            Err(status) => return record(environment, FeedRead { reason: reason(&status), ..read }),
        };
        let (mut leave, mut events) = (pin!(leave), Vec::new());
        loop {
            let item = tokio::select! {
                item = stream.item() => item,
                _ = &mut leave => break,
            };
            match item {
                Ok(Item::Event(event)) => events.push(seen_event(&event)?),
                Ok(Item::Gap(_)) => {
                    let before = FeedRead { events: std::mem::take(&mut events).into(), ..read.clone() };
                    record(environment, before)?;
                    read.gap = true;
                }
                Ok(Item::Heartbeat(_)) => {}
                Ok(Item::Opened(_)) => bail!("a stream of the feed begins twice"),
                Err(status) => {
                    read.reason = reason(&status);
                    break;
                }
            }
            stream.token().clone_into(&mut self.token);
        }
        record(environment, FeedRead { events: events.into(), ..read })
    }

    async fn open(&self, environment: &Environment, server: usize) -> Result<Subscription, Status> {
        let request = SubscribeRequest { filter: Some(self.filter()), token: self.token.clone() };
        let mut service = EventServiceClient::new(environment.channels.to(server));
        Subscription::of(service.subscribe(request).await?.into_inner()).await
    }

    /// Returns a read without events.
    fn read(&self, server: usize, call: FeedCall) -> FeedRead {
        let (begun, ended): (Nanos, Nanos) = (0, 0);
        let (server, reason) = ((server % SERVERS) as u8, "".into());
        FeedRead { reader: self.kind, server, begun, ended, call, gap: false, events: Box::new([]), reason }
    }
}

/// Records a read that ends now.
fn record(environment: &Environment, read: FeedRead) -> Result<()> {
    environment.recorder.feed(FeedRead { ended: environment.now(), ..read })
}

/// Returns the reason of an error, or its code if it has none.
fn reason(status: &Status) -> Box<str> {
    let error = Error::from(status.clone());
    match error.reason_name() {
        "" => format!("{:?}", error.code()).into(),
        name => name.into(),
    }
}

/// Returns an event in the form of the history.
pub(crate) fn seen_event(event: &CommentEvent) -> Result<SeenEvent> {
    let notices = event.notices.iter().map(|notice| (names::member(&notice.member_id), notice.reason));
    Ok(SeenEvent {
        id: event.id.parse().with_context(|| event.id.clone())?,
        kind: event.kind,
        subject: names::subject(event.subject.as_ref()),
        revision: event.subject_revision,
        comment: event.comment_id,
        parent: event.parent_id,
        notices: notices.collect(),
    })
}
