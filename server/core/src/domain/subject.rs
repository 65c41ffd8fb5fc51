//! Subjects: the objects of a calling service to which comments are attached.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::counts::SubjectCounts;
use crate::domain::error::{Error, Violation};
use crate::domain::ids::{CommentId, Partition, SubjectId};
use crate::domain::member::{MemberId, check_caller_owned};
use crate::domain::object_type::{ModerationMode, ObjectType};
use crate::domain::time::Millis;

/// The maximum number of pinned comments of a subject.
pub const MAX_PINS: usize = 3;

/// The key of a subject: its type and the caller's id for it, compared byte by byte. Every comment
/// has one, so a clone is cheap.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubjectKey(Arc<KeyParts>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct KeyParts {
    object_type: ObjectType,
    object_id: String,
}

impl SubjectKey {
    /// Checks a key that arrived as `field`, and collects every violation.
    ///
    /// # Errors
    /// One violation for each part that breaks its rule.
    pub fn parse(field: &str, object_type: &str, object_id: &str) -> Result<Self, Vec<Violation>> {
        let object_type = ObjectType::parse(&format!("{field}.object_type"), object_type);
        let id = check_caller_owned(&format!("{field}.object_id"), object_id);
        match (object_type, id) {
            (Ok(object_type), Ok(object_id)) => Ok(Self(Arc::new(KeyParts { object_type, object_id }))),
            (object_type, id) => Err(object_type.err().into_iter().chain(id.err()).collect()),
        }
    }

    /// A key that the store wrote before; it is not checked again.
    #[must_use]
    pub fn stored(object_type: String, object_id: String) -> Self {
        Self(Arc::new(KeyParts { object_type: ObjectType::stored(object_type), object_id }))
    }

    /// The object type: the boundary of policy and tenant.
    #[must_use]
    pub fn object_type(&self) -> &ObjectType {
        &self.0.object_type
    }

    /// The caller's id of the object.
    #[must_use]
    pub fn object_id(&self) -> &str {
        &self.0.object_id
    }

    /// The partition of this subject and of everything under it. It never changes.
    #[must_use]
    pub fn partition(&self) -> Partition {
        Partition::of(self.object_type().as_str(), self.object_id())
    }

    /// The error of this subject if it does not exist and its first comment does not create it.
    #[must_use]
    pub fn not_created(&self) -> Error {
        Error::SubjectNotCreated(self.object_type().as_str().to_owned())
    }
}

/// The state of a subject, which decides what it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubjectState {
    /// Allows reads and writes.
    Active,
    /// Allows reads only.
    ReadOnly,
    /// Allows neither lists nor writes.
    Hidden,
}

impl SubjectState {
    /// The stored code. It never changes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Active => 1,
            Self::ReadOnly => 2,
            Self::Hidden => 3,
        }
    }

    /// Returns the state of a stored code; `None` for a code that no version has written.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::Active, Self::ReadOnly, Self::Hidden].into_iter().find(|s| s.code() == code)
    }
}

/// The caller's own metadata fields.
pub type Metadata = BTreeMap<String, String>;

/// A subject's row: allocator, counts and state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The internal id; comments refer to it.
    pub id: SubjectId,
    /// The caller's key of the subject.
    pub key: SubjectKey,
    /// The member that may pin and delete under the subject; `None` if no owner was named.
    pub owner: Option<MemberId>,
    /// The state.
    pub state: SubjectState,
    /// The floor of the next root. This is an allocator, never a count: it only grows.
    pub next_floor: i32,
    /// The counts.
    pub counts: SubjectCounts,
    /// The revision: it rises by one for each committed batch that changed the subject or a comment
    /// of it. Likes do not move it.
    pub revision: i64,
    /// The version of the content and state of the subject row itself, from which its etag is made.
    pub version: i64,
    /// At most [`MAX_PINS`] roots, in the order they were pinned.
    pub pins: Vec<CommentId>,
    /// The caller's own metadata fields.
    pub metadata: Metadata,
    /// The new comments that wait for review, if they are more than those of the object type;
    /// `None` for the mode of the type.
    pub moderation: Option<ModerationMode>,
    /// `true` if a moderator set the mode. Then only a moderator loosens it.
    pub mode_by_moderator: bool,
    /// `true` once a comment of the subject was out of all lists, or an edit of one waited, for its
    /// author alone. It is never taken back, and moves neither version nor etag.
    pub unlisted: bool,
    /// The time of creation.
    pub create_time: Millis,
    /// The time of the last Update, Delete or Undelete of the subject row itself.
    pub update_time: Millis,
    /// The time of deletion; `None` unless deleted.
    pub delete_time: Option<Millis>,
}

impl Subject {
    /// Creates a subject without comments.
    #[must_use]
    pub fn new(id: SubjectId, key: SubjectKey, now: Millis) -> Self {
        Self {
            id,
            key,
            owner: None,
            state: SubjectState::Active,
            next_floor: 1,
            counts: SubjectCounts::ZERO,
            revision: 0,
            version: 1,
            pins: Vec::new(),
            metadata: Metadata::new(),
            moderation: None,
            mode_by_moderator: false,
            unlisted: false,
            create_time: now,
            update_time: now,
            delete_time: None,
        }
    }

    /// The etag: the opaque version of content and state; counts never change it.
    #[must_use]
    pub fn etag(&self) -> String {
        format!("{:x}.{:x}", self.id.get(), self.version)
    }

    /// Returns `true` if `member` is the named owner.
    #[must_use]
    pub fn is_owned_by(&self, member: &MemberId) -> bool {
        self.owner.as_ref() == Some(member)
    }
}

#[cfg(test)]
mod tests {
    use super::{SubjectKey, SubjectState};
    use crate::domain::ids::Partition;

    #[test]
    fn codes_are_fixed_for_ever() {
        let known = [(1, SubjectState::Active), (2, SubjectState::ReadOnly), (3, SubjectState::Hidden)];
        assert_eq!(known.map(|(code, _)| SubjectState::from_code(code)), known.map(|(_, state)| Some(state)));
        assert_eq!(known.map(|(_, state)| state.code()), known.map(|(code, _)| code));
        assert_eq!([-1, 0, 4].map(SubjectState::from_code), [None; 3]);
    }

    #[test]
    fn a_key_has_a_type_and_an_id_and_each_invalid_part_is_a_violation() {
        let parse = |object_type, object_id| SubjectKey::parse("subject", object_type, object_id);
        let key = parse("video", "1").expect("well formed");
        assert_eq!((key.object_type().as_str(), key.object_id()), ("video", "1"));
        assert_eq!(key.partition(), Partition::of("video", "1"));
        assert_eq!(key, SubjectKey::stored("video".into(), "1".into()));
        for (object_type, object_id, fields) in [
            ("Video", "1", vec!["subject.object_type"]),
            ("video", "", vec!["subject.object_id"]),
            ("", "\u{7}", vec!["subject.object_type", "subject.object_id"]),
        ] {
            let found = parse(object_type, object_id).expect_err("malformed");
            assert_eq!(found.iter().map(|violation| violation.field.as_str()).collect::<Vec<_>>(), fields);
        }
    }
}
