//! What comments hang on: anything a calling team owns.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Violation;
use crate::ids::{CommentId, Partition, SubjectId};
use crate::member::{MemberId, caller_owned};
use crate::object_type::ObjectType;
use crate::time::Millis;

/// The most comments a subject may have pinned at once.
pub const MAX_PINS: usize = 3;

/// The name of a subject: its type and the caller's id for it, compared byte by byte. Every comment carries it: cloning is
/// cheap.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubjectKey(Arc<Name>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Name {
    object_type: ObjectType,
    object_id: String,
}

impl SubjectKey {
    /// Checks a key that arrived as `field`, collecting every violation.
    ///
    /// # Errors
    /// One violation for each part that breaks its rule.
    pub fn parse(field: &str, object_type: &str, object_id: &str) -> Result<Self, Vec<Violation>> {
        let kind = ObjectType::parse(&format!("{field}.object_type"), object_type);
        let id = caller_owned(&format!("{field}.object_id"), object_id);
        match (kind, id) {
            (Ok(object_type), Ok(object_id)) => Ok(Self(Arc::new(Name { object_type, object_id }))),
            (kind, id) => Err(kind.err().into_iter().chain(id.err()).collect()),
        }
    }

    /// A key that the store wrote before, taken as it is.
    #[must_use]
    pub fn stored(object_type: String, object_id: String) -> Self {
        Self(Arc::new(Name { object_type: ObjectType::stored(object_type), object_id }))
    }

    /// The registered type: the policy and tenant boundary.
    #[must_use]
    pub fn object_type(&self) -> &ObjectType {
        &self.0.object_type
    }

    /// The caller's id of the object.
    #[must_use]
    pub fn object_id(&self) -> &str {
        &self.0.object_id
    }

    /// The partition of this subject and of everything under it, the same for ever.
    #[must_use]
    pub fn partition(&self) -> Partition {
        Partition::of(self.object_type().as_str(), self.object_id())
    }
}

/// What a subject allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubjectState {
    /// Reads and writes.
    Active,
    /// Reads only.
    ReadOnly,
    /// Neither lists nor writes.
    Hidden,
}

impl SubjectState {
    /// The stored code: fixed for ever.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Active => 1,
            Self::ReadOnly => 2,
            Self::Hidden => 3,
        }
    }

    /// The state of a stored code, `None` for a code no version has written.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::Active, Self::ReadOnly, Self::Hidden].into_iter().find(|s| s.code() == code)
    }
}

/// The caller's own fields.
pub type Metadata = BTreeMap<String, String>;

/// A subject's row: allocator, counts and state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The internal id; comments refer to it.
    pub id: SubjectId,
    /// The caller's name for it.
    pub key: SubjectKey,
    /// Who may pin and delete under it; `None` where nobody was named.
    pub owner: Option<MemberId>,
    /// What it allows.
    pub state: SubjectState,
    /// The next root's floor. An allocator, never a count: it only grows.
    pub next_floor: i32,
    /// Visible roots.
    pub root_count: i32,
    /// Visible roots and replies.
    pub comment_count: i32,
    /// The commit number: plus one for each committed batch that changed the subject or a comment of it.
    pub revision: i64,
    /// The number of the content and state of the subject row itself, the base of its etag.
    pub version: i64,
    /// At most [`MAX_PINS`] roots, in the order they were pinned.
    pub pins: Vec<CommentId>,
    /// The caller's own fields.
    pub metadata: Metadata,
    /// When it came into being.
    pub create_time: Millis,
    /// When the subject row itself last changed by Update, Delete or Undelete.
    pub update_time: Millis,
    /// When it was deleted; `None` while it is not.
    pub delete_time: Option<Millis>,
}

impl Subject {
    /// A subject without comments.
    #[must_use]
    pub fn new(id: SubjectId, key: SubjectKey, now: Millis) -> Self {
        Self {
            id,
            key,
            owner: None,
            state: SubjectState::Active,
            next_floor: 1,
            root_count: 0,
            comment_count: 0,
            revision: 0,
            version: 1,
            pins: Vec::new(),
            metadata: Metadata::new(),
            create_time: now,
            update_time: now,
            delete_time: None,
        }
    }

    /// The opaque version of content and state; counts never move it.
    #[must_use]
    pub fn etag(&self) -> String {
        format!("{:x}.{:x}", self.id.get(), self.version)
    }

    /// Whether `member` is the named owner.
    #[must_use]
    pub fn is_owned_by(&self, member: &MemberId) -> bool {
        self.owner.as_ref() == Some(member)
    }
}

#[cfg(test)]
mod tests {
    use super::{SubjectKey, SubjectState};
    use crate::ids::Partition;

    #[test]
    fn codes_are_fixed_for_ever() {
        let known = [(1, SubjectState::Active), (2, SubjectState::ReadOnly), (3, SubjectState::Hidden)];
        assert_eq!(known.map(|(code, _)| SubjectState::from_code(code)), known.map(|(_, state)| Some(state)));
        assert_eq!(known.map(|(_, state)| state.code()), known.map(|(code, _)| code));
        assert_eq!([-1, 0, 4].map(SubjectState::from_code), [None; 3]);
    }

    #[test]
    fn a_key_is_its_type_and_its_id_and_every_part_that_breaks_its_rule_is_told() {
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
