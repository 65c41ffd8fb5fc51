//! Whole lists that are read at the end of a run, when nothing changes any more.

use serde::{Deserialize, Serialize};

/// A whole list, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Listing {
    /// The members that like a comment.
    Likers { comment: i64, members: Vec<u32> },
    /// The comments of a member under an object type, which is that of this subject.
    OfMember { subject: u32, member: u32, comments: Vec<i64> },
}
