//! Registered object types and the policy each brings.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::error::{Error, Result, Violation};
use crate::rank::HotProfile;

/// The name of a kind of object: `[a-z][a-z0-9_]{0,31}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectType(String);

impl ObjectType {
    /// Checks a name that arrived as `field`.
    ///
    /// # Errors
    /// One violation that names the field and the rule.
    pub fn parse(field: &str, value: &str) -> std::result::Result<Self, Violation> {
        let mut bytes = value.bytes();
        let head = bytes.next().is_some_and(|b| b.is_ascii_lowercase());
        let tail = bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if head && tail && value.len() <= 32 {
            Ok(Self(value.to_owned()))
        } else {
            Err(Violation::field(field, "must match [a-z][a-z0-9_]{0,31}"))
        }
    }

    /// A name that the store wrote before, taken as it is.
    #[must_use]
    pub fn stored(value: String) -> Self {
        Self(value)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The rules of one object type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Levels of a thread, 1 to 32. Deeper replies attach at the last level; with a single one every answer is a root
    /// that keeps its parent.
    pub max_depth: u8,
    /// The longest text, in code points after NFC.
    pub max_text: usize,
    /// How long an author may edit; `None` = always.
    pub edit_window: Option<Duration>,
    /// Whether a subject comes into being with its first comment.
    pub auto_create: bool,
    /// The formula of HOT.
    pub hot: HotProfile,
}

/// The deepest policy a path can hold.
pub const MAX_LEVELS: u8 = 32;

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_depth: 2,
            max_text: 5_000,
            edit_window: Some(Duration::from_secs(600)),
            auto_create: false,
            hot: HotProfile::Plain,
        }
    }
}

/// Every registered object type, and what becomes of the others.
#[derive(Debug, Clone, Default)]
pub struct Policies {
    registered: BTreeMap<String, Policy>,
    unregistered: Option<Policy>,
}

impl Policies {
    /// Only the registered types exist.
    #[must_use]
    pub fn closed(registered: BTreeMap<String, Policy>) -> Self {
        Self { registered, unregistered: None }
    }

    /// As [`Policies::closed`], and every other well-formed type gets `policy`.
    #[must_use]
    pub fn open(registered: BTreeMap<String, Policy>, policy: Policy) -> Self {
        Self { registered, unregistered: Some(policy) }
    }

    /// The policy of a type.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`] for a type nobody registered.
    pub fn of(&self, object_type: &ObjectType) -> Result<&Policy> {
        self.registered
            .get(object_type.as_str())
            .or(self.unregistered.as_ref())
            .ok_or_else(|| Error::ObjectTypeUnknown(object_type.as_str().to_owned()))
    }
}
