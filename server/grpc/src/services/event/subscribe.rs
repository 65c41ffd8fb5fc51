//! Subscribe: the events of object types as they happen.

use futures::StreamExt;
use futures::future::ready;
use futures::stream::{once, unfold};
use riposte_core::Error;
use riposte_core::ports::{EventSubscription, FeedItem, FeedTimes};
use riposte_sdk::v1;
use riposte_sdk::v1::subscribe_response::Item;
use tonic::Status;

use crate::call::{Call, ResponseStream};
use crate::event_token::EventToken;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert};

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::SubscribeRequest,
) -> Result<ResponseStream<v1::SubscribeResponse>, Status> {
    let (subscription, token, times) = open(&services, &call, request).await.map_err(|error| call.status(error))?;
    let position = token.seal(&services, subscription.position()).map_err(|error| call.status(error))?;
    let opened = Item::Opened(convert::opened(times));
    let opened = v1::SubscribeResponse { item: Some(opened), token: position };
    services.metrics.event_stream_opened();
    let stream = EventStream { services, call, subscription, token, has_ended: false };
    let items = unfold(stream, async |mut stream| Some((stream.next().await?, stream)));
    Ok(Box::pin(once(ready(Ok(opened))).chain(items)))
}

async fn open(
    services: &Services,
    call: &Call,
    request: v1::SubscribeRequest,
) -> Result<(Box<dyn EventSubscription>, EventToken, FeedTimes), RpcError> {
    let mut v = Violations::default();
    let filter = v.event_filter(&services.comments, &call.caller, request.filter)?;
    let token = filter.as_ref().map(|filter| EventToken::new(&call.caller, filter));
    let from = EventToken::open(token.as_ref(), services, &mut v, &request.token);
    let (filter, token, from) = v.all((filter, token, from))?;
    let subscription = services.events.open(filter, from).await?;
    let times = subscription.times().await?;
    Ok((subscription, token, times))
}

/// An open stream.
struct EventStream {
    services: Services,
    call: Call,
    subscription: Box<dyn EventSubscription>,
    token: EventToken,
    has_ended: bool,
}

impl EventStream {
    /// Returns the next item; `None` after an error.
    async fn next(&mut self) -> Option<Result<v1::SubscribeResponse, Status>> {
        if self.has_ended {
            return None;
        }
        let item = self.item().await;
        self.has_ended = item.is_err();
        if matches!(item, Err(Error::WatchTooSlow)) {
            self.services.metrics.event_stream_dropped();
        }
        Some(item.map_err(|error| self.call.status(error)))
    }

    async fn item(&mut self) -> Result<v1::SubscribeResponse, Error> {
        let item = self.subscription.next().await?;
        // An item of progress comes every few seconds, also while events come.
        if matches!(item, FeedItem::Progress(_)) {
            self.token.check_grants(&self.services, &self.call.caller)?;
        }
        let item = match item {
            FeedItem::Event(event) => {
                self.services.metrics.events_sent(1);
                Item::Event(convert::event(&event, self.subscription.position().timeline))
            }
            FeedItem::Gap(reason) => {
                self.services.metrics.event_gap();
                Item::Gap(convert::gap(reason))
            }
            FeedItem::Progress(time) => Item::Heartbeat(v1::EventHeartbeat { time: time.map(convert::time) }),
        };
        let token = self.token.seal(&self.services, self.subscription.position())?;
        Ok(v1::SubscribeResponse { item: Some(item), token })
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.services.metrics.event_stream_ended();
    }
}
