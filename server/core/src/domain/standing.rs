//! The standings of members: what a member may do under one object type, as moderators set it.

use crate::domain::decision::{Automation, Detection, Grounds};
use crate::domain::disposition::Disposition;
use crate::domain::error::{Error, Result};
use crate::domain::member::{MemberId, MemberOfType};
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::request::{Fingerprint, RequestIdentity};
use crate::domain::review::{ReviewCause, ReviewCauses};
use crate::domain::time::Millis;

/// The code in the idempotency records of standings, one of the list of the verbs. It is a stored
/// format and never changes.
pub const SET_MEMBER_STANDING: i8 = 31;
/// The code of a decision that follows from the standing of its author.
pub const CODE_OF_STANDINGS: &str = "policy.standing";
/// The cause that the text of a trusted member does not get.
const FLAG: ReviewCauses = ReviewCauses::of(&[ReviewCause::Flag]);
/// The greatest weight of a member's reports.
pub const MAX_REPORT_WEIGHT: i32 = 1_000;

/// The rights of a member under one object type. Later standings are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Standing {
    /// Everything that the object type allows.
    #[default]
    Normal,
    /// As NORMAL; new texts are visible at once, in modes too, and are not flagged.
    Trusted,
    /// Texts wait for review.
    PreModerated,
    /// No comments, replies and edits.
    Muted,
    /// No writes but deleting own comments and appeals.
    Banned,
}

/// An act of a member, by the standings and accounts that refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GatedAct {
    /// Nothing refuses it, or it is not the act of a member.
    Open,
    /// A new root comment.
    Create,
    /// A new reply.
    Reply,
    /// A new text of a comment.
    Edit,
    /// A like or a dislike.
    Like,
    /// The report of a comment.
    Report,
    /// Another write.
    Other,
}

impl GatedAct {
    /// Returns `true` if the member sends a text.
    #[must_use]
    pub const fn is_text(self) -> bool {
        match self {
            Self::Create | Self::Reply | Self::Edit => true,
            Self::Open | Self::Like | Self::Report | Self::Other => false,
        }
    }
}

impl Standing {
    /// All standings, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::Normal, Self::Trusted, Self::PreModerated, Self::Muted, Self::Banned];

    /// The stored code, which is the number in the contract. It never changes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Normal => 1,
            Self::Trusted => 2,
            Self::PreModerated => 3,
            Self::Muted => 4,
            Self::Banned => 5,
        }
    }

    /// Returns the standing of a code; `None` for a code that this version does not know.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.code() == code)
    }

    /// Returns `true` if a member with this standing may not do this.
    #[must_use]
    pub const fn refuses(self, act: GatedAct) -> bool {
        match self {
            Self::Normal | Self::Trusted | Self::PreModerated => false,
            Self::Muted => act.is_text(),
            Self::Banned => !matches!(act, GatedAct::Open),
        }
    }

    /// Returns the judgement on a text of a member with this standing, from that on the text alone.
    /// What the text itself asks for is never lowered but for a flag. That a service could not be
    /// asked stays among the causes.
    #[must_use]
    pub fn judgement(self, by_content: PolicyJudgement) -> PolicyJudgement {
        match (self, by_content.disposition) {
            (Self::PreModerated, Disposition::Allow | Disposition::Flag | Disposition::Unchecked) => PolicyJudgement {
                disposition: Disposition::Hold,
                grounds: Some(Box::new(grounds_of_standing(by_content.grounds))),
                more_causes: by_content.more_causes.union(outage(by_content.disposition)),
                ..by_content
            },
            (Self::Trusted, Disposition::Allow | Disposition::Flag) => PolicyJudgement {
                disposition: Disposition::Allow,
                grounds: None,
                more_causes: by_content.more_causes.without(FLAG),
                trusted: true,
                ..by_content
            },
            (Self::Trusted, Disposition::Hold | Disposition::Unchecked | Disposition::Reject) => {
                PolicyJudgement { more_causes: by_content.more_causes.without(FLAG), trusted: true, ..by_content }
            }
            (Self::PreModerated, Disposition::Hold | Disposition::Reject)
            | (
                Self::Normal | Self::Muted | Self::Banned,
                Disposition::Allow
                | Disposition::Flag
                | Disposition::Hold
                | Disposition::Unchecked
                | Disposition::Reject,
            ) => by_content,
        }
    }
}

/// Returns the cause of a text that waits because a service could not be asked.
const fn outage(disposition: Disposition) -> ReviewCauses {
    match disposition {
        Disposition::Unchecked => ReviewCauses::of(&[ReviewCause::ServiceUnavailable]),
        Disposition::Allow | Disposition::Flag | Disposition::Hold | Disposition::Reject => ReviewCauses::NONE,
    }
}

/// Returns the reasons of a text that waits for its author's standing. What was found in it stays.
fn grounds_of_standing(by_content: Option<Box<Grounds>>) -> Grounds {
    Grounds {
        code: CODE_OF_STANDINGS.to_owned(),
        detection: Detection::MemberStanding,
        automation: Automation::Full,
        hits: by_content.map(|grounds| grounds.hits).unwrap_or_default(),
        ..Grounds::default()
    }
}

/// A standing with its end, as every process has it in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StandingInForce {
    /// The standing.
    pub standing: Standing,
    /// The time at which it ends; `None` for no end. Afterwards the member has NORMAL.
    pub until: Option<Millis>,
    /// The weight of the member's reports; `None` if it is not set.
    pub report_weight: Option<i32>,
}

impl StandingInForce {
    /// Returns what is left of it at a time: its weight has no end.
    #[must_use]
    pub fn at(self, now: Millis) -> Self {
        let has_ended = self.until.is_some_and(|until| until <= now);
        if has_ended { Self { standing: Standing::Normal, until: None, ..self } } else { self }
    }

    /// Returns the stricter one of two standings, of equal ones that with the later end. A weight
    /// is that of `self` if it has one.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        let strictness = |of: &Self| (of.standing, of.until.map_or(i64::MAX, |until| until.0));
        let stricter = if strictness(&other) > strictness(&self) { other } else { self };
        Self { report_weight: self.report_weight.or(other.report_weight), ..stricter }
    }

    /// Returns `true` if it differs from that of a member without a row.
    #[must_use]
    pub fn is_notable(&self) -> bool {
        self.standing != Standing::Normal || self.report_weight.is_some()
    }

    /// Checks that the member may do this.
    ///
    /// # Errors
    /// [`Error::MemberSuspended`].
    pub fn check(&self, act: GatedAct) -> Result<()> {
        if self.standing.refuses(act) { Err(Error::MemberSuspended { until: self.until }) } else { Ok(()) }
    }
}

/// The stored standing of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberStanding {
    /// The object type and the member.
    pub of: MemberOfType,
    /// The standing.
    pub in_force: StandingInForce,
    /// Why, as given when it was set.
    pub grounds: Grounds,
    /// The moderator that set it.
    pub moderator: MemberId,
    /// The number of times that it was set.
    pub number: i64,
    /// The time at which it was set.
    pub changed: Millis,
}

impl MemberStanding {
    /// Returns the standing of a member that was never set.
    #[must_use]
    pub fn unset(of: MemberOfType) -> Self {
        let (in_force, grounds, moderator) =
            (StandingInForce::default(), Grounds::default(), MemberId::stored(String::new()));
        Self { of, in_force, grounds, moderator, number: 0, changed: Millis(0) }
    }

    /// The etag: the opaque version of the standing.
    #[must_use]
    pub fn etag(&self) -> String {
        etag(self.number)
    }
}

/// Returns the etag of a standing that was set this number of times.
fn etag(number: i64) -> String {
    format!("s{number:x}")
}

/// The order of a moderator to set a standing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingOrder {
    /// The object type and the member.
    pub of: MemberOfType,
    /// The standing to have.
    pub in_force: StandingInForce,
    /// Why.
    pub grounds: Grounds,
    /// The moderator.
    pub moderator: MemberId,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

impl StandingOrder {
    /// Returns the fingerprint of the request. Its parts are a stored format. The moderator is part
    /// of the idempotency key.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let Self { of, in_force, grounds, moderator: _, etag } = self;
        let Grounds { code, explanation, legal_reference, note, detection, automation, hits: _ } = grounds;
        let codes = [in_force.standing.code(), detection.code(), automation.code()].map(i8::cast_unsigned);
        let until = in_force.until.map_or_else(Vec::new, |until| until.0.to_be_bytes().to_vec());
        let weight = in_force.report_weight.map_or_else(Vec::new, |weight| weight.to_be_bytes().to_vec());
        Fingerprint::of(&[
            b"SetMemberStanding",
            of.object_type.as_str().as_bytes(),
            of.member.as_str().as_bytes(),
            &codes,
            &until,
            &weight,
            code.as_bytes(),
            explanation.as_bytes(),
            legal_reference.as_bytes(),
            note.as_bytes(),
            etag.as_bytes(),
        ])
    }

    /// Returns the standing that replaces `earlier`, at the time `now` of the database. The times
    /// of one member's standings rise.
    ///
    /// # Errors
    /// [`Error::EtagMismatch`]; [`Error::Invalid`] for an end that has passed.
    pub fn after(&self, earlier: Option<&MemberStanding>, now: Millis) -> Result<MemberStanding> {
        let (number, changed) = earlier.map_or((0, Millis(0)), |earlier| (earlier.number, earlier.changed));
        if !self.etag.is_empty() && self.etag != etag(number) {
            return Err(Error::EtagMismatch { current: etag(number) });
        }
        if self.in_force.until.is_some_and(|until| until <= now) {
            return Err(Error::invalid("standing.until", "must lie in the future"));
        }
        Ok(self.numbered(number + 1, now.max(Millis(changed.0 + 1))))
    }

    /// Returns the first result of a request that was recorded.
    ///
    /// # Errors
    /// [`Error::RequestIdReused`] for the record of another body.
    pub fn replayed(&self, request: RequestIdentity, record: StandingRecord) -> Result<MemberStanding> {
        if record.fingerprint != request.fingerprint {
            return Err(Error::RequestIdReused);
        }
        // The body is that of the first request, so the result follows from it.
        Ok(self.numbered(record.number, record.changed))
    }

    fn numbered(&self, number: i64, changed: Millis) -> MemberStanding {
        let Self { of, in_force, grounds, moderator, etag: _ } = self.clone();
        MemberStanding { of, in_force, grounds, moderator, number, changed }
    }
}

/// The idempotency record of a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandingRecord {
    /// The fingerprint of the request.
    pub fingerprint: Fingerprint,
    /// The number of the standing that it set.
    pub number: i64,
    /// The time at which it was set.
    pub changed: Millis,
}

/// A standing as processes read it into memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingChange {
    /// The object type and the member.
    pub of: MemberOfType,
    /// The standing.
    pub in_force: StandingInForce,
    /// The time at which it was set.
    pub changed: Millis,
}

#[cfg(test)]
mod tests;
