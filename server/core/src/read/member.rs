//! The comments of one member, across subjects.

use std::collections::HashMap;

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::page::{HistoryCursor, Page};
use crate::domain::subject::{SubjectKey, SubjectState};
use crate::read::Comments;

/// A request for a part of a member's history.
#[derive(Debug, Clone)]
pub struct ListMemberComments {
    /// The object type that the member belongs to.
    pub object_type: ObjectType,
    /// The member.
    pub member: MemberId,
    /// True if comments that are not ACTIVE are requested as well.
    pub all: bool,
    /// The position before the page, exclusive; `None` for the start.
    pub after: Option<HistoryCursor>,
    /// The maximum number of history entries to read.
    pub limit: usize,
}

impl Comments {
    /// Returns the comments of a member, newest first, each with its position in the history, as
    /// their author sees them. Entries that may not be shown are left out: those below a deleted or
    /// hidden subject and, unless all are requested, those that are no longer visible. So a page
    /// may be short. The second value is the position where the next page begins, `None` at the
    /// end.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`](crate::Error), [`Error::CallerNotAllowed`](crate::Error).
    pub async fn member_comments(
        &self,
        caller: &Caller,
        request: &ListMemberComments,
    ) -> Result<(Page<(HistoryCursor, CommentView)>, Option<HistoryCursor>)> {
        let ListMemberComments { object_type, member, all, after, limit } = request;
        self.policy(caller, object_type)?;
        let entries = self.reader.member_comments(object_type, member, *all, after.as_ref(), *limit).await?;
        let next = entries.items.last().copied().filter(|_| entries.more_after);
        let ids: Vec<CommentId> = entries.items.iter().map(|entry| entry.comment).collect();
        let views = self.comments(caller, &ids, Some(member)).await?;
        let found: Vec<_> =
            entries.items.into_iter().zip(views).filter_map(|(entry, view)| Some((entry, view?))).collect();
        let listable = self.listable_subjects(found.iter().map(|(_, view)| &view.subject)).await?;
        // The member history lags behind the rows, so the present state of the comment decides.
        let is_shown = |(_, view): &(HistoryCursor, CommentView)| {
            (*all || view.comment.lifecycle.state.is_visible()) && listable.get(&view.subject).copied().unwrap_or(false)
        };
        let items = found.into_iter().filter(is_shown).collect();
        Ok((Page { items, more_before: entries.more_before, more_after: entries.more_after }, next))
    }

    /// Returns for each of these subjects whether its lists may be shown.
    async fn listable_subjects(&self, keys: impl Iterator<Item = &SubjectKey>) -> Result<HashMap<SubjectKey, bool>> {
        let mut keys: Vec<SubjectKey> = keys.cloned().collect();
        keys.sort();
        keys.dedup();
        let subjects = self.reader.subjects(&keys).await?;
        let listable = subjects.into_iter().map(|subject| {
            subject.is_some_and(|subject| subject.state != SubjectState::Hidden && subject.delete_time.is_none())
        });
        Ok(keys.into_iter().zip(listable).collect())
    }
}
