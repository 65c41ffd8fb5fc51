//! Comments that wait for review: their authors read them, and for all others they do not exist.

use super::{Fixture, error_of, member, ruling, run, text, unrestricted, write_context};
use riposte_core::act::CommentAct;
use riposte_core::like::LikeValue;
use riposte_core::object_type::ObjectType;
use riposte_core::page::{DEFAULT_PREVIEW, LikersQuery, ListOrder, PageStart, SubtreeQuery};
use riposte_core::read::{ListComments, ListMemberComments, ListReplies, ListStart};
use riposte_core::verbs::{JudgeComment, Ruling, RulingForm};
use riposte_core::{CommentId, CommentState, Error, SubjectKey};

fn gate() -> SubjectKey {
    SubjectKey::stored("gate".to_owned(), "1".to_owned())
}

fn judge(fixture: &Fixture, id: CommentId, act: CommentAct) {
    let ruling = Ruling { form: RulingForm::Verdict, ..ruling() };
    let verdict = JudgeComment { act, ruling };
    let output = run(fixture.mutations.submit(&write_context(), &fixture.location(id), verdict)).expect("judged");
    assert_eq!((output.value.decision.act, output.value.decision.id.comment), (act, id));
}

/// Reads a comment in every way that names its id, as a caller without rights.
fn by_id(fixture: &Fixture, id: CommentId) -> Vec<(&'static str, Result<(), Error>)> {
    let (comments, caller) = (&fixture.comments, unrestricted());
    let (location, at) = (fixture.location(id), ListStart::Comment(id));
    let list = ListComments {
        subject: gate(),
        order: ListOrder::Newest,
        at,
        limit: 20,
        previews: DEFAULT_PREVIEW,
        min_revision: 0,
    };
    let start = ListStart::Start(PageStart::Beginning);
    let replies =
        ListReplies { root: location.clone(), order: ListOrder::Oldest, at: start, limit: 20, min_revision: 0 };
    let subtree = SubtreeQuery { top: location.path.clone(), max_depth: 9, after: None, limit: 20 };
    let likers = LikersQuery { ids: vec![id], value: LikeValue::Like, first: Vec::new(), limit: 3 };
    let batch = run(comments.comments(&caller, &[id], None)).expect("read").remove(0).map(drop);
    let first_likers = run(comments.comment_likers(&caller, &gate(), &likers)).expect("read").remove(0).1;
    vec![
        ("comment", run(comments.comment(&caller, id, None, 0)).map(drop)),
        ("comment for another member", run(comments.comment(&caller, id, Some(&member("bob")), 0)).map(drop)),
        ("comments", batch.ok_or(Error::CommentNotFound)),
        ("conversation", run(comments.conversation(&caller, id, 0)).map(drop)),
        ("thread", run(comments.thread(&location, &subtree, 0)).map(drop)),
        ("list around", run(comments.list_comments(&caller, &list)).map(drop)),
        ("replies", run(comments.list_replies(&caller, &replies)).map(drop)),
        ("likers", run(comments.likers(&caller, id, LikeValue::Like, None, 5)).map(drop)),
        ("first likers", first_likers.map(drop)),
        ("revisions", run(comments.revisions(&caller, id)).map(drop)),
    ]
}

#[test]
fn a_comment_that_was_never_visible_is_found_by_its_author_only() {
    let fixture = Fixture::new();
    let id = fixture.create_root(&gate());
    for (read, result) in by_id(&fixture, id) {
        assert_eq!(result, Err(Error::CommentNotFound), "{read}");
    }
    let own = run(fixture.comments.comment(&unrestricted(), id, Some(&member("ann")), 0)).expect("ann wrote it");
    assert_eq!((own.comment.lifecycle.state, text(&own)), (CommentState::Pending, Some("a root")));
    let history = ListMemberComments {
        object_type: ObjectType::stored("gate".to_owned()),
        member: member("ann"),
        all: true,
        after: None,
        limit: 9,
    };
    let (page, _) = run(fixture.comments.member_comments(&unrestricted(), &history)).expect("read");
    let states: Vec<_> = page.items.iter().map(|(_, view)| view.comment.lifecycle.state).collect();
    assert_eq!(states, [CommentState::Pending]);
    judge(&fixture, id, CommentAct::Approve);
    for (read, result) in by_id(&fixture, id) {
        assert_eq!(result, Ok(()), "{read}");
    }
}

#[test]
fn a_comment_that_was_visible_and_waits_again_is_hidden_for_others() {
    let fixture = Fixture::new();
    let id = fixture.create_root(&gate());
    for act in [CommentAct::Approve, CommentAct::Withhold] {
        judge(&fixture, id, act);
    }
    let seen = |viewer: &str| {
        let view =
            run(fixture.comments.comment(&unrestricted(), id, Some(&member(viewer)), 0)).expect("it stood there");
        (view.comment.lifecycle.state, view.content.is_some())
    };
    assert_eq!((seen("ann"), seen("bob")), ((CommentState::Pending, true), (CommentState::Hidden, false)));
    let likers = error_of(run(fixture.comments.likers(&unrestricted(), id, LikeValue::Like, None, 5)));
    assert_eq!(likers, Error::CommentUnavailable(CommentState::Hidden));
}
