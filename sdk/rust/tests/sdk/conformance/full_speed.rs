//! A client at full speed.

use super::callers::Callers;
use super::feeds::subscription;
use futures::stream::{StreamExt, TryStreamExt, iter};
use riposte_sdk::Error;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{Content, CreateCommentRequest, GetSubjectRequest, ListCommentsRequest};
use std::time::Duration;
use tonic::{Request, Status};

const READS: usize = 64;
const WRITES: usize = 32;
const WRITTEN: usize = 200;
const PAGE: usize = 10;
const DEADLINE: Duration = Duration::from_secs(60);

/// Makes as many calls as it can beside a stream, without a connection that the server closes.
pub(crate) async fn full_speed(unique: &str, calls: usize) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    let server = Callers::start(&[]).await;
    let client = server.client("writer");
    let subject = client.subject("article", unique);
    for _ in 0..PAGE {
        subject.comment("m1", "long ".repeat(900)).await.map_err(text)?;
    }
    let mut feed = client.follow(subscription("article")).await.map_err(text)?;
    let key = Some((*subject).clone());
    let read = async |number: usize| {
        if number.is_multiple_of(2) {
            let request = GetSubjectRequest { key: key.clone(), ..GetSubjectRequest::default() };
            return client.subjects().get_subject(with_deadline(request)).await.map(|_| PAGE);
        }
        let request = ListCommentsRequest { subject: key.clone(), page_size: 10, ..ListCommentsRequest::default() };
        let page = client.comments().list_comments(with_deadline(request)).await;
        page.map(|page| page.get_ref().threads.len())
    };
    let reads = iter(0..2 * calls).map(read).buffer_unordered(READS);
    let sizes: Vec<usize> = reads.try_collect().await.map_err(|status: Status| status.to_string())?;
    if sizes.iter().any(|size| *size != PAGE) {
        return Err("a page has not all comments".to_owned());
    }
    let write = async |_| {
        let content = Some(Content { text: "Hi".to_owned(), ..Content::default() });
        let (subject, member_id) = (key.clone(), "m1".to_owned());
        let request = CreateCommentRequest { subject, member_id, content, ..CreateCommentRequest::default() };
        client.comments().create_comment(with_deadline(request)).await.map(drop)
    };
    let writes = iter(0..WRITTEN).map(write).buffer_unordered(WRITES);
    writes.try_collect::<()>().await.map_err(|status| status.to_string())?;
    let (mut opened, mut events) = (0, 0);
    while events < WRITTEN {
        match feed.next().await.map_err(text)?.item {
            Some(Item::Opened(_)) => opened += 1,
            Some(Item::Event(_)) => events += 1,
            Some(Item::Heartbeat(_)) => {}
            other => return Err(format!("an item of the feed: {other:?}")),
        }
    }
    match server.closed().await {
        None if opened == 1 => Ok(()),
        closed => {
            Err(format!("{closed:?} connections closed for their control frames, the stream opened {opened} times"))
        }
    }
}

fn with_deadline<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(DEADLINE);
    request
}
