//! Lists of roots with their previews.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::page::{DEFAULT_PREVIEW, ListOrder, Page, PageQuery, PageStart, RootPage};
use crate::domain::subject::{Subject, SubjectKey};
use crate::read::Comments;
use crate::read::subjects::{check_listable, check_revision, implied_subject};

/// The requested start of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListStart {
    /// A position in the order.
    Start(PageStart),
    /// The page that contains this comment.
    Comment(CommentId),
}

/// A request for a page of roots.
#[derive(Debug, Clone)]
pub struct ListComments {
    /// The subject.
    pub subject: SubjectKey,
    /// The order.
    pub order: ListOrder,
    /// The start of the page.
    pub at: ListStart,
    /// The maximum number of roots.
    pub limit: usize,
    /// The maximum number of replies in each preview, 0 to 10.
    pub previews: u8,
    /// The minimum revision of the result.
    pub min_revision: i64,
}

impl Comments {
    /// Returns a page of roots with their previews. A start at a reply returns the page of its
    /// root, with the preview of that thread around the reply.
    ///
    /// # Errors
    /// Those of [`Comments::policy`]; [`Error::SubjectNotFound`], [`Error::SubjectHidden`],
    /// [`Error::RevisionNotReached`]; [`Error::CommentNotFound`] for a `ListStart::Comment` that is
    /// not in the subject.
    pub async fn list_comments(&self, caller: &Caller, request: &ListComments) -> Result<RootPage> {
        let policy = self.policy(caller, request.subject.object_type())?;
        let (start, around) = match request.at {
            ListStart::Start(start) => (start, None),
            ListStart::Comment(id) => {
                let (root_floor, location) = self.locate_around(caller, &request.subject, id).await?;
                (PageStart::Around(root_floor), Some(location))
            }
        };
        let query = PageQuery { order: request.order, start, limit: request.limit };
        let mut found = self.reader.roots(&request.subject, query, request.previews).await?;
        if let Some(primary) = self.primary_if_behind(request.min_revision, found.as_ref().map(|page| &page.subject)) {
            found = primary.roots(&request.subject, query, request.previews).await?;
        }
        let Some(mut page) = found else {
            return self
                .absent_page(&request.subject, implied_subject(&request.subject, policy), request.min_revision)
                .await;
        };
        check_listable(&page.subject, request.min_revision)?;
        let around_id = around.as_ref().map(|at| at.id);
        if let Some(reply) = around.filter(|at| at.path.depth() > 0) {
            // A client that starts at a reply needs to see it, even if no previews were requested.
            self.centre_preview(&mut page, &reply, request.previews.max(DEFAULT_PREVIEW)).await?;
        }
        if let Some(id) = around_id {
            self.check_around(caller, id, page.comments()).await?;
        }
        Ok(page.redacted())
    }

    /// Returns the floor of the root whose page contains `id`, and the location of `id`.
    pub(super) async fn locate_around(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        id: CommentId,
    ) -> Result<(i32, CommentLocation)> {
        let (location, _) = self.locate(caller, id).await?;
        if location.subject != *key {
            return Err(Error::CommentNotFound);
        }
        if location.path.depth() == 0 {
            return Ok((location.floor, location));
        }
        let (root, _) = self.locate(caller, location.root()).await?;
        Ok((root.floor, location))
    }

    /// Replaces the preview of a reply's thread by the replies around it. They are read from a
    /// separate snapshot; no other response is read in two snapshots.
    pub(super) async fn centre_preview(&self, page: &mut RootPage, reply: &CommentLocation, limit: u8) -> Result<()> {
        let query =
            PageQuery { order: ListOrder::Oldest, start: PageStart::Around(reply.floor), limit: usize::from(limit) };
        let Some(found) = self.reader.replies(&reply.subject, reply.root(), query).await? else { return Ok(()) };
        for thread in page.threads.items.iter_mut().filter(|t| t.root.comment.reference.id == reply.root()) {
            thread.more_replies = found.replies.more_before || found.replies.more_after;
            thread.replies.clone_from(&found.replies.items);
        }
        Ok(())
    }

    /// Returns an empty page for a subject that does not exist, if its type has auto_create. A
    /// deleted subject is reported as not found.
    pub(super) async fn absent_page(
        &self,
        key: &SubjectKey,
        implied: Option<Subject>,
        min_revision: i64,
    ) -> Result<RootPage> {
        let found = self.reader.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        if found.is_some_and(|subject| was_deleted(&subject)) {
            return Err(Error::SubjectNotFound);
        }
        let subject = implied.ok_or_else(|| key.not_created())?;
        check_revision(min_revision, 0)?;
        Ok(RootPage { subject, threads: Page::default(), pinned: Vec::new() })
    }
}

/// Returns `true` if a subject was deleted when its page was read, which found nothing. A subject
/// at its first version was created since that read. One at a later version was restored since.
fn was_deleted(subject: &Subject) -> bool {
    subject.delete_time.is_some() || subject.version > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::SubjectId;
    use crate::domain::time::Millis;

    #[test]
    fn a_subject_that_was_restored_since_its_page_was_read_was_deleted_then() {
        let key = SubjectKey::stored("wall".to_owned(), "1".to_owned());
        let created = Subject::new(SubjectId::new(1).unwrap(), key, Millis(1));
        let deleted = Subject { delete_time: Some(Millis(2)), version: 2, ..created.clone() };
        let restored = Subject { delete_time: None, version: 3, ..deleted.clone() };
        assert_eq!([created, deleted, restored].map(|subject| was_deleted(&subject)), [false, true, true]);
    }
}
