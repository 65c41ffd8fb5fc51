//! A page as readers see it, of either kind of list.

use riposte_core::comment::CommentView;
use riposte_core::page::{ReplyPage, RootPage};

/// A page as readers see it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Of roots.
    Roots(Box<RootPage>),
    /// Of the replies of one.
    Replies(Box<ReplyPage>),
}

impl Shown {
    pub(crate) fn roots(page: RootPage) -> Self {
        Self::Roots(Box::new(page))
    }

    pub(crate) fn replies(page: ReplyPage) -> Self {
        Self::Replies(Box::new(page))
    }

    pub(crate) fn revision(&self) -> i64 {
        match self {
            Self::Roots(page) => page.subject.revision,
            Self::Replies(page) => page.subject.revision,
        }
    }

    /// Whether this shows anything that `other`, of the rows, did not show when they were read.
    pub(crate) fn is_newer(&self, other: &Self) -> bool {
        if self.revision() != other.revision() {
            return self.revision() > other.revision();
        }
        let earlier = other.views();
        let newer = |view: &&CommentView| {
            let same = earlier.iter().find(|other| other.comment.id == view.comment.id);
            same.is_some_and(|other| view.comment.revision > other.comment.revision)
        };
        self.views().iter().any(newer)
    }

    fn views(&self) -> Vec<&CommentView> {
        match self {
            Self::Roots(page) => {
                let threads = page.threads.items.iter().chain(&page.pinned);
                threads.flat_map(|thread| std::iter::once(&thread.root).chain(&thread.replies)).collect()
            }
            Self::Replies(page) => std::iter::once(&page.root).chain(&page.replies.items).collect(),
        }
    }
}
