//! A page of roots with the preview of each, and the pinned roots.

use std::collections::HashMap;

use riposte_core::comment::CommentView;
use riposte_core::page::{PageSelector, RootPage, RootPageFill, Thread};
use riposte_core::ports::RANK_INDEX;
use riposte_core::{Comment, CommentId, Content, Partition, Subject, SubjectKey};

use super::previews::Previews;
use super::rows::{comments, contents, in_order, open_subject, view};
use super::{ReadQuery, listed};
use crate::error::StoreError;
use crate::sql::outbox::position;
use crate::sql::pool::Tx;

#[derive(Debug)]
pub(super) struct Roots {
    pub(super) key: SubjectKey,
    pub(super) selector: PageSelector,
    pub(super) previews: u8,
    /// True if the candidates of the previews are requested too.
    pub(super) with_candidates: bool,
}

impl ReadQuery for Roots {
    type Output = Option<RootPageFill>;
    const NAME: &'static str = "read roots";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = open_subject(tx, &self.key).await? else { return Ok(None) };
        let page = listed::read(tx, subject.id, None, &self.selector).await?;
        let pinned = in_order(&subject.pins, comments(tx, &subject.pins).await?, |root| root.reference.id);
        let pinned: Vec<Comment> = pinned.into_iter().flatten().collect();
        let roots: Vec<&Comment> = page.items.iter().chain(&pinned).collect();
        let previews = Previews::read(tx, subject.id, &roots, self.previews).await?;
        let mut ids: Vec<CommentId> =
            roots.into_iter().chain(previews.all(self.with_candidates)).map(|comment| comment.reference.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let contents = contents(tx, &ids).await?;
        let threads = ThreadAssembler { subject: &subject, previews: &previews, contents: &contents };
        let pinned = pinned.into_iter().map(|root| threads.thread(root)).collect();
        let page = page.map(|root| threads.thread(root));
        let (candidates, rank_index_position) = if self.with_candidates {
            (previews.candidates(|reply| threads.view(reply.clone())), position(tx, RANK_INDEX).await?)
        } else {
            (Vec::new(), 0)
        };
        Ok(Some(RootPageFill {
            page: RootPage { subject, threads: page, pinned },
            candidates,
            rank_position: rank_index_position,
        }))
    }
}

/// The data from which threads are assembled.
struct ThreadAssembler<'a> {
    subject: &'a Subject,
    previews: &'a Previews,
    contents: &'a HashMap<CommentId, Content>,
}

impl ThreadAssembler<'_> {
    fn thread(&self, root: Comment) -> Thread {
        let (replies, more_replies) = self.previews.for_root(&root);
        let replies = replies.iter().map(|reply| self.view(reply.clone())).collect();
        Thread { root: self.view(root), replies, more_replies }
    }

    fn view(&self, comment: Comment) -> CommentView {
        view(self.subject, self.contents.get(&comment.reference.id).cloned(), comment)
    }
}
