//! The modes of subjects: what a moderator sets, and the comments that wait for it.

use riposte_core::error::ConflictCause;
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::review::{ReviewCause, ReviewCauses};
use riposte_core::verbs::{Create, Reply, SetSubjectMode, SubjectModes, UpdateSubject};
use riposte_core::{Command, CommandKind, CommentId, CommentState, Effect, Error, SubjectKey};

use super::backend::Backend;
use super::fixture::{Fixture, comment};

/// Modes under a type that counts the comments of members.
const MODES: SubjectModes = SubjectModes { of_type: ModerationMode::Post, counts_members: true };

fn set(mode: Option<ModerationMode>) -> SetSubjectMode {
    SetSubjectMode { mode, modes: MODES }
}

fn update(mode: Option<ModerationMode>) -> UpdateSubject {
    UpdateSubject { moderation: Some(mode), modes: MODES, ..UpdateSubject::default() }
}

impl Fixture {
    /// Returns a create, or a reply to `parent`, of an author that may be new or is not.
    async fn verb_of(&self, key: &SubjectKey, parent: Option<CommentId>, established: bool) -> CommandKind {
        let judged = PolicyJudgement { established, ..PolicyJudgement::default() };
        match parent {
            None => Create { judged, ..self.root_verb(key, "author").await }.into(),
            Some(parent) => Reply { judged, ..self.reply_verb(key, parent, 2).await }.into(),
        }
    }
}

pub(super) async fn the_mode_of_a_moderator_is_stored_and_holds_until_a_moderator_loosens_it(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_mode_of_a_moderator_is_stored_and_holds_until_a_moderator_loosens_it");
    let key = fixture.key();
    let opened = fixture.open(&key).await;
    for mode in [ModerationMode::PreNewMembers, ModerationMode::Pre, ModerationMode::Post] {
        let before = fixture.subject(&key).await;
        let output = fixture.run(&key, set(Some(mode))).await;
        let stored = fixture.subject(&key).await;
        assert_eq!((stored.moderation, stored.mode_by_moderator), (Some(mode), true));
        assert_eq!((stored.version, stored.revision), (before.version + 1, before.revision + 1));
        assert_eq!((output.revision, output.effect), (stored.revision, Effect::Subject(Box::new(stored.clone()))));
        if mode > ModerationMode::Post {
            let conflict = Error::StateConflictBecause(ConflictCause::Mode);
            assert_eq!(fixture.rejection(&key, update(None)).await, conflict);
            assert_eq!(fixture.rejection(&key, update(Some(ModerationMode::Post))).await, conflict);
            assert_eq!(fixture.subject(&key).await, stored, "a refused change changes nothing");
        }
        fixture.run(&key, UpdateSubject { owner: Some(None), ..UpdateSubject::default() }).await;
        let changed = fixture.subject(&key).await;
        assert_eq!((changed.moderation, changed.mode_by_moderator), (Some(mode), true));
    }
    fixture.run(&key, set(None)).await;
    let stored = fixture.subject(&key).await;
    assert_eq!((stored.moderation, stored.mode_by_moderator), (opened.moderation, false));
    for mode in [Some(ModerationMode::Pre), None] {
        fixture.run(&key, update(mode)).await;
        assert_eq!(fixture.subject(&key).await.moderation, mode);
    }
    fixture.check_counts(&key).await;
}

pub(super) async fn the_mode_for_new_members_is_decided_under_the_lock_of_the_subject(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_mode_for_new_members_is_decided_under_the_lock_of_the_subject");
    let key = fixture.key();
    fixture.open(&key).await;
    let root = fixture.root(&key).await.comment.reference.id;
    // The mode of the same batch, a mode from before, and no mode.
    for (mode_in_batch, is_strict) in
        [(Some(Some(ModerationMode::PreNewMembers)), true), (None, true), (Some(None), false)]
    {
        let mut batch: Vec<Command> = Vec::new();
        batch.extend(mode_in_batch.map(|mode| fixture.command(&key, set(mode))));
        let modes = batch.len();
        for parent in [None, Some(root)] {
            for established in [false, true] {
                let verb = fixture.verb_of(&key, parent, established).await;
                batch.push(fixture.command(&key, verb));
            }
        }
        let written = fixture.commit(&batch).await;
        for (n, output) in written.into_iter().skip(modes).enumerate() {
            let view = comment(&output.expect("written"));
            let is_held = is_strict && n % 2 == 0;
            let state = if is_held { CommentState::Pending } else { CommentState::Active };
            assert_eq!(view.comment.lifecycle.state, state, "comment {n} after {mode_in_batch:?}");
            let review = fixture.review(view.comment.reference.id).await;
            let causes = is_held.then(|| ReviewCauses::of(&[ReviewCause::New]));
            assert_eq!(review.map(|review| review.causes), causes);
            assert!(fixture.decisions(view.comment.reference.id).await.is_empty(), "a mode is no decision");
        }
        fixture.check_counts(&key).await;
    }
}

pub(super) async fn a_repeat_of_a_mode_returns_the_first_result(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeat_of_a_mode_returns_the_first_result");
    let key = fixture.key();
    fixture.open(&key).await;
    let command = fixture.command(&key, set(Some(ModerationMode::PreNewMembers)));
    let first = fixture.send(&command).await.expect("set");
    fixture.run(&key, set(Some(ModerationMode::Pre))).await;
    // The type counts no comments any more. The body of the request is the same.
    let verb = SetSubjectMode { modes: SubjectModes::default(), ..set(Some(ModerationMode::PreNewMembers)) };
    let again = fixture.send(&Command { verb: verb.into(), ..command.clone() }).await.expect("repeated");
    assert_eq!((again.revision, again.replayed, first.replayed), (first.revision, true, false));
    assert_eq!(fixture.subject(&key).await.moderation, Some(ModerationMode::Pre), "nothing is set again");
}
