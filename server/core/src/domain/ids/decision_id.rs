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

impl DecisionId {
    /// Returns the id of a text; `None` if it is not one that [`fmt::Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (comment, number) = text.split_once('.')?;
        let id = Self { comment: CommentId::new(comment.parse().ok()?)?, number: number.parse().ok()? };
        (id.number > 0 && id.to_string() == text).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::{CommentId, DecisionId};

    #[test]
    fn an_id_names_the_comment_and_the_number() {
        let id = DecisionId { comment: CommentId::new(42).expect("positive"), number: 3 };
        assert_eq!((id.to_string().as_str(), DecisionId::parse("42.3")), ("42.3", Some(id)));
        for wrong in ["", "42", "42.", ".3", "42.0", "42.-1", "0.3", "042.3", "42.+3", "42.3.1", " 42.3"] {
            assert_eq!(DecisionId::parse(wrong), None, "{wrong:?}");
        }
    }
}
