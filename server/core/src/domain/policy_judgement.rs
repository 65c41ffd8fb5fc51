//! The judgement of the policy of an object type on a new text.

use crate::domain::act::CommentAct;
use crate::domain::content::Content;
use crate::domain::decision::Grounds;
use crate::domain::disposition::Disposition;
use crate::domain::object_type::ModerationMode;

/// The treatment of a new text by the policy, with the reasons of the decisions that it becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyJudgement {
    /// The treatment, before any mode.
    pub disposition: Disposition,
    /// The reasons. `None` if nothing in the text asks for the treatment: then only a refusal
    /// becomes a decision.
    pub grounds: Option<Box<Grounds>>,
    /// The text with words masked, which is stored in place of the one that the caller sent; `None`
    /// if none are. It has no effect on a text that is stored as rejected.
    pub masked: Option<Box<MaskedText>>,
    /// `true` if the modes of type and subject do not concern the author.
    pub trusted: bool,
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
        if self.trusted { ModerationMode::Post } else { in_force }
    }

    /// Returns the treatment of the text under a mode.
    #[must_use]
    pub const fn under(&self, mode: ModerationMode) -> Disposition {
        self.disposition.under(self.mode(mode))
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
            let masked = Some(Box::new(masked.clone()));
            let masks = PolicyJudgement { disposition, grounds: own, masked, trusted: false };
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
}
