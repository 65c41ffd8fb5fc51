//! A page of the replies of one root.

use riposte_core::page::{Page, PageSelector, ReplyPage};
use riposte_core::{CommentId, Partition, SubjectKey};

use super::rows::{comments, open_subject, views};
use super::{ReadQuery, listed};
use crate::error::StoreError;
use crate::sql::pool::Tx;

#[derive(Debug)]
pub(super) struct Replies {
    pub(super) key: SubjectKey,
    pub(super) root: CommentId,
    pub(super) selector: PageSelector,
}

impl ReadQuery for Replies {
    type Output = Option<ReplyPage>;
    const NAME: &'static str = "read replies";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = open_subject(tx, &self.key).await? else { return Ok(None) };
        let found = comments(tx, &[self.root]).await?.pop();
        // The root is returned even if it is not listed: a page of replies shows their root.
        let Some(root) = found.filter(|c| c.is_root() && c.reference.subject_id == subject.id) else { return Ok(None) };
        let page = listed::read(tx, subject.id, Some(self.root), &self.selector).await?;
        let Page { items, more_before, more_after } = page;
        let mut views = views(tx, &subject, [root].into_iter().chain(items).collect()).await?.into_iter();
        let Some(root) = views.next() else { return Ok(None) };
        let replies = Page { items: views.collect(), more_before, more_after };
        Ok(Some(ReplyPage { subject, root, replies }))
    }
}
