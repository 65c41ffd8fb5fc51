//! Members: the people that write comments and give likes, identified by ids of the calling
//! service.

use crate::domain::error::Violation;
use crate::domain::object_type::ObjectType;

/// A member's id: 1–64 bytes of UTF-8 without control characters, compared byte by byte. The caller
/// assigns it; the same id under two object types means two people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(String);

/// A member under an object type: one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberOfType {
    /// The object type.
    pub object_type: ObjectType,
    /// The member.
    pub member: MemberId,
}

/// The maximum length of a caller-owned id, in bytes.
pub const MAX_ID_BYTES: usize = 64;

impl MemberId {
    /// Checks a value that arrived as `field`.
    ///
    /// # Errors
    /// One [`Violation`] that names the field and the rule.
    pub fn parse(field: &str, value: &str) -> Result<Self, Violation> {
        check_caller_owned(field, value).map(Self)
    }

    /// An id that the store wrote before; it is not checked again.
    #[must_use]
    pub fn stored(value: String) -> Self {
        Self(value)
    }

    /// The id as the caller wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<MemberId> for String {
    fn from(member: MemberId) -> Self {
        member.0
    }
}

/// Checks the rule for every id that a caller owns.
pub(crate) fn check_caller_owned(field: &str, value: &str) -> Result<String, Violation> {
    if value.is_empty() || value.len() > MAX_ID_BYTES {
        return Err(Violation::field(field, format!("must have 1 to {MAX_ID_BYTES} bytes, has {}", value.len())));
    }
    if value.chars().any(char::is_control) {
        return Err(Violation::field(field, "must have no control characters"));
    }
    Ok(value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::MemberId;

    #[test]
    fn an_id_has_1_to_64_bytes_and_no_control_characters() {
        let long = |bytes: usize| "é".repeat(bytes / 2) + &"x".repeat(bytes % 2);
        for (value, ok) in [
            (String::new(), false),
            ("x".to_owned(), true),
            (" Ann/7 楼 ".to_owned(), true),
            (long(64), true),
            (long(65), false),
            (long(66), false),
            ("a\tb".to_owned(), false),
            ("a\u{7f}".to_owned(), false),
            ("a\u{85}".to_owned(), false),
        ] {
            match MemberId::parse("member_id", &value) {
                Ok(id) => assert!(ok && id.as_str() == value && String::from(id) == value, "{value:?}"),
                Err(violation) => assert!(!ok && violation.field == "member_id", "{value:?}: {violation:?}"),
            }
        }
        assert_eq!(MemberId::stored("a\tb".to_owned()).as_str(), "a\tb", "a stored id is not checked again");
    }
}
