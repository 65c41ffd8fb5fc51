mod golden;
mod round_trip;

use riposte_core::object_type::ModerationMode;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::write_set::ContentEdit;
use riposte_core::{
    ClientInfo, CommentId, CommentState, Content, DeletedBy, ExtraFields, MemberId, Millis, Path, Subject, SubjectId,
    SubjectKey,
};
use sea_orm::TryIntoModel;

use super::{
    client_model, client_row, comment, comment_model, content, content_model, edit_model, subject, subject_model,
};

fn id(number: i64) -> CommentId {
    CommentId::new(number).unwrap_or_else(|| panic!("{number} is an id"))
}

fn sample() -> riposte_core::Comment {
    riposte_core::Comment {
        reference: riposte_core::CommentRef {
            id: id(77),
            subject_id: SubjectId::from(id(5)),
            root_id: Some(id(70)),
            parent_id: Some(id(71)),
            path: Path::root(id(70)).child(9),
            floor: 9,
            member: MemberId::stored("楼主 ".to_owned()),
            born_revision: 7,
            create_time: Millis(8),
        },
        counts: riposte_core::CommentCounts { like_count: 1, dislike_count: 2, reply_count: 3, live_below: 4 },
        lifecycle: riposte_core::Lifecycle {
            state: CommentState::Deleted,
            prior_state: CommentState::Hidden,
            deleted_by: Some(DeletedBy::SubjectOwner),
            listed: true,
            revision: 5,
            version: 6,
            update_time: Millis(9),
            edit_time: None,
            delete_time: Some(Millis(10)),
        },
        next_floor: 1,
    }
}

#[test]
fn a_comment_is_read_back_from_its_row_unchanged() {
    let request = RequestIdentity { key: IdempotencyKey([3; 16]), fingerprint: Fingerprint(-4) };
    let row = comment_model(&sample(), &request, 12).try_into_model().expect("every column is set");
    assert_eq!((row.part, row.depth, row.request_print), (12, 1, -4));
    assert_eq!(comment(row), Ok(sample()));
}

#[test]
fn a_subject_is_read_back_from_its_row_unchanged() {
    let mut before = Subject::new(SubjectId::from(id(5)), SubjectKey::stored("video".into(), "x ".into()), Millis(1));
    before.owner = Some(MemberId::stored("o".to_owned()));
    before.pins = vec![id(i64::MAX), id(1), id(256)];
    before.metadata = Metadata::from([("k\"".to_owned(), "🏠\n".to_owned())]);
    use ModerationMode::{Post, Pre, PreNewMembers};
    for moderation in [None, Some(Post), Some(Pre), Some(PreNewMembers)] {
        before.moderation = moderation;
        let row = subject_model(&before, 3);
        let row = row.and_then(|model| model.try_into_model().map_err(riposte_core::Error::internal));
        assert_eq!(row.clone().map(|row| row.policy.is_some()), Ok(moderation.is_some()));
        assert_eq!(row.and_then(subject), Ok(before.clone()));
    }
}

#[test]
fn content_and_client_data_are_read_as_they_were_written() {
    let mentions = vec![MemberId::stored("b".to_owned()), MemberId::stored("a".to_owned())];
    let stored = Content::stored("\u{202e}text 🏠".to_owned(), mentions, Metadata::new());
    let row = content_model(id(9), &stored, 0).and_then(|m| m.try_into_model().map_err(riposte_core::Error::internal));
    assert_eq!(row.and_then(content), Ok(stored));
    for ip in [None, Some("10.0.0.1"), Some("2001:db8::1")] {
        let ip = ip.and_then(|ip| ip.parse().ok());
        let client = ClientInfo { ip, platform: "ios".to_owned(), device: "é".to_owned() };
        let row = client_model(id(9), &client, Millis(4), 0).try_into_model().expect("every column is set");
        assert_eq!(client_row(row), Ok(client));
    }
}

#[test]
fn fields_without_a_column_are_read_with_their_text_and_are_stale_with_another_text() {
    let plain = |text: &str| Content::stored(text.to_owned(), Vec::new(), Metadata::new());
    let extra: ExtraFields =
        [("b", &[0, 255][..]), ("a", &[])].map(|(name, value)| (name.to_owned(), value.into())).into();
    let rich = plain("text").with_extra(extra);
    let row = |content: &Content| {
        content_model(id(9), content, 0).and_then(|m| m.try_into_model().map_err(riposte_core::Error::internal))
    };
    assert_eq!(row(&plain("text")).map(|row| row.extra), Ok(None), "a content without such fields");
    let stored = row(&rich).expect("a row").extra.expect("fields");
    assert_eq!(row(&rich).map(|row| row.extra), Ok(Some(stored.clone())), "equal fields are equal bytes");
    let read = |text: &str, extra: Option<&[u8]>| {
        let row = row(&plain(text)).expect("a row");
        content(crate::sql::entity::comment_content::Model { extra: extra.map(<[u8]>::to_vec), ..row })
    };
    assert_eq!(read("text", Some(&stored)), Ok(rich.clone()));
    // A process of a version without the column edits the text and leaves the fields.
    assert_eq!(read("edited", Some(&stored)), Ok(plain("edited")));
    assert_eq!(read("text", None), Ok(plain("text")));
    assert!(read("text", Some(&[255])).is_err(), "no version writes that");
    let edit = ContentEdit { comment_id: id(9), version: 2, content: rich, time: Millis(1) };
    let past = edit_model(&edit, 0).expect("a row").try_into_model().expect("every column is set");
    assert_eq!(past.extra, Some(stored), "the history of edits keeps its own");
}

#[test]
fn a_row_that_no_version_can_have_written_is_an_error() {
    let request = RequestIdentity { key: IdempotencyKey([0; 16]), fingerprint: Fingerprint(0) };
    let row = comment_model(&sample(), &request, 0).try_into_model().expect("every column is set");
    let broken = |f: fn(&mut crate::sql::entity::comment_index::Model)| {
        let mut row = row.clone();
        f(&mut row);
        comment(row).is_err()
    };
    assert!(broken(|row| row.state = 99));
    assert!(broken(|row| row.path = vec![1]));
    assert!(broken(|row| row.member_id = vec![0xff]));
    assert!(broken(|row| row.id = 0));
}
