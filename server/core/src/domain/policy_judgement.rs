//! The judgement of the policy of an object type on a new text.

use crate::domain::act::CommentAct;
use crate::domain::content::Content;
use crate::domain::decision::Grounds;
use crate::domain::disposition::Disposition;
use crate::domain::object_type::ModerationMode;
use crate::domain::review::{ReviewCause, ReviewCauses, ReviewPriority};

/// The treatment of a new text by the policy, with the reasons of the decisions that it becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyJudgement {
    /// The treatment, before any mode.
    pub disposition: Disposition,
    /// The reasons. `None` if nothing in the text asks for the treatment: then only a refusal
    /// becomes a decision.
    pub grounds: Option<Box<Grounds>>,
    /// Causes for which a moderator judges the text besides those of the disposition. A rejected
    /// text has none.
    pub more_causes: ReviewCauses,
    /// The priority of its review, if it gets one.
    pub priority: ReviewPriority,
    /// The text with words masked, which is stored in place of the one that the caller sent; `None`
    /// if none are. It has no effect on a text that is stored as rejected.
    pub masked: Option<Box<MaskedText>>,
    /// `true` if the modes of type and subject do not concern the author.
    pub trusted: bool,
    /// `true` if the author is known not to be a new member.
    pub established: bool,
}

/// A text with words masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedText {
    /// The text, in NFC. It is not longer than the original.
    pub text: String,
    /// The reasons of the decision that masks.
    pub grounds: Grounds,
}

impl PolicyJudgement {
    /// Returns the mode that concerns the text, of one that is in force.
    #[must_use]
    pub const fn mode(&self, in_force: ModerationMode) -> ModerationMode {
        in_force.for_author(self.trusted, self.established)
    }

    /// Returns the treatment of the text under a mode.
    #[must_use]
    pub const fn under(&self, mode: ModerationMode) -> Disposition {
        self.disposition.under(self.mode(mode))
    }

    /// Returns the causes for which a moderator judges a new comment under a mode.
    #[must_use]
    pub fn causes(&self, mode: ModerationMode) -> ReviewCauses {
        self.disposition.causes(self.mode(mode)).union(self.more_causes)
    }

    /// Returns the judgement on a text that waits besides, because a service could not be asked. An
    /// outage is a cause and no decision; what asks for as much stays, with its reasons.
    #[must_use]
    pub fn held_by_outage(self) -> Self {
        let unavailable = ReviewCauses::of(&[ReviewCause::ServiceUnavailable]);
        let (more, disposition) = match self.disposition {
            Disposition::Allow => (ReviewCauses::NONE, Disposition::Unchecked),
            Disposition::Flag => (ReviewCauses::of(&[ReviewCause::Flag]), Disposition::Unchecked),
            Disposition::Hold => (unavailable, Disposition::Hold),
            Disposition::Unchecked | Disposition::Reject => return self,
        };
        let grounds = self.grounds.filter(|_| disposition == Disposition::Hold);
        Self { disposition, grounds, more_causes: self.more_causes.union(more), ..self }
    }

    /// Returns `true` if nothing becomes of the text under a mode but that it is shown.
    #[must_use]
    pub fn only_shows(&self, mode: ModerationMode) -> bool {
        self.under(mode) == Disposition::Allow && self.more_causes.is_empty()
    }

    /// Returns `true` if the judgement becomes a decision.
    #[must_use]
    pub fn is_decision(&self) -> bool {
        match self.disposition {
            Disposition::Allow | Disposition::Unchecked => self.masked.is_some(),
            Disposition::Flag | Disposition::Hold => self.masked.is_some() || self.grounds.is_some(),
            Disposition::Reject => true,
        }
    }

    /// Returns the content that is stored in place of this one, which the caller sent, and this one
    /// if it is another one.
    #[must_use]
    pub fn stored(&self, sent: &Content) -> (Content, Option<Content>) {
        match self.masked.as_ref().filter(|_| self.disposition != Disposition::Reject) {
            Some(masked) => (sent.clone().with_text(masked.text.clone()), Some(sent.clone())),
            None => (sent.clone(), None),
        }
    }

    /// Returns the acts of the decisions that the judgement becomes, with their reasons: that of
    /// the disposition is the last one.
    #[must_use]
    pub fn into_decisions(self, of_proposal: bool) -> Vec<(CommentAct, Grounds)> {
        let act = match self.disposition {
            Disposition::Allow | Disposition::Unchecked => None,
            Disposition::Flag => Some(CommentAct::Flag),
            Disposition::Hold => Some(CommentAct::Hold),
            Disposition::Reject if of_proposal => Some(CommentAct::RejectEdit),
            Disposition::Reject => Some(CommentAct::Reject),
        };
        let is_rejected = self.disposition == Disposition::Reject;
        let masked = self.masked.filter(|_| !is_rejected).map(|masked| (CommentAct::Mask, masked.grounds));
        let grounds = self.grounds.map(|grounds| *grounds).or_else(|| is_rejected.then(Grounds::default));
        masked.into_iter().chain(act.zip(grounds)).collect()
    }
}

impl From<Disposition> for PolicyJudgement {
    /// Returns a judgement without reasons.
    fn from(disposition: Disposition) -> Self {
        Self { disposition, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::subject::Metadata;

    #[test]
    fn a_masked_text_is_stored_and_decided_unless_the_text_is_rejected() {
        let grounds = |code: &str| Grounds { code: code.to_owned(), ..Grounds::default() };
        let masked = MaskedText { text: "a ***".to_owned(), grounds: grounds("mask") };
        let sent = Content::stored("a bad".to_owned(), Vec::new(), Metadata::new());
        for (disposition, own, acts) in [
            (Disposition::Allow, None, &[CommentAct::Mask][..]),
            (Disposition::Unchecked, None, &[CommentAct::Mask]),
            (Disposition::Hold, None, &[CommentAct::Mask]),
            (Disposition::Hold, Some("own"), &[CommentAct::Mask, CommentAct::Hold]),
            (Disposition::Flag, Some("own"), &[CommentAct::Mask, CommentAct::Flag]),
            (Disposition::Reject, Some("own"), &[CommentAct::Reject]),
            (Disposition::Reject, None, &[CommentAct::Reject]),
        ] {
            let own = own.map(|code| Box::new(grounds(code)));
            let masks = PolicyJudgement { grounds: own, masked: Some(Box::new(masked.clone())), ..disposition.into() };
            let plain = PolicyJudgement { masked: None, ..masks.clone() };
            let is_rejected = disposition == Disposition::Reject;
            let (shown, original) = masks.stored(&sent);
            assert_eq!((shown.text(), original.is_some()), (if is_rejected { "a bad" } else { "a ***" }, !is_rejected));
            assert_eq!(original.unwrap_or_else(|| sent.clone()), sent);
            assert_eq!(plain.stored(&sent), (sent.clone(), None));
            assert_eq!((masks.is_decision(), plain.is_decision()), (true, acts.last() != Some(&CommentAct::Mask)));
            let decided = |judged: PolicyJudgement| -> Vec<CommentAct> {
                judged.into_decisions(false).into_iter().map(|(act, _)| act).collect()
            };
            assert_eq!(decided(masks), acts, "{disposition:?}");
            assert!(decided(plain).iter().eq(acts.iter().filter(|act| **act != CommentAct::Mask)), "{disposition:?}");
        }
    }

    #[test]
    fn an_outage_holds_a_text_without_a_decision_and_keeps_what_asks_for_as_much() {
        use ReviewCause::{Flag, New, ServiceUnavailable};
        for (disposition, expected, causes, keeps_grounds) in [
            (Disposition::Allow, Disposition::Unchecked, &[ServiceUnavailable][..], false),
            (Disposition::Flag, Disposition::Unchecked, &[Flag, ServiceUnavailable], false),
            (Disposition::Hold, Disposition::Hold, &[New, ServiceUnavailable], true),
            (Disposition::Unchecked, Disposition::Unchecked, &[ServiceUnavailable], true),
            (Disposition::Reject, Disposition::Reject, &[], true),
        ] {
            let grounds = Some(Box::new(Grounds::default()));
            let held = PolicyJudgement { grounds, ..disposition.into() }.held_by_outage();
            assert_eq!((held.disposition, held.grounds.is_some()), (expected, keeps_grounds), "{disposition:?}");
            assert_eq!(held.causes(ModerationMode::Post), ReviewCauses::of(causes), "{disposition:?}");
        }
    }
}
