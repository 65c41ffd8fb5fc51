//! Comments that wait for review, verdicts on them, and the decisions that verdicts become.

use riposte_core::act::CommentAct;
use riposte_core::comment::review_etag;
use riposte_core::decision::{Decision, Grounds};
use riposte_core::event::{ActorKind, CommentOutcome, DecisionNumbers, ModerationDetails};
use riposte_core::ids::DecisionId;
use riposte_core::object_type::ModerationMode;
use riposte_core::review::{Review, ReviewCause, ReviewCauses};
use riposte_core::verbs::{
    Approve, ApproveEdit, Create, Delete, DeleteActor, Edit, Hide, Keep, Pin, Reject, RejectEdit, Ruling, RulingForm,
    SetLike, Undelete, Unhide, Withhold,
};
use riposte_core::{
    CommandKind, CommandOutput, CommentId, CommentLocation, CommentState, Effect, Error, LikeValue, SubjectKey,
};

use super::backend::Backend;
use super::fixture::{Fixture, by_moderator, comment, member, ruling, text};
use super::likes::operation;
use super::relay::Relay;

impl Fixture {
    /// Creates a root by "author" that waits for review.
    pub(super) async fn held_root(&self, key: &SubjectKey) -> CommentId {
        let verb = Create { moderation: ModerationMode::Pre, ..self.root_verb(key, "author").await };
        let view = comment(&self.run(key, verb).await);
        assert_eq!(view.comment.lifecycle.state, CommentState::Pending, "the author sees the state");
        assert!(view.content.is_some(), "the author sees the text");
        view.comment.reference.id
    }

    pub(super) async fn review(&self, id: CommentId) -> Option<Review> {
        self.process.reader.reviews(&[id]).await.expect("read").remove(0)
    }

    pub(super) async fn decisions(&self, id: CommentId) -> Vec<Decision> {
        self.process.reader.decisions(id, None, 100).await.expect("read")
    }

    /// Returns a verdict on what is stored now.
    pub(super) async fn verdict(&self, id: CommentId, act: CommentAct) -> CommandKind {
        let etag = review_etag(&self.view(id).await.comment, self.review(id).await.as_ref());
        self.verdict_on(id, act, etag).await
    }

    pub(super) async fn verdict_on(&self, id: CommentId, act: CommentAct, etag: String) -> CommandKind {
        let grounds = Grounds { code: "rule.1".to_owned(), explanation: "An 🏠.".to_owned(), ..Grounds::default() };
        let (target, form) = (self.target(id).await, RulingForm::Verdict);
        let ruling = Ruling { etag, form, grounds, ..ruling() };
        let mut verdicts = VERDICTS.into_iter().chain(OF_PROPOSALS);
        let (_, verdict) = verdicts.find(|(of, _)| *of == act).expect("the act of a verdict");
        verdict(target, ruling)
    }

    pub(super) async fn author_deletes(&self, key: &SubjectKey, id: CommentId) {
        let actor = DeleteActor::Author(member("author"));
        self.run(key, Delete { target: self.target(id).await, actor, etag: String::new() }).await;
    }
}

pub(super) fn decision(output: &CommandOutput) -> Decision {
    match &output.effect {
        Effect::Decision(output) => output.decision.clone(),
        Effect::Subject(_) | Effect::Comment(_) | Effect::Edit(_) | Effect::Like(_) => {
            panic!("no decision: {output:?}")
        }
    }
}

/// Makes the command of a verdict.
type IntoCommand = fn(CommentLocation, Ruling) -> CommandKind;

/// The acts of verdicts, each with its command.
const VERDICTS: [(CommentAct, IntoCommand); 7] = [
    (CommentAct::Approve, |target, ruling| Approve { target, ruling }.into()),
    (CommentAct::Reject, |target, ruling| Reject { target, ruling }.into()),
    (CommentAct::Hide, |target, ruling| Hide { target, ruling }.into()),
    (CommentAct::Unhide, |target, ruling| Unhide { target, ruling }.into()),
    (CommentAct::Withhold, |target, ruling| Withhold { target, ruling }.into()),
    (CommentAct::Keep, |target, ruling| Keep { target, ruling }.into()),
    (CommentAct::Delete, |target, ruling| {
        Delete { target, actor: DeleteActor::Moderator(Box::new(ruling)), etag: String::new() }.into()
    }),
];

/// The acts of verdicts on proposed edits, each with its command.
const OF_PROPOSALS: [(CommentAct, IntoCommand); 2] = [
    (CommentAct::ApproveEdit, |target, ruling| ApproveEdit { target, ruling }.into()),
    (CommentAct::RejectEdit, |target, ruling| RejectEdit { target, ruling }.into()),
];

/// States, each with the acts that bring a comment into it that waits for review.
const REACHED_BY: [(CommentState, &[CommentAct]); 5] = [
    (CommentState::Pending, &[]),
    (CommentState::Active, &[CommentAct::Approve]),
    (CommentState::Rejected, &[CommentAct::Reject]),
    (CommentState::Hidden, &[CommentAct::Approve, CommentAct::Hide]),
    (CommentState::Deleted, &[CommentAct::Approve, CommentAct::Delete]),
];

pub(super) async fn a_comment_of_a_pre_type_is_neither_listed_nor_counted_until_it_is_approved(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_comment_of_a_pre_type_is_neither_listed_nor_counted_until_it_is_approved");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    let visible = fixture.root(&key).await.comment;
    assert_eq!(visible.reference.floor, 2, "the floor of the waiting comment is spent");
    assert_eq!(fixture.floors(&key).await, [2]);
    let counts = fixture.subject(&key).await.counts;
    assert_eq!((counts.root_count, counts.comment_count), (1, 1));
    let review = fixture.review(id).await.expect("a review");
    assert_eq!(review.causes, ReviewCauses::of(&[ReviewCause::New]));
    assert!(review.never_public && !review.open().is_empty());
    assert!(review.due_time.is_some());
    fixture.check_counts(&key).await;
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    let decision = decision(&fixture.run(&key, verdict).await);
    assert_eq!((decision.from, decision.to), (Some(CommentState::Pending), CommentState::Active));
    assert_eq!(fixture.floors(&key).await, [1, 2], "it stands in its old place");
    let review = fixture.review(id).await.expect("a review");
    assert!(review.open().is_empty() && !review.never_public && review.due_time.is_none());
    fixture.check_counts(&key).await;
}

/// Creates a root that waits for review, and judges it.
async fn root_after(fixture: &Fixture, key: &SubjectKey, acts: &[CommentAct]) -> CommentId {
    let id = fixture.held_root(key).await;
    for act in acts {
        let verdict = fixture.verdict(id, *act).await;
        fixture.run(key, verdict).await;
    }
    id
}

pub(super) async fn every_act_on_every_state_follows_the_table(backend: Backend) {
    let fixture = Fixture::new(&backend, "every_act_on_every_state_follows_the_table");
    for (state, acts) in REACHED_BY {
        for (act, _) in VERDICTS {
            let key = fixture.key_named(format_args!("{state}-{act:?}"));
            fixture.open(&key).await;
            let id = root_after(&fixture, &key, acts).await;
            let (before, review) = (fixture.view(id).await.comment, fixture.review(id).await);
            let verdict = fixture.verdict(id, act).await;
            let rule = act.rule(Some(state)).filter(|_| act != CommentAct::Keep);
            let Some(rule) = rule else {
                let error =
                    if state == CommentState::Deleted { Error::CommentNotFound } else { Error::StateConflict(state) };
                assert_eq!(fixture.rejection(&key, verdict).await, error, "{act:?} from {state}");
                assert_eq!((fixture.view(id).await.comment, fixture.review(id).await), (before, review));
                continue;
            };
            let output = fixture.run(&key, verdict).await;
            let (after, decision) = (fixture.view(id).await.comment, decision(&output));
            let next = rule.next(state, state);
            assert_eq!(after.lifecycle.state, next, "{act:?} from {state}");
            assert_eq!((decision.act, decision.from, decision.to), (act, Some(state), next));
            assert_eq!(
                (decision.from_version, decision.to_version),
                (before.lifecycle.version, after.lifecycle.version)
            );
            assert_eq!(decision.revision > 0, rule.moves_version(), "{act:?} from {state}");
            assert_eq!((decision.actor.as_str(), decision.grounds.code.as_str()), ("mod", "rule.1"));
            let numbers: Vec<i32> = fixture.decisions(id).await.iter().map(|decision| decision.id.number).collect();
            let expected: Vec<i32> = (1..=decision.id.number).rev().collect();
            assert_eq!(numbers, expected, "{act:?} from {state}");
            let review = fixture.review(id).await.expect("a review");
            assert_eq!(review.decisions, decision.id.number);
            assert_eq!(review.open().is_empty(), next != CommentState::Pending, "{act:?} from {state}");
            fixture.check_counts(&key).await;
        }
    }
}

pub(super) async fn a_verdict_on_another_text_names_the_decision_that_came_before(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_verdict_on_another_text_names_the_decision_that_came_before");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    let (approval, rejection) =
        (fixture.verdict(id, CommentAct::Approve).await, fixture.verdict(id, CommentAct::Reject).await);
    fixture.run(&key, approval).await;
    let changed = |current: String, number: Option<i32>| Error::ReviewChanged {
        current,
        decision: number.map(|number| DecisionId { comment: id, number }),
    };
    let current = review_etag(&fixture.view(id).await.comment, fixture.review(id).await.as_ref());
    assert_eq!(fixture.rejection(&key, rejection).await, changed(current, Some(1)));
    // An edit moves the etag too, of a comment without a decision as well.
    let plain = fixture.root(&key).await.comment.reference.id;
    let (target, content) = (fixture.target(plain).await, text("another text"));
    let verdict = fixture.verdict(plain, CommentAct::Hide).await;
    fixture.run(&key, Edit::allowed(target, member("author"), content)).await;
    let current = review_etag(&fixture.view(plain).await.comment, None);
    assert_eq!(fixture.rejection(&key, verdict).await, changed(current, None));
    assert_eq!(fixture.decisions(plain).await, []);
}

pub(super) async fn a_repeated_verdict_returns_the_first_decision(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeated_verdict_returns_the_first_decision");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    let command = fixture.command(&key, verdict);
    let first = fixture.send(&command).await.expect("judged");
    let hide = fixture.verdict(id, CommentAct::Hide).await;
    fixture.run(&key, hide).await;
    let again = fixture.send(&command).await.expect("repeated");
    assert_eq!((decision(&again), again.revision), (decision(&first), first.revision));
    assert!(again.replayed && !first.replayed);
    assert_eq!(fixture.view(id).await.comment.lifecycle.state, CommentState::Hidden, "the repeat changes nothing");
    let mut other = command.clone();
    other.request.fingerprint.0 ^= 1;
    assert_eq!(fixture.send(&other).await, Err(Error::RequestIdReused));
    // The same key on another comment is another verdict.
    let second = fixture.held_root(&key).await;
    let elsewhere = fixture.verdict(second, CommentAct::Approve).await;
    let mut elsewhere = fixture.command(&key, elsewhere);
    elsewhere.request.key = command.request.key;
    assert_eq!(decision(&fixture.send(&elsewhere).await.expect("judged")).id.comment, second);
}

pub(super) async fn acts_of_one_batch_each_write_their_decision(backend: Backend) {
    let fixture = Fixture::new(&backend, "acts_of_one_batch_each_write_their_decision");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let mut batch = Vec::new();
    for act in [CommentAct::Withhold, CommentAct::Approve, CommentAct::Hide, CommentAct::Unhide, CommentAct::Reject] {
        let verdict = fixture.verdict_on(id, act, String::new()).await;
        batch.push(fixture.command(&key, verdict));
    }
    let outputs = fixture.commit(&batch).await;
    let numbers: Vec<i32> = outputs.iter().map(|output| decision(output.as_ref().expect("judged")).id.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    let stored: Vec<CommentAct> = fixture.decisions(id).await.iter().map(|decision| decision.act).collect();
    assert_eq!(
        stored,
        [CommentAct::Reject, CommentAct::Unhide, CommentAct::Hide, CommentAct::Approve, CommentAct::Withhold]
    );
    assert_eq!(fixture.view(id).await.comment.lifecycle.state, CommentState::Rejected);
    let review = fixture.review(id).await.expect("a review");
    assert!(review.text_unshown && review.text_once_public && !review.never_public);
    fixture.check_counts(&key).await;
}

pub(super) async fn a_comment_that_was_never_visible_exists_for_its_author_only(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_comment_that_was_never_visible_exists_for_its_author_only");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    let target = || fixture.target(id);
    let reply = async |name: &str| {
        let verb = fixture.reply_verb(&key, id, 2).await;
        riposte_core::verbs::Reply { member: member(name), ..verb }
    };
    let like = |name: &str| SetLike {
        comment_id: id,
        member: member(name),
        value: LikeValue::Like,
        operation: operation(1, 1),
    };
    let by_owner = Delete { target: target().await, actor: DeleteActor::Owner(member("owner")), etag: String::new() };
    let edit = |name: &str, target| Edit::allowed(target, member(name), text("other"));
    let pin = Pin { target: target().await, member: member("owner") };
    for (verb, what) in [
        (CommandKind::from(reply("stranger").await), "a reply"),
        (by_owner.into(), "the owner's deletion"),
        (edit("stranger", target().await).into(), "an edit"),
        (pin.into(), "a pin"),
    ] {
        assert_eq!(fixture.rejection(&key, verb).await, Error::CommentNotFound, "{what}");
    }
    assert_eq!(fixture.rejection(&key, like("stranger")).await, Error::CommentNotFound);
    let pending = CommentState::Pending;
    assert_eq!(fixture.rejection(&key, reply("author").await).await, Error::ParentUnavailable(pending));
    assert_eq!(fixture.rejection(&key, like("author")).await, Error::CommentUnavailable(pending));
    let edited = comment(&fixture.run(&key, edit("author", target().await)).await);
    assert_eq!((edited.comment.lifecycle.state, edited.content), (pending, Some(text("other"))));
    // What was visible once is a hidden comment to others.
    for act in [CommentAct::Approve, CommentAct::Withhold] {
        let verdict = fixture.verdict(id, act).await;
        fixture.run(&key, verdict).await;
    }
    let hidden = CommentState::Hidden;
    assert_eq!(fixture.rejection(&key, reply("stranger").await).await, Error::ParentUnavailable(hidden));
    assert_eq!(fixture.rejection(&key, like("stranger")).await, Error::CommentUnavailable(hidden));
    assert_eq!(fixture.rejection(&key, reply("author").await).await, Error::ParentUnavailable(pending));
}

pub(super) async fn deleting_a_comment_is_no_escape_from_a_verdict(backend: Backend) {
    let fixture = Fixture::new(&backend, "deleting_a_comment_is_no_escape_from_a_verdict");
    let key = fixture.key();
    fixture.open(&key).await;
    for (act, reached) in [
        (CommentAct::Reject, CommentState::Rejected),
        (CommentAct::Hide, CommentState::Hidden),
        (CommentAct::Withhold, CommentState::Pending),
    ] {
        let id = fixture.root(&key).await.comment.reference.id;
        fixture.author_deletes(&key, id).await;
        let verdict = fixture.verdict(id, act).await;
        let decision = decision(&fixture.run(&key, verdict).await);
        assert_eq!((decision.from, decision.to), (Some(CommentState::Active), reached), "{act:?}");
        assert_eq!(fixture.view(id).await.comment.lifecycle.state, CommentState::Deleted);
        assert!(fixture.review(id).await.is_some_and(|review| review.open().is_empty()), "{act:?}");
        fixture.run(&key, Undelete { target: fixture.target(id).await, member: member("author") }).await;
        assert_eq!(fixture.view(id).await.comment.lifecycle.state, reached, "{act:?}");
        fixture.check_counts(&key).await;
    }
    let id = fixture.root(&key).await.comment.reference.id;
    fixture.author_deletes(&key, id).await;
    for act in [CommentAct::Approve, CommentAct::Unhide, CommentAct::Keep] {
        let verdict = fixture.verdict(id, act).await;
        assert_eq!(fixture.rejection(&key, verdict).await, Error::CommentNotFound, "{act:?}");
    }
    fixture.run(&key, Delete { target: fixture.target(id).await, actor: by_moderator(), etag: String::new() }).await;
    let undelete = Undelete { target: fixture.target(id).await, member: member("author") };
    assert_eq!(fixture.rejection(&key, undelete).await, Error::MemberNotAllowed, "a moderator deleted it");
    for (act, _) in VERDICTS {
        let verdict = fixture.verdict(id, act).await;
        assert_eq!(fixture.rejection(&key, verdict).await, Error::CommentNotFound, "{act:?}");
    }
}

pub(super) async fn an_undeleted_comment_waits_again_since_the_same_time(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_undeleted_comment_waits_again_since_the_same_time");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    let waiting = fixture.review(id).await.expect("a review");
    fixture.author_deletes(&key, id).await;
    let closed = fixture.review(id).await.expect("a review");
    assert!(closed.open().is_empty());
    fixture.check_counts(&key).await;
    fixture.run(&key, Undelete { target: fixture.target(id).await, member: member("author") }).await;
    assert_eq!(fixture.review(id).await, Some(waiting));
    fixture.check_counts(&key).await;
}

pub(super) async fn the_first_publication_is_recorded_once(backend: Backend) {
    use CommentState::{Active, Pending, Rejected};
    let fixture = Fixture::new(&backend, "the_first_publication_is_recorded_once");
    let relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.held_root(&key).await;
    for act in [CommentAct::Approve, CommentAct::Reject, CommentAct::Approve] {
        let verdict = fixture.verdict(id, act).await;
        fixture.run(&key, verdict).await;
    }
    // A verdict that leaves the comment in sight makes an event without a revision.
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    fixture.run(&key, verdict).await;
    let decided =
        |number| ModerationDetails { decisions: Some(DecisionNumbers::of(number)), ..ModerationDetails::NONE };
    let verdict = |before, after, version, number| CommentOutcome {
        actor: ActorKind::Moderator,
        before: Some(before),
        after,
        version,
        first_publication: false,
        moderation: decided(number),
    };
    let held = ModerationDetails { held: true, ..ModerationDetails::NONE };
    let waits =
        CommentOutcome { after: Pending, first_publication: false, moderation: held, ..CommentOutcome::PUBLISHED };
    let published = CommentOutcome { first_publication: true, ..verdict(Pending, Active, 2, 1) };
    let mut expected = vec![waits, published, verdict(Active, Rejected, 3, 2), verdict(Rejected, Active, 4, 3)];
    let events = fixture.events(&key).await;
    let outcomes: Vec<_> = events.iter().filter_map(|event| event.changes.outcome(id)).collect();
    assert_eq!(outcomes, expected);
    relay.assign_sequence(500).await;
    let subject = fixture.subject(&key).await.id;
    let sequenced = relay.sequenced(relay.source_of(subject).await, subject).await;
    expected.push(verdict(Active, Active, 4, 4));
    let outcomes: Vec<_> = sequenced.iter().filter_map(|event| event.event.changes.outcome(id)).collect();
    assert_eq!(outcomes, expected);
    let last = sequenced.last().expect("an event");
    assert!(last.event.is_unseen() && last.event.revision.is_none(), "{last:?}");
}

pub(super) async fn a_plain_comment_has_no_review(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_plain_comment_has_no_review");
    let key = fixture.key();
    fixture.open(&key).await;
    let root = fixture.root(&key).await.comment.reference.id;
    let reply = fixture.reply(&key, root, 2).await.comment.reference.id;
    fixture.author_deletes(&key, root).await;
    fixture.run(&key, Undelete { target: fixture.target(root).await, member: member("author") }).await;
    for id in [root, reply] {
        assert_eq!((fixture.review(id).await, fixture.decisions(id).await), (None, Vec::new()));
    }
    // The order of a moderator outside the queue is a decision too.
    fixture.run(&key, Hide { target: fixture.target(root).await, ruling: ruling() }).await;
    let [decision] = fixture.decisions(root).await.try_into().expect("one decision");
    assert_eq!((decision.act, decision.grounds.note.as_str(), decision.request), (CommentAct::Hide, "a note", None));
    assert_eq!(fixture.review(root).await.map(|review| (review.decisions, review.never_public)), Some((1, false)));
}
