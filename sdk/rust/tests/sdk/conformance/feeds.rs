//! Feeds of events whose server is lost, in which nothing happens, or whose data is restored.

use super::callers::Callers;
use super::calls::Caller;
use super::gate::Proxy;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{EventFilter, EventGapReason, EventKind, ListEventsRequest, SubscribeRequest};
use riposte_sdk::{Client, Error, Options, Watch};
use tempfile::TempDir;

const HEARTBEATS: usize = 3;
/// Starts a server whose tokens another server can open.
const KEYED: &str = r#"page_tokens.keys=["q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="]"#;

/// Follows the events of an object type through a gate that loses the server that number of times:
/// each comment is reported once.
pub(crate) async fn feed(caller: &Caller, object_type: String, breaks: usize) -> Result<(), String> {
    let gate = Proxy::before(&caller.server).await;
    let text = |error: Error| error.to_string();
    let client = Client::connect(&gate.address).map_err(text)?;
    let subject = Client::connect(&caller.server).map_err(text)?.subject(&object_type, "1");
    let filter = EventFilter { object_types: vec![object_type.clone()], ..EventFilter::default() };
    let mut feed = client.follow(subscription(&object_type)).await.map_err(text)?;
    let (mut written, mut reported, mut opened, mut token) = (Vec::new(), Vec::new(), 0, String::new());
    for _ in 0..breaks {
        for is_shut in [true, false] {
            match is_shut {
                true => gate.shut(),
                false => gate.open(&caller.server),
            }
            written.push(subject.comment("m1", "Hi").await.map_err(text)?.id);
        }
        while reported.len() < written.len() {
            let item = feed.next().await.map_err(text)?;
            token = item.token;
            match item.item {
                Some(Item::Event(event)) => reported.push(event.comment_id),
                Some(Item::Opened(_)) => opened += 1,
                Some(Item::Heartbeat(_)) => {}
                other => return Err(format!("an item of the feed: {other:?}")),
            }
        }
    }
    if reported != written || opened < 2 {
        return Err(format!("{reported:?} instead of {written:?}, opened {opened} times"));
    }
    let other = client.follow(SubscribeRequest { filter: Some(filter), token }).await;
    match other {
        Err(error) if error.reason_name() == "PAGE_TOKEN_MISMATCH" => Ok(()),
        outcome => Err(format!("a token with another filter: {outcome:?}")),
    }
}

/// Follows events that do not come, and resumes from where a heartbeat has come to.
pub(crate) async fn heartbeat(caller: &Caller, unique: &str) -> Result<(), String> {
    let gate = Proxy::before(&caller.server).await;
    let text = |error: Error| error.to_string();
    let client = Client::connect(&gate.address).map_err(text)?;
    let direct = Client::connect(&caller.server).map_err(text)?;
    let (object_type, other) = (format!("f{unique}"), format!("g{unique}"));
    let mut feed = client.follow(subscription(&object_type)).await.map_err(text)?;
    let opened = next(&mut feed, "opened").await?;
    write(&direct, &other).await?;
    let mut last = opened.clone();
    for _ in 0..HEARTBEATS {
        if last == opened {
            let item = feed.next().await.map_err(text)?;
            match &item.item {
                Some(Item::Heartbeat(heartbeat)) if heartbeat.time.is_some() => last = item.token,
                _ => return Err(format!("{item:?} instead of a heartbeat")),
            }
        }
    }
    if last == opened || last.is_empty() {
        return Err(format!("the token of the heartbeats is {last:?}"));
    }
    gate.shut();
    let written = write(&direct, &object_type).await?;
    gate.open(&caller.server);
    next(&mut feed, "opened").await?;
    next(&mut feed, &written).await?;
    if gate.saw(&last) { Ok(()) } else { Err("the token of the heartbeat was not sent".to_owned()) }
}

/// Follows events while the data of the server is restored.
pub(crate) async fn restored(object_type: String) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    let data = TempDir::new().unwrap();
    let folder = data.path().display().to_string();
    let before = Callers::start(&["--data", &folder, "--set", KEYED]).await;
    let gate = Proxy::before(&before.target).await;
    let (target, token) = (gate.address.clone(), Some("writer".to_owned()));
    let options = Options { target, token, insecure_token: true, ..Options::default() };
    let client = Client::open(options).map_err(text)?;
    let mut feed = client.follow(subscription(&object_type)).await.map_err(text)?;
    next(&mut feed, "opened").await?;
    let written = write(&before.client("writer"), &object_type).await?;
    let token = next(&mut feed, &written).await?;
    gate.shut();
    drop(before);
    let after = Callers::start(&["--data", &folder, "--set", KEYED, "--set", "store.timeline=1"]).await;
    gate.open(&after.target);
    next(&mut feed, "opened").await?;
    next(&mut feed, "gap Restored").await?;
    let writer = after.client("writer");
    let written = write(&writer, &object_type).await?;
    next(&mut feed, &written).await?;
    let filter = subscription(&object_type).filter;
    let request = ListEventsRequest { filter, token, ..ListEventsRequest::default() };
    let page = writer.events().list_events(request).await.map_err(|status| status.to_string())?.into_inner();
    let reason = page.gap.map(|gap| gap.reason());
    if page.events.is_empty() && reason == Some(EventGapReason::Restored) && !page.next_token.is_empty() {
        Ok(())
    } else {
        Err(format!("a page after a restore: {page:?}"))
    }
}

/// Returns a subscription to the new comments of an object type.
pub(crate) fn subscription(object_type: &str) -> SubscribeRequest {
    let (object_types, kinds) = (vec![object_type.to_owned()], vec![EventKind::CommentPublished.into()]);
    let filter = EventFilter { object_types, kinds, ..EventFilter::default() };
    SubscribeRequest { filter: Some(filter), token: String::new() }
}

/// Writes a comment and returns what its event is compared with.
async fn write(client: &Client, object_type: &str) -> Result<String, String> {
    let written = client.subject(object_type, "1").comment("m1", "Hi").await;
    written.map(|comment| format!("event of {}", comment.id)).map_err(|error| error.to_string())
}

/// Compares the next item that is no heartbeat, and returns its token.
async fn next(feed: &mut Watch<SubscribeRequest>, wanted: &str) -> Result<String, String> {
    loop {
        let item = feed.next().await.map_err(|error| error.to_string())?;
        let found = match item.item {
            Some(Item::Heartbeat(_)) => continue,
            Some(Item::Opened(_)) => "opened".to_owned(),
            Some(Item::Gap(gap)) => format!("gap {:?}", gap.reason()),
            Some(Item::Event(event)) => format!("event of {}", event.comment_id),
            None => "no item".to_owned(),
        };
        return if found == wanted { Ok(item.token) } else { Err(format!("{found} instead of {wanted}")) };
    }
}
