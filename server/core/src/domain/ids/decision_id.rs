//! The id of a decision.

use std::fmt;

use super::CommentId;

/// The id of a decision: its comment and its number. Clients treat its text as opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecisionId {
    /// The comment.
    pub comment: CommentId,
    /// The number of the decision among those on the comment, from 1.
    pub number: i32,
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.comment.get(), self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::{CommentId, DecisionId};

    #[test]
    fn an_id_names_the_comment_and_the_number() {
        let id = DecisionId { comment: CommentId::new(42).expect("positive"), number: 3 };
        assert_eq!(id.to_string(), "42.3");
    }
}
