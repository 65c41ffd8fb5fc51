//! Any commands in any order: every batch is counted again, and nothing is done twice.

use proptest::prelude::*;

use super::scene::{Scene, member};
use super::verbs::{author, create_subject, delete_subject, owner, update_subject};
use crate::cmd::{Acting, Command, Reply, UndeleteSubject, UpdateSubject, Verb};
use crate::ids::CommentId;
use crate::like::LikeValue;
use crate::state::CommentState;
use crate::subject::SubjectState;

/// Dice that decide what is done: the verb, the comment it is about, and how.
type Throw = (u8, usize, u8);

const MEMBERS: [&str; 3] = ["author", "owner", "stranger"];

fn verb(scene: &mut Scene, (verb, about, how): Throw) -> Verb {
    let made: Vec<CommentId> = scene.comments.keys().copied().collect();
    let id = if made.is_empty() { scene.id() } else { made[about % made.len()] };
    let by = MEMBERS[usize::from(how) % 3];
    let state = CommentState::ALL[usize::from(how) % 6];
    match verb {
        0..=2 => scene.create().into(),
        3..=7 => Reply { member: member(by), ..scene.answer(id, [1, 2, 3, 32][usize::from(how) % 4]) }.into(),
        8..=9 => {
            let mut import = scene.import(state);
            (import.parent, import.max_depth) = ((how < 8).then(|| scene.target(id)), 1 + how % 4);
            import.into()
        }
        10 => scene.edit(id, "author", &format!("said {how}")).into(),
        11..=13 => {
            let acting =
                [author("author"), owner("owner"), Acting::Moderator, author(by)][usize::from(how) % 4].clone();
            scene.delete(id, acting).into()
        }
        14..=15 => scene.undelete(id, by).into(),
        16 => scene.hide(id).into(),
        17 => scene.unhide(id).into(),
        18 => scene.pin(id, "owner").into(),
        19 => scene.unpin(id, "owner").into(),
        20 => delete_subject().into(),
        21..=22 => UndeleteSubject.into(),
        23 => create_subject(scene.subject_id()).into(),
        24.. => {
            let states = [SubjectState::ReadOnly, SubjectState::Hidden, SubjectState::Active, SubjectState::Active];
            UpdateSubject { state: Some(states[usize::from(how) % 4]), ..update_subject() }.into()
        }
    }
}

fn like(scene: &mut Scene, (_, about, how): Throw) -> Verb {
    let id = scene.comments.keys().copied().nth(about % scene.comments.len().max(1)).unwrap_or_else(|| scene.id());
    let by = MEMBERS[usize::from(how) % 3];
    let value = [LikeValue::Like, LikeValue::Dislike, LikeValue::None][usize::from(how / 3) % 3];
    if how < 9 { scene.like(id, by, value).into() } else { scene.import_like(id, by, value, i64::from(how)).into() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn counts_are_what_the_rows_say_and_nothing_is_done_twice(
        batches in proptest::collection::vec(
            (0..4_u8, proptest::collection::vec((0..26_u8, 0..64_usize, 0..12_u8), 1..6)), 1..30,
        ),
    ) {
        let mut scene = Scene::open();
        let mut done: Vec<(Command, i64)> = Vec::new();
        for (kind, throws) in batches {
            // A batch is of one kind: likes, or all the rest.
            let make = if kind == 0 { like } else { verb };
            let batch: Vec<_> = throws.into_iter().map(|throw| {
                let verb = make(&mut scene, throw);
                scene.command(verb)
            }).collect();
            let (answers, _) = scene.commit(&batch);
            let kept = batch.into_iter().zip(answers).filter(|(command, _)| command.verb.as_like().is_none());
            done.extend(kept.filter_map(|(command, answer)| Some((command, answer.ok()?.revision))));
        }
        let again: Vec<_> = done.iter().map(|(command, _)| command.clone()).collect();
        let (answers, world) = scene.commit(&again);
        for (answer, (command, revision)) in answers.into_iter().zip(done) {
            let told = answer.map(|receipt| (receipt.revision, receipt.replayed));
            prop_assert_eq!(told, Ok((revision, true)), "{}", command.verb.name());
        }
        prop_assert_eq!(world.changed(), Vec::new());
    }
}
