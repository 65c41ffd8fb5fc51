//! Likes: one value per member and comment, set as a state.

use crate::ids::CommentId;
use crate::member::MemberId;
use crate::request::RequestId;
use crate::time::Millis;

/// What a member says of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LikeValue {
    /// Nothing: the absence of a row, or an undone value.
    None,
    /// Like.
    Like,
    /// Dislike.
    Dislike,
}

impl LikeValue {
    /// The stored code: fixed for ever.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::None => 0,
            Self::Like => 1,
            Self::Dislike => -1,
        }
    }

    /// The value of a stored code, `None` for a code no version has written.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::None, Self::Like, Self::Dislike].into_iter().find(|v| v.code() == code)
    }

    /// What a move from `self` to `to` adds to (likes, dislikes): the only source of like count changes.
    #[must_use]
    pub fn delta(self, to: Self) -> (i32, i32) {
        let likes = |v| i32::from(v == Self::Like);
        let dislikes = |v| i32::from(v == Self::Dislike);
        (likes(to) - likes(self), dislikes(to) - dislikes(self))
    }
}

/// The row of one member's like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Like {
    /// The comment.
    pub comment_id: CommentId,
    /// Whose value it is.
    pub member: MemberId,
    /// The value.
    pub value: LikeValue,
    /// The operation that set it last, ours where the caller gave none: orders operations of one client.
    pub operation: RequestId,
    /// Whether that operation changed the value; a repeat answers it again.
    pub changed: bool,
    /// When the value last changed.
    pub time: Millis,
}

/// The answer to SetLike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LikeAnswer {
    /// The member's value now.
    pub value: LikeValue,
    /// Members whose value is LIKE.
    pub like_count: i32,
    /// Members whose value is DISLIKE.
    pub dislike_count: i32,
    /// Whether this operation changed the value.
    pub changed: bool,
    /// The comment's own revision.
    pub comment_revision: i64,
}

#[cfg(test)]
mod tests {
    use super::LikeValue::{self, Dislike, Like, None};

    #[test]
    fn codes_are_fixed_for_ever() {
        let known = [(0, None), (1, Like), (-1, Dislike)];
        assert_eq!(known.map(|(code, _)| LikeValue::from_code(code)), known.map(|(_, value)| Some(value)));
        assert_eq!(known.map(|(_, value)| value.code()), known.map(|(code, _)| code));
        assert_eq!([2, -2].map(LikeValue::from_code), [Option::None; 2]);
    }

    #[test]
    fn a_like_replaces_a_dislike_in_one_step_and_repeats_add_nothing() {
        for (from, to, delta) in [
            (None, Like, (1, 0)),
            (Dislike, Like, (1, -1)),
            (Like, Dislike, (-1, 1)),
            (Like, None, (-1, 0)),
            (Like, Like, (0, 0)),
        ] {
            assert_eq!(from.delta(to), delta, "{from:?} → {to:?}");
        }
    }
}
