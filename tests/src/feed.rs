//! The feed of events, as tests read it.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use riposte_sdk::Client;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{
    CommentEvent, EventFilter, EventGap, EventKind, EventScope, EventsOpened, ListEventsRequest, ListEventsResponse,
    SubjectKey, SubscribeRequest, SubscribeResponse,
};
use tonic::{Status, Streaming};

/// The longest time until an event is delivered.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the filter of one object type in scope PUBLIC.
#[must_use]
pub fn public(object_type: &str) -> EventFilter {
    EventFilter { object_types: vec![object_type.to_owned()], ..EventFilter::default() }
}

/// Returns the filter of one object type in scope MODERATION.
#[must_use]
pub fn moderation(object_type: &str) -> EventFilter {
    EventFilter { scope: EventScope::Moderation.into(), ..public(object_type) }
}

/// The pages of a feed.
#[derive(Debug, Clone)]
pub struct EventPages {
    client: Client,
    filter: EventFilter,
    token: String,
}

impl EventPages {
    /// Begins with the next event.
    ///
    /// # Errors
    /// The server's.
    pub async fn begin(client: &Client, filter: EventFilter) -> Result<Self, Status> {
        let mut pages = Self::after(client, filter, "");
        pages.page(0, Duration::ZERO).await?;
        Ok(pages)
    }

    /// Continues after a token.
    #[must_use]
    pub fn after(client: &Client, filter: EventFilter, token: &str) -> Self {
        Self { client: client.clone(), filter, token: token.to_owned() }
    }

    /// Returns the token after the last page.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Reads the next page.
    ///
    /// # Errors
    /// The server's.
    pub async fn page(&mut self, page_size: i32, wait: Duration) -> Result<ListEventsResponse, Status> {
        let wait = prost_types::Duration { seconds: wait.as_secs() as i64, nanos: 0 };
        let filter = Some(self.filter.clone());
        let request = ListEventsRequest { filter, token: self.token.clone(), page_size, wait: Some(wait) };
        let page = self.client.events().list_events(request).await?.into_inner();
        self.token.clone_from(&page.next_token);
        Ok(page)
    }

    /// Reads the events of a subject until `is_complete`.
    ///
    /// # Errors
    /// The server's; a gap; no completeness in time.
    pub async fn until(
        &mut self,
        key: &SubjectKey,
        page_size: i32,
        is_complete: impl Fn(&[CommentEvent]) -> bool,
    ) -> Result<Vec<CommentEvent>> {
        let mut events = Vec::new();
        let read = async {
            while !is_complete(&events) {
                let page = self.page(page_size, Duration::from_secs(5)).await?;
                if let Some(gap) = page.gap {
                    bail!("a gap: {gap:?}");
                }
                events.extend(page.events.into_iter().filter(|event| event.subject.as_ref() == Some(key)));
            }
            Ok(())
        };
        let read = tokio::time::timeout(TIMEOUT, read).await;
        read.with_context(|| format!("the events do not come: {:?}", kinds(&events)))??;
        Ok(events)
    }
}

/// Returns the kinds of events with their comments.
#[must_use]
pub fn kinds(events: &[CommentEvent]) -> Vec<(EventKind, i64)> {
    events.iter().map(|event| (event.kind(), event.comment_id)).collect()
}

/// An open Subscribe stream.
#[derive(Debug)]
pub struct Subscription {
    stream: Streaming<SubscribeResponse>,
    opened: EventsOpened,
    token: String,
}

impl Subscription {
    /// Subscribes after a token, or to the next events without one.
    ///
    /// # Errors
    /// The server's; DATA_LOSS if the first item does not report the start of the stream.
    pub async fn open(client: &Client, filter: EventFilter, token: &str) -> Result<Self, Status> {
        let request = SubscribeRequest { filter: Some(filter), token: token.to_owned() };
        Self::of(client.events().subscribe(request).await?.into_inner()).await
    }

    /// Wraps a stream that was opened by other means and has not been read.
    ///
    /// # Errors
    /// The server's; DATA_LOSS if the first item does not report the start of the stream.
    pub async fn of(mut stream: Streaming<SubscribeResponse>) -> Result<Self, Status> {
        match stream.message().await? {
            Some(SubscribeResponse { item: Some(Item::Opened(opened)), token }) => Ok(Self { stream, opened, token }),
            other => Err(Status::data_loss(format!("it begins with {other:?}"))),
        }
    }

    /// Returns the times at which the stream begins.
    #[must_use]
    pub fn opened(&self) -> &EventsOpened {
        &self.opened
    }

    /// Returns the token after the last item.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the next item.
    ///
    /// # Errors
    /// If no item arrives in time; the server's.
    pub async fn item(&mut self) -> Result<Item, Status> {
        let next = tokio::time::timeout(TIMEOUT, self.stream.message()).await;
        let next = next.map_err(|_| Status::data_loss("no item arrives"))??;
        let next = next.ok_or_else(|| Status::data_loss("the stream ended without a status"))?;
        self.token = next.token;
        next.item.ok_or_else(|| Status::data_loss("a response without item"))
    }

    /// Returns the next event of a subject, or a gap.
    ///
    /// # Errors
    /// Those of [`item`](Self::item).
    pub async fn next(&mut self, key: &SubjectKey) -> Result<std::result::Result<CommentEvent, EventGap>, Status> {
        loop {
            match self.item().await? {
                Item::Event(event) if event.subject.as_ref() == Some(key) => return Ok(Ok(event)),
                Item::Gap(gap) => return Ok(Err(gap)),
                Item::Event(_) | Item::Heartbeat(_) | Item::Opened(_) => {}
            }
        }
    }

    /// Returns the next events of a subject.
    ///
    /// # Errors
    /// Those of [`item`](Self::item); a gap.
    pub async fn events(&mut self, key: &SubjectKey, count: usize) -> Result<Vec<CommentEvent>> {
        let mut events = Vec::new();
        while events.len() < count {
            match self.next(key).await? {
                Ok(event) => events.push(event),
                Err(gap) => bail!("{gap:?} after {:?}", kinds(&events)),
            }
        }
        Ok(events)
    }
}
