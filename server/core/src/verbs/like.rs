//! SetLike: one member's value of one comment, set as a state.

use super::{Command, LockSet, Verb, existing, target};
use crate::change::Change;
use crate::error::{Error, Result};
use crate::ids::CommentId;
use crate::like::{Like, LikeAnswer, LikeValue};
use crate::member::MemberId;
use crate::request::RequestId;
use crate::subject::SubjectState;
use crate::unit_of_work::UnitOfWork;

/// Sets a value. Setting what is set changes nothing; a late repeat of an older operation of the same client changes
/// nothing either, and both answer the present state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetLike {
    /// The comment.
    pub comment_id: CommentId,
    /// Whose value.
    pub member: MemberId,
    /// The value to set.
    pub value: LikeValue,
    /// The operation's id, ours where the caller gave none.
    pub operation: RequestId,
}

impl SetLike {
    /// The state that the caller is told.
    pub(crate) fn answer(&self, unit: &UnitOfWork) -> Result<LikeAnswer> {
        let comment = unit.comment(self.comment_id).ok_or(Error::CommentNotFound)?;
        let like = unit.like(self.comment_id, &self.member);
        Ok(LikeAnswer {
            value: like.map_or(LikeValue::None, |l| l.value),
            like_count: comment.like_count,
            dislike_count: comment.dislike_count,
            changed: like.is_some_and(|l| l.changed && l.operation == self.operation),
            comment_revision: comment.revision,
        })
    }
}

impl Verb for SetLike {
    fn needs(&self) -> LockSet {
        let like = Some((self.comment_id, self.member.clone()));
        LockSet { comments: vec![self.comment_id], content: None, like }
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let comment = target(unit, command, self.comment_id)?;
        let subject = existing(unit, command)?;
        let like = unit.like(self.comment_id, &self.member);
        if let Some(like) = like.filter(|l| l.operation == self.operation) {
            return if like.value == self.value { Ok(()) } else { Err(Error::RequestIdReused) };
        }
        match subject.state {
            SubjectState::Active => {}
            SubjectState::ReadOnly => return Err(Error::SubjectReadOnly),
            SubjectState::Hidden => return Err(Error::SubjectHidden),
        }
        if comment.state.is_visible() { Ok(()) } else { Err(Error::CommentUnavailable(comment.state)) }
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let before = unit.like(self.comment_id, &self.member);
        let late = before
            .is_some_and(|b| b.operation == self.operation || self.operation.is_before(&b.operation, command.now.0));
        if late {
            return Vec::new();
        }
        let changed = before.map_or(LikeValue::None, |b| b.value) != self.value;
        let time = before.filter(|_| !changed).map_or(command.now, |b| b.time);
        vec![Change::SetLike(Like {
            comment_id: self.comment_id,
            member: self.member.clone(),
            value: self.value,
            operation: self.operation,
            changed,
            time,
        })]
    }
}
