//! The server for tests, and the client against it.

use riposte_sdk::v1::CommentSort::Hot;
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{ListHotSubjectsRequest, WatchOpened};
use riposte_sdk::{Client, Code, DevServer, Starter};
use std::time::{Duration, Instant};

/// Returns a server; `None`, with a message, if none was built.
#[expect(clippy::disallowed_methods, reason = "the caller of the tests names the server")]
async fn server() -> Option<DevServer> {
    if std::env::var("RIPOSTE_DEV_BINARY").is_err() {
        println!("SKIPPED: the server for tests: RIPOSTE_DEV_BINARY is not set");
        return None;
    }
    Some(DevServer::start().await.unwrap())
}

#[tokio::test]
async fn a_server_starts_serves_and_ends_when_it_is_dropped() {
    let Some(server) = server().await else { return };
    let client = server.client().unwrap();
    client.wait_ready(Duration::from_secs(5)).await.unwrap();
    let subject = client.subject("article", "42");
    let comment = subject.comment("m7", "Hi").await.unwrap();
    assert_eq!((comment.floor, comment.member_id.as_str()), (1, "m7"));
    assert_eq!(comment.like("m9").await.unwrap().like_count, 1);
    let reply = comment.reply("m8", "Hello").await.unwrap();
    assert_eq!(reply.parent_id, comment.id);
    let mut all = subject.comments(Hot).unwrap().items();
    assert_eq!(all.next().await.unwrap().unwrap().comment.id, comment.id);
    assert!(all.next().await.unwrap().is_none());
    let mut replies = comment.replies(None).unwrap().items();
    assert_eq!(replies.next().await.unwrap().unwrap().id, reply.id);
    client.admin().unwrap().list_hot_subjects(ListHotSubjectsRequest::default()).await.unwrap();

    let target = server.target().to_owned();
    drop(server);
    let client = Client::connect(target).unwrap();
    let refused = client.subject("article", "42").get().await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
}

#[tokio::test]
async fn a_watch_of_a_handle_returns_the_changes() {
    let Some(server) = server().await else { return };
    let client = server.client().unwrap();
    let subject = client.subject("article", "watched");
    let seen = subject.comment("m1", "seen").await.unwrap();
    let mut watch = subject.watch(seen.revision).await.unwrap();
    let opened = watch.next().await.unwrap().event.unwrap();
    assert_eq!(opened, Event::Opened(WatchOpened { revision: seen.revision }));
    let first = subject.comment("m1", "first").await.unwrap();
    let second = subject.comment("m1", "second").await.unwrap();
    for comment in [first, second] {
        let event = tokio::time::timeout(Duration::from_secs(10), watch.next()).await.unwrap();
        match event.unwrap().event.unwrap() {
            Event::Change(change) => assert_eq!(change.comments[0].comment_id, comment.id),
            other @ (Event::Gap(_) | Event::Opened(_)) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_program_that_is_not_a_server_is_an_error() {
    let error = Starter::default().program("/bin/false").start().await.unwrap_err();
    assert!(error.to_string().contains("ended with exit status: 1"), "{error}");
    assert!(Starter::default().program("/no/such/program").start().await.is_err());
}

#[tokio::test]
async fn waiting_for_a_dead_address_ends_in_time() {
    let client = Client::connect("127.0.0.1:1").unwrap();
    let started = Instant::now();
    let error = client.wait_ready(Duration::from_millis(300)).await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
    assert!(started.elapsed() < Duration::from_secs(2));
}
