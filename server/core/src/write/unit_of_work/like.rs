//! The rows of a like: its value, and the counts of its comment that follow from it.

use crate::domain::error::Result;
use crate::domain::event::{ChangeKind, CommentChange};
use crate::domain::like::{Like, LikeValue};
use crate::domain::subject::SubjectKey;
use crate::write::unit_of_work::UnitOfWork;

impl UnitOfWork {
    /// Stores a like under `subject`, and adds the difference to the counts of its comment.
    pub(crate) fn set_like(&mut self, like: Like, subject: &SubjectKey) -> Result<()> {
        let key = (like.comment_id, like.member.clone());
        let before = self.likes.get(&key).map_or(LikeValue::None, |l| l.value);
        let (likes, dislikes) = before.delta(like.value);
        if (likes, dislikes) != (0, 0) {
            let comment = self.change(like.comment_id)?;
            comment.counts.like_count += likes;
            comment.counts.dislike_count += dislikes;
            let change =
                CommentChange { id: comment.reference.id, root: comment.reference.root_id, kind: ChangeKind::Liked };
            let event = self.write_set.events.entry(subject.clone()).or_default();
            event.record(change);
            event.record_liker(&key.1);
        }
        self.write_set.likes.insert(key.clone());
        self.likes.insert(key, like);
        Ok(())
    }
}
