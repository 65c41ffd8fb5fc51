//! The review of a comment: what is open on it, until when, and which moderator holds it.

use std::fmt;
use std::time::Duration;

use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::time::Millis;

/// A cause for which a comment waits for review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReviewCause {
    /// A new comment waits.
    New,
    /// A proposed edit waits.
    Edit,
    /// Members reported the comment.
    Report,
    /// The policy flagged the text.
    Flag,
    /// A service that judges texts could not be asked about the text.
    ServiceUnavailable,
    /// The author appealed.
    Appeal,
    /// A moderator took the comment out of sight.
    Withheld,
    /// A service that judges texts could not be asked about the proposed edit.
    EditServiceUnavailable,
}

/// A set of causes. Each cause belongs to one open question: the text, a proposed edit, or an
/// appeal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReviewCauses(i16);

/// The open questions of a comment, as stored: a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenQuestions(i8);

/// The lease of the review of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewLease {
    /// The token that names the lease.
    pub token: LeaseToken,
    /// The moderator that holds it.
    pub holder: MemberId,
    /// The time at which it ends.
    pub until: Millis,
}

/// The token of a lease: 16 bytes that the service derives from the caller, the moderator and the
/// request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LeaseToken(pub [u8; 16]);

/// The review of a comment. A comment on which nothing was ever open and about which nothing was
/// decided has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The comment.
    pub comment_id: CommentId,
    /// Its subject.
    pub subject_id: SubjectId,
    /// The type of its subject.
    pub object_type: ObjectType,
    /// Its author.
    pub member: MemberId,
    /// `true` while the comment was never visible.
    pub never_public: bool,
    /// `true` while the present text was never in sight, or a decision took it out of sight.
    pub text_unshown: bool,
    /// `true` if the present text was in sight at some time.
    pub text_once_public: bool,
    /// The causes of the open questions. A deleted comment keeps them.
    pub causes: ReviewCauses,
    /// `true` while the comment is deleted and has causes: they open no question.
    pub is_closed: bool,
    /// The time at which the review is due, which orders the queue; `None` without causes.
    pub due_time: Option<Millis>,
    /// The lease; `None` if no moderator holds the review.
    pub lease: Option<ReviewLease>,
    /// The number of leases that ended without a verdict.
    pub expired_leases: i32,
    /// The number of decisions, which is the number of the last one.
    pub decisions: i32,
    /// The version of the comment up to which its reports are settled.
    pub settled_version: i64,
}

/// The time within which a question is to be answered.
const ALLOWANCE: Duration = Duration::from_secs(30 * 60);
/// The same for a comment that stays in sight meanwhile.
const ALLOWANCE_IN_SIGHT: Duration = Duration::from_secs(4 * 60 * 60);

impl LeaseToken {
    /// Returns the token of the leases that an attempt of a claim takes; that of the first one is
    /// the token itself.
    #[must_use]
    pub const fn of_attempt(self, attempt: u8) -> Self {
        let mut bytes = self.0;
        bytes[15] ^= attempt;
        Self(bytes)
    }
}

impl ReviewCause {
    /// All causes, in the order of their bits.
    pub const ALL: [Self; 8] = [
        Self::New,
        Self::Edit,
        Self::Report,
        Self::Flag,
        Self::ServiceUnavailable,
        Self::Appeal,
        Self::Withheld,
        Self::EditServiceUnavailable,
    ];

    /// The stored bit. It never changes.
    const fn bit(self) -> i16 {
        match self {
            Self::New => 1,
            Self::Edit => 1 << 1,
            Self::Report => 1 << 2,
            Self::Flag => 1 << 3,
            Self::ServiceUnavailable => 1 << 4,
            Self::Appeal => 1 << 5,
            Self::Withheld => 1 << 6,
            Self::EditServiceUnavailable => 1 << 7,
        }
    }

    /// The time from the opening of the question until it is due.
    #[must_use]
    pub const fn allowance(self) -> Duration {
        match self {
            Self::Report | Self::Flag => ALLOWANCE_IN_SIGHT,
            Self::New
            | Self::Edit
            | Self::ServiceUnavailable
            | Self::Appeal
            | Self::Withheld
            | Self::EditServiceUnavailable => ALLOWANCE,
        }
    }
}

impl ReviewCauses {
    /// No cause.
    pub const NONE: Self = Self(0);
    /// The causes of the question about the text.
    pub const TEXT: Self = Self::of(&[
        ReviewCause::New,
        ReviewCause::Report,
        ReviewCause::Flag,
        ReviewCause::ServiceUnavailable,
        ReviewCause::Withheld,
    ]);
    /// The causes of the question about a proposed edit.
    pub const EDIT: Self = Self::of(&[ReviewCause::Edit, ReviewCause::EditServiceUnavailable]);
    /// The cause of the question about an appeal.
    pub const APPEAL: Self = Self::of(&[ReviewCause::Appeal]);
    /// The causes for which the question about the text may be open on a visible comment.
    pub const IN_SIGHT: Self = Self::of(&[ReviewCause::Report, ReviewCause::Flag, ReviewCause::ServiceUnavailable]);

    /// Returns the set of these causes.
    #[must_use]
    pub const fn of(causes: &[ReviewCause]) -> Self {
        let (mut bits, mut n) = (0, 0);
        while n < causes.len() {
            bits |= causes[n].bit();
            n += 1;
        }
        Self(bits)
    }

    /// Returns the set of a stored value; `None` if it has a bit that no version has written.
    #[must_use]
    pub fn from_bits(bits: i16) -> Option<Self> {
        (bits & !Self::of(&ReviewCause::ALL).0 == 0).then_some(Self(bits))
    }

    /// The stored value.
    #[must_use]
    pub const fn bits(self) -> i16 {
        self.0
    }

    /// Returns the causes of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the causes of this set that `other` does not have.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the causes that both sets have.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns `true` if the set has the cause.
    #[must_use]
    pub const fn contains(self, cause: ReviewCause) -> bool {
        self.0 & cause.bit() != 0
    }

    /// Returns `true` if the set has no cause.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the causes of the set.
    pub fn iter(self) -> impl Iterator<Item = ReviewCause> {
        ReviewCause::ALL.into_iter().filter(move |cause| self.contains(*cause))
    }

    /// Returns the questions that these causes open.
    #[must_use]
    pub const fn questions(self) -> OpenQuestions {
        let text = !self.intersection(Self::TEXT).is_empty();
        let edit = !self.intersection(Self::EDIT).is_empty();
        let appeal = !self.intersection(Self::APPEAL).is_empty();
        OpenQuestions(text as i8 | (edit as i8) << 1 | (appeal as i8) << 2)
    }
}

impl OpenQuestions {
    /// The question about the text.
    pub const TEXT: Self = Self(1);

    /// The stored value. It never changes.
    #[must_use]
    pub const fn bits(self) -> i8 {
        self.0
    }

    /// Returns `true` if no question is open.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Review {
    /// Returns the review of a comment on which nothing is open. It is or was visible, unless
    /// `never_public` says otherwise.
    #[must_use]
    pub fn new(
        (comment_id, subject_id): (CommentId, SubjectId),
        object_type: ObjectType,
        member: MemberId,
        never_public: bool,
    ) -> Self {
        Self {
            comment_id,
            subject_id,
            object_type,
            member,
            never_public,
            text_unshown: never_public,
            text_once_public: !never_public,
            causes: ReviewCauses::NONE,
            is_closed: false,
            due_time: None,
            lease: None,
            expired_leases: 0,
            decisions: 0,
            settled_version: 0,
        }
    }

    /// The open questions.
    #[must_use]
    pub const fn open(&self) -> OpenQuestions {
        if self.is_closed { OpenQuestions(0) } else { self.causes.questions() }
    }

    /// Adds a cause at the time `now`. A question that opens anew is due after the allowance of its
    /// cause; while one stays open, the review moves earlier, never later.
    pub fn add_cause(&mut self, cause: ReviewCause, now: Millis) {
        let due = now.plus(cause.allowance());
        self.due_time = Some(self.due_time.filter(|_| !self.causes.is_empty()).map_or(due, |earlier| earlier.min(due)));
        self.causes = self.causes.union(ReviewCauses::of(&[cause]));
    }

    /// Removes causes. A review without causes is due at no time.
    pub fn remove_causes(&mut self, causes: ReviewCauses) {
        self.causes = self.causes.without(causes);
        if self.causes.is_empty() {
            (self.due_time, self.is_closed) = (None, false);
        }
        self.release_if_settled();
    }

    /// Closes all questions or opens them again; the causes stay.
    pub fn close(&mut self, is_closed: bool) {
        self.is_closed = is_closed && !self.causes.is_empty();
        self.release_if_settled();
    }

    /// Returns the lease if another moderator than `moderator` holds it at the time `now`.
    #[must_use]
    pub fn other_lease(&self, moderator: &MemberId, now: Millis) -> Option<&ReviewLease> {
        self.lease.as_ref().filter(|lease| lease.until > now && lease.holder != *moderator)
    }

    /// A lease lasts while a question is open.
    fn release_if_settled(&mut self) {
        if self.open().is_empty() {
            self.lease = None;
            self.expired_leases = 0;
        }
    }
}

impl fmt::Display for ReviewCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::New => "NEW",
            Self::Edit => "EDIT",
            Self::Report => "REPORT",
            Self::Flag => "FLAG",
            Self::ServiceUnavailable | Self::EditServiceUnavailable => "SERVICE_UNAVAILABLE",
            Self::Appeal => "APPEAL",
            Self::Withheld => "WITHHELD",
        })
    }
}

impl fmt::Display for ReviewCauses {
    /// Writes the questions of the causes, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [(Self::TEXT, "text"), (Self::EDIT, "edit"), (Self::APPEAL, "appeal")];
        let open = named.iter().filter(|(causes, _)| !self.intersection(*causes).is_empty());
        f.write_str(&open.map(|(_, name)| *name).collect::<Vec<_>>().join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LeaseToken, Review, ReviewCause, ReviewCauses, ReviewLease};
    use crate::domain::ids::CommentId;
    use crate::domain::member::MemberId;
    use crate::domain::object_type::ObjectType;
    use crate::domain::time::Millis;

    const MINUTES: fn(u64) -> Duration = |minutes| Duration::from_secs(minutes * 60);

    fn member(id: &str) -> MemberId {
        MemberId::stored(id.to_owned())
    }

    fn review() -> Review {
        let id = CommentId::new(7).expect("positive");
        Review::new((id, id.into()), ObjectType::stored("video".to_owned()), member("ann"), true)
    }

    #[test]
    fn every_cause_has_a_bit_of_its_own_and_belongs_to_one_question() {
        for (n, cause) in ReviewCause::ALL.into_iter().enumerate() {
            let causes = ReviewCauses::of(&[cause]);
            assert_eq!(causes.bits(), 1 << n, "{cause}");
            assert_eq!(ReviewCauses::from_bits(causes.bits()), Some(causes));
            assert_eq!(causes.questions().bits().count_ones(), 1, "{cause}");
            assert!(causes.iter().eq([cause]));
        }
        assert_eq!([256, -1].map(ReviewCauses::from_bits), [None; 2]);
        let questions = [ReviewCauses::TEXT, ReviewCauses::EDIT, ReviewCauses::APPEAL];
        assert_eq!(questions.map(|causes| causes.questions().bits()), [1, 2, 4]);
    }

    #[test]
    fn a_review_moves_earlier_while_something_is_open_and_starts_anew_afterwards() {
        let (mut review, start) = (review(), Millis(1_000));
        review.add_cause(ReviewCause::Flag, start);
        assert_eq!(review.due_time, Some(start.plus(MINUTES(240))));
        review.add_cause(ReviewCause::New, start.plus(MINUTES(1)));
        assert_eq!(review.due_time, Some(start.plus(MINUTES(31))));
        review.add_cause(ReviewCause::Report, start.plus(MINUTES(2)));
        assert_eq!(review.due_time, Some(start.plus(MINUTES(31))), "never later");
        review.remove_causes(ReviewCauses::TEXT);
        assert_eq!((review.due_time, review.open().is_empty()), (None, true));
        review.add_cause(ReviewCause::Report, start.plus(MINUTES(60)));
        assert_eq!(review.due_time, Some(start.plus(MINUTES(300))));
    }

    #[test]
    fn a_closed_review_keeps_causes_and_due_time_and_loses_its_lease() {
        let mut review = review();
        review.add_cause(ReviewCause::New, Millis(5));
        let due = review.due_time;
        review.lease = Some(ReviewLease { token: LeaseToken([1; 16]), holder: member("mod"), until: Millis(99) });
        assert!(review.other_lease(&member("other"), Millis(98)).is_some());
        assert_eq!(review.other_lease(&member("other"), Millis(99)), None, "the lease has ended");
        assert_eq!(review.other_lease(&member("mod"), Millis(98)), None, "the holder's own lease");
        review.close(true);
        assert!(review.open().is_empty() && review.lease.is_none());
        review.close(false);
        assert_eq!((review.causes, review.due_time), (ReviewCauses::of(&[ReviewCause::New]), due));
    }
}
