use super::*;
use crate::batch::{OrderedComment, SubjectBatch};
use crate::group::GroupEntry;
use crate::group::tests::batches;
use crate::record::{
    Comment, CommentState, DeletedBy, Key, Like, LikeEvent, LikeValue, Original, Problem, Record, Reject, Subject,
    SubjectState,
};
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

/// Returns the ids in the order of the rule: of the comments whose parent is placed, the earliest
/// comes next.
fn by_the_rule(comments: &[Comment]) -> Vec<String> {
    let mut waiting: Vec<(usize, &Comment)> = comments.iter().enumerate().collect();
    let mut placed: Vec<String> = Vec::new();
    loop {
        let is_ready = |comment: &Comment| comment.parent_external_id.as_ref().is_none_or(|id| placed.contains(id));
        let ready = waiting.iter().filter(|(_, comment)| is_ready(comment));
        let Some(next) = ready.map(|(index, comment)| (comment.create_time, *index)).min() else { return placed };
        waiting.retain(|(index, _)| *index != next.1);
        placed.push(comments[next.1].external_id.clone());
    }
}

#[test]
fn any_thread_gets_the_order_of_the_rule() {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..500 {
        let count = 2 + random(10);
        let one = |id: u64, parent: u64, second: u64| {
            let parent = if parent < count && parent != id { parent.to_string() } else { String::new() };
            comment(&id.to_string(), &parent, i64::try_from(second).unwrap(), "x")
        };
        let comments: Vec<Comment> = (0..count).map(|id| one(id, random(2 * count), random(6))).collect();
        let expected = by_the_rule(&comments);
        let batch = batch_of(comments.clone(), Orphans::Reject);
        assert_eq!(ids(&batch), expected, "{comments:?}");
        assert_eq!(batch.rejects.len(), comments.len() - expected.len());
    }
}

#[test]
fn a_subject_of_many_comments_is_ordered_like_a_small_one() {
    let count = 80_000_i64;
    // Every third comment is a reply to one that stands later in the file, every seventh an orphan,
    // every eleventh stands twice.
    let mut comments = Vec::new();
    for n in 0..count {
        let parent = match (n % 7, n % 3) {
            (0, _) => format!("lost {}", n % 5),
            (_, 0) => (n + 1).to_string(),
            _ => String::new(),
        };
        comments.push(comment(&n.to_string(), &parent, n / 2, "x"));
        if n % 11 == 0 {
            comments.push(comments[comments.len() - 1].clone());
        }
    }
    let batch = batch_of(comments, Orphans::Tombstone);
    assert_eq!(batch.repeated, 7273);
    assert!(batch.rejects.is_empty());
    assert_eq!(batch.comments.len(), 80_005);
    let mut seen = std::collections::HashSet::new();
    for OrderedComment { comment, orphan, .. } in &batch.comments {
        assert!(!orphan && comment.parent_external_id.as_ref().is_none_or(|parent| seen.contains(parent)));
        seen.insert(comment.external_id.clone());
    }
    let tombstones = batch.comments.iter().filter(|ordered| ordered.comment.state == CommentState::Deleted);
    assert_eq!(tombstones.count(), 5);
}

#[test]
fn a_subject_is_hidden_if_any_of_its_records_hides_it() {
    let key = comment("1", "", 1, "x").key;
    let subject = |state, owner: &str| {
        let subject = Subject { key: key.clone(), state, owner_id: owner.to_owned(), ..Subject::default() };
        GroupEntry::valid(Record::Subject(subject))
    };
    let entries = [subject(SubjectState::Hidden, "first"), subject(SubjectState::Active, "last")];
    let batch = batches(&entries, Orphans::Reject).remove(0);
    assert_eq!((batch.subject.state, batch.subject.owner_id.as_str()), (SubjectState::Hidden, "last"));
}

#[test]
fn a_rejection_by_the_order_names_the_place() {
    let place = crate::input::SourcePosition { record: 2, line: 7, byte: 90 };
    let twice = [
        GroupEntry::valid(Record::Comment(comment("1", "", 1, "x"))),
        GroupEntry::valid(Record::Comment(comment("1", "", 1, "y"))).at(place),
    ];
    let batch = batches(&twice, Orphans::Reject).remove(0);
    assert!(batch.rejects[0].problem.message.starts_with("record 2, line 7, byte 90: "), "{:?}", batch.rejects);
}

fn subject(state: SubjectState) -> Subject {
    Subject { key: comment("1", "", 1, "x").key, state, ..Subject::default() }
}

fn rejected_subject() -> GroupEntry {
    GroupEntry::rejected(Record::Subject(subject(SubjectState::Hidden)), Problem::new("TIME_INVALID", "no time"))
}

fn vote(member: &str, second: i64, event: Option<LikeEvent>) -> GroupEntry {
    GroupEntry::valid(Record::Like(Like {
        key: comment("1", "", 1, "x").key,
        source: None,
        comment_external_id: "1".to_owned(),
        member_id: member.to_owned(),
        value: LikeValue::Like,
        time: Timestamp::from_second(second).ok(),
        synthetic: false,
        event,
        original: Original::new(),
    }))
}

fn all_reasons(batch: &SubjectBatch) -> Vec<&str> {
    batch.rejects.iter().map(|reject| reject.problem.reason.as_str()).collect()
}

#[test]
fn nothing_of_a_subject_is_imported_without_the_record_that_may_hide_it() {
    let valid = || GroupEntry::valid(Record::Comment(comment("1", "", 1, "x")));
    for order in [[rejected_subject(), valid()], [valid(), rejected_subject()]] {
        let twin = GroupEntry::valid(Record::Subject(subject(SubjectState::Active)));
        let votes = [vote("a", 1, None), vote("b", 1, Some(LikeEvent::Cast)), vote("b", 2, Some(LikeEvent::Cast))];
        let withdrawn = [vote("c", 1, Some(LikeEvent::Cast)), vote("c", 2, Some(LikeEvent::Withdrawn))];
        let entries = [&order[..], &[twin], &votes, &withdrawn].concat();
        for orphans in [Orphans::Reject, Orphans::Root, Orphans::Tombstone] {
            let batch = batches(&entries, orphans).remove(0);
            assert!(!batch.requires_subject && batch.comments.is_empty() && batch.likes.is_empty(), "{batch:?}");
            let mut reasons = all_reasons(&batch);
            reasons.sort_unstable();
            assert_eq!(reasons, [&["SUBJECT_REJECTED"; 4][..], &["TIME_INVALID"]].concat());
        }
    }
}

#[test]
fn what_was_rejected_with_its_subject_comes_in_with_a_valid_record_of_it_only() {
    let waits = |record| GroupEntry::rejected(record, Problem::new("SUBJECT_REJECTED", "with its subject"));
    let comments = || [comment("1", "", 1, "x"), comment("2", "1", 2, "y")].map(|one| waits(Record::Comment(one)));
    let alone = batches(&comments(), Orphans::Root).remove(0);
    assert!(alone.comments.is_empty() && !alone.requires_subject);
    assert_eq!(all_reasons(&alone), ["SUBJECT_REJECTED"; 2]);
    let described = GroupEntry::valid(Record::Subject(subject(SubjectState::Hidden)));
    let batch = batches(&[&comments()[..], &[described]].concat(), Orphans::Root).remove(0);
    assert_eq!((ids(&batch), batch.subject.state), (vec!["1", "2"], SubjectState::Hidden));
    assert!(batch.rejects.is_empty() && batch.requires_subject);
    let unchanged = batches(&[&comments()[..], &[rejected_subject()]].concat(), Orphans::Root).remove(0);
    assert_eq!(unchanged.rejects.len(), 3);
}

#[test]
fn a_broken_record_of_an_unknown_subject_may_be_that_of_any_without_one() {
    let broken = GroupEntry::rejected(Record::Subject(Subject::default()), Problem::new("RECORD_INVALID", "no JSON"));
    let entries = [broken, GroupEntry::valid(Record::Comment(comment("1", "", 1, "x")))];
    let found = batches(&entries, Orphans::Root);
    let reasons: Vec<_> = found.iter().flat_map(all_reasons).collect();
    assert_eq!(reasons, ["RECORD_INVALID", "SUBJECT_UNKNOWN"]);
    let described = GroupEntry::valid(Record::Subject(subject(SubjectState::Active)));
    let found = batches(&[&entries[..], &[described]].concat(), Orphans::Root);
    assert_eq!(found.iter().map(|batch| batch.comments.len()).sum::<usize>(), 1);
}
