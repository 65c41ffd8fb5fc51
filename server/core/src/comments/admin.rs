//! Operations of moderators and operators.

use crate::caller::Caller;
use crate::comment::CommentView;
use crate::comments::Comments;
use crate::comments::submit::{WriteContext, WriteOutput};
use crate::error::{Error, Result};
use crate::ids::CommentId;
use crate::member::MemberId;
use crate::object_type::ObjectType;
use crate::page::{Liker, LocatedComment, SubjectCursor};
use crate::ports::ExportedComment;
use crate::subject::{Subject, SubjectKey};
use crate::verbs::{Hide, Unhide};

impl Comments {
    /// Hides a comment, or shows it again, as a moderator.
    ///
    /// # Errors
    /// [`Error::StateConflict`] unless it is ACTIVE (to hide) or HIDDEN (to show).
    pub async fn hide(
        &self,
        asked: &WriteContext,
        at: &LocatedComment,
        hidden: bool,
    ) -> Result<WriteOutput<CommentView>> {
        let target = at.target();
        let verb = if hidden { Hide { target }.into() } else { Unhide { target }.into() };
        self.comment_verb(asked, at, verb, Vec::new()).await
    }

    /// Checks that the caller may list the subjects of a type, or of all types if none is named.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`], [`Error::CallerNotAllowed`].
    pub fn may_walk(&self, caller: &Caller, object_type: Option<&ObjectType>) -> Result<()> {
        match object_type {
            Some(object_type) => self.policy(caller, object_type).map(drop),
            None if caller.may_use_all() => Ok(()),
            None => Err(Error::CallerNotAllowed),
        }
    }

    /// Returns the subjects of a type, or of all types if none is named. A full listing contains
    /// each of them once, in no guaranteed order.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`], [`Error::CallerNotAllowed`].
    pub async fn list_subjects(
        &self,
        caller: &Caller,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        self.may_walk(caller, object_type)?;
        self.reader.list_subjects(object_type, after, limit).await
    }

    /// Returns the next comments of a subject in export order: in any state, parents before
    /// children. The content of deleted comments is left out.
    ///
    /// # Errors
    /// Those of [`Comments::policy`].
    pub async fn export_comments(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>> {
        self.policy(caller, key.object_type())?;
        let mut exported = self.reader.export_comments(key, after, limit).await?;
        for item in &mut exported {
            if item.view.comment.state == crate::CommentState::Deleted {
                item.view.content = None;
            }
        }
        Ok(exported)
    }

    /// Returns the next likes of a comment, in the order of members.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn export_likes(&self, id: CommentId, after: Option<&MemberId>, limit: usize) -> Result<Vec<Liker>> {
        self.reader.export_likes(id, after, limit).await
    }
}
