//! The outcomes in the events of a batch: one for each comment, computed from the locked and the
//! written row.

use super::fixture::{Fixture, member};
use super::verbs::{author, moderator, owner};
use crate::domain::event::{ActorKind, CommentOutcome};
use crate::domain::ids::CommentId;
use crate::domain::like::LikeValue;
use crate::domain::state::CommentState::{self, Active, Deleted, Hidden};
use crate::write::verbs::{BatchType, Command};

/// Runs a batch and returns the outcome of a comment in its only event, and whether it is recorded.
fn outcome<K: BatchType>(fixture: &mut Fixture, batch: &[Command<K>], id: CommentId) -> (Option<CommentOutcome>, bool) {
    let (results, unit) = fixture.commit(batch);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let events = unit.events().expect("all subjects are loaded");
    let (_, _, changes) = events.first().expect("one event");
    (changes.outcome(id), changes.outcomes.contains_key(&id))
}

fn changed(actor: ActorKind, before: CommentState, after: CommentState, version: i64) -> CommentOutcome {
    CommentOutcome { actor, before: Some(before), after, version, first_publication: false }
}

#[test]
fn each_verb_records_the_actor_the_states_and_the_version() {
    use ActorKind::{Author, Moderator, Owner};
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let steps: [(Command, CommentOutcome); 8] = [
        (fixture.command(fixture.edit(id, "author", "again")), changed(Author, Active, Active, 2)),
        (fixture.command(fixture.hide(id)), changed(Moderator, Active, Hidden, 3)),
        (fixture.command(fixture.unhide(id)), changed(Moderator, Hidden, Active, 4)),
        (fixture.command(fixture.delete(id, author("author"))), changed(Author, Active, Deleted, 5)),
        (fixture.command(fixture.undelete(id, "author")), changed(Author, Deleted, Active, 6)),
        (fixture.command(fixture.delete(id, owner("owner"))), changed(Owner, Active, Deleted, 7)),
        (fixture.command(fixture.undelete(id, "owner")), changed(Owner, Deleted, Active, 8)),
        (fixture.command(fixture.delete(id, moderator())), changed(Moderator, Active, Deleted, 9)),
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
    };
    assert_eq!(outcome(&mut fixture, &batch, id), (Some(expected), true), "it was visible within the batch only");

    let id = fixture.root();
    let edit = fixture.edit(id, "author", "again");
    let batch = [fixture.command(fixture.hide(id)), fixture.command(fixture.unhide(id)), fixture.command(edit)];
    assert_eq!(outcome(&mut fixture, &batch, id).0, Some(changed(ActorKind::Author, Active, Active, 4)));
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
