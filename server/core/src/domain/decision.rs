//! Decisions on comments. A decision never changes; a later one may follow it.

use std::time::Duration;

use crate::domain::act::CommentAct;
use crate::domain::appeal::UndecidedAppeal;
use crate::domain::error::AppealObstacle;
use crate::domain::ids::DecisionId;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::request::RequestIdentity;
use crate::domain::review::Review;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;

/// The code of a decision whose moderator gave none.
pub const UNSPECIFIED_CODE: &str = "unspecified";

/// The code of the decisions that turning moderation off makes. No moderator may send it: a
/// decision with it passes a closed gate and ends the lease of any moderator.
pub const MODERATION_OFF_CODE: &str = "moderation.off";

/// The reasons of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grounds {
    /// The rule in the caller's own words; the author may read it. Empty if none was named.
    pub code: String,
    /// The explanation for the author, at most 1,000 code points.
    pub explanation: String,
    /// The law on which the decision rests, at most 256 bytes; empty for the terms of use.
    pub legal_reference: String,
    /// A note for moderators, at most 512 code points.
    pub note: String,
    /// The way in which the reason of the decision was found.
    pub detection: Detection,
    /// The part of machines in the decision.
    pub automation: Automation,
    /// The findings of the policy, at most [`MAX_DECISION_HITS`]; empty for a decision of a person.
    pub hits: Vec<RuleHit>,
}

/// The largest number of findings in a decision.
pub const MAX_DECISION_HITS: usize = 32;

/// A finding of the policy in a text. It has no word of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleHit {
    /// The list, or the rule set of the object type.
    pub source: String,
    /// Its version at that time.
    pub version: String,
    /// The entry or rule.
    pub rule: String,
    /// The first code point of the span in the stored text; start and end are 0 for the whole text.
    pub start: u32,
    /// The end of the span.
    pub end: u32,
    /// `true` if it has no effect.
    pub dry_run: bool,
}

/// Defines an enum with fixed stored codes.
macro_rules! codes {
    ($(#[$about:meta])* $name:ident { $(#[$first_doc:meta])* $first:ident = $zero:literal,
        $($(#[$doc:meta])* $value:ident = $code:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $name {
            $(#[$first_doc])* #[default] $first,
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// All values, in the order of their codes.
            pub const ALL: &'static [Self] = &[Self::$first, $(Self::$value,)*];

            /// The stored code, which is the number in the contract. It never changes.
            #[must_use]
            pub const fn code(self) -> i8 {
                match self { Self::$first => $zero, $(Self::$value => $code,)* }
            }

            /// Returns the value of a code; `None` for a code that this version does not know.
            #[must_use]
            pub fn from_code(code: i8) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.code() == code)
            }
        }
    };
}

codes! {
    /// The way in which the reason of a decision was found.
    Detection {
        /// A moderator found it.
        Moderator = 1,
        /// An entry of a word list.
        WordList = 2,
        /// A rule of the object type's policy.
        Rule = 3,
        /// The filter service.
        FilterService = 4,
        /// The standing of the author.
        MemberStanding = 5,
        /// Reports of members.
        MemberReport = 6,
        /// A trusted flagger.
        TrustedFlagger = 7,
        /// An authority.
        Authority = 8,
        /// An appeal.
        Appeal = 9,
        /// The mode of the object type or the subject.
        Mode = 10,
    }
}

codes! {
    /// The part of machines in a decision.
    Automation {
        /// A person decided.
        None = 1,
        /// A person confirmed the proposal of a machine.
        Partial = 2,
        /// A machine decided.
        Full = 3,
    }
}

/// A decision on a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The comment and the number of the decision.
    pub id: DecisionId,
    /// The type of the comment's subject.
    pub object_type: ObjectType,
    /// The author of the comment.
    pub member: MemberId,
    /// The act.
    pub act: CommentAct,
    /// The number of the proposed edit that was judged; 0 is the text.
    pub proposal: i32,
    /// The state before; of a deleted comment the state to which it would have returned. `None` for
    /// a decision on a comment that is new with it.
    pub from: Option<CommentState>,
    /// The state after; of a deleted comment the state to which it would return.
    pub to: CommentState,
    /// The version of the comment before.
    pub from_version: i64,
    /// The version of the comment after.
    pub to_version: i64,
    /// The revision of the subject that the decision made; 0 if it made none.
    pub revision: i64,
    /// The moderator; empty for the policy.
    pub actor: MemberId,
    /// The reasons.
    pub grounds: Grounds,
    /// The request, if the decision itself keeps the key by which a repeat is detected; otherwise
    /// an idempotency record has the key.
    pub request: Option<RequestIdentity>,
    /// The number of the decision that an appeal contests or that this decision settles the appeal
    /// of; 0 if neither.
    pub contested: i32,
    /// The text of an appeal; empty otherwise.
    pub appeal_text: String,
    /// The time of the decision.
    pub time: Millis,
}

impl Decision {
    /// Returns the end of the time in which the author may contest the decision, if it is one that
    /// an author may contest. Whether it is still in force is another question.
    #[must_use]
    pub fn appeal_until(&self, window: Duration) -> Option<Millis> {
        self.is_contestable().then(|| self.time.plus(window))
    }

    /// Returns `true` for a decision against the text that an author may contest.
    fn is_contestable(&self) -> bool {
        self.proposal == 0 && matches!(self.act, CommentAct::Reject | CommentAct::Hide)
    }

    /// Finds the appeal that is undecided after all decisions on a comment, in the order of their
    /// numbers.
    #[must_use]
    pub fn undecided_appeal(decisions: &[Self]) -> Option<UndecidedAppeal> {
        let of_text = |decision: &&Self| decision.proposal == 0;
        let last = decisions
            .iter()
            .rev()
            .filter(of_text)
            .find(|decision| decision.act == CommentAct::Appeal || decision.act.decides_appeal())?;
        if last.act != CommentAct::Appeal {
            return None;
        }
        let contested = decisions.iter().find(|decision| decision.id.number == last.contested);
        let barred = contested.map_or_else(|| MemberId::stored(String::new()), |decision| decision.actor.clone());
        Some(UndecidedAppeal { contested: last.contested, barred })
    }

    /// Restores in a review that was lost what all decisions on its comment say, in the order of
    /// their numbers: their count, the restriction in force, the settled reports, and that the
    /// comment was visible.
    pub fn recover(review: &mut Review, decisions: &[Self]) {
        for decision in decisions {
            let number = decision.id.number;
            (review.decisions, review.proposal) = (number, review.proposal.max(decision.proposal));
            review.restriction = decision.act.restriction(review.restriction, number);
            if decision.act.is_settling() && !decision.actor.as_str().is_empty() {
                review.settled_version = decision.to_version;
            }
            if decision.to.is_visible() || decision.from.is_some_and(CommentState::is_visible) {
                review.never_public = false;
            }
        }
    }

    /// Returns the reason for which the author cannot contest the decision at the time `now`;
    /// `None` if the author can. `state` is the state of the comment, DELETED too if the comment
    /// cannot be read any more.
    #[must_use]
    pub fn appeal_obstacle(
        &self,
        state: CommentState,
        review: Option<&Review>,
        window: Duration,
        now: Millis,
    ) -> Option<AppealObstacle> {
        let number = self.id.number;
        let is_appealed = || review.is_some_and(|r| r.appealed().is_some() || r.contested == number);
        let is_in_force = || {
            let restricts = review.is_some_and(|review| review.restriction == number);
            restricts && CommentAct::Appeal.rule(Some(state)).is_some()
        };
        if !self.is_contestable() {
            Some(AppealObstacle::NotRestricted)
        } else if state == CommentState::Deleted {
            Some(AppealObstacle::Gone)
        } else if is_appealed() {
            Some(AppealObstacle::Appealed)
        } else if !is_in_force() {
            Some(AppealObstacle::Overturned)
        } else if now > self.time.plus(window) {
            Some(AppealObstacle::WindowOver)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Automation, Detection};

    #[test]
    fn codes_are_fixed_for_ever() {
        assert!(Detection::ALL.iter().map(|value| value.code()).eq(1..=10));
        assert!(Automation::ALL.iter().map(|value| value.code()).eq(1..=3));
        for value in Detection::ALL {
            assert_eq!(Detection::from_code(value.code()), Some(*value));
        }
        assert_eq!([-1, 0, 11].map(Detection::from_code), [None; 3]);
        assert_eq!([-1, 0, 4].map(Automation::from_code), [None; 3]);
        assert_eq!((Detection::default(), Automation::default()), (Detection::Moderator, Automation::None));
    }
}
