//! An imported comment keeps its times and its state, and has no counts except those of its own
//! thread.

use super::fixture::{Fixture, member, text, view};
use super::verbs::update_subject;
use crate::domain::comment::{Comment, CommentRef, CommentView};
use crate::domain::counts::CommentCounts;
use crate::domain::error::Error;
use crate::domain::lifecycle::{DeletedBy, Lifecycle};
use crate::domain::path::Path;
use crate::domain::state::CommentState::{self, Active, Deleted, Hidden};
use crate::domain::subject::SubjectState;
use crate::domain::time::Millis;
use crate::write::verbs::{Import, ImportParent, ImportTimes, UpdateSubject};

#[test]
fn a_comment_is_imported_with_its_state_and_times() {
    let times = |edit, delete: Option<i64>| ImportTimes { create: Millis(5), edit, delete: delete.map(Millis) };
    let cases: [(CommentState, ImportTimes, Millis); 4] = [
        (Active, times(None, None), Millis(5)),
        (Active, times(Some(Millis(6)), None), Millis(6)),
        (Hidden, times(Some(Millis(6)), None), Millis(6)),
        (Deleted, times(Some(Millis(6)), Some(7)), Millis(7)),
    ];
    for (state, times, update_time) in cases {
        let mut fixture = Fixture::open();
        fixture.root();
        let import = Import { times, ..fixture.import(state) };
        let output = fixture.run(import.clone());
        let expected = Comment {
            reference: CommentRef {
                id: import.id,
                subject_id: fixture.subject().id,
                root_id: None,
                parent_id: None,
                path: Path::root(import.id),
                floor: 2,
                member: member("author"),
                born_revision: fixture.subject().revision,
                create_time: Millis(5),
            },
            counts: CommentCounts::ZERO,
            lifecycle: Lifecycle {
                state,
                prior_state: if state == Deleted { Active } else { state },
                deleted_by: (state == Deleted).then_some(DeletedBy::Author),
                listed: state == Active,
                revision: 1,
                version: 1,
                update_time,
                edit_time: times.edit,
                delete_time: times.delete,
            },
            next_floor: 1,
        };
        assert_eq!(*fixture.row(import.id), expected, "{state}");
        assert_eq!(view(&output).content.is_some(), state == Active);
        assert_eq!((&fixture.contents[&import.id], &fixture.origins[&import.id]), (&import.content, &import.origin));
        assert_eq!(fixture.subject().counts.root_count, 1 + i32::from(state == Active), "{state}");
    }
}

#[test]
fn an_invisible_comment_is_read_by_its_author_or_by_no_reader() {
    for state in CommentState::ALL {
        let mut fixture = Fixture::open();
        let import = fixture.import(state);
        let output = fixture.run(import.clone());
        let (content, comment) = (Some(import.content.clone()), fixture.row(import.id).clone());
        let complete = CommentView { content, comment, ..view(&output).clone() };
        let shown_to_author = matches!(state, CommentState::Pending | CommentState::Rejected | CommentState::Shadowed);
        let (author, stranger) = (member("author"), member("stranger"));
        for (viewer, is_shown) in [(None, false), (Some(&stranger), false), (Some(&author), shown_to_author)] {
            let seen = complete.clone().seen_by(viewer);
            let content = complete.content.clone().filter(|_| is_shown || state == Active);
            let mut expected = CommentView { content, ..complete.clone() };
            expected.comment.lifecycle.state = state.shown_to(viewer == Some(&author));
            assert_eq!(seen, expected, "{state} by {viewer:?}");
        }
    }
}

#[test]
fn a_thread_is_imported_below_any_parent() {
    let mut fixture = Fixture::open();
    fixture.run(UpdateSubject { state: Some(SubjectState::ReadOnly), ..update_subject() });
    let root = fixture.import(Deleted);
    fixture.run(root.clone());
    let mut chain = vec![root.id];
    for (max_depth, depth) in [(3, 1), (3, 2), (3, 2), (1, 0)] {
        let parent = *chain.last().expect("the chain has a root");
        let import =
            Import { parent: Some(ImportParent::Stored(fixture.target(parent))), max_depth, ..fixture.import(Active) };
        fixture.run(import.clone());
        let row = fixture.row(import.id);
        assert_eq!((row.reference.path.depth(), row.reference.parent_id), (depth, Some(parent)));
        chain.push(import.id);
    }
    // A root counts its thread, a reply its direct replies, which a depth cap may have placed
    // elsewhere.
    let counts = chain.iter().map(|id| (fixture.row(*id).counts.reply_count, fixture.row(*id).counts.live_below));
    assert_eq!(counts.collect::<Vec<_>>(), [(3, 3), (1, 2), (1, 0), (1, 0), (0, 0)]);
    assert!(fixture.row(root.id).lifecycle.listed, "a tombstone above visible comments");
}

#[test]
fn a_tombstone_that_was_imported_without_text_is_not_restored() {
    for (content, expected) in [("", Some(Error::StateConflict(Deleted))), ("a text", None)] {
        let mut fixture = Fixture::open();
        let import = Import { content: text(content), ..fixture.import(Deleted) };
        fixture.run(import.clone());
        let undelete = fixture.command(fixture.undelete(import.id, "author"));
        assert_eq!(fixture.run_command(&undelete).err(), expected, "{content:?}");
        assert_eq!(fixture.row(import.id).lifecycle.state, if content.is_empty() { Deleted } else { Active });
    }
}
