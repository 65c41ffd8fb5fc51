//! Notices: the setting of the object type reaches the commit.

use super::{Fixture, content, member, run, write_context};
use riposte_core::event::NoticeReason;
use riposte_core::ports::EventLog;
use riposte_core::verbs::CreateReply;
use riposte_core::{ClientInfo, CommentId, SubjectKey};

/// Replies to a comment, and returns the reply with the members that it notifies.
fn reply(fixture: &Fixture, parent: CommentId, author: &str) -> (CommentId, Vec<(String, NoticeReason)>) {
    let at = fixture.location(parent);
    let new = CreateReply { member: member(author), content: content("a reply"), client: ClientInfo::default() };
    let id = run(fixture.mutations.submit(&write_context(), &at, new)).expect("a new reply").value.comment.reference.id;
    let subject = fixture.subject_row(&at.subject);
    let events = run(fixture.model.of_subject(at.subject.partition(), subject.id, 0, 100)).expect("read");
    let notices = events.last().expect("an event").changes.notices(id).to_vec();
    (id, notices.into_iter().map(|notice| (notice.member.as_str().to_owned(), notice.reason)).collect())
}

#[test]
fn the_author_of_a_root_is_notified_of_its_thread_only_where_the_type_says_so() {
    let fixture = Fixture::new();
    let of_bob = ("bob".to_owned(), NoticeReason::Reply);
    let of_ann = |reason| ("ann".to_owned(), reason);
    for (object_type, thread) in [("wall", vec![]), ("forum", vec![of_ann(NoticeReason::Thread)])] {
        let subject = SubjectKey::stored(object_type.to_owned(), "notices".to_owned());
        let root = fixture.create_root(&subject);
        let (first, notices) = reply(&fixture, root, "bob");
        assert_eq!(notices, [of_ann(NoticeReason::Reply)], "{object_type}");
        let (_, notices) = reply(&fixture, first, "carl");
        assert_eq!(notices, [vec![of_bob.clone()], thread].concat(), "{object_type}");
    }
}
