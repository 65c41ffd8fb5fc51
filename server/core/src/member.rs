//! The people behind comments and likes, as the calling service names them.

use crate::error::Violation;

/// A member's id: 1–64 bytes of UTF-8 without control characters, compared byte by byte. It is the caller's word;
/// the same id under two object types is two people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(String);

/// The longest id a caller may own, in bytes.
pub const MAX_ID_BYTES: usize = 64;

impl MemberId {
    /// Checks a value that arrived as `field`.
    ///
    /// # Errors
    /// One [`Violation`] that names the field and the rule.
    pub fn parse(field: &str, value: &str) -> Result<Self, Violation> {
        caller_owned(field, value).map(Self)
    }

    /// A value that the store wrote before, taken as it is.
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

/// The rule that every id owned by a caller obeys.
pub(crate) fn caller_owned(field: &str, value: &str) -> Result<String, Violation> {
    if value.is_empty() || value.len() > MAX_ID_BYTES {
        return Err(Violation::field(field, format!("must have 1 to {MAX_ID_BYTES} bytes, has {}", value.len())));
    }
    if value.chars().any(char::is_control) {
        return Err(Violation::field(field, "must have no control characters"));
    }
    Ok(value.to_owned())
}
