//! The verb ImportLike: a like of another system, with its time.

use super::import::import_fingerprint;
use super::{LikeCommand, LikeVerb, SetLike, target};
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::like::{Like, LikeValue};
use crate::domain::member::MemberId;
use crate::domain::request::{Fingerprint, RequestId};
use crate::domain::time::Millis;
use crate::write::unit_of_work::UnitOfWork;

/// A request to import a like, with its time.
#[derive(Debug, Clone)]
pub struct ImportedLike {
    /// The external id of the comment.
    pub comment: String,
    /// The member whose value is imported.
    pub member: MemberId,
    /// The value.
    pub value: LikeValue,
    /// The time since which the value has been set.
    pub time: Millis,
}

impl ImportedLike {
    /// Returns the verb of the command. `operation` identifies the item.
    pub(crate) fn verb(&self, comment_id: CommentId, operation: RequestId) -> ImportLike {
        let Self { member, value, time, comment: _ } = self;
        let like = SetLike { comment_id, member: member.clone(), value: *value, operation };
        ImportLike { like, time: *time }
    }
}

/// Imports one like. Of several values of a member for a comment, the one with the latest time
/// wins. So a repeat changes nothing, and a value that the member has set here later stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportLike {
    /// The value to set.
    pub like: SetLike,
    /// The time at which the value was set.
    pub time: Millis,
}

impl LikeVerb for ImportLike {
    fn set(&self) -> &SetLike {
        &self.like
    }

    fn fingerprint(&self, _: &str) -> Fingerprint {
        import_fingerprint()
    }

    fn check(&self, unit: &UnitOfWork, command: &LikeCommand) -> Result<()> {
        target(unit, command, self.like.comment_id).map(|_| ())
    }

    fn row(&self, unit: &UnitOfWork, command: &LikeCommand) -> Option<Like> {
        let before = unit.like(self.like.comment_id, &self.like.member);
        if before.is_some_and(|like| like.time >= self.time) {
            return None;
        }
        self.like.row(unit, command).map(|like| Like { time: self.time, ..like })
    }
}
