//! The client that waits, against a real server.

use riposte_sdk::blocking::Client;
use riposte_sdk::v1::CommentSort::Oldest;
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{GetCommentRequest, ListCommentsRequest};
use riposte_sdk::{Code, DevServer, Options};
use std::time::Duration;

/// Returns a server and a client of it; `None`, with a message, if no server was built.
#[expect(clippy::disallowed_methods, reason = "the caller of the tests names the server")]
fn server() -> Option<(DevServer, Client)> {
    if std::env::var("RIPOSTE_DEV_BINARY").is_err() {
        println!("SKIPPED: the client that waits: RIPOSTE_DEV_BINARY is not set");
        return None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = runtime.block_on(DevServer::start()).unwrap();
    let (target, admin_target) = (server.target().to_owned(), server.admin_target().to_owned());
    let client = Client::open(Options { target, admin_target, ..Default::default() }).unwrap();
    Some((server, client))
}

#[test]
fn a_program_without_a_runtime_writes_likes_lists_and_watches() {
    let Some((_server, client)) = server() else { return };
    client.wait_ready(Duration::from_secs(5)).unwrap();
    let subject = client.subject("article", "42");
    let first = subject.comment("m7", "Hi").unwrap();
    assert_eq!(first.like("m9").unwrap().like_count, 1);
    let mut watch = subject.watch(first.revision).unwrap();
    let second = subject.comment("m8", "Hello").unwrap();
    assert!(matches!(watch.next().unwrap().unwrap().event, Some(Event::Opened(_))));
    match watch.next().unwrap().unwrap().event.unwrap() {
        Event::Change(change) => assert_eq!(change.comments[0].comment_id, second.id),
        other @ (Event::Gap(_) | Event::Opened(_)) => panic!("{other:?}"),
    }
    let floors: Vec<i32> =
        subject.comments(Oldest).unwrap().items().map(|thread| thread.unwrap().comment.floor).collect();
    assert_eq!(floors, [1, 2]);
    let request = ListCommentsRequest { subject: Some((*subject).clone()), page_size: 1, ..Default::default() };
    assert_eq!(client.list(request).unwrap().map(|page| page.unwrap().threads.len()).collect::<Vec<_>>(), [1, 1]);
    let request = GetCommentRequest { id: first.id, ..Default::default() };
    let found = client.wait(client.asynchronous().comments().get_comment(request)).unwrap().into_inner();
    assert_eq!(found.comment.unwrap().like_count, 1);
}

#[test]
fn threads_share_a_client() {
    let Some((_server, client)) = server() else { return };
    std::thread::scope(|scope| {
        for member in 0..8 {
            let subject = client.subject("article", "shared");
            scope.spawn(move || (0..10).for_each(|_| drop(subject.comment(format!("m{member}"), "Hi").unwrap())));
        }
    });
    assert_eq!(client.subject("article", "shared").get().unwrap().subject.unwrap().root_count, 80);
}

#[test]
fn a_dead_address_is_an_error_of_the_first_call() {
    let client = Client::connect("127.0.0.1:1").unwrap();
    assert_eq!(client.subject("article", "42").get().unwrap_err().code(), Code::Unavailable);
    assert!(Client::connect("ftp://nowhere").is_err());
}
