//! Likes: one value per member and comment, however often, late or concurrently operations arrive.

use std::sync::Arc;

use riposte_core::like::LikeOutput;
use riposte_core::page::{Liker, LikerCursor, LikersQuery, MemberLike, Page};
use riposte_core::request::RequestId;
use riposte_core::verbs::{Delete, DeleteSubject, SetLike, UpdateSubject};
use riposte_core::{
    CommandOutput, CommentId, CommentState, Effect, Error, LikeCommand, LikeValue, SubjectKey, SubjectState,
};

use super::backend::{Backend, StepClock};
use super::fixture::{Fixture, by_moderator, member};

/// Returns the id of the `n`-th operation of a client: a UUIDv7 with the client in its last bytes.
pub(super) fn operation(n: u64, client: u8) -> RequestId {
    let time = (StepClock::START.0 as u64 + n).to_be_bytes();
    let mut bytes = [client; 16];
    bytes[..6].copy_from_slice(&time[2..]);
    (bytes[6], bytes[7], bytes[8], bytes[9]) = (0x70, 0, 0x80, 0);
    RequestId::from_bytes(bytes)
}

/// A client that sets like values on one comment.
struct LikeClient<'s> {
    fixture: &'s Fixture,
    key: SubjectKey,
    id: CommentId,
}

impl LikeClient<'_> {
    fn command(&self, name: &str, value: LikeValue, operation: RequestId) -> LikeCommand {
        self.fixture.command(&self.key, SetLike { comment_id: self.id, member: member(name), value, operation })
    }

    async fn set(&self, name: &str, value: LikeValue, operation: RequestId) -> LikeOutput {
        let command = self.command(name, value, operation);
        like_output(&self.fixture.send(&command).await.expect("set"))
    }

    async fn state(&self, name: &str) -> Option<LikeValue> {
        let reader = &self.fixture.process.reader;
        reader.like_states(&self.key, &member(name), &[self.id]).await.expect("read").remove(0)
    }

    async fn counts(&self) -> (i32, i32) {
        let comment = self.fixture.view(self.id).await.comment;
        (comment.counts.like_count, comment.counts.dislike_count)
    }
}

/// Returns the like of a command's output.
fn like_output(output: &CommandOutput) -> LikeOutput {
    match &output.effect {
        Effect::Like(like) => *like,
        Effect::Subject(_) | Effect::Comment(_) | Effect::Edit(_) | Effect::Decision(_) => {
            panic!("the output has no like: {output:?}")
        }
    }
}

/// Returns a client for a new root.
async fn like_client(fixture: &Fixture) -> LikeClient<'_> {
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    LikeClient { fixture, key, id }
}

use LikeValue::{Dislike, Like, None as Neither};

pub(super) async fn a_like_replaces_a_dislike_and_none_removes_it(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_like_replaces_a_dislike_and_none_removes_it");
    let client = like_client(&fixture).await;
    let steps = [
        (Dislike, (0, 1), true),
        (Like, (1, 0), true),
        (Like, (1, 0), false),
        (Neither, (0, 0), true),
        (Neither, (0, 0), false),
        (Like, (1, 0), true),
    ];
    let revision = fixture.subject(&client.key).await.revision;
    for (n, (value, counts, changed)) in steps.into_iter().enumerate() {
        let like = client.set("m", value, operation(n as u64, 1)).await;
        assert_eq!(
            (like.value, (like.like_count, like.dislike_count), like.changed),
            (value, counts, changed),
            "step {n}"
        );
        assert_eq!((client.state("m").await, client.counts().await), (Some(value), counts), "step {n}");
        assert_eq!(fixture.view(client.id).await.comment.lifecycle.revision, like.comment_revision);
    }
    assert_eq!(fixture.subject(&client.key).await.revision, revision, "likes never move the subject's revision");
    fixture.check_counts(&client.key).await;
}

pub(super) async fn a_repeated_operation_changes_nothing_and_returns_the_same(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeated_operation_changes_nothing_and_returns_the_same");
    let client = like_client(&fixture).await;
    let first = client.set("m", Like, operation(1, 1)).await;
    for _ in 0..3 {
        assert_eq!(client.set("m", Like, operation(1, 1)).await, first);
    }
    let command = client.command("m", Dislike, operation(1, 1));
    assert_eq!(fixture.send(&command).await, Err(Error::RequestIdReused), "the same operation, another value");
    assert_eq!(client.counts().await, (1, 0));
}

pub(super) async fn an_older_operation_of_the_same_client_changes_nothing(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_older_operation_of_the_same_client_changes_nothing");
    let client = like_client(&fixture).await;
    client.set("m", Like, operation(5, 1)).await;
    let late = client.set("m", Neither, operation(4, 1)).await;
    assert_eq!((late.value, late.changed), (Like, false));
    assert_eq!(client.counts().await, (1, 0));
    let other = client.set("m", Dislike, operation(3, 2)).await;
    assert_eq!(
        (other.value, other.changed),
        (Dislike, true),
        "operations of different clients take effect in the order of arrival"
    );
    assert_eq!(client.set("m", Like, operation(4, 1)).await.value, Like, "only the last operation is known");
}

pub(super) async fn operations_of_one_batch_are_applied_in_order(backend: Backend) {
    let fixture = Fixture::new(&backend, "operations_of_one_batch_are_applied_in_order");
    let client = like_client(&fixture).await;
    let batch = [
        client.command("m", Like, operation(1, 1)),
        client.command("n", Dislike, operation(1, 2)),
        client.command("m", Dislike, operation(2, 1)),
        client.command("m", Like, operation(1, 1)),
        client.command("n", Dislike, operation(1, 2)),
        client.command("o", Like, operation(1, 3)),
        client.command("o", Neither, operation(2, 3)),
    ];
    let results = fixture.commit(&batch).await;
    let likes = results.iter().map(|result| like_output(result.as_ref().expect("set")));
    let counts: Vec<_> = likes.map(|like| (like.like_count, like.dislike_count)).collect();
    assert_eq!(counts, [(1, 0), (1, 1), (0, 2), (0, 2), (0, 2), (1, 2), (0, 2)]);
    assert_eq!(client.counts().await, (0, 2));
    fixture.check_counts(&client.key).await;
}

pub(super) async fn members_are_distinguished_byte_by_byte(backend: Backend) {
    let fixture = Fixture::new(&backend, "members_are_distinguished_byte_by_byte");
    let client = like_client(&fixture).await;
    let members = ["x", "x ", "X", "é", "e\u{301}", "_", "%", "🏠"];
    for (n, name) in members.iter().enumerate() {
        assert_eq!(client.set(name, Like, operation(n as u64, 1)).await.like_count, n as i32 + 1, "{name:?}");
    }
    client.set("x ", Neither, operation(100, 1)).await;
    assert_eq!((client.state("x").await, client.state("x ").await), (Some(Like), Some(Neither)));
    assert_eq!(client.counts().await, (7, 0));
    fixture.check_counts(&client.key).await;
}

pub(super) async fn invisible_comments_and_closed_subjects_accept_no_likes(backend: Backend) {
    let fixture = Fixture::new(&backend, "invisible_comments_and_closed_subjects_accept_no_likes");
    let client = like_client(&fixture).await;
    client.set("m", Like, operation(1, 1)).await;
    let nowhere = LikeClient { fixture: &fixture, key: client.key.clone(), id: fixture.id(&client.key).await };
    assert_eq!(fixture.send(&nowhere.command("m", Like, operation(2, 1))).await, Err(Error::CommentNotFound));
    for (state, error) in
        [(SubjectState::ReadOnly, Error::SubjectReadOnly), (SubjectState::Hidden, Error::SubjectHidden)]
    {
        let update = |state| UpdateSubject { state: Some(state), ..UpdateSubject::default() };
        fixture.run(&client.key, update(state)).await;
        assert_eq!(fixture.send(&client.command("m", Neither, operation(3, 1))).await, Err(error));
        assert_eq!(client.set("m", Like, operation(1, 1)).await.like_count, 1, "a repeat returns the first result");
        fixture.run(&client.key, update(SubjectState::Active)).await;
    }
    let target = fixture.target(client.id).await;
    fixture.run(&client.key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    let result = fixture.send(&client.command("n", Like, operation(4, 1))).await;
    assert_eq!(result, Err(Error::CommentUnavailable(CommentState::Deleted)));
    assert_eq!(client.counts().await, (1, 0), "a tombstone keeps its likes");
}

pub(super) async fn like_states_have_the_order_of_the_request(backend: Backend) {
    let fixture = Fixture::new(&backend, "like_states_have_the_order_of_the_request");
    let client = like_client(&fixture).await;
    let (second, third) =
        (fixture.root(&client.key).await.comment.reference.id, fixture.root(&client.key).await.comment.reference.id);
    client.set("m", Dislike, operation(1, 1)).await;
    LikeClient { fixture: &fixture, key: client.key.clone(), id: third }.set("m", Like, operation(2, 1)).await;
    LikeClient { fixture: &fixture, key: client.key.clone(), id: second }.set("n", Like, operation(2, 2)).await;
    let nowhere = fixture.id(&client.key).await;
    let ids = [third, nowhere, second, client.id, third];
    let found = fixture.process.reader.like_states(&client.key, &member("m"), &ids).await;
    assert_eq!(found, Ok(vec![Some(Like), None, Some(Neither), Some(Dislike), Some(Like)]));
}

pub(super) async fn likers_are_listed_newest_first(backend: Backend) {
    let fixture = Fixture::new(&backend, "likers_are_listed_newest_first");
    let client = like_client(&fixture).await;
    let mut batch = Vec::new();
    for n in 0..23 {
        let mut command = client.command(&format!("m{n}"), if n % 7 == 3 { Dislike } else { Like }, operation(n, 1));
        // Several likes in the same millisecond: the highest member id comes first, as in the
        // first likers of several comments, and none is lost between two pages.
        command.now = riposte_core::Millis(StepClock::START.0 + n as i64 / 5);
        batch.push(command);
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    client.set("m4", Neither, operation(99, 1)).await;
    for (value, members) in [(Like, 19), (Dislike, 3)] {
        for limit in [1, 4, 100] {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let page = fixture.process.reader.likers(client.id, value, after.as_ref(), limit).await.expect("read");
                assert!(page.items.len() == limit || !page.more_after, "a page before the last is full");
                found.extend(page.items);
                if !page.more_after {
                    break;
                }
                after = found.last().map(|l| LikerCursor { time: l.time, member: l.member.clone() });
            }
            assert!(found.is_sorted_by(|a, b| (a.time, &a.member) > (b.time, &b.member)), "{found:?}");
            assert!(found.iter().all(|liker| liker.value == value));
            let mut distinct: Vec<_> = found.iter().map(|liker| &liker.member).collect();
            distinct.sort();
            distinct.dedup();
            assert_eq!((found.len(), distinct.len()), (members, members), "{value:?} by {limit}");
        }
    }
}

/// The members of likers, with their times.
fn by_time(likers: &[Liker]) -> Vec<(&str, i64)> {
    likers.iter().map(|liker| (liker.member.as_str(), liker.time.0 - StepClock::START.0)).collect()
}

pub(super) async fn the_first_likers_of_several_comments_are_read_in_one_state(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_first_likers_of_several_comments_are_read_in_one_state");
    let client = like_client(&fixture).await;
    let (liked, reply, bare) = (
        client.id,
        fixture.reply(&client.key, client.id, 2).await.comment.reference.id,
        fixture.root(&client.key).await.comment.reference.id,
    );
    let on_reply = LikeClient { fixture: &fixture, key: client.key.clone(), id: reply };
    let mut batch = Vec::new();
    for n in 0..9 {
        for (client, value) in [(&client, if n == 6 { Dislike } else { Like }), (&on_reply, Dislike)] {
            let mut command = client.command(&format!("m{n}"), value, operation(n, 1));
            // Three members have each time.
            command.now = riposte_core::Millis(StepClock::START.0 + n as i64 / 3);
            batch.push(command);
        }
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    client.set("m8", Neither, operation(99, 1)).await;
    let read = async |ids: &[CommentId], value, first: &[&str], limit| {
        let first = first.iter().map(|name| member(name)).collect();
        let query = LikersQuery { ids: ids.to_vec(), value, first, limit };
        let found = fixture.process.reader.comment_likers(&client.key, &query).await.expect("read").expect("exists");
        assert_eq!(found.state, riposte_core::SubjectState::Active);
        found.comments
    };
    let found = read(&[bare, liked, reply, liked], Like, &["m1", "m8", "m6", "m5", "stranger"], 3).await;
    let [Some(of_bare), Some(of_liked), Some(of_reply), again] = &found[..] else { panic!("{found:?}") };
    assert_eq!(again.as_ref(), Some(of_liked), "an id that is repeated is returned twice");
    assert_eq!((of_liked.count, of_liked.state), (7, CommentState::Active));
    assert_eq!(by_time(&of_liked.latest), [("m7", 2), ("m5", 1), ("m4", 1)]);
    assert_eq!(
        by_time(&of_liked.named),
        [("m5", 1), ("m1", 0)],
        "without the dislike of m6 and the like that m8 undid"
    );
    for none in [of_bare, of_reply] {
        assert_eq!((none.count, &none.latest[..], &none.named[..]), (0, &[][..], &[][..]));
    }
    let found = read(&[reply, liked], Dislike, &[], 2).await;
    let [Some(of_reply), Some(of_liked)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((of_reply.count, by_time(&of_reply.latest)), (9, vec![("m8", 2), ("m7", 2)]));
    assert_eq!((of_liked.count, by_time(&of_liked.latest)), (1, vec![("m6", 2)]));
    assert_eq!(of_reply.named, []);
    assert!(of_liked.latest.iter().all(|liker| liker.value == Dislike));
}

pub(super) async fn first_likers_of_absent_things_are_none(backend: Backend) {
    let fixture = Fixture::new(&backend, "first_likers_of_absent_things_are_none");
    let client = like_client(&fixture).await;
    let neighbour = fixture.neighbour(&client.key);
    let foreign = fixture.root(&neighbour).await.comment.reference.id;
    LikeClient { fixture: &fixture, key: neighbour, id: foreign }.set("m", Like, operation(1, 1)).await;
    let ids = vec![fixture.id(&client.key).await, foreign];
    let query = LikersQuery { ids, value: Like, first: vec![member("m")], limit: 3 };
    let read = async |key| fixture.process.reader.comment_likers(key, &query).await.expect("read");
    let found = read(&client.key).await.expect("exists");
    assert_eq!(found.comments, [None, None], "neither an unused id nor a comment of a neighbour");
    let absent = fixture.key_named("absent");
    assert_eq!(read(&absent).await, None);
    fixture.run(&client.key, riposte_core::verbs::DeleteSubject { etag: String::new() }).await;
    assert_eq!(read(&client.key).await, None);
}

pub(super) async fn the_likes_of_a_member_are_listed_by_comment(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_likes_of_a_member_are_listed_by_comment");
    let key = fixture.key();
    let values = [LikeValue::Like, LikeValue::None, LikeValue::Dislike];
    let (mut batch, mut expected) = (Vec::new(), Vec::new());
    for n in 0..9 {
        let id = fixture.root(&key).await.comment.reference.id;
        for (name, value) in [("m", values[n % 3]), ("m ", LikeValue::Like)] {
            let like = SetLike { comment_id: id, member: member(name), value, operation: operation(n as u64, 1) };
            batch.push(fixture.command(&key, like));
        }
        if values[n % 3] != LikeValue::None {
            let command = batch.iter().rev().nth(1).expect("the first of two");
            expected.push(MemberLike { comment: id, value: values[n % 3], time: command.now });
        }
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    expected.sort_by_key(|like| like.comment);
    for limit in [1, 2, 5, 6, 7] {
        let mut found: Vec<MemberLike> = Vec::new();
        loop {
            let after = found.last().map(|like| like.comment);
            let page = fixture.process.reader.member_likes(&key, &member("m"), after, limit).await.expect("read");
            assert_eq!(page.more_before, after.is_some());
            assert!(page.items.len() == limit || !page.more_after, "only the last page is short");
            found.extend(page.items);
            if !page.more_after {
                break;
            }
        }
        assert_eq!(found, expected, "{limit} at a time");
    }
    let other = fixture.key_named("other");
    fixture.root(&other).await;
    assert_eq!(fixture.process.reader.member_likes(&other, &member("m"), None, 9).await, Ok(Page::default()));
    fixture.run(&key, DeleteSubject { etag: String::new() }).await;
    assert_eq!(fixture.process.reader.member_likes(&key, &member("m"), None, 9).await, Ok(Page::default()));
}

pub(super) async fn counts_equal_the_likes_after_concurrent_changes(backend: Backend) {
    let fixture = Fixture::new(&backend, "counts_equal_the_likes_after_concurrent_changes");
    let client = like_client(&fixture).await;
    let (key, id) = (client.key.clone(), client.id);
    let other = fixture.reply(&key, id, 2).await.comment.reference.id;
    let mut members = Vec::new();
    for m in 0..64_u64 {
        let (fixture, key) = (Arc::clone(&fixture), key.clone());
        members.push(tokio::spawn(async move {
            for n in 0..4 {
                let value = [Like, Dislike, Neither, Like][((m + n) % 4) as usize];
                let id = if (m + n) % 3 == 0 { other } else { id };
                let client = LikeClient { fixture: &fixture, key: key.clone(), id };
                let like = client.set(&format!("m{m}"), value, operation(n, m as u8)).await;
                assert_eq!(like.value, value);
                assert_eq!(
                    client.state(&format!("m{m}")).await,
                    Some(value),
                    "a read returns the value that was just written"
                );
            }
        }));
    }
    for member in members {
        member.await.expect("no panic");
    }
    assert_eq!(fixture.check_counts(&key).await, 2);
    let stored = client.counts().await;
    let mut counts = (0, 0);
    for m in 0..64 {
        match client.state(&format!("m{m}")).await {
            Some(Like) => counts.0 += 1,
            Some(Dislike) => counts.1 += 1,
            Some(Neither) | None => {}
        }
    }
    assert_eq!(stored, counts);
}
