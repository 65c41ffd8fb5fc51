//! The appeal of a comment that waits for its decision.

use crate::domain::act::CommentAct;
use crate::domain::decision::Decision;
use crate::domain::member::MemberId;

/// An appeal that is undecided, as the decisions on the comment show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedAppeal {
    /// The number of the decision that the author contests.
    pub contested: i32,
    /// The moderator of that decision, which may not judge the appeal; empty for the policy.
    pub barred: MemberId,
}

impl UndecidedAppeal {
    /// Finds the appeal that is undecided after all decisions on a comment, in the order of their
    /// numbers.
    #[must_use]
    pub fn after(decisions: &[Decision]) -> Option<Self> {
        let text = || decisions.iter().rev().filter(|decision| decision.proposal == 0);
        let last = text().find(|decision| decision.act == CommentAct::Appeal || decision.act.decides_appeal())?;
        if last.act != CommentAct::Appeal {
            return None;
        }
        let contested = decisions.iter().find(|decision| decision.id.number == last.contested);
        let barred = contested.map_or_else(|| MemberId::stored(String::new()), |decision| decision.actor.clone());
        Some(Self { contested: last.contested, barred })
    }
}
