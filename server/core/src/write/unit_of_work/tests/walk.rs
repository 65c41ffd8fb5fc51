//! Any commands in any order: the counts are checked after every batch, and no command takes effect
//! twice.

use proptest::prelude::*;

use super::fixture::{Fixture, member};
use super::verbs::{author, create_subject, delete_subject, moderator, owner, update_subject};
use crate::CommandOutput;
use crate::domain::comment::Comment;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::like::LikeValue;
use crate::domain::member::MemberId;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectState;
use crate::write::verbs::{
    BatchType, Command, CommandKind, DeleteActor, Edit, ImportParent, LikeCommandKind, Reply, Undelete,
    UndeleteSubject, UpdateSubject,
};

/// Random values that select the verb, the comment that it concerns, and its variant.
type RandomInput = (u8, usize, u8);

const MEMBERS: [&str; 3] = ["author", "owner", "stranger"];

/// Returns a comment, in this state if one exists, and a member that may change it, so that
/// commands succeed more often than with random members. Without any comment, the id is unused.
fn comment(fixture: &mut Fixture, index: usize, state: Option<CommentState>) -> (CommentId, MemberId) {
    let all: Vec<_> = fixture.comments.values().collect();
    let in_state: Vec<_> =
        all.iter().copied().filter(|c| state.is_none_or(|state| c.lifecycle.state == state)).collect();
    let candidates = if in_state.is_empty() { all } else { in_state };
    if candidates.is_empty() {
        (fixture.id(), member("author"))
    } else {
        with_editor(candidates[index % candidates.len()])
    }
}

/// Returns a comment, and the member that may change or restore it.
fn with_editor(comment: &Comment) -> (CommentId, MemberId) {
    let by_owner = comment.lifecycle.deleted_by == Some(DeletedBy::SubjectOwner);
    (comment.reference.id, if by_owner { member("owner") } else { comment.reference.member.clone() })
}

fn verb(fixture: &mut Fixture, (verb, index, variant): RandomInput) -> CommandKind {
    if fixture.subject().delete_time.is_some() && variant > 2 {
        return UndeleteSubject.into();
    }
    let state = match verb {
        22..=24 => Some(CommentState::Deleted),
        26 => Some(CommentState::Hidden),
        0..=21 | 25 | 27.. => Some(CommentState::Active).filter(|_| variant > 1),
    };
    let (id, by) = comment(fixture, index, state);
    match verb {
        0..=2 => fixture.create().into(),
        3..=13 => {
            let member = member(MEMBERS[usize::from(variant) % 3]);
            Reply { member, ..fixture.reply_to(id, [2, 32, 1, 3][usize::from(variant) % 4]) }.into()
        }
        14..=16 => {
            let mut import = fixture.import(CommentState::ALL[usize::from(variant) % 6]);
            (import.parent, import.max_depth) =
                ((variant < 8).then(|| ImportParent::Stored(fixture.target(id))), 1 + variant % 4);
            import.into()
        }
        17 => Edit { member: by, ..fixture.edit(id, "author", &format!("text {variant}")) }.into(),
        18..=21 => {
            let actor = [DeleteActor::Author(by), owner("owner"), moderator(), author("stranger")];
            fixture.delete(id, actor[usize::from(variant) % 4].clone()).into()
        }
        22..=24 => Undelete { member: by, ..fixture.undelete(id, "author") }.into(),
        25 => fixture.hide(id).into(),
        26 => fixture.unhide(id).into(),
        27 => fixture.pin(id, "owner").into(),
        28 => fixture.unpin(id, "owner").into(),
        29 if variant < 4 => delete_subject().into(),
        29 => create_subject(fixture.subject_id()).into(),
        30.. => {
            let state = match variant {
                0 => SubjectState::ReadOnly,
                1 => SubjectState::Hidden,
                2.. => SubjectState::Active,
            };
            UpdateSubject { state: Some(state), ..update_subject() }.into()
        }
    }
}

fn like(fixture: &mut Fixture, (_, index, variant): RandomInput) -> LikeCommandKind {
    let (id, _) = comment(fixture, index, Some(CommentState::Active).filter(|_| variant > 1));
    let by = MEMBERS[usize::from(variant) % 3];
    let value = [LikeValue::Like, LikeValue::Dislike, LikeValue::None][usize::from(variant / 3) % 3];
    if variant < 9 {
        fixture.like(id, by, value).into()
    } else {
        fixture.import_like(id, by, value, i64::from(variant)).into()
    }
}

/// Runs one batch, and returns its commands with their results.
fn batch<K: BatchType>(
    fixture: &mut Fixture,
    inputs: Vec<RandomInput>,
    make: fn(&mut Fixture, RandomInput) -> K,
) -> Vec<(Command<K>, Result<CommandOutput>)> {
    let command = |input| {
        let verb = make(fixture, input);
        fixture.command(verb)
    };
    let batch: Vec<_> = inputs.into_iter().map(command).collect();
    let (outputs, _) = fixture.commit(&batch);
    batch.into_iter().zip(outputs).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn counts_equal_the_rows_and_no_command_is_executed_twice(
        batches in proptest::collection::vec(
            (0..5_u8, proptest::collection::vec((0..32_u8, 0..1_000_usize, 0..12_u8), 1..6)), 1..60,
        ),
    ) {
        let mut fixture = Fixture::open();
        let mut done: Vec<(Command, i64)> = Vec::new();
        for (kind, inputs) in batches {
            if kind == 0 {
                batch(&mut fixture, inputs, like);
                continue;
            }
            let results = batch(&mut fixture, inputs, verb).into_iter();
            done.extend(results.filter_map(|(command, result)| Some((command, result.ok()?.revision))));
        }
        let repeats: Vec<_> = done.iter().map(|(command, _)| command.clone()).collect();
        let (results, unit) = fixture.commit(&repeats);
        for (result, (command, revision)) in results.into_iter().zip(done) {
            let found = result.map(|output| (output.revision, output.replayed));
            prop_assert_eq!(found, Ok((revision, true)), "{}", command.verb.name());
        }
        prop_assert_eq!(unit.changed(), Vec::new());
    }
}
