//! The review of a comment: what is open on it, until when, and which moderator holds it.

mod held;
mod lease;
mod priority;

use std::fmt;
use std::time::Duration;

use crate::domain::appeal::UndecidedAppeal;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

pub use held::WaitingText;
pub use lease::{LeaseToken, ReviewLease};
pub use priority::ReviewPriority;

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
    /// `true` if the comment was imported when its review was made. No member is notified of it
    /// when it becomes visible.
    pub imported: bool,
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
    /// The number of reports that count: those of versions after the settled one.
    pub reports: i32,
    /// The sum of their weights.
    pub report_weight: i32,
    /// The number of the decision that refused or hid the text and is still in force; 0 if none is.
    pub restriction: i32,
    /// The number of the decision that was appealed last; 0 if none was.
    pub contested: i32,
    /// The moderator of that decision, which may not judge the appeal; empty for the policy.
    pub barred: MemberId,
    /// The number of the last proposed edit; 0 if none was proposed.
    pub proposal: i32,
    /// The number of proposed edits, edits while the comment waited and resubmissions since a text
    /// of the comment was last found good or edited in sight.
    pub edits: i32,
    /// The time until which its author finds the comment among those that no list shows, if the
    /// comment was rejected: a week after the last rejection.
    pub unlisted_until: Option<Millis>,
}

/// The time for which its author finds a rejected comment among those that no list shows.
const REJECTED_LISTED: Duration = Duration::from_secs(7 * 86_400);
/// The time within which a question is to be answered.
const ALLOWANCE: Duration = Duration::from_secs(30 * 60);
/// The same for a comment that stays in sight meanwhile.
const ALLOWANCE_IN_SIGHT: Duration = Duration::from_secs(4 * 60 * 60);

/// The most edits that a moderator may have to judge before the author may send another one.
const EDITS_MAX: i32 = 3;

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
    /// The causes of a text, or of a proposed edit, about which a service could not be asked.
    pub const OUTAGE: Self = Self::of(&[ReviewCause::ServiceUnavailable, ReviewCause::EditServiceUnavailable]);
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

    /// Returns the causes for which a proposed edit waits whose text has these.
    #[must_use]
    pub const fn of_proposal(self) -> Self {
        let outage = Self::of(&[ReviewCause::ServiceUnavailable]);
        let edit = if self.without(outage).is_empty() { Self::NONE } else { Self::of(&[ReviewCause::Edit]) };
        if self.contains(ReviewCause::ServiceUnavailable) {
            edit.union(Self::of(&[ReviewCause::EditServiceUnavailable]))
        } else {
            edit
        }
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
    /// The question about a proposed edit.
    pub const EDIT: Self = Self(2);
    /// The question about an appeal.
    pub const APPEAL: Self = Self(4);

    /// The stored value. It never changes.
    #[must_use]
    pub const fn bits(self) -> i8 {
        self.0
    }

    /// Returns `true` if a question of both sets is open.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
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
            imported: false,
            causes: ReviewCauses::NONE,
            is_closed: false,
            due_time: None,
            lease: None,
            expired_leases: 0,
            decisions: 0,
            settled_version: 0,
            reports: 0,
            report_weight: 0,
            restriction: 0,
            contested: 0,
            barred: MemberId::stored(String::new()),
            proposal: 0,
            edits: 0,
            unlisted_until: None,
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
        self.add_cause_within(cause, cause.allowance(), now);
    }

    /// Adds a cause as [`Review::add_cause`] does, to be judged within `allowance`.
    pub fn add_cause_within(&mut self, cause: ReviewCause, allowance: Duration, now: Millis) {
        let due = now.plus(allowance);
        self.due_time = Some(self.due_time.filter(|_| !self.causes.is_empty()).map_or(due, |earlier| earlier.min(due)));
        self.causes = self.causes.union(ReviewCauses::of(&[cause]));
    }

    /// Removes causes. A review without causes is due at no time.
    pub fn remove_causes(&mut self, causes: ReviewCauses) {
        self.causes = self.causes.without(causes);
        if self.causes.is_empty() {
            (self.due_time, self.is_closed) = (None, false);
        }
        self.release_unless_open();
    }

    /// Closes all questions or opens them again; the causes stay.
    pub fn close(&mut self, is_closed: bool) {
        self.is_closed = is_closed && !self.causes.is_empty();
        self.release_unless_open();
    }

    /// Returns the number of the proposed edit that waits; `None` if none does. The proposal of a
    /// deleted comment waits until the comment is restored.
    #[must_use]
    pub const fn waiting_proposal(&self) -> Option<i32> {
        if self.causes.intersection(ReviewCauses::EDIT).is_empty() { None } else { Some(self.proposal) }
    }

    /// Adds the causes of a new proposal at the time `now`. The question stays open if an earlier
    /// proposal waits, which the new one replaces.
    pub fn replace_proposal(&mut self, causes: ReviewCauses, priority: ReviewPriority, now: Millis) {
        self.add_causes(causes, priority, now);
        self.remove_causes(ReviewCauses::EDIT.without(causes));
    }

    /// Opens the appeal against the decision of a moderator, at the time `now`.
    pub fn appeal(&mut self, contested: i32, barred: MemberId, now: Millis) {
        (self.contested, self.barred) = (contested, barred);
        self.add_cause(ReviewCause::Appeal, now);
    }

    /// Returns the number of the decision that an open appeal contests. The appeal of a deleted
    /// comment stays undecided until the comment is restored.
    #[must_use]
    pub fn appealed(&self) -> Option<i32> {
        self.causes.contains(ReviewCause::Appeal).then_some(self.contested)
    }

    /// Returns `true` if an open appeal contests a decision of this moderator.
    #[must_use]
    pub fn bars(&self, moderator: &MemberId) -> bool {
        self.appealed().is_some() && self.barred == *moderator
    }

    /// Counts a decision.
    ///
    /// # Errors
    /// [`Error::Internal`] if no number is left.
    pub fn count_decision(&mut self) -> Result<()> {
        self.decisions = self.decisions.checked_add(1).ok_or_else(|| Error::internal("too many decisions"))?;
        Ok(())
    }

    /// Ends the reports of a version of the comment and of all before it.
    pub fn end_reports(&mut self, version: i64) {
        self.settled_version = version;
        (self.reports, self.report_weight) = (0, 0);
    }

    /// Returns `true` if the author may not edit the comment again, except in sight, until a
    /// moderator has judged it.
    #[must_use]
    pub const fn has_all_edits(&self) -> bool {
        self.edits >= EDITS_MAX
    }

    /// Records a rejection of the comment at the time `now`.
    pub fn reject(&mut self, now: Millis) {
        self.unlisted_until = Some(now.plus(REJECTED_LISTED));
    }

    /// The time of the last rejection, if the comment is rejected.
    #[must_use]
    pub fn reject_time(&self) -> Option<Millis> {
        let listed = i64::try_from(REJECTED_LISTED.as_millis()).unwrap_or(i64::MAX);
        self.unlisted_until.map(|until| Millis(until.0.saturating_sub(listed)))
    }

    /// Opens and closes questions as the state of the comment requires it, the number of its
    /// waiting proposal, and its undecided appeal. A cause that they lack is added at `now`.
    pub fn correct(
        &mut self,
        state: CommentState,
        proposal: Option<i32>,
        appeal: Option<UndecidedAppeal>,
        now: Millis,
    ) {
        self.close(state == CommentState::Deleted);
        if state == CommentState::Deleted {
            return;
        }
        match proposal {
            Some(number) if self.waiting_proposal() != Some(number) => {
                self.replace_proposal(ReviewCauses::of(&[ReviewCause::Edit]), ReviewPriority::USUAL, now);
                self.proposal = self.proposal.max(number);
            }
            Some(_) => {}
            None => self.remove_causes(ReviewCauses::EDIT),
        }
        match appeal {
            Some(appeal) if self.appealed().is_none() => self.appeal(appeal.contested, appeal.barred, now),
            Some(_) => {}
            None => self.remove_causes(ReviewCauses::APPEAL),
        }
        if state == CommentState::Pending {
            if self.causes.intersection(ReviewCauses::TEXT).is_empty() {
                self.add_cause(ReviewCause::New, now);
            }
        } else if state == CommentState::Active {
            self.remove_causes(ReviewCauses::TEXT.without(ReviewCauses::IN_SIGHT));
        } else {
            self.remove_causes(ReviewCauses::TEXT);
        }
    }

    /// Returns the lease if another moderator than `moderator` holds it at the time `now`.
    #[must_use]
    pub fn other_lease(&self, moderator: &MemberId, now: Millis) -> Option<&ReviewLease> {
        self.lease.as_ref().filter(|lease| lease.lasts(now) && lease.holder != *moderator)
    }

    /// A lease lasts while a question is open.
    fn release_unless_open(&mut self) {
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
mod tests;
