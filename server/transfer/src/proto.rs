//! Conversion of neutral records to the messages of AdminService, and back.

use std::net::IpAddr;

use jiff::Timestamp;
use prost_types::Timestamp as ProtoTimestamp;
use riposte_sdk::v1::import_item::Kind;
use riposte_sdk::v1::{self, ImportCommentsRequest, ImportItem, ImportedComment, ImportedLike, ImportedSubject};

use super::member_ids;
use super::record::{Client, Comment, CommentState, DeletedBy, Key, Like, LikeValue, Record, Subject, SubjectState};

/// Returns the request that imports one record; `source` applies to records without a source.
pub(crate) fn request(record: &Record, source: &str) -> ImportCommentsRequest {
    let (own_source, external_id, kind) = match record {
        Record::Subject(subject) => {
            (&subject.source, subject_id(&subject.key), Kind::Subject(imported_subject(subject)))
        }
        Record::Comment(comment) => {
            (&comment.source, comment.external_id.clone(), Kind::Comment(imported_comment(comment)))
        }
        Record::Like(like) => (&like.source, like_id(like), Kind::Like(imported_like(like))),
    };
    let source = own_source.as_deref().unwrap_or(source).to_owned();
    ImportCommentsRequest { item: Some(ImportItem { source, external_id, kind: Some(kind) }) }
}

fn subject_id(key: &Key) -> String {
    format!("{}/{}", key.object_type, key.object_id)
}

/// Returns the identity of a vote. It contains the vote's value, so that the server takes a later,
/// different vote of the same member as a new item.
fn like_id(like: &Like) -> String {
    let timestamp = like.time.map_or(0, Timestamp::as_millisecond);
    let value = match like.value {
        LikeValue::Like => "up",
        LikeValue::Dislike => "down",
    };
    member_ids::fit_external_id(&format!("{}/{}/{value}/{timestamp}", like.comment_external_id, like.member_id))
}

fn imported_subject(subject: &Subject) -> ImportedSubject {
    let state = match subject.state {
        SubjectState::Active => v1::SubjectState::Active,
        SubjectState::ReadOnly => v1::SubjectState::ReadOnly,
        SubjectState::Hidden => v1::SubjectState::Hidden,
    };
    ImportedSubject {
        key: Some(proto_key(&subject.key)),
        owner_id: subject.owner_id.clone(),
        state: state.into(),
        metadata: subject.metadata.clone(),
        create_time: subject.create_time.map(proto_time),
    }
}

fn imported_comment(comment: &Comment) -> ImportedComment {
    let deleted = comment.state == CommentState::Deleted;
    let state = match comment.state {
        CommentState::Active => v1::CommentState::Active,
        CommentState::Unapproved | CommentState::Pending => v1::CommentState::Pending,
        CommentState::Rejected => v1::CommentState::Rejected,
        CommentState::Hidden => v1::CommentState::Hidden,
        CommentState::Deleted => v1::CommentState::Deleted,
    };
    let deleted_by = comment.deleted_by.filter(|_| deleted).map_or(v1::DeletedBy::Unspecified, |by| match by {
        DeletedBy::Author => v1::DeletedBy::Author,
        DeletedBy::SubjectOwner => v1::DeletedBy::SubjectOwner,
        DeletedBy::Moderator => v1::DeletedBy::Moderator,
    });
    let Client { ip, platform, device } = comment.client.clone();
    // Sources also store lists of proxies and host names there; that is no reason to reject a
    // comment.
    let ip = if ip.parse::<IpAddr>().is_ok() { ip } else { String::new() };
    let client = v1::ClientInfo { ip, platform, device };
    ImportedComment {
        subject: Some(proto_key(&comment.key)),
        parent_external_id: comment.parent_external_id.clone().unwrap_or_default(),
        member_id: comment.member_id.clone(),
        content: Some(content(comment)),
        client: (client != v1::ClientInfo::default()).then_some(client),
        state: state.into(),
        deleted_by: deleted_by.into(),
        create_time: comment.create_time.map(proto_time),
        edit_time: comment.edit_time.map(proto_time),
        delete_time: comment.delete_time.filter(|_| deleted).map(proto_time),
        hidden_without_review: comment.state == CommentState::Unapproved,
    }
}

fn content(comment: &Comment) -> v1::Content {
    v1::Content {
        text: comment.text.clone(),
        mentioned_member_ids: comment.mentioned_member_ids.clone(),
        metadata: comment.metadata.clone(),
    }
}

impl Comment {
    /// Creates a comment that has this content and nothing else.
    pub(crate) fn with_content(content: Option<v1::Content>) -> Self {
        let v1::Content { text, mentioned_member_ids, metadata } = content.unwrap_or_default();
        Self { text, mentioned_member_ids, metadata, ..Self::default() }
    }
}

fn imported_like(like: &Like) -> ImportedLike {
    let value = match like.value {
        LikeValue::Like => v1::LikeValue::Like,
        LikeValue::Dislike => v1::LikeValue::Dislike,
    };
    ImportedLike {
        subject: Some(proto_key(&like.key)),
        comment_external_id: like.comment_external_id.clone(),
        member_id: like.member_id.clone(),
        value: value.into(),
        time: like.time.map(proto_time),
        synthetic: like.synthetic,
    }
}

/// Converts a key to the form of the services.
pub(crate) fn proto_key(key: &Key) -> v1::SubjectKey {
    v1::SubjectKey { object_type: key.object_type.clone(), object_id: key.object_id.clone() }
}

/// Converts a key from the form of the services.
pub(crate) fn key(message: Option<v1::SubjectKey>) -> Key {
    let v1::SubjectKey { object_type, object_id } = message.unwrap_or_default();
    Key { object_type, object_id }
}

fn proto_time(timestamp: Timestamp) -> ProtoTimestamp {
    // Before 1970, jiff counts nanoseconds backwards, but the wire format always counts forwards.
    let (seconds, nanos) = (timestamp.as_second(), timestamp.subsec_nanosecond());
    match nanos < 0 {
        true => ProtoTimestamp { seconds: seconds - 1, nanos: nanos + 1_000_000_000 },
        false => ProtoTimestamp { seconds, nanos },
    }
}

/// Converts a time from the form of the services; `None` if it is unset or out of the range of a
/// timestamp.
pub(crate) fn time(message: Option<ProtoTimestamp>) -> Option<Timestamp> {
    let ProtoTimestamp { seconds, nanos } = message?;
    Timestamp::new(seconds, nanos).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Original;

    #[test]
    fn times_keep_their_value_on_the_wire_and_back_even_before_1970() {
        for text in ["2015-09-15T08:50:19.123Z", "1969-12-31T23:59:59.25Z", "1970-01-01T00:00:00Z"] {
            let timestamp: Timestamp = text.parse().unwrap();
            let message = proto_time(timestamp);
            assert!((0..1_000_000_000).contains(&message.nanos), "{message:?}");
            assert_eq!(time(Some(message)), Some(timestamp));
        }
    }

    #[test]
    fn every_item_names_its_source_and_an_id_within_bounds() {
        let like = Like {
            key: Key { object_type: "t".to_owned(), object_id: "o".to_owned() },
            source: None,
            comment_external_id: "c".repeat(128),
            member_id: "m".repeat(64),
            value: LikeValue::Like,
            time: None,
            synthetic: false,
            event: None,
            original: Original::new(),
        };
        let item = request(&Record::Like(like.clone()), "isso").item.unwrap();
        assert!(item.external_id.len() <= member_ids::EXTERNAL_ID_BYTES_MAX);
        assert_eq!(item.source, "isso");
        let other = Like { value: LikeValue::Dislike, ..like };
        assert_ne!(item.external_id, request(&Record::Like(other), "isso").item.unwrap().external_id);
    }

    #[test]
    fn an_invalid_address_is_left_out() {
        let sent = |ip: &str| {
            let client = Client { ip: ip.to_owned(), ..Client::default() };
            imported_comment(&Comment { client, ..Comment::default() }).client.map(|client| client.ip)
        };
        assert_eq!(sent("::ffff:82.119.20.0").as_deref(), Some("::ffff:82.119.20.0"));
        assert_eq!(sent("10.0.0.1, 10.0.0.2"), None);
    }
}
