//! The positions of comments, and the changes of the counts and of the tombstones above them.

use super::fixture::{Fixture, member, text, view};
use super::verbs::{author, moderator, owner};
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
fn counts(fixture: &Fixture, id: CommentId) -> (i32, i32, bool) {
    let row = fixture.row(id);
    (row.counts.reply_count, row.counts.live_below, row.lifecycle.listed)
}

/// Returns the number of visible roots, and of all visible comments.
fn totals(fixture: &Fixture) -> (i32, i32) {
    (fixture.subject().counts.root_count, fixture.subject().counts.comment_count)
}

#[test]
fn a_new_comment_is_complete() {
    let mut fixture = Fixture::open();
    let mut root = fixture.create();
    root.client = ClientInfo { ip: None, platform: "ios".to_owned(), device: String::new() };
    let (id, command) = (root.id, fixture.command(root.clone()));
    let output = fixture.run_command(&command).expect("written");
    let revision = fixture.subject().revision;
    let expected = Comment {
        reference: CommentRef {
            id,
            subject_id: fixture.subject().id,
            root_id: None,
            parent_id: None,
            path: Path::root(id),
            floor: 1,
            member: member("author"),
            born_revision: revision,
            create_time: command.now,
        },
        counts: CommentCounts::ZERO,
        lifecycle: Lifecycle {
            state: CommentState::Active,
            prior_state: CommentState::Active,
            deleted_by: None,
            listed: true,
            revision: 1,
            version: 1,
            update_time: command.now,
            edit_time: None,
            delete_time: None,
        },
        next_floor: 1,
    };
    assert_eq!(*fixture.row(id), expected);
    assert_eq!((output.revision, output.replayed), (revision, false));
    assert_eq!((&view(&output).comment, view(&output).content.as_ref()), (&expected, Some(&root.content)));
    assert_eq!(fixture.contents[&id], root.content);
    let reply = fixture.reply_to(id, 2);
    fixture.run(reply.clone());
    assert_eq!(fixture.contents[&reply.id], reply.content);
    assert_eq!(fixture.clients, [(id, root.client)].into(), "no row for a client without information");
}

#[test]
fn floors_follow_each_other_within_the_subject_and_within_each_thread() {
    let mut fixture = Fixture::open();
    let roots = [(); 3].map(|()| fixture.root());
    let replies = [roots[0], roots[2], roots[0]].map(|root| fixture.reply(root, 9));
    let below = fixture.reply(replies[0], 9);
    fixture.run(fixture.delete(replies[2], author("author")));
    let last = [fixture.reply(roots[0], 9), fixture.root()];
    let floor = |id: &CommentId| fixture.row(*id).reference.floor;
    assert_eq!(roots.map(|id| floor(&id)), [1, 2, 3]);
    assert_eq!(replies.map(|id| floor(&id)), [1, 1, 2]);
    assert_eq!((floor(&below), last.map(|id| floor(&id))), (3, [4, 4]), "a deleted comment keeps its floor");
}

#[test]
fn a_depth_cap_attaches_deeper_replies_at_the_last_level() {
    // For each cap: the depth of each reply of a chain, and the comment of the chain that it is
    // below.
    let cases: [(u8, [(u8, usize); 4]); 4] = [
        (1, [(0, 1), (0, 2), (0, 3), (0, 4)]),
        (2, [(1, 0), (1, 0), (1, 0), (1, 0)]),
        (3, [(1, 0), (2, 1), (2, 1), (2, 1)]),
        (32, [(1, 0), (2, 1), (3, 2), (4, 3)]),
    ];
    for (levels, expected) in cases {
        let mut fixture = Fixture::open();
        let mut chain = vec![fixture.root()];
        for (n, (depth, above)) in expected.into_iter().enumerate() {
            let id = fixture.reply(chain[n], levels);
            chain.push(id);
            let row = fixture.row(id);
            let path = match depth {
                0 => Path::root(id),
                1.. => fixture.row(chain[above]).reference.path.child(row.reference.floor),
            };
            assert_eq!(
                (row.reference.path.depth(), &row.reference.path),
                (depth, &path),
                "reply {n} under {levels} levels"
            );
            assert_eq!(row.reference.parent_id, Some(chain[n]), "its parent is unchanged");
            assert_eq!(row.reference.root_id, (depth > 0).then_some(chain[0]));
            assert_eq!((row.is_root(), row.thread_id()), (depth == 0, if depth == 0 { id } else { chain[0] }));
        }
        for id in chain {
            fixture.run(fixture.hide(id));
            fixture.run(fixture.unhide(id));
        }
    }
}

#[test]
fn counts_include_visible_comments_only() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let child = fixture.reply(root, 9);
    let deep = fixture.reply(child, 9);
    let all = |fixture: &Fixture| ([root, child, deep].map(|id| counts(fixture, id)), totals(fixture));
    let all_visible = ([(2, 2, true), (1, 1, true), (0, 0, true)], (1, 3));
    assert_eq!(all(&fixture), all_visible);
    type Step = fn(&Fixture, CommentId) -> CommandKind;
    let delete: Step = |fixture, id| fixture.delete(id, author("author")).into();
    let undelete: Step = |fixture, id| fixture.undelete(id, "author").into();
    let hide: Step = |fixture, id| fixture.hide(id).into();
    let unhide: Step = |fixture, id| fixture.unhide(id).into();
    let steps: [(Step, CommentId, _); 8] = [
        (delete, child, ([(1, 1, true), (1, 1, true), (0, 0, true)], (1, 2))),
        (hide, root, ([(1, 1, true), (1, 1, true), (0, 0, true)], (0, 1))),
        (hide, deep, ([(0, 0, false), (0, 0, false), (0, 0, false)], (0, 0))),
        (delete, deep, ([(0, 0, false), (0, 0, false), (0, 0, false)], (0, 0))),
        (undelete, child, ([(1, 1, true), (0, 0, true), (0, 0, false)], (0, 1))),
        (undelete, deep, ([(1, 1, true), (0, 0, true), (0, 0, false)], (0, 1))),
        (unhide, root, ([(1, 1, true), (0, 0, true), (0, 0, false)], (1, 2))),
        (unhide, deep, all_visible),
    ];
    for (n, (step, id, expected)) in steps.into_iter().enumerate() {
        fixture.run(step(&fixture, id));
        assert_eq!(all(&fixture), expected, "step {n}");
    }
}

#[test]
fn a_deletion_records_its_actor_and_time_and_an_undelete_restores_the_state() {
    let cases: [(DeleteActor, DeletedBy, Option<&str>); 3] = [
        (author("author"), DeletedBy::Author, Some("author")),
        (owner("owner"), DeletedBy::SubjectOwner, Some("owner")),
        (moderator(), DeletedBy::Moderator, None),
    ];
    for (actor, deleted_by, restorer) in cases {
        for from in [CommentState::Active, CommentState::Hidden] {
            let mut fixture = Fixture::open();
            let id = fixture.root();
            if from == CommentState::Hidden {
                fixture.run(fixture.hide(id));
            }
            let before = fixture.row(id).clone();
            let delete = fixture.command(fixture.delete(id, actor.clone()));
            let output = fixture.run_command(&delete).expect("deleted");
            let deleted = Comment {
                lifecycle: Lifecycle {
                    state: CommentState::Deleted,
                    prior_state: from,
                    deleted_by: Some(deleted_by),
                    listed: false,
                    revision: before.lifecycle.revision + 1,
                    version: before.lifecycle.version + 1,
                    update_time: delete.now,
                    delete_time: Some(delete.now),
                    ..before.clone().lifecycle
                },
                ..before.clone()
            };
            assert_eq!((fixture.row(id), &view(&output).content), (&deleted, &None), "{actor:?} from {from}");
            let Some(restorer) = restorer else { continue };
            let undelete = fixture.command(fixture.undelete(id, restorer));
            let output = fixture.run_command(&undelete).expect("undeleted");
            let (revision, version) = (deleted.lifecycle.revision + 1, deleted.lifecycle.version + 1);
            let restored = Comment {
                lifecycle: Lifecycle { revision, version, update_time: undelete.now, ..before.lifecycle },
                ..before
            };
            assert_eq!(*fixture.row(id), restored, "{actor:?} from {from}");
            assert_eq!(view(&output).content.is_some(), from == CommentState::Active);
        }
    }
}

#[test]
fn an_invisible_comment_is_unpinned() {
    type Step = fn(&Fixture, CommentId) -> CommandKind;
    let steps: [Step; 2] =
        [|fixture, id| fixture.hide(id).into(), |fixture, id| fixture.delete(id, author("author")).into()];
    for step in steps {
        let mut fixture = Fixture::open();
        let roots = [(); 3].map(|()| fixture.root());
        for id in [roots[2], roots[0], roots[1]] {
            assert!(view(&fixture.run(fixture.pin(id, "owner"))).pinned);
        }
        assert!(!view(&fixture.run(step(&fixture, roots[0]))).pinned);
        assert_eq!(fixture.subject().pins, [roots[2], roots[1]], "in the order in which they were pinned");
    }
}

#[test]
fn an_edit_stores_the_former_content_and_its_time() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let before = fixture.row(id).clone();
    let mut expected = Vec::new();
    let (mut current, mut since) = (fixture.contents[&id].clone(), before.reference.create_time);
    for (n, new_text) in ["second", "third"].into_iter().enumerate() {
        let edit = fixture.command(fixture.edit(id, "author", new_text));
        let output = fixture.run_command(&edit).expect("edited");
        let version = before.lifecycle.version + n as i64;
        expected.push(ContentEdit { comment_id: id, version, content: current, time: since });
        (current, since) = (text(new_text), edit.now);
        assert_eq!(view(&output).content, Some(current.clone()));
        let row = fixture.row(id);
        assert_eq!(
            (row.lifecycle.version, row.lifecycle.update_time, row.lifecycle.edit_time),
            (version + 1, edit.now, Some(edit.now))
        );
        assert_eq!(
            (row.reference.create_time, row.etag()),
            (before.reference.create_time, format!("{:x}.{:x}", id.get(), version + 1))
        );
    }
    assert_eq!((fixture.edits.as_slice(), &fixture.contents[&id]), (expected.as_slice(), &current));
}

#[test]
fn a_missing_row_and_exhausted_floors_are_internal_errors() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let reply = fixture.reply(root, 9);
    let hide = fixture.command(fixture.hide(reply));
    let mut unit = UnitOfWork::default();
    unit.load_subject(fixture.subject().clone());
    unit.load_comment(fixture.row(reply).clone());
    assert!(matches!(unit.run(&hide), Err(Error::Internal(_))), "its root is not loaded");
    let create = fixture.create();
    let create = fixture.command(create);
    let mut unit = UnitOfWork::default();
    unit.load_subject(Subject { next_floor: i32::MAX, ..fixture.subject().clone() });
    assert!(matches!(unit.run(&create), Err(Error::Internal(_))), "no floor is left");
}
