//! Golden bytes of the data in Redis. Processes of other versions read the data that this version
//! writes.

use std::fmt::Write;

use prost::Message;
use riposte_core::subject::Metadata;
use riposte_core::{
    Comment, CommentCounts, CommentId, CommentRef, CommentState, Content, DeletedBy, Lifecycle, MemberId, Millis, Path,
    Subject, SubjectCounts, SubjectId, SubjectKey, SubjectState,
};

use super::stored::{StoredContent, StoredSubject};
use super::tests::comment;
use super::value::{CommentParts, decode_comment};

const GOLDEN: &str = include_str!("../../golden/rows.txt");

fn id(number: i64) -> CommentId {
    CommentId::new(number).expect("positive")
}

fn metadata() -> Metadata {
    [("b", "2"), ("a", "é")].map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}

/// A reply with every field set, deleted by the owner of its subject.
fn deleted_reply() -> Comment {
    Comment {
        reference: CommentRef {
            subject_id: SubjectId::from(id(5)),
            root_id: Some(id(70)),
            parent_id: Some(id(71)),
            path: Path::root(id(70)).child(9),
            floor: 9,
            member: MemberId::stored("楼主".to_owned()),
            born_revision: 7,
            create_time: Millis(8),
            ..comment(77, 12).reference
        },
        counts: CommentCounts { reply_count: 3, live_below: 4, ..comment(77, 12).counts },
        lifecycle: Lifecycle {
            state: CommentState::Deleted,
            prior_state: CommentState::Hidden,
            deleted_by: Some(DeletedBy::SubjectOwner),
            version: 6,
            update_time: Millis(9),
            edit_time: Some(Millis(10)),
            delete_time: Some(Millis(11)),
            ..comment(77, 12).lifecycle
        },
        next_floor: 2,
    }
}

fn comments() -> [(&'static str, Comment, Option<Content>); 3] {
    let plain = Content::stored("楼 1".to_owned(), Vec::new(), Metadata::new());
    let mentions = ["zoe", "bob"].map(|name| MemberId::stored(name.to_owned())).into();
    let rich = Content::stored("楼 1".to_owned(), mentions, metadata());
    [
        ("root", comment(7, 3), Some(plain)),
        ("rich_root", comment(i64::MAX, i64::MAX), Some(rich)),
        ("deleted_reply", deleted_reply(), None),
    ]
}

fn subjects() -> [(&'static str, Subject); 2] {
    let key = SubjectKey::stored("video".to_owned(), "4711".to_owned());
    let new = Subject::new(SubjectId::from(id(5)), key, Millis(8));
    let rich = Subject {
        counts: SubjectCounts { root_count: 3, comment_count: 9 },
        owner: Some(MemberId::stored("owner".to_owned())),
        state: SubjectState::ReadOnly,
        next_floor: 4,
        revision: 12,
        version: 2,
        pins: [77, 70].map(id).into(),
        metadata: metadata(),
        update_time: Millis(9),
        delete_time: Some(Millis(10)),
        ..new.clone()
    };
    [("new_subject", new), ("rich_subject", rich)]
}

fn line(lines: &mut String, case: &str, parts: &[&[u8]]) {
    lines.push_str(case);
    for part in parts {
        lines.push(' ');
        part.iter().for_each(|byte| write!(lines, "{byte:02x}").expect("a string accepts all writes"));
    }
    lines.push('\n');
}

#[test]
fn rows_encode_to_their_golden_bytes_and_decode_from_them() {
    let mut lines = String::new();
    for (case, comment, content) in comments() {
        let CommentParts { head, row, content: encoded_content } = CommentParts::of(&comment, content.as_ref());
        line(&mut lines, case, &[&head, &row, &encoded_content]);
        let encoded = [head, row, encoded_content].concat();
        let found = decode_comment(&encoded, Some(comment.reference.id)).expect("intact");
        assert_eq!((found.comment, found.content), (comment, content), "{case}");
    }
    for (case, subject) in subjects() {
        let row = StoredSubject::from(&subject).encode_to_vec();
        line(&mut lines, case, &[&row]);
        let found = StoredSubject::decode(&row[..]).ok().and_then(StoredSubject::subject);
        assert_eq!(found, Some(subject), "{case}");
    }
    line(&mut lines, "empty_content", &[&StoredContent::default().encode_to_vec()]);
    assert!(GOLDEN == lines, "the stored format has changed; all lines as they are now:\n{lines}");
}

#[test]
fn a_row_contains_every_count_of_the_table() {
    let [(_, mut subject), _] = subjects();
    for (value, column) in (1..).zip(SubjectCounts::COLUMNS) {
        *(column.field)(&mut subject.counts) = value;
    }
    let row = StoredSubject::from(&subject).encode_to_vec();
    assert_eq!(StoredSubject::decode(&row[..]).ok().and_then(StoredSubject::subject), Some(subject));
    let mut comment = comment(7, 3);
    for (value, column) in (1..).zip(CommentCounts::COLUMNS) {
        *(column.field)(&mut comment.counts) = value;
    }
    let CommentParts { head, row, content } = CommentParts::of(&comment, None);
    assert_eq!(decode_comment(&[head, row, content].concat(), None).map(|found| found.comment), Some(comment));
}
