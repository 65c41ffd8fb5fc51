//! Reports of comments by members, and what became of them.

use std::time::Duration;

use crate::domain::act::CommentAct;
use crate::domain::comment::Comment;
use crate::domain::error::{Error, Result};
use crate::domain::event::{ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome, Event, ModerationDetails};
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::request::RequestIdentity;
use crate::domain::review::{Review, ReviewCause};
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

/// The weight of a report of an ordinary member.
pub const ORDINARY_WEIGHT: i32 = 100;
/// The weight from which a report is as urgent as one that claims illegality.
const URGENT_WEIGHT: i32 = 1_000;
/// The time within which an urgent report is to be judged.
const URGENT: Duration = Duration::from_secs(120);

/// The reason of a member for reporting a comment. The codes are the numbers of the contract and
/// never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum ReportReason {
    /// Spam or fraud.
    Spam = 1,
    /// Hatred against a group.
    Hate = 2,
    /// Harassment of a person.
    Harassment = 3,
    /// Violence or threats.
    Violence = 4,
    /// Sexual content.
    Sexual = 5,
    /// Self-harm.
    SelfHarm = 6,
    /// Illegal goods or services.
    IllegalGoods = 7,
    /// Private data of a person.
    PrivateData = 8,
    /// Copyright or trademark.
    Copyright = 9,
    /// False information.
    Misinformation = 10,
    /// Off topic.
    OffTopic = 11,
    /// Impersonation.
    Impersonation = 12,
    /// Danger to minors.
    Minors = 13,
    /// Something else.
    Other = 14,
}

/// The contents of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportBody {
    /// The reason.
    pub reason: ReportReason,
    /// The words of the member, at most 1,000 code points.
    pub text: String,
    /// `true` if the member says that the comment is illegal.
    pub claims_illegal: bool,
    /// The law that the member names, at most 256 bytes; empty if none.
    pub legal_reference: String,
}

/// A new report of a member, before it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReport {
    /// The comment.
    pub comment_id: CommentId,
    /// The member that reports it.
    pub member: MemberId,
    /// The contents.
    pub body: ReportBody,
    /// The version that the member saw; `None` for the present one.
    pub seen: Option<i64>,
    /// The weight of the report.
    pub weight: i32,
    /// The sum of weights at which the text is to be judged.
    pub threshold: i32,
    /// The identity of the request.
    pub request: RequestIdentity,
    /// The time of the report.
    pub now: Millis,
}

/// A report of a member, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnReport {
    /// The report.
    pub report: Report,
    /// Its outcome.
    pub outcome: ReportOutcome,
}

/// A stored report. A member has at most one on a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The comment.
    pub comment_id: CommentId,
    /// The type of the comment's subject.
    pub object_type: ObjectType,
    /// The member that made it.
    pub member: MemberId,
    /// The contents.
    pub body: ReportBody,
    /// The version of the comment that the member saw.
    pub version: i64,
    /// Its weight, 0 to 1,000.
    pub weight: i32,
    /// `true` if the review counts it until a decision settles its version.
    pub counted: bool,
    /// `true` if a moderator had judged the version when it was reported.
    pub settled: bool,
    /// The number of decisions on the comment when it was made.
    pub decisions: i32,
    /// The identity of the request that made it.
    pub request: RequestIdentity,
    /// The time of the member's first report of the comment.
    pub first: Millis,
    /// The time of this one. It is later than the first, unless it is the first.
    pub time: Millis,
}

/// The answer to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportResult {
    /// `true` if it replaced no earlier report of the member on the comment.
    pub first: bool,
    /// `true` if an earlier request with the same key made it.
    pub replayed: bool,
}

/// The changes by a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportChanges {
    /// The report to store, in place of an earlier one of the member.
    pub report: Report,
    /// The review after it; `None` if the report leaves it as it is.
    pub review: Option<Review>,
}

/// The result of the judgement of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportOutcome {
    /// Not judged yet.
    Open,
    /// The comment was restricted after it, at this time.
    Restricted(Millis),
    /// A moderator found the comment good, at this time.
    Unrestricted(Millis),
}

/// The kind of decisions that a list of a member's decisions contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionKind {
    /// All, appeals too: what moderators read.
    Any,
    /// Those that restrict a comment: what its author reads.
    Restriction,
}

/// A position in a list of a member's reports or of decisions, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecisionCursor {
    /// The time of the last entry.
    pub time: Millis,
    /// Its comment.
    pub comment: CommentId,
    /// The number of the decision.
    pub number: i32,
}

impl ReportReason {
    /// All reasons, in the order of their codes.
    pub const ALL: [Self; 14] = [
        Self::Spam,
        Self::Hate,
        Self::Harassment,
        Self::Violence,
        Self::Sexual,
        Self::SelfHarm,
        Self::IllegalGoods,
        Self::PrivateData,
        Self::Copyright,
        Self::Misinformation,
        Self::OffTopic,
        Self::Impersonation,
        Self::Minors,
        Self::Other,
    ];

    /// The stored code.
    #[must_use]
    pub const fn code(self) -> i8 {
        self as i8
    }

    /// Returns the reason of a code; `None` for an unknown one.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.code() == code)
    }
}

impl Report {
    /// Returns the answer to a repeat of a request with this identity; `None` if another request
    /// made the report.
    ///
    /// # Errors
    /// [`Error::RequestIdReused`] if a request with the same key and another body made it.
    pub fn replayed(&self, request: RequestIdentity) -> Result<Option<ReportResult>> {
        if self.request.key != request.key {
            Ok(None)
        } else if self.request.fingerprint == request.fingerprint {
            Ok(Some(ReportResult { first: self.first == self.time, replayed: true }))
        } else {
            Err(Error::RequestIdReused)
        }
    }

    /// Returns `true` if the numbers of the review contain the report.
    #[must_use]
    pub fn is_open(&self, settled_version: i64) -> bool {
        self.counted && self.version > settled_version
    }

    /// Returns what became of the report. `settling` is the first settling decision after it, with
    /// its time.
    #[must_use]
    pub fn outcome(&self, settling: Option<(CommentAct, Millis)>) -> ReportOutcome {
        match settling {
            _ if self.settled => ReportOutcome::Unrestricted(self.time),
            None => ReportOutcome::Open,
            Some((CommentAct::Reject | CommentAct::Hide | CommentAct::Delete, time)) => ReportOutcome::Restricted(time),
            Some((_, time)) => ReportOutcome::Unrestricted(time),
        }
    }
}

impl NewReport {
    /// Returns the event of the report: it names neither the member nor a number, and makes no
    /// revision.
    #[must_use]
    pub fn event(&self, comment: &Comment) -> Event {
        let (reference, lifecycle) = (&comment.reference, &comment.lifecycle);
        let outcome = CommentOutcome {
            actor: ActorKind::Author,
            before: Some(lifecycle.state),
            after: lifecycle.state,
            version: lifecycle.version,
            first_publication: false,
            moderation: ModerationDetails { reported: true, ..ModerationDetails::NONE },
        };
        let change = CommentChange { id: reference.id, root: reference.root_id, kind: ChangeKind::Noted };
        let outcomes = [(reference.id, Some(outcome))].into();
        Event {
            partition: reference.id.partition(),
            subject: reference.subject_id,
            revision: None,
            changes: Changes { comments: vec![change], outcomes, ..Changes::default() },
            time: self.now,
        }
    }

    /// Returns what the report changes. `comment` and `review` are locked, `earlier` is the
    /// member's report of the comment, and `database_time` the time of the database.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`] if the member cannot see the comment;
    /// [`Error::MemberNotAllowed`] for an own comment.
    pub fn changes(
        &self,
        comment: &Comment,
        object_type: &ObjectType,
        review: Option<&Review>,
        earlier: Option<&Report>,
        database_time: Millis,
    ) -> Result<ReportChanges> {
        let (reference, lifecycle) = (&comment.reference, &comment.lifecycle);
        if reference.member == self.member && lifecycle.state != CommentState::Deleted {
            return Err(Error::MemberNotAllowed);
        }
        if !lifecycle.state.is_visible() {
            return Err(Error::CommentNotFound);
        }
        let settled_version = review.map_or(0, |review| review.settled_version);
        let version = self.seen.unwrap_or(lifecycle.version);
        let settled = version <= settled_version;
        let report = Report {
            comment_id: self.comment_id,
            object_type: object_type.clone(),
            member: self.member.clone(),
            body: self.body.clone(),
            version,
            weight: self.weight,
            counted: version == lifecycle.version && !settled,
            settled,
            decisions: review.map_or(0, |review| review.decisions),
            request: self.request,
            first: earlier.map_or(self.now, |earlier| earlier.first),
            time: earlier.map_or(self.now, |earlier| self.now.max(Millis(earlier.time.0.saturating_add(1)))),
        };
        let replaces = earlier.filter(|earlier| earlier.is_open(settled_version));
        if replaces.is_none() && !report.counted {
            return Ok(ReportChanges { report, review: None });
        }
        let new = || {
            let ids = (reference.id, reference.subject_id);
            Review::new(ids, object_type.clone(), reference.member.clone(), false)
        };
        let mut review = review.cloned().unwrap_or_else(new);
        let contribution = |report: &Report| (1, report.weight);
        let (added, added_weight) = Some(&report).filter(|report| report.counted).map_or((0, 0), contribution);
        let (removed, removed_weight) = replaces.map_or((0, 0), contribution);
        review.reports = review.reports.saturating_add(added - removed);
        review.report_weight = review.report_weight.saturating_add(added_weight - removed_weight);
        let is_urgent = self.body.claims_illegal || self.weight >= URGENT_WEIGHT;
        if report.counted && (self.body.claims_illegal || review.report_weight >= self.threshold) {
            let allowance = if is_urgent { URGENT } else { ReviewCause::Report.allowance() };
            review.close(false);
            review.add_cause_within(ReviewCause::Report, allowance, database_time);
        }
        Ok(ReportChanges { report, review: Some(review) })
    }
}
