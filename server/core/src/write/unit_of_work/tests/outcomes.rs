//! The outcomes in the events of a batch: one for each comment, computed from the locked and the
//! written row.

use std::time::Duration;

use super::fixture::{Fixture, member};
use super::verbs::{author, moderator, owner, ruling};
use crate::domain::act::CommentAct;
use crate::domain::disposition::Disposition;
use crate::domain::event::{ActorKind, ChangeKind, CommentOutcome, DecisionNumbers, ModerationDetails};
use crate::domain::ids::CommentId;
use crate::domain::like::LikeValue;
use crate::domain::object_type::ModerationMode;
use crate::domain::state::CommentState::{self, Active, Deleted, Hidden, Rejected};
use crate::write::change::AuthorAppeal;
use crate::write::command_output::Effect;
use crate::write::verbs::{
    Appeal, Approve, ApproveEdit, BatchType, Command, CommandKind, Create, Edit, Hide, Keep, Reject, RejectEdit,
    Ruling, RulingForm, Withhold,
};

/// Runs a batch and returns the outcome of a comment in its only event, and whether it is recorded.
fn outcome<K: BatchType>(fixture: &mut Fixture, batch: &[Command<K>], id: CommentId) -> (Option<CommentOutcome>, bool) {
    let (results, unit) = fixture.commit(batch);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let events = unit.events().expect("all subjects are loaded");
    let (_, _, changes) = events.first().expect("one event");
    (changes.outcome(id), changes.outcomes.contains_key(&id))
}

fn changed(actor: ActorKind, before: CommentState, after: CommentState, version: i64) -> CommentOutcome {
    let moderation = ModerationDetails::NONE;
    CommentOutcome { actor, before: Some(before), after, version, first_publication: false, moderation }
}

/// Returns the outcome of a batch of moderators with the decisions from `first` to `last`.
fn decided(outcome: CommentOutcome, first: i32, last: i32) -> CommentOutcome {
    let decisions = Some(DecisionNumbers { first, last });
    CommentOutcome { moderation: ModerationDetails { decisions, ..outcome.moderation }, ..outcome }
}

#[test]
fn each_verb_records_the_actor_the_states_and_the_version() {
    use ActorKind::{Author, Moderator, Owner};
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let steps: [(Command, CommentOutcome); 8] = [
        (fixture.command(fixture.edit(id, "author", "again")), changed(Author, Active, Active, 2)),
        (fixture.command(fixture.hide(id)), decided(changed(Moderator, Active, Hidden, 3), 1, 1)),
        (fixture.command(fixture.unhide(id)), decided(changed(Moderator, Hidden, Active, 4), 2, 2)),
        (fixture.command(fixture.delete(id, author("author"))), changed(Author, Active, Deleted, 5)),
        (fixture.command(fixture.undelete(id, "author")), changed(Author, Deleted, Active, 6)),
        (fixture.command(fixture.delete(id, owner("owner"))), changed(Owner, Active, Deleted, 7)),
        (fixture.command(fixture.undelete(id, "owner")), changed(Owner, Deleted, Active, 8)),
        (fixture.command(fixture.delete(id, moderator())), decided(changed(Moderator, Active, Deleted, 9), 3, 3)),
    ];
    for (command, expected) in steps {
        assert_eq!(outcome(&mut fixture, std::slice::from_ref(&command), id), (Some(expected), true), "{command:?}");
    }
}

#[test]
fn a_create_is_recorded_unless_it_is_plain() {
    let mut fixture = Fixture::open();
    let create = fixture.create();
    let id = create.id;
    let command = fixture.command(create);
    assert_eq!(outcome(&mut fixture, &[command], id), (Some(CommentOutcome::PUBLISHED), false));
    for (state, first_publication) in [(Active, true), (Hidden, false), (Deleted, false)] {
        let import = fixture.import(state);
        let id = import.id;
        let command = fixture.command(import);
        let expected =
            CommentOutcome { actor: ActorKind::Import, after: state, first_publication, ..CommentOutcome::PUBLISHED };
        assert_eq!(outcome(&mut fixture, &[command], id), (Some(expected), true), "{state}");
    }
}

#[test]
fn a_batch_records_the_net_effect_the_last_actor_and_a_first_publication() {
    let mut fixture = Fixture::open();
    let create = fixture.create();
    let id = create.id;
    let hide = fixture.hide(id);
    let batch = [fixture.command(create), fixture.command(hide)];
    let expected = CommentOutcome {
        actor: ActorKind::Moderator,
        before: None,
        after: Hidden,
        version: 2,
        first_publication: true,
        moderation: ModerationDetails::NONE,
    };
    let expected = decided(expected, 1, 1);
    assert_eq!(outcome(&mut fixture, &batch, id), (Some(expected), true), "it was visible within the batch only");

    let id = fixture.root();
    let edit = fixture.edit(id, "author", "again");
    let batch = [fixture.command(fixture.hide(id)), fixture.command(fixture.unhide(id)), fixture.command(edit)];
    let expected = decided(changed(ActorKind::Author, Active, Active, 4), 1, 2);
    assert_eq!(outcome(&mut fixture, &batch, id).0, Some(expected));
}

#[test]
fn likes_and_pins_have_no_outcome() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let like = fixture.like(id, member("reader").as_str(), LikeValue::Like);
    let like = fixture.command(like);
    assert_eq!(outcome(&mut fixture, &[like], id), (None, false));
    let pin = fixture.command(fixture.pin(id, "owner"));
    assert_eq!(outcome(&mut fixture, &[pin], id), (None, false));
}

/// Runs a command and returns the revision of its event, the kinds of change and the details.
fn noted(
    fixture: &mut Fixture,
    verb: impl Into<CommandKind>,
    id: CommentId,
) -> (Option<i64>, Vec<ChangeKind>, ModerationDetails) {
    let command = fixture.command(verb.into());
    let (results, unit) = fixture.commit(std::slice::from_ref(&command));
    assert!(results[0].is_ok(), "{results:?}");
    let events = unit.events().expect("all subjects are loaded");
    let (_, revision, changes) = events.first().expect("one event");
    let outcome = changes.outcome(id).expect("an outcome");
    assert!(changes.outcomes.contains_key(&id), "it is recorded");
    (*revision, changes.comments.iter().map(|change| change.kind).collect(), outcome.moderation)
}

fn decision(number: i32) -> ModerationDetails {
    ModerationDetails { decisions: Some(DecisionNumbers::of(number)), ..ModerationDetails::NONE }
}

#[test]
fn acts_that_change_nothing_in_sight_are_noted_without_a_revision() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let revision = fixture.subject().revision;
    let approve = Approve { target: fixture.target(id), ruling: ruling() };
    assert_eq!(noted(&mut fixture, approve, id), (None, vec![ChangeKind::Noted], decision(1)));

    // A proposal that waits or was refused takes a revision.
    let edit =
        |fixture: &Fixture, judged: Disposition| Edit { judged: judged.into(), ..fixture.edit(id, "author", "2") };
    let (proposed, by_policy) = (edit(&fixture, Disposition::Hold), edit(&fixture, Disposition::Reject));
    let waits = ModerationDetails { proposed: true, ..ModerationDetails::NONE };
    let (first, kinds, details) = noted(&mut fixture, proposed, id);
    assert_eq!((first, kinds, details), (Some(revision + 1), vec![ChangeKind::Noted], waits));
    let refuse = RejectEdit { target: fixture.target(id), ruling: ruling() };
    assert_eq!(noted(&mut fixture, refuse, id), (None, vec![ChangeKind::Noted], decision(2)));
    assert_eq!(noted(&mut fixture, by_policy, id), (Some(revision + 2), vec![ChangeKind::Noted], decision(3)));
    let proposed = edit(&fixture, Disposition::Hold);
    noted(&mut fixture, proposed, id);
    let approve = ApproveEdit { target: fixture.target(id), ruling: ruling() };
    assert_eq!(noted(&mut fixture, approve, id), (Some(revision + 4), vec![ChangeKind::Edited], decision(4)));

    let verdict = Ruling { form: RulingForm::Verdict, ..ruling() };
    let hidden = fixture.run(Hide { target: fixture.target(id), ruling: verdict });
    let Effect::Decision(hidden) = hidden.effect else { panic!("a verdict returns a decision") };
    assert_eq!(hidden.decision.act, CommentAct::Hide);
    let appeal = AuthorAppeal { contested: hidden.decision, text: "A quotation.".to_owned() };
    let window = Duration::from_secs(60);
    let appeal = Appeal { target: fixture.target(id), appeal, window };
    assert_eq!(noted(&mut fixture, appeal, id), (None, vec![ChangeKind::Noted], decision(6)));
    let keep = Keep { target: fixture.target(id), ruling: Ruling { moderator: member("other"), ..ruling() } };
    assert_eq!(noted(&mut fixture, keep, id), (None, vec![ChangeKind::Noted], decision(7)));
}

#[test]
fn a_comment_is_held_when_its_text_is_to_be_judged_out_of_sight_or_by_the_policy_alone() {
    let mut fixture = Fixture::open();
    let held = |details: ModerationDetails| details.held;
    let create = Create { moderation: ModerationMode::Pre, ..fixture.create() };
    let id = create.id;
    assert!(held(noted(&mut fixture, create, id).2), "it waits");
    let edit = fixture.edit(id, "author", "again");
    assert!(!held(noted(&mut fixture, edit, id).2), "it waited before");
    let (approve, withhold, reject) = (
        Approve { target: fixture.target(id), ruling: ruling() },
        Withhold { target: fixture.target(id), ruling: ruling() },
        Reject { target: fixture.target(id), ruling: ruling() },
    );
    assert_eq!(noted(&mut fixture, approve, id).2, decision(1));
    let details = noted(&mut fixture, withhold, id).2;
    assert_eq!(details, ModerationDetails { held: true, ..decision(2) });
    assert_eq!(noted(&mut fixture, reject, id).2, decision(3));
    let resubmit = fixture.edit(id, "author", "better");
    assert!(held(noted(&mut fixture, resubmit, id).2), "it waits again");

    // The policy flags a text in sight: the decision is its event, and without one the question is.
    let flagged = fixture.create();
    let id = flagged.id;
    let flagged = Create { judged: Disposition::Unchecked.into(), ..flagged };
    let details = noted(&mut fixture, flagged, id).2;
    assert_eq!(details, ModerationDetails { held: true, ..ModerationDetails::NONE });
}

#[test]
fn a_judgement_on_a_deleted_comment_has_its_decision_and_no_other_state() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    fixture.run(fixture.delete(id, author("author")));
    let reject = Reject { target: fixture.target(id), ruling: ruling() };
    let command = fixture.command(reject);
    let (found, _) = outcome(&mut fixture, &[command], id);
    let expected = decided(changed(ActorKind::Moderator, Deleted, Deleted, 3), 1, 1);
    assert_eq!(found, Some(expected));
    assert_eq!(fixture.row(id).lifecycle.prior_state, Rejected);
}

#[test]
fn a_note_and_a_change_of_one_batch_are_one_outcome() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let (approve, reject) = (
        Approve { target: fixture.target(id), ruling: ruling() },
        Reject { target: fixture.target(id), ruling: ruling() },
    );
    let batch: [Command; 2] = [fixture.command(approve), fixture.command(reject)];
    let (results, unit) = fixture.commit(&batch);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let events = unit.events().expect("all subjects are loaded");
    let (_, revision, changes) = &events[0];
    assert!(revision.is_some());
    let kinds: Vec<_> = changes.comments.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::Noted, ChangeKind::StateChanged]);
    let public: Vec<_> = changes.public().iter().map(|change| change.kind).collect();
    assert_eq!(public, [ChangeKind::StateChanged], "readers see no note");
    let expected = decided(changed(ActorKind::Moderator, Active, Rejected, 2), 1, 2);
    assert_eq!(changes.outcome(id), Some(expected));
}
