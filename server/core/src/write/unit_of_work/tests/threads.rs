//! The positions of comments, and the changes of the counts and of the tombstones above them.

use super::scene::{Scene, member, text, view};
use super::verbs::{author, owner};
use crate::domain::comment::{Comment, CommentRef};
use crate::domain::content::ClientInfo;
use crate::domain::counts::CommentCounts;
use crate::domain::error::Error;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::{DeletedBy, Lifecycle};
use crate::domain::path::Path;
use crate::domain::state::CommentState;
use crate::domain::subject::Subject;
use crate::write::unit_of_work::UnitOfWork;
use crate::write::verbs::{CommandKind, DeleteActor};
use crate::write::write_set::ContentEdit;

/// Returns the counts of a row, and whether lists contain it.
fn counts(scene: &Scene, id: CommentId) -> (i32, i32, bool) {
    let row = scene.row(id);
    (row.counts.reply_count, row.counts.live_below, row.lifecycle.listed)
}

/// Returns the number of visible roots, and of all visible comments.
fn totals(scene: &Scene) -> (i32, i32) {
    (scene.subject().counts.root_count, scene.subject().counts.comment_count)
}

#[test]
fn a_new_comment_is_complete() {
    let mut scene = Scene::open();
    let mut root = scene.create();
    root.client = ClientInfo { ip: None, platform: "ios".to_owned(), device: String::new() };
    let (id, now) = (root.id, scene.command(root.clone()));
    let output = scene.send(&now).expect("written");
    let revision = scene.subject().revision;
    let expected = Comment {
        reference: CommentRef {
            id,
            subject_id: scene.subject().id,
            root_id: None,
            parent_id: None,
            path: Path::root(id),
            floor: 1,
            member: member("author"),
            born_revision: revision,
            create_time: now.now,
        },
        counts: CommentCounts::ZERO,
        lifecycle: Lifecycle {
            state: CommentState::Active,
            prior_state: CommentState::Active,
            deleted_by: None,
            listed: true,
            revision: 1,
            version: 1,
            update_time: now.now,
            edit_time: None,
            delete_time: None,
        },
        next_floor: 1,
    };
    assert_eq!(*scene.row(id), expected);
    assert_eq!((output.revision, output.replayed), (revision, false));
    assert_eq!((&view(&output).comment, view(&output).content.as_ref()), (&expected, Some(&root.content)));
    assert_eq!(scene.contents[&id], root.content);
    let reply = scene.answer(id, 2);
    scene.run(reply.clone());
    assert_eq!(scene.contents[&reply.id], reply.content);
    assert_eq!(scene.clients, [(id, root.client)].into(), "nothing is kept of a client that told nothing");
}

#[test]
fn floors_follow_each_other_within_the_subject_and_within_each_thread() {
    let mut scene = Scene::open();
    let roots = [(); 3].map(|()| scene.root());
    let replies = [roots[0], roots[2], roots[0]].map(|root| scene.reply(root, 9));
    let below = scene.reply(replies[0], 9);
    scene.run(scene.delete(replies[2], author("author")));
    let last = [scene.reply(roots[0], 9), scene.root()];
    let floor = |id: &CommentId| scene.row(*id).reference.floor;
    assert_eq!(roots.map(|id| floor(&id)), [1, 2, 3]);
    assert_eq!(replies.map(|id| floor(&id)), [1, 1, 2]);
    assert_eq!((floor(&below), last.map(|id| floor(&id))), (3, [4, 4]), "a deleted one keeps its floor");
}

#[test]
fn a_cap_attaches_deeper_answers_at_the_last_level() {
    // For each cap: the depth of each reply of a chain, and the comment of the chain that it is
    // below.
    let cases: [(u8, [(u8, usize); 4]); 4] = [
        (1, [(0, 1), (0, 2), (0, 3), (0, 4)]),
        (2, [(1, 0), (1, 0), (1, 0), (1, 0)]),
        (3, [(1, 0), (2, 1), (2, 1), (2, 1)]),
        (32, [(1, 0), (2, 1), (3, 2), (4, 3)]),
    ];
    for (levels, expected) in cases {
        let mut scene = Scene::open();
        let mut chain = vec![scene.root()];
        for (n, (depth, above)) in expected.into_iter().enumerate() {
            let id = scene.reply(chain[n], levels);
            chain.push(id);
            let row = scene.row(id);
            let path = match depth {
                0 => Path::root(id),
                1.. => scene.row(chain[above]).reference.path.child(row.reference.floor),
            };
            assert_eq!(
                (row.reference.path.depth(), &row.reference.path),
                (depth, &path),
                "answer {n} under {levels} levels"
            );
            assert_eq!(row.reference.parent_id, Some(chain[n]), "whom it answers is kept");
            assert_eq!(row.reference.root_id, (depth > 0).then_some(chain[0]));
            assert_eq!((row.is_root(), row.thread_id()), (depth == 0, if depth == 0 { id } else { chain[0] }));
        }
        for id in chain {
            scene.run(scene.hide(id));
            scene.run(scene.unhide(id));
        }
    }
}

#[test]
fn a_count_is_of_those_who_are_seen() {
    let mut scene = Scene::open();
    let root = scene.root();
    let child = scene.reply(root, 9);
    let deep = scene.reply(child, 9);
    let all = |scene: &Scene| ([root, child, deep].map(|id| counts(scene, id)), totals(scene));
    let whole = ([(2, 2, true), (1, 1, true), (0, 0, true)], (1, 3));
    assert_eq!(all(&scene), whole);
    type Step = fn(&Scene, CommentId) -> CommandKind;
    let delete: Step = |scene, id| scene.delete(id, author("author")).into();
    let undelete: Step = |scene, id| scene.undelete(id, "author").into();
    let hide: Step = |scene, id| scene.hide(id).into();
    let unhide: Step = |scene, id| scene.unhide(id).into();
    let steps: [(Step, CommentId, _); 8] = [
        (delete, child, ([(1, 1, true), (1, 1, true), (0, 0, true)], (1, 2))),
        (hide, root, ([(1, 1, true), (1, 1, true), (0, 0, true)], (0, 1))),
        (hide, deep, ([(0, 0, false), (0, 0, false), (0, 0, false)], (0, 0))),
        (delete, deep, ([(0, 0, false), (0, 0, false), (0, 0, false)], (0, 0))),
        (undelete, child, ([(1, 1, true), (0, 0, true), (0, 0, false)], (0, 1))),
        (undelete, deep, ([(1, 1, true), (0, 0, true), (0, 0, false)], (0, 1))),
        (unhide, root, ([(1, 1, true), (0, 0, true), (0, 0, false)], (1, 2))),
        (unhide, deep, whole),
    ];
    for (n, (step, id, expected)) in steps.into_iter().enumerate() {
        scene.run(step(&scene, id));
        assert_eq!(all(&scene), expected, "step {n}");
    }
}

#[test]
fn a_deletion_says_by_whom_and_when_and_comes_back_to_where_it_was() {
    let cases: [(DeleteActor, DeletedBy, Option<&str>); 3] = [
        (author("author"), DeletedBy::Author, Some("author")),
        (owner("owner"), DeletedBy::SubjectOwner, Some("owner")),
        (DeleteActor::Moderator, DeletedBy::Moderator, None),
    ];
    for (actor, by, back) in cases {
        for from in [CommentState::Active, CommentState::Hidden] {
            let mut scene = Scene::open();
            let id = scene.root();
            if from == CommentState::Hidden {
                scene.run(scene.hide(id));
            }
            let before = scene.row(id).clone();
            let delete = scene.command(scene.delete(id, actor.clone()));
            let told = scene.send(&delete).expect("deleted");
            let deleted = Comment {
                lifecycle: Lifecycle {
                    state: CommentState::Deleted,
                    prior_state: from,
                    deleted_by: Some(by),
                    listed: false,
                    revision: before.lifecycle.revision + 1,
                    version: before.lifecycle.version + 1,
                    update_time: delete.now,
                    delete_time: Some(delete.now),
                    ..before.clone().lifecycle
                },
                ..before.clone()
            };
            assert_eq!((scene.row(id), &view(&told).content), (&deleted, &None), "{actor:?} from {from}");
            let Some(back) = back else { continue };
            let undelete = scene.command(scene.undelete(id, back));
            let told = scene.send(&undelete).expect("undeleted");
            let (revision, version) = (deleted.lifecycle.revision + 1, deleted.lifecycle.version + 1);
            let restored = Comment {
                lifecycle: Lifecycle { revision, version, update_time: undelete.now, ..before.lifecycle },
                ..before
            };
            assert_eq!(*scene.row(id), restored, "{actor:?} from {from}");
            assert_eq!(view(&told).content.is_some(), from == CommentState::Active);
        }
    }
}

#[test]
fn what_stands_in_no_view_is_unpinned() {
    type Step = fn(&Scene, CommentId) -> CommandKind;
    let away: [Step; 2] = [|scene, id| scene.hide(id).into(), |scene, id| scene.delete(id, author("author")).into()];
    for away in away {
        let mut scene = Scene::open();
        let roots = [(); 3].map(|()| scene.root());
        for id in [roots[2], roots[0], roots[1]] {
            assert!(view(&scene.run(scene.pin(id, "owner"))).pinned);
        }
        assert!(!view(&scene.run(away(&scene, roots[0]))).pinned);
        assert_eq!(scene.subject().pins, [roots[2], roots[1]], "in the order in which they were pinned");
    }
}

#[test]
fn an_edit_keeps_what_was_said_and_since_when() {
    let mut scene = Scene::open();
    let id = scene.root();
    let before = scene.row(id).clone();
    let mut expected = Vec::new();
    let (mut said, mut since) = (scene.contents[&id].clone(), before.reference.create_time);
    for (n, now) in ["second", "third"].into_iter().enumerate() {
        let edit = scene.command(scene.edit(id, "author", now));
        let told = scene.send(&edit).expect("edited");
        let version = before.lifecycle.version + n as i64;
        expected.push(ContentEdit { comment_id: id, version, content: said, time: since });
        (said, since) = (text(now), edit.now);
        assert_eq!(view(&told).content, Some(said.clone()));
        let row = scene.row(id);
        assert_eq!(
            (row.lifecycle.version, row.lifecycle.update_time, row.lifecycle.edit_time),
            (version + 1, edit.now, Some(edit.now))
        );
        assert_eq!(
            (row.reference.create_time, row.etag()),
            (before.reference.create_time, format!("{:x}.{:x}", id.get(), version + 1))
        );
    }
    assert_eq!((scene.edits.as_slice(), &scene.contents[&id]), (expected.as_slice(), &said));
}

#[test]
fn a_row_that_is_missing_and_a_floor_too_many_are_faults() {
    let mut scene = Scene::open();
    let root = scene.root();
    let reply = scene.reply(root, 9);
    let hide = scene.command(scene.hide(reply));
    let mut unit = UnitOfWork::default();
    unit.load_subject(scene.subject().clone());
    unit.load_comment(scene.row(reply).clone());
    assert!(matches!(unit.run(&hide), Err(Error::Internal(_))), "its root is not loaded");
    let create = scene.create();
    let create = scene.command(create);
    let mut unit = UnitOfWork::default();
    unit.load_subject(Subject { next_floor: i32::MAX, ..scene.subject().clone() });
    assert!(matches!(unit.run(&create), Err(Error::Internal(_))), "no floor is given twice");
}
