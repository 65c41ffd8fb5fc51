//! Registered object types and their policies.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::domain::error::{Error, Result, Violation};
use crate::domain::state::CommentState;

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
        let starts_with_letter = bytes.next().is_some_and(|b| b.is_ascii_lowercase());
        let has_valid_rest = bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if starts_with_letter && has_valid_rest && value.len() <= 32 {
            Ok(Self(value.to_owned()))
        } else {
            Err(Violation::field(field, "must match [a-z][a-z0-9_]{0,31}"))
        }
    }

    /// A name that the store wrote before; it is not checked again.
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
    /// The maximum number of levels of a thread, 1 to 32. Deeper replies attach at the last level.
    /// With a single level every reply is a root with a parent.
    pub max_depth: u8,
    /// The maximum length of a text, in code points after NFC.
    pub max_text: usize,
    /// The edit window of an author; `None` = unlimited.
    pub edit_window: Option<Duration>,
    /// The time after the last rejection of a comment in which its author may send another text.
    pub resubmit_window: Duration,
    /// `true` if a subject is created with its first comment.
    pub auto_create: bool,
    /// The formula of the HOT sort.
    pub hot: HotProfile,
    /// The comments that wait for review before they are visible. A subject may have a stricter
    /// mode.
    pub moderation: ModerationMode,
    /// The sum of the weights of reports at which a visible comment is to be judged. An ordinary
    /// report weighs 100.
    pub report_threshold: i32,
    /// The time after a decision within which the author may contest it.
    pub appeal_window: Duration,
}

/// The new comments of an object type or a subject that wait for review; later modes are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ModerationMode {
    /// None: a new comment is visible at once.
    #[default]
    Post,
    /// All of them.
    Pre,
}

impl ModerationMode {
    /// The stored code. It never changes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Post => 1,
            Self::Pre => 2,
        }
    }

    /// Returns the mode of a stored code; `None` for 0 and for unknown codes.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::Post, Self::Pre].into_iter().find(|mode| mode.code() == code)
    }

    /// Returns the mode that holds under a subject with a mode of its own: the stricter one.
    #[must_use]
    pub fn under(self, of_subject: Option<Self>) -> Self {
        of_subject.map_or(self, |mode| self.max(mode))
    }

    /// The state of a new comment.
    #[must_use]
    pub const fn new_state(self) -> CommentState {
        match self {
            Self::Post => CommentState::Active,
            Self::Pre => CommentState::Pending,
        }
    }
}

/// The formula of HOT for an object type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HotProfile {
    /// The weight alone: 2 · likes + replies.
    #[default]
    Plain,
    /// log10(max(1, weight)) + age term: ten times the weight equals being 12.5 hours newer.
    Decaying,
}

/// The maximum number of levels in a path, and therefore in a policy.
pub const MAX_LEVELS: u8 = 32;

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_depth: 2,
            max_text: 5_000,
            edit_window: Some(Duration::from_secs(600)),
            resubmit_window: Duration::from_secs(7 * 86_400),
            auto_create: false,
            hot: HotProfile::Plain,
            moderation: ModerationMode::Post,
            report_threshold: 100,
            appeal_window: Duration::from_secs(180 * 86_400),
        }
    }
}

/// Every registered object type, and the rule for unregistered ones.
#[derive(Debug, Clone, Default)]
pub struct Policies {
    registered: BTreeMap<String, Policy>,
    unregistered: Option<Policy>,
}

impl Policies {
    /// Creates policies under which only the registered types exist.
    #[must_use]
    pub fn closed(registered: BTreeMap<String, Policy>) -> Self {
        Self { registered, unregistered: None }
    }

    /// Creates policies as [`Policies::closed`], except that every other well-formed type gets
    /// `policy`.
    #[must_use]
    pub fn open(registered: BTreeMap<String, Policy>, policy: Policy) -> Self {
        Self { registered, unregistered: Some(policy) }
    }

    /// Returns the policy of a type.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`] for a type that is not registered, unless unregistered types
    /// have a policy.
    pub fn of(&self, object_type: &ObjectType) -> Result<&Policy> {
        self.registered
            .get(object_type.as_str())
            .or(self.unregistered.as_ref())
            .ok_or_else(|| Error::ObjectTypeUnknown(object_type.as_str().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{ModerationMode, ObjectType, Policies, Policy};
    use crate::domain::error::Error;

    #[test]
    fn modes_have_fixed_codes_and_the_stricter_one_holds() {
        use ModerationMode::{Post, Pre};
        assert_eq!([-1, 0, 1, 2, 3].map(ModerationMode::from_code), [None, None, Some(Post), Some(Pre), None]);
        let held = [(Post, None), (Post, Some(Post)), (Post, Some(Pre)), (Pre, None), (Pre, Some(Post))];
        assert_eq!(held.map(|(of_type, of_subject)| of_type.under(of_subject)), [Post, Post, Pre, Pre, Pre]);
    }

    #[test]
    fn names_are_short_words_that_begin_with_a_letter() {
        let longest = "a".repeat(32);
        for (value, ok) in [
            ("", false),
            ("a", true),
            ("a_9", true),
            ("z0_", true),
            (longest.as_str(), true),
            (&format!("{longest}a"), false),
            ("9a", false),
            ("_a", false),
            ("Video", false),
            ("vIdeo", false),
            ("a-b", false),
            ("a b", false),
            ("é", false),
            ("aé", false),
        ] {
            match ObjectType::parse("object_type", value) {
                Ok(name) => assert!(ok && name.as_str() == value, "{value:?}"),
                Err(violation) => assert!(!ok && violation.field == "object_type", "{value:?}: {violation:?}"),
            }
        }
    }

    #[test]
    fn an_unregistered_type_exists_only_where_all_types_do() {
        let policy = |max_depth| Policy { max_depth, ..Policy::default() };
        let registered = || [("video".to_owned(), policy(7))].into();
        let [video, article] = ["video", "article"].map(|name| ObjectType::stored(name.to_owned()));
        let closed = Policies::closed(registered());
        assert_eq!(closed.of(&video), Ok(&policy(7)));
        assert_eq!(closed.of(&article), Err(Error::ObjectTypeUnknown("article".to_owned())));
        let open = Policies::open(registered(), policy(3));
        assert_eq!((open.of(&video), open.of(&article)), (Ok(&policy(7)), Ok(&policy(3))));
    }
}
