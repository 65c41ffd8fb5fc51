//! Likes: one value per member and comment, however often, late or concurrently operations arrive.

use std::sync::Arc;

use riposte_core::like::LikeAnswer;
use riposte_core::page::{LikerCursor, MemberLike, Page};
use riposte_core::request::RequestId;
use riposte_core::verbs::{Delete, DeleteActor, DeleteSubject, SetLike, UpdateSubject};
use riposte_core::{
    CommandOutput, CommentId, CommentState, Effect, Error, LikeCommand, LikeValue, SubjectKey, SubjectState,
};

use super::backend::{Backend, StepClock};
use super::fixture::{Fixture, member};

/// Returns the id of the `n`-th operation of a client: a UUIDv7 whose tail identifies the client.
pub(super) fn operation(n: u64, client: u8) -> RequestId {
    let time = (StepClock::START.0 as u64 + n).to_be_bytes();
    let mut bytes = [client; 16];
    bytes[..6].copy_from_slice(&time[2..]);
    (bytes[6], bytes[7], bytes[8], bytes[9]) = (0x70, 0, 0x80, 0);
    RequestId::from_bytes(bytes)
}

/// A client that sets values on one comment.
struct Hand<'s> {
    fixture: &'s Fixture,
    key: SubjectKey,
    id: CommentId,
}

impl Hand<'_> {
    fn command(&self, who: &str, value: LikeValue, operation: RequestId) -> LikeCommand {
        self.fixture.command(&self.key, SetLike { comment_id: self.id, member: member(who), value, operation })
    }

    async fn set(&self, who: &str, value: LikeValue, operation: RequestId) -> LikeAnswer {
        let command = self.command(who, value, operation);
        answer(&self.fixture.send(&command).await.expect("set"))
    }

    async fn state(&self, who: &str) -> Option<LikeValue> {
        let reader = &self.fixture.process.reader;
        reader.like_states(&self.key, &member(who), &[self.id]).await.expect("read").remove(0)
    }

    async fn counts(&self) -> (i32, i32) {
        let comment = self.fixture.view(self.id).await.comment;
        (comment.counts.like_count, comment.counts.dislike_count)
    }
}

fn answer(output: &CommandOutput) -> LikeAnswer {
    match &output.effect {
        Effect::Like(answer) => *answer,
        Effect::Subject(_) | Effect::Comment(_) => panic!("not about a like: {output:?}"),
    }
}

async fn hand(fixture: &Fixture) -> Hand<'_> {
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    Hand { fixture, key, id }
}

use LikeValue::{Dislike, Like, None as Neither};

pub(super) async fn a_like_clears_a_dislike_and_none_undoes(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_like_clears_a_dislike_and_none_undoes");
    let hand = hand(&fixture).await;
    let steps = [
        (Dislike, (0, 1), true),
        (Like, (1, 0), true),
        (Like, (1, 0), false),
        (Neither, (0, 0), true),
        (Neither, (0, 0), false),
        (Like, (1, 0), true),
    ];
    let revision = fixture.subject(&hand.key).await.revision;
    for (n, (value, counts, changed)) in steps.into_iter().enumerate() {
        let told = hand.set("m", value, operation(n as u64, 1)).await;
        assert_eq!(
            (told.value, (told.like_count, told.dislike_count), told.changed),
            (value, counts, changed),
            "step {n}"
        );
        assert_eq!((hand.state("m").await, hand.counts().await), (Some(value), counts), "step {n}");
        assert_eq!(fixture.view(hand.id).await.comment.lifecycle.revision, told.comment_revision);
    }
    assert_eq!(fixture.subject(&hand.key).await.revision, revision, "likes never move the subject's revision");
    fixture.sound(&hand.key).await;
}

pub(super) async fn a_repeated_operation_changes_nothing_and_answers_the_same(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeated_operation_changes_nothing_and_answers_the_same");
    let hand = hand(&fixture).await;
    let first = hand.set("m", Like, operation(1, 1)).await;
    for _ in 0..3 {
        assert_eq!(hand.set("m", Like, operation(1, 1)).await, first);
    }
    let command = hand.command("m", Dislike, operation(1, 1));
    assert_eq!(fixture.send(&command).await, Err(Error::RequestIdReused), "the same operation, another value");
    assert_eq!(hand.counts().await, (1, 0));
}

pub(super) async fn an_older_operation_of_the_same_client_changes_nothing(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_older_operation_of_the_same_client_changes_nothing");
    let hand = hand(&fixture).await;
    hand.set("m", Like, operation(5, 1)).await;
    let late = hand.set("m", Neither, operation(4, 1)).await;
    assert_eq!((late.value, late.changed), (Like, false));
    assert_eq!(hand.counts().await, (1, 0));
    let other = hand.set("m", Dislike, operation(3, 2)).await;
    assert_eq!((other.value, other.changed), (Dislike, true), "of another client arrival decides");
    assert_eq!(hand.set("m", Like, operation(4, 1)).await.value, Like, "only the last operation is known");
}

pub(super) async fn operations_of_one_batch_are_applied_in_order(backend: Backend) {
    let fixture = Fixture::new(&backend, "operations_of_one_batch_are_applied_in_order");
    let hand = hand(&fixture).await;
    let batch = [
        hand.command("m", Like, operation(1, 1)),
        hand.command("n", Dislike, operation(1, 2)),
        hand.command("m", Dislike, operation(2, 1)),
        hand.command("m", Like, operation(1, 1)),
        hand.command("n", Dislike, operation(1, 2)),
        hand.command("o", Like, operation(1, 3)),
        hand.command("o", Neither, operation(2, 3)),
    ];
    let told: Vec<_> = fixture.commit(&batch).await.iter().map(|r| answer(r.as_ref().expect("set"))).collect();
    let counts: Vec<_> = told.iter().map(|a| (a.like_count, a.dislike_count)).collect();
    assert_eq!(counts, [(1, 0), (1, 1), (0, 2), (0, 2), (0, 2), (1, 2), (0, 2)]);
    assert_eq!(hand.counts().await, (0, 2));
    fixture.sound(&hand.key).await;
}

pub(super) async fn members_are_told_apart_byte_by_byte(backend: Backend) {
    let fixture = Fixture::new(&backend, "members_are_told_apart_byte_by_byte");
    let hand = hand(&fixture).await;
    let members = ["x", "x ", "X", "é", "e\u{301}", "_", "%", "🏠"];
    for (n, who) in members.iter().enumerate() {
        assert_eq!(hand.set(who, Like, operation(n as u64, 1)).await.like_count, n as i32 + 1, "{who:?}");
    }
    hand.set("x ", Neither, operation(100, 1)).await;
    assert_eq!((hand.state("x").await, hand.state("x ").await), (Some(Like), Some(Neither)));
    assert_eq!(hand.counts().await, (7, 0));
    fixture.sound(&hand.key).await;
}

pub(super) async fn what_is_not_visible_or_not_open_takes_no_likes(backend: Backend) {
    let fixture = Fixture::new(&backend, "what_is_not_visible_or_not_open_takes_no_likes");
    let hand = hand(&fixture).await;
    hand.set("m", Like, operation(1, 1)).await;
    let nowhere = Hand { fixture: &fixture, key: hand.key.clone(), id: fixture.id(&hand.key).await };
    assert_eq!(fixture.send(&nowhere.command("m", Like, operation(2, 1))).await, Err(Error::CommentNotFound));
    for (state, refused) in
        [(SubjectState::ReadOnly, Error::SubjectReadOnly), (SubjectState::Hidden, Error::SubjectHidden)]
    {
        let update = |state| UpdateSubject { owner: None, state: Some(state), metadata: None, etag: String::new() };
        fixture.run(&hand.key, update(state)).await;
        assert_eq!(fixture.send(&hand.command("m", Neither, operation(3, 1))).await, Err(refused));
        assert_eq!(hand.set("m", Like, operation(1, 1)).await.like_count, 1, "a repeat is answered all the same");
        fixture.run(&hand.key, update(SubjectState::Active)).await;
    }
    let target = fixture.target(hand.id).await;
    fixture.run(&hand.key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
    let refused = fixture.send(&hand.command("n", Like, operation(4, 1))).await;
    assert_eq!(refused, Err(Error::CommentUnavailable(CommentState::Deleted)));
    assert_eq!(hand.counts().await, (1, 0), "a tombstone keeps what it was given");
}

pub(super) async fn states_come_in_the_order_of_the_question(backend: Backend) {
    let fixture = Fixture::new(&backend, "states_come_in_the_order_of_the_question");
    let hand = hand(&fixture).await;
    let (second, third) =
        (fixture.root(&hand.key).await.comment.reference.id, fixture.root(&hand.key).await.comment.reference.id);
    hand.set("m", Dislike, operation(1, 1)).await;
    Hand { fixture: &fixture, key: hand.key.clone(), id: third }.set("m", Like, operation(2, 1)).await;
    Hand { fixture: &fixture, key: hand.key.clone(), id: second }.set("n", Like, operation(2, 2)).await;
    let nowhere = fixture.id(&hand.key).await;
    let asked = [third, nowhere, second, hand.id, third];
    let found = fixture.process.reader.like_states(&hand.key, &member("m"), &asked).await;
    assert_eq!(found, Ok(vec![Some(Like), None, Some(Neither), Some(Dislike), Some(Like)]));
}

pub(super) async fn likers_are_walked_newest_first(backend: Backend) {
    let fixture = Fixture::new(&backend, "likers_are_walked_newest_first");
    let hand = hand(&fixture).await;
    let mut batch = Vec::new();
    for n in 0..23 {
        let mut command = hand.command(&format!("m{n}"), if n % 7 == 3 { Dislike } else { Like }, operation(n, 1));
        // Several likes in the same millisecond: the member id orders them, and none is lost
        // between two pages.
        command.now = riposte_core::Millis(StepClock::START.0 + n as i64 / 5);
        batch.push(command);
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    hand.set("m4", Neither, operation(99, 1)).await;
    for (value, members) in [(Like, 19), (Dislike, 3)] {
        for limit in [1, 4, 100] {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let page = fixture.process.reader.likers(hand.id, value, after.as_ref(), limit).await.expect("read");
                assert!(page.items.len() == limit || !page.more_after, "a page before the last is full");
                found.extend(page.items);
                if !page.more_after {
                    break;
                }
                after = found.last().map(|l| LikerCursor { time: l.time, member: l.member.clone() });
            }
            assert!(found.is_sorted_by(|a, b| a.time >= b.time), "{found:?}");
            assert!(found.iter().all(|liker| liker.value == value));
            let mut distinct: Vec<_> = found.iter().map(|liker| &liker.member).collect();
            distinct.sort();
            distinct.dedup();
            assert_eq!((found.len(), distinct.len()), (members, members), "{value:?} by {limit}");
        }
    }
}

pub(super) async fn what_a_member_likes_is_walked_by_comment(backend: Backend) {
    let fixture = Fixture::new(&backend, "what_a_member_likes_is_walked_by_comment");
    let key = fixture.key();
    let values = [LikeValue::Like, LikeValue::None, LikeValue::Dislike];
    let (mut batch, mut expected) = (Vec::new(), Vec::new());
    for n in 0..9 {
        let id = fixture.root(&key).await.comment.reference.id;
        for (who, value) in [("m", values[n % 3]), ("m ", LikeValue::Like)] {
            let like = SetLike { comment_id: id, member: member(who), value, operation: operation(n as u64, 1) };
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

pub(super) async fn counts_equal_members_after_many_changed_their_minds_at_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "counts_equal_members_after_many_changed_their_minds_at_once");
    let hand = hand(&fixture).await;
    let (key, id) = (hand.key.clone(), hand.id);
    let other = fixture.reply(&key, id, 2).await.comment.reference.id;
    let mut members = Vec::new();
    for m in 0..64_u64 {
        let (fixture, key) = (Arc::clone(&fixture), key.clone());
        members.push(tokio::spawn(async move {
            for n in 0..4 {
                let value = [Like, Dislike, Neither, Like][((m + n) % 4) as usize];
                let id = if (m + n) % 3 == 0 { other } else { id };
                let hand = Hand { fixture: &fixture, key: key.clone(), id };
                let told = hand.set(&format!("m{m}"), value, operation(n, m as u8)).await;
                assert_eq!(told.value, value);
                assert_eq!(hand.state(&format!("m{m}")).await, Some(value), "read what was just written");
            }
        }));
    }
    for member in members {
        member.await.expect("the member ends well");
    }
    assert_eq!(fixture.sound(&key).await, 2);
    let counted = hand.counts().await;
    let mut counts = (0, 0);
    for m in 0..64 {
        match hand.state(&format!("m{m}")).await {
            Some(Like) => counts.0 += 1,
            Some(Dislike) => counts.1 += 1,
            Some(Neither) | None => {}
        }
    }
    assert_eq!(counted, counts);
}
