use super::*;
use crate::batch::SubjectBatch;
use crate::group::GroupEntry;
use crate::group::tests::batches;
use crate::record::{Comment, CommentState, DeletedBy, Key, Problem, Record, Reject};
use jiff::Timestamp;

fn comment(id: &str, parent: &str, second: i64, text: &str) -> Comment {
    Comment {
        key: Key { object_type: "t".to_owned(), object_id: "o".to_owned() },
        external_id: id.to_owned(),
        parent_external_id: (!parent.is_empty()).then(|| parent.to_owned()),
        member_id: "m".to_owned(),
        text: text.to_owned(),
        create_time: Timestamp::from_second(second).ok(),
        ..Comment::default()
    }
}

fn batch_of(comments: Vec<Comment>, orphans: Orphans) -> SubjectBatch {
    let entries: Vec<_> = comments.into_iter().map(|comment| GroupEntry::valid(Record::Comment(comment))).collect();
    batches(&entries, orphans).remove(0)
}

fn ids(batch: &SubjectBatch) -> Vec<&str> {
    batch.comments.iter().map(|ordered| ordered.comment.external_id.as_str()).collect()
}

fn reasons(batch: &SubjectBatch) -> Vec<(&str, &str)> {
    let pair = |reject: &'_ Reject| match &reject.record {
        Record::Comment(comment) => (comment.external_id.clone(), reject.problem.reason.clone()),
        Record::Subject(_) | Record::Like(_) => panic!("only comments here"),
    };
    let pairs: Vec<(String, String)> = batch.rejects.iter().map(pair).collect();
    pairs.leak().iter().map(|(id, reason)| (id.as_str(), reason.as_str())).collect()
}

#[test]
fn parents_come_first_and_then_the_earlier_comment() {
    let batch = batch_of(
        vec![
            comment("late", "", 9, "x"),
            comment("reply", "root", 3, "x"),
            comment("root", "", 5, "x"),
            comment("same", "", 5, "x"),
        ],
        Orphans::Reject,
    );
    assert_eq!(ids(&batch), ["root", "reply", "same", "late"]);
    assert!(batch.rejects.is_empty());
}

#[test]
fn an_empty_text_is_a_tombstone_only_above_a_text() {
    let batch = batch_of(
        vec![
            comment("1", "", 1, " "),
            comment("2", "1", 2, ""),
            comment("3", "2", 3, "x"),
            comment("4", "1", 4, ""),
            comment("5", "4", 5, ""),
        ],
        Orphans::Reject,
    );
    assert_eq!(ids(&batch), ["1", "2", "3"]);
    assert_eq!(reasons(&batch), [("4", "TEXT_EMPTY"), ("5", "TEXT_EMPTY")]);
    let first = &batch.comments[0].comment;
    assert_eq!((first.state, first.deleted_by), (CommentState::Deleted, Some(DeletedBy::Author)));
    assert_eq!((first.delete_time, first.text.as_str()), (first.create_time, ""));
}

#[test]
fn a_comment_deleted_in_the_source_is_imported_without_its_text() {
    let deleted = Comment { state: CommentState::Deleted, ..comment("1", "", 1, "gone") };
    let batch = batch_of(vec![deleted], Orphans::Reject);
    let first = &batch.comments[0].comment;
    assert_eq!((first.text.as_str(), first.deleted_by), ("", Some(DeletedBy::Moderator)));
    assert_eq!(first.delete_time, first.create_time);
}

#[test]
fn only_the_first_comment_of_a_chain_of_orphans_is_marked() {
    let batch = batch_of(vec![comment("2", "1", 2, "x"), comment("3", "2", 3, "x")], Orphans::Reject);
    assert_eq!(batch.comments.iter().map(|p| p.orphan).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_missing_parent_becomes_a_tombstone_on_request() {
    let batch = batch_of(
        vec![comment("3", "1", 3, "x"), comment("2", "1", 2, "x"), comment("4", "3", 1, "x")],
        Orphans::Tombstone,
    );
    assert_eq!(ids(&batch), ["1", "2", "3", "4"]);
    assert!(batch.comments.iter().all(|ordered| !ordered.orphan));
    assert_eq!(batch.comments[0].comment.create_time, Timestamp::from_second(2).ok());
}

#[test]
fn cycles_are_rejected_with_all_replies_to_them() {
    let batch = batch_of(
        vec![
            comment("1", "2", 1, "x"),
            comment("2", "1", 2, "x"),
            comment("3", "2", 3, "x"),
            comment("4", "4", 4, "x"),
        ],
        Orphans::Reject,
    );
    assert!(batch.comments.is_empty());
    assert!(reasons(&batch).iter().all(|(_, reason)| *reason == "PARENT_CYCLE"));
    assert_eq!(batch.rejects.len(), 4);
}

#[test]
fn a_repeated_comment_is_dropped_and_a_differing_one_is_rejected() {
    let batch = batch_of(
        vec![comment("1", "", 1, "x"), comment("1", "", 1, "x"), comment("1", "", 1, "y"), comment("2", "1", 2, "x")],
        Orphans::Reject,
    );
    assert_eq!((ids(&batch), batch.repeated), (vec!["1", "2"], 1));
    assert_eq!(reasons(&batch), [("1", "DUPLICATE_ID")]);
}

#[test]
fn all_replies_below_a_rejected_comment_are_rejected() {
    let refused =
        GroupEntry::rejected(Record::Comment(comment("1", "", 1, "x")), Problem::new("TIME_INVALID", "no time"));
    let comments = [comment("2", "1", 2, "x"), comment("3", "2", 3, "x"), comment("4", "", 4, "x")];
    let comments = comments.map(|comment| GroupEntry::valid(Record::Comment(comment)));
    let batch = batches(&[[refused].as_slice(), &comments].concat(), Orphans::Root).remove(0);
    assert_eq!(ids(&batch), ["4"]);
    assert_eq!(batch.rejects.len(), 3);
}

#[test]
fn a_chain_of_a_hundred_thousand_replies_needs_no_deep_stack() {
    let chain = (0..100_000).map(|n| comment(&n.to_string(), &(n - 1).to_string(), -n, "x")).collect();
    let batch = batch_of(chain, Orphans::Reject);
    assert_eq!(batch.comments.len(), 100_000);
    assert!(batch.comments[0].orphan && batch.comments[0].comment.external_id == "0");
}
