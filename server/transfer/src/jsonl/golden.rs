//! Golden lines of `riposte.export.v1`. Every later version imports an export of today.

use super::super::record::{
    Client, Comment, CommentState, DeletedBy, Key, Like, LikeValue, Original, Problem, Record, Subject, SubjectState,
    Votes,
};
use super::{Scope, parse, write, write_header};

const GOLDEN: &str = include_str!("../../golden/export.jsonl");

fn key() -> Key {
    Key { object_type: "video".to_owned(), object_id: "4711".to_owned() }
}

fn records() -> Vec<Record> {
    let time = |text: &str| text.parse().ok();
    let metadata = || [("b", "2"), ("a", "é")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let source = || Some("forum".to_owned());
    let root = Comment {
        key: key(),
        external_id: "c1".to_owned(),
        member_id: "ann".to_owned(),
        text: "楼 1\n\"b\"".to_owned(),
        create_time: time("2013-10-10T19:20:29.123Z"),
        ..Comment::default()
    };
    let reply = Comment {
        source: source(),
        external_id: "c2".to_owned(),
        parent_external_id: Some("c1".to_owned()),
        mentioned_member_ids: ["zoe", "bob"].map(str::to_owned).into(),
        metadata: metadata(),
        client: Client { ip: "192.0.2.1".to_owned(), platform: "ios".to_owned(), device: "iPhone17,1".to_owned() },
        state: CommentState::Deleted,
        deleted_by: Some(DeletedBy::SubjectOwner),
        edit_time: time("2013-10-10T19:20:30Z"),
        delete_time: time("2013-10-10T19:20:31Z"),
        votes: Votes { up: 2, down: 1 },
        ..root.clone()
    };
    let subject = Subject {
        key: key(),
        source: source(),
        owner_id: "owner".to_owned(),
        state: SubjectState::ReadOnly,
        metadata: metadata(),
        create_time: time("2013-10-10T19:20:28Z"),
        ..Subject::default()
    };
    let like = Like {
        key: key(),
        source: source(),
        comment_external_id: "c2".to_owned(),
        member_id: "bob".to_owned(),
        value: LikeValue::Dislike,
        time: time("2013-10-10T19:20:32Z"),
        synthetic: true,
        event: None,
        original: Original::new(),
    };
    let plain = Like { source: None, value: LikeValue::Like, time: None, synthetic: false, ..like.clone() };
    vec![
        Record::Subject(Subject { key: key(), ..Subject::default() }),
        Record::Subject(subject),
        Record::Comment(root),
        Record::Comment(reply),
        Record::Like(like),
        Record::Like(plain),
    ]
}

#[test]
fn exported_lines_keep_their_golden_text_and_are_read_from_it() {
    let mut bytes = Vec::new();
    let scope = Scope { object_type: "video".to_owned(), object_id: Some("4711".to_owned()) };
    write_header(&mut bytes, Some(&scope)).expect("a vector accepts every write");
    for record in records() {
        write(&mut bytes, &record, None).expect("a vector accepts every write");
    }
    let problem = Problem { reason: "TEXT_EMPTY".to_owned(), message: "it has no text".to_owned() };
    write(&mut bytes, &records()[2], Some(&problem)).expect("a vector accepts every write");
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    assert!(GOLDEN == text, "the format has changed; all lines as they are now:\n{text}");
    let lines: Vec<_> = GOLDEN.lines().map(|line| parse(line).expect("a line of the format")).collect();
    let read: Vec<_> = lines.into_iter().flatten().map(|entry| entry.record).collect();
    assert_eq!(read[..6], records());
}
