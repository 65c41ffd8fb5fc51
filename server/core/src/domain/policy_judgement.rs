//! The judgement of the policy of an object type on a new text.

use crate::domain::act::CommentAct;
use crate::domain::decision::Grounds;
use crate::domain::disposition::Disposition;
use crate::domain::object_type::ModerationMode;

/// The treatment of a new text by the policy, with the reasons of the decision that it becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyJudgement {
    /// The treatment, before any mode.
    pub disposition: Disposition,
    /// The reasons. `None` if nothing in the text asks for the treatment: then only a refusal
    /// becomes a decision.
    pub grounds: Option<Box<Grounds>>,
    /// `true` if the modes of type and subject do not concern the author.
    pub trusted: bool,
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
    pub const fn is_decision(&self) -> bool {
        match self.disposition {
            Disposition::Allow | Disposition::Unchecked => false,
            Disposition::Flag | Disposition::Hold => self.grounds.is_some(),
            Disposition::Reject => true,
        }
    }

    /// Returns the act of the decision that the judgement becomes, with its reasons; `None` for
    /// none.
    #[must_use]
    pub fn into_decision(self, of_proposal: bool) -> Option<(CommentAct, Grounds)> {
        let act = match self.disposition {
            Disposition::Allow | Disposition::Unchecked => return None,
            Disposition::Flag => CommentAct::Flag,
            Disposition::Hold => CommentAct::Hold,
            Disposition::Reject if of_proposal => CommentAct::RejectEdit,
            Disposition::Reject => CommentAct::Reject,
        };
        match self.grounds {
            Some(grounds) => Some((act, *grounds)),
            None => (self.disposition == Disposition::Reject).then(|| (act, Grounds::default())),
        }
    }
}

impl From<Disposition> for PolicyJudgement {
    /// Returns a judgement without reasons.
    fn from(disposition: Disposition) -> Self {
        Self { disposition, grounds: None, trusted: false }
    }
}
