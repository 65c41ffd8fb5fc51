//! Likes: each member has one value per comment, which is set as a state.

use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::request::RequestId;
use crate::domain::time::Millis;

/// The value that a member gives to a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LikeValue {
    /// No value: either no row exists, or the value was undone.
    None,
    /// Like.
    Like,
    /// Dislike.
    Dislike,
}

impl LikeValue {
    /// The stored code. It never changes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::None => 0,
            Self::Like => 1,
            Self::Dislike => -1,
        }
    }

    /// Returns the value of a stored code; `None` for a code that no version has written.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::None, Self::Like, Self::Dislike].into_iter().find(|v| v.code() == code)
    }

    /// Returns the amounts that a move from `self` to `to` adds to (likes, dislikes). It is the
    /// only source of like count changes.
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
    /// The member that set the value.
    pub member: MemberId,
    /// The value.
    pub value: LikeValue,
    /// The operation that set the value last; the service generates it if the caller sent none. It
    /// orders the operations of one client.
    pub operation: RequestId,
    /// `true` if that operation changed the value; a repeat returns it again.
    pub changed: bool,
    /// The time of the last change of the value.
    pub time: Millis,
}

/// The result of SetLike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LikeOutput {
    /// The member's current value.
    pub value: LikeValue,
    /// The number of members whose value is LIKE.
    pub like_count: i32,
    /// The number of members whose value is DISLIKE.
    pub dislike_count: i32,
    /// `true` if this operation changed the value.
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
    fn a_like_replaces_a_dislike_in_one_step_and_a_repeat_adds_nothing() {
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
