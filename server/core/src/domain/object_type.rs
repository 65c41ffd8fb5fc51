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
    /// The number of public comments, among the newest 50 of a member, from which on the member is
    /// no longer new.
    pub new_member_threshold: u32,
    /// `true` if a subject may have the mode for new members, whatever the mode of the type is.
    pub subject_modes: bool,
    /// The sum of the weights of reports at which a visible comment is to be judged. An ordinary
    /// report weighs 100.
    pub report_threshold: i32,
    /// The time after a decision within which the author may contest it.
    pub appeal_window: Duration,
    /// `true` if the author of a root may be notified of every reply in its thread.
    pub notify_thread: bool,
}

/// The new comments of an object type or a subject that wait for review; later modes are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ModerationMode {
    /// None: a new comment is visible at once.
    #[default]
    Post,
    /// Those of new members.
    PreNewMembers,
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
            Self::PreNewMembers => 3,
        }
    }

    /// Returns the mode of a stored code; `None` for 0 and for unknown codes.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::Post, Self::PreNewMembers, Self::Pre].into_iter().find(|mode| mode.code() == code)
    }

    /// Returns the mode that holds under a subject with a mode of its own: the stricter one.
    #[must_use]
    pub fn under(self, of_subject: Option<Self>) -> Self {
        of_subject.map_or(self, |mode| self.max(mode))
    }

    /// Returns the mode for one author: none waits of a trusted member, and under the mode for new
    /// members none of an author that is not new.
    #[must_use]
    pub const fn for_author(self, trusted: bool, established: bool) -> Self {
        match self {
            Self::Post => Self::Post,
            Self::PreNewMembers if trusted || established => Self::Post,
            Self::Pre if trusted => Self::Post,
            Self::PreNewMembers | Self::Pre => Self::Pre,
        }
    }

    /// The state of a new comment; under the mode for new members, of one whose author is new.
    #[must_use]
    pub const fn new_state(self) -> CommentState {
        match self {
            Self::Post => CommentState::Active,
            Self::PreNewMembers | Self::Pre => CommentState::Pending,
        }
    }
}

impl Policy {
    /// Returns the number of public comments from which on a member is no longer new; `None` if the
    /// comments of members are not counted under this type.
    #[must_use]
    pub fn counted_threshold(&self) -> Option<u32> {
        let is_counted = self.subject_modes || self.moderation == ModerationMode::PreNewMembers;
        is_counted.then_some(self.new_member_threshold)
    }

    /// Returns `true` if the comments of members are counted under this type.
    #[must_use]
    pub fn counts_members(&self) -> bool {
        self.counted_threshold().is_some()
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

/// The number of a member's newest comments among which the public ones are counted.
pub const NEWEST_COMMENTS: u32 = 50;

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
            new_member_threshold: 3,
            subject_modes: false,
            report_threshold: 100,
            appeal_window: Duration::from_secs(180 * 86_400),
            notify_thread: false,
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
        use ModerationMode::{Post, Pre, PreNewMembers};
        let codes = [None, None, Some(Post), Some(Pre), Some(PreNewMembers), None];
        assert_eq!([-1, 0, 1, 2, 3, 4].map(ModerationMode::from_code), codes);
        for mode in [Post, PreNewMembers, Pre] {
            assert_eq!(ModerationMode::from_code(mode.code()), Some(mode));
            assert_eq!((mode.under(None), mode.under(Some(Post)), mode.under(Some(Pre))), (mode, mode, Pre));
        }
        assert_eq!([Post, Pre].map(|mode| mode.under(Some(PreNewMembers))), [PreNewMembers, Pre]);
    }

    #[test]
    fn a_mode_concerns_no_trusted_member_and_that_for_new_members_only_those() {
        use ModerationMode::{Post, Pre, PreNewMembers};
        for (mode, trusted, established, expected) in [
            (Post, false, false, Post),
            (PreNewMembers, false, false, Pre),
            (PreNewMembers, false, true, Post),
            (PreNewMembers, true, false, Post),
            (Pre, false, true, Pre),
            (Pre, true, false, Post),
        ] {
            assert_eq!(mode.for_author(trusted, established), expected, "{mode:?}");
        }
    }

    #[test]
    fn a_type_counts_the_comments_of_members_only_for_a_mode_that_requires_it() {
        use ModerationMode::{Post, Pre, PreNewMembers};
        for (moderation, subject_modes, threshold) in [
            (Post, false, None),
            (Pre, false, None),
            (PreNewMembers, false, Some(7)),
            (Post, true, Some(7)),
            (Pre, true, Some(7)),
        ] {
            let policy = Policy { moderation, subject_modes, new_member_threshold: 7, ..Policy::default() };
            assert_eq!(policy.counted_threshold(), threshold);
            assert_eq!(policy.counts_members(), threshold.is_some());
        }
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
