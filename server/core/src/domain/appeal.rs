//! An appeal that no moderator has decided yet.

use crate::domain::member::MemberId;

/// An appeal that is undecided, as the decisions on the comment show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedAppeal {
    /// The number of the decision that the author contests.
    pub contested: i32,
    /// The moderator of that decision, which may not judge the appeal; empty for the policy.
    pub barred: MemberId,
}
