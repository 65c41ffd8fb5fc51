//! ListEvents: the events of object types page by page.

use std::time::Duration;

use prost::Message;
use riposte_core::Caller;
use riposte_core::feed::{FeedPosition, GapReason};
use riposte_core::ports::{EventSubscription, FeedItem};
use riposte_sdk::v1;
use tokio::time::timeout;

use crate::convert::MAX_BYTES;
use crate::event_token::EventToken;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListEventsRequest,
) -> Result<v1::ListEventsResponse, RpcError> {
    let v1::ListEventsRequest { filter, token, page_size, wait } = request;
    let mut v = Violations::default();
    let filter = v.event_filter(&services.comments, &caller, filter)?;
    let limit = v.take(parse::event_limit("page_size", page_size));
    let wait = v.take(parse::event_wait("wait", wait));
    let context = filter.as_ref().map(|filter| EventToken::new(&caller, filter));
    let from = EventToken::open(context.as_ref(), services, &mut v, &token);
    let (filter, limit, wait, context, from) = v.all((filter, limit, wait, context, from))?;
    let mut subscription = services.events.open(filter, from).await?;
    let page = page(&mut *subscription, limit, wait).await?;
    services.metrics.events_sent(page.events.len() as u64);
    if page.gap.is_some() {
        services.metrics.event_gap();
    }
    let next_token = context.seal(services, &page.next)?;
    let gap = page.gap.map(convert::gap);
    Ok(v1::ListEventsResponse { events: page.events, gap, next_token })
}

/// A page, and the position after it.
struct EventPage {
    gap: Option<GapReason>,
    events: Vec<v1::CommentEvent>,
    next: FeedPosition,
}

/// Reads a page. It waits for its first item only, and ends before a gap, which begins the next
/// page.
async fn page(
    subscription: &mut dyn EventSubscription,
    limit: usize,
    wait: Duration,
) -> riposte_core::Result<EventPage> {
    let mut page = EventPage { gap: None, events: Vec::new(), next: subscription.position().clone() };
    let mut bytes = 0;
    let mut item = first(subscription, wait).await?;
    while let Some(found) = &item {
        match found {
            FeedItem::Gap(_) if !page.events.is_empty() => break,
            FeedItem::Gap(reason) => page.gap = Some(*reason),
            FeedItem::Event(event) => {
                let event = convert::event(event, page.next.timeline);
                bytes += event.encoded_len();
                if bytes > MAX_BYTES && !page.events.is_empty() {
                    break;
                }
                page.events.push(event);
            }
            FeedItem::Progress(_) => {}
        }
        page.next = subscription.position().clone();
        if page.events.len() == limit {
            return Ok(page);
        }
        item = subscription.next_known().await?;
    }
    if item.is_none() {
        // Events that the filter does not select were passed, too.
        page.next = subscription.position().clone();
    }
    Ok(page)
}

/// Returns the first event or gap, which may come within a time.
async fn first(subscription: &mut dyn EventSubscription, wait: Duration) -> riposte_core::Result<Option<FeedItem>> {
    if let Some(item) = subscription.next_known().await? {
        return Ok(Some(item));
    }
    let item = async {
        loop {
            match subscription.next().await? {
                FeedItem::Progress(_) => {}
                item @ (FeedItem::Event(_) | FeedItem::Gap(_)) => return Ok(Some(item)),
            }
        }
    };
    timeout(wait, item).await.unwrap_or(Ok(None))
}
