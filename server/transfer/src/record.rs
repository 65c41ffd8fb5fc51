//! The neutral model: a subject, a comment and a like independent of any server.
//!
//! The JSON form of a record is also one line of an export and one line of a rejects file, so a
//! field added here is a field added to the format `riposte.export.v1`.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::excerpt::{MESSAGE_CHARS_MAX, excerpt};
use super::input::SourcePosition;
use super::json_object::object;
use super::time::timestamp_text;

/// The size limit of the keys and values of one metadata map together, in bytes.
pub(crate) const METADATA_BYTES_MAX: usize = 1024;
/// The highest number of entries of one metadata map.
pub(crate) const METADATA_ENTRIES_MAX: usize = 16;

/// The key of a subject: the object that comments are about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) object_type: String,
    pub(crate) object_id: String,
}

/// Fields of a record as they stand in its source, where the record has them in another form. They
/// are part of a rejects file, where they explain the record, and of nothing else.
pub(crate) type Original = BTreeMap<String, String>;

/// A subject with the data of the source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subject {
    #[serde(deserialize_with = "object")]
    pub(crate) key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) owner_id: String,
    #[serde(default)]
    pub(crate) state: SubjectState,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) metadata: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "timestamp_text")]
    pub(crate) create_time: Option<Timestamp>,
    #[serde(skip)]
    pub(crate) original: Original,
}

/// A comment. Its parent is named by the parent's external id within the same subject and source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comment {
    #[serde(rename = "subject", deserialize_with = "object")]
    pub(crate) key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    pub(crate) external_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_external_id: Option<String>,
    #[serde(default)]
    pub(crate) member_id: String,
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mentioned_member_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) metadata: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Client::is_empty", deserialize_with = "object")]
    pub(crate) client: Client,
    #[serde(default)]
    pub(crate) state: CommentState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_by: Option<DeletedBy>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "timestamp_text")]
    pub(crate) create_time: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "timestamp_text")]
    pub(crate) edit_time: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "timestamp_text")]
    pub(crate) delete_time: Option<Timestamp>,
    /// Votes that the source knows only as numbers, without the members.
    #[serde(default, skip_serializing_if = "Votes::is_empty", deserialize_with = "object")]
    pub(crate) votes: Votes,
    #[serde(skip)]
    pub(crate) original: Original,
}

/// One member's like or dislike of one comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Like {
    #[serde(rename = "subject", deserialize_with = "object")]
    pub(crate) key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    pub(crate) comment_external_id: String,
    pub(crate) member_id: String,
    pub(crate) value: LikeValue,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "timestamp_text")]
    pub(crate) time: Option<Timestamp>,
    /// True if the member stands for a vote that is known only as a number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) synthetic: bool,
    /// Set if it is one of a member's votes for a comment, of which only the latest counts.
    #[serde(skip)]
    pub(crate) event: Option<LikeEvent>,
    #[serde(skip)]
    pub(crate) original: Original,
}

/// The effect of a vote on earlier ones of the same member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LikeEvent {
    Cast,
    Withdrawn,
}

/// The client that a comment was written with; stored for moderation, never shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) ip: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) platform: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) device: String,
}

impl Comment {
    /// Returns a comment of which nothing is known, so that it is not shown.
    pub(crate) fn hidden() -> Self {
        Self { state: CommentState::Hidden, ..Self::default() }
    }
}

/// Numbers of votes up and down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Votes {
    #[serde(default)]
    pub(crate) up: u32,
    #[serde(default)]
    pub(crate) down: u32,
}

/// The state of a subject: it determines whether comments are accepted and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SubjectState {
    #[default]
    Active,
    ReadOnly,
    Hidden,
}

/// The states that an imported comment may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum CommentState {
    #[default]
    Active,
    /// It waits in its source: PENDING where the object type holds new comments, else HIDDEN.
    Unapproved,
    Pending,
    Rejected,
    Hidden,
    Deleted,
}

/// The actor that deleted a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum DeletedBy {
    Author,
    SubjectOwner,
    Moderator,
}

/// A member's opinion of a comment; a member without an opinion has no like at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum LikeValue {
    Like,
    Dislike,
}

/// The reason of a record whose subject has a rejected record: without that one the subject might
/// be more public than its source.
pub(crate) const SUBJECT_REJECTED: &str = "SUBJECT_REJECTED";

/// One record to import.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all records are comments or short-lived")]
pub(crate) enum Record {
    Subject(Subject),
    Comment(Comment),
    Like(Like),
}

/// The reason why a record is rejected, as written to the rejects file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    /// A short word in capitals, by which the summary groups rejects.
    pub(crate) reason: String,
    /// The problem of this record.
    pub(crate) message: String,
}

/// A record together with the reason of its rejection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reject {
    pub(crate) record: Record,
    pub(crate) problem: Problem,
}

impl Record {
    /// Returns the id of a comment in its source; empty for other records.
    pub(crate) fn external_id(&self) -> &str {
        match self {
            Self::Comment(comment) => &comment.external_id,
            Self::Subject(_) | Self::Like(_) => "",
        }
    }

    /// Returns the fields of the source that the record has in another form.
    pub(crate) fn original(&self) -> &Original {
        match self {
            Self::Subject(subject) => &subject.original,
            Self::Comment(comment) => &comment.original,
            Self::Like(like) => &like.original,
        }
    }

    /// Returns the same to change it.
    pub(crate) fn original_mut(&mut self) -> &mut Original {
        match self {
            Self::Subject(subject) => &mut subject.original,
            Self::Comment(comment) => &mut comment.original,
            Self::Like(like) => &mut like.original,
        }
    }

    /// Returns true if a field of the record has exactly this text.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        match self {
            Self::Subject(Subject { key, owner_id, metadata, .. }) => {
                [&key.object_id, owner_id].into_iter().chain(metadata.values()).any(|value| value == text)
            }
            Self::Comment(Comment { key, external_id, parent_external_id, member_id, metadata, client, .. }) => {
                let ids = [&key.object_id, external_id, member_id, &client.ip, &client.platform, &client.device];
                let mut values = ids.into_iter().chain(parent_external_id).chain(metadata.values());
                values.any(|value| value == text)
            }
            Self::Like(Like { key, comment_external_id, member_id, .. }) => {
                [&key.object_id, comment_external_id, member_id].into_iter().any(|value| value == text)
            }
        }
    }

    /// Returns the subject that the record belongs to.
    pub(crate) fn key(&self) -> &Key {
        match self {
            Self::Subject(subject) => &subject.key,
            Self::Comment(comment) => &comment.key,
            Self::Like(like) => &like.key,
        }
    }
}

impl Problem {
    /// Creates a problem from its reason and its message, which becomes one readable line.
    pub(crate) fn new(reason: &str, message: impl AsRef<str>) -> Self {
        Self { reason: reason.to_owned(), message: excerpt(message.as_ref(), MESSAGE_CHARS_MAX) }
    }

    /// Returns the problem with the place of its record, if it is known.
    pub(crate) fn placed(self, place: Option<SourcePosition>) -> Self {
        match place {
            Some(place) => Self { message: format!("{place}: {}", self.message), ..self },
            None => self,
        }
    }

    /// Creates a problem of the record at this place of its file.
    pub(crate) fn at(reason: &str, place: SourcePosition, message: impl fmt::Display) -> Self {
        Self::new(reason, format!("{place}: {message}"))
    }
}

impl Subject {
    /// Adds an entry by the rules of [`put_metadata`].
    pub(crate) fn put_metadata(&mut self, name: &str, value: &str) {
        put_metadata(&mut self.metadata, name, value);
    }
}

impl Comment {
    /// Adds an entry by the rules of [`put_metadata`].
    pub(crate) fn put_metadata(&mut self, name: &str, value: &str) {
        put_metadata(&mut self.metadata, name, value);
    }
}

impl Client {
    fn is_empty(&self) -> bool {
        self.ip.is_empty() && self.platform.is_empty() && self.device.is_empty()
    }
}

impl Votes {
    fn is_empty(&self) -> bool {
        self.up == 0 && self.down == 0
    }

    /// Returns the number of synthetic members that stand for these votes.
    pub(crate) fn total(self) -> u64 {
        u64::from(self.up) + u64::from(self.down)
    }
}

/// Adds an entry unless it is blank or would exceed the limits of a metadata map. An addition such
/// as a title is never a reason to reject a comment.
fn put_metadata(metadata: &mut BTreeMap<String, String>, name: &str, value: &str) {
    let value = value.trim();
    let used: usize = metadata.iter().map(|(name, value)| name.len() + value.len()).sum();
    let fits = used + name.len() + value.len() <= METADATA_BYTES_MAX && metadata.len() < METADATA_ENTRIES_MAX;
    if !value.is_empty() && fits {
        metadata.insert(name.to_owned(), value.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_too_long_for_metadata_is_left_out() {
        let mut metadata = BTreeMap::new();
        put_metadata(&mut metadata, "title", &"x".repeat(2000));
        put_metadata(&mut metadata, "blank", "  ");
        put_metadata(&mut metadata, "url", " /a ");
        assert_eq!(metadata, BTreeMap::from([("url".to_owned(), "/a".to_owned())]));
    }
}
