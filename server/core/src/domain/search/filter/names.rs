//! The names of values in the text of a filter: those of the contract without their prefix.

use std::fmt;

use super::{DecisionAction, EqualityOperator, NumberOperator, OpenQuestion, OrderOperator};
use crate::domain::lifecycle::DeletedBy;

impl fmt::Display for EqualityOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
        })
    }
}

impl fmt::Display for OrderOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}

impl fmt::Display for NumberOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equality(operator) => operator.fmt(f),
            Self::Order(operator) => operator.fmt(f),
        }
    }
}

impl fmt::Display for OpenQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "TEXT",
            Self::Edit => "EDIT",
            Self::Appeal => "APPEAL",
        })
    }
}

impl fmt::Display for DecisionAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Approve => "APPROVE",
            Self::Reject => "REJECT",
            Self::Hide => "HIDE",
            Self::Unhide => "UNHIDE",
            Self::Delete => "DELETE",
            Self::Withhold => "WITHHOLD",
            Self::Keep => "KEEP",
            Self::Appeal => "APPEAL",
            Self::Restore => "RESTORE",
            Self::Hold => "HOLD",
            Self::Flag => "FLAG",
            Self::Mask => "MASK",
        })
    }
}

/// The roles of a deleter that a filter can name.
pub(super) const DELETERS: [DeletedBy; 3] = [DeletedBy::Author, DeletedBy::SubjectOwner, DeletedBy::Moderator];

/// The name of the role of a deleter.
pub(super) const fn deleter_name(deleted_by: DeletedBy) -> &'static str {
    match deleted_by {
        DeletedBy::Author => "AUTHOR",
        DeletedBy::SubjectOwner => "SUBJECT_OWNER",
        DeletedBy::Moderator => "MODERATOR",
    }
}
