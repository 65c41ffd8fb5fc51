//! An answer as readers see it, of copies or of rows.

use riposte_core::comment::CommentView;
use riposte_core::page::{ReplyPage, RootPage};
use riposte_core::{LikeValue, Subject, SubjectKey};

/// An answer as readers see it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AuditedAnswer {
    /// Roots.
    Roots(Box<RootPage>),
    /// The replies of one.
    Replies(Box<ReplyPage>),
    /// A subject, or that there is none.
    Subject(Option<Box<Subject>>),
    /// A comment, or that there is none to show.
    Comment(Option<Box<CommentView>>),
    /// What a member says of comments, as far as it is known.
    States(Vec<Option<LikeValue>>),
    /// A page in print that is another than its copies.
    Misprint,
}

impl AuditedAnswer {
    pub(crate) fn roots(page: RootPage) -> Self {
        Self::Roots(Box::new(page))
    }

    pub(crate) fn replies(page: ReplyPage) -> Self {
        Self::Replies(Box::new(page))
    }

    /// What it is, for people.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Roots(_) => "page of roots",
            Self::Replies(_) => "page of replies",
            Self::Subject(_) => "subject",
            Self::Comment(_) => "comment",
            Self::States(_) => "like states",
            Self::Misprint => "page in print",
        }
    }

    /// Whether this, of copies, is what the rows show, or newer than what they showed when they were read.
    pub(crate) fn agrees(&self, rows: &Self) -> bool {
        match (self, rows) {
            (Self::States(kept), Self::States(rows)) => {
                kept.len() == rows.len() && kept.iter().zip(rows).all(|(kept, row)| kept.is_none() || kept == row)
            }
            _ => self == rows || self.is_newer(rows),
        }
    }

    /// Whose this is, as far as it shows it.
    pub(crate) fn subject(&self) -> Option<SubjectKey> {
        match self {
            Self::Roots(page) => Some(page.subject.key.clone()),
            Self::Replies(page) => Some(page.subject.key.clone()),
            Self::Subject(subject) => subject.as_ref().map(|subject| subject.key.clone()),
            Self::Comment(view) => view.as_ref().map(|view| view.subject.clone()),
            Self::States(_) | Self::Misprint => None,
        }
    }

    /// The revision it is of; 0 where it has none.
    pub(crate) fn revision(&self) -> i64 {
        match self {
            Self::Roots(page) => page.subject.revision,
            Self::Replies(page) => page.subject.revision,
            Self::Subject(subject) => subject.as_ref().map_or(0, |subject| subject.revision),
            Self::Comment(view) => view.as_ref().map_or(0, |view| view.comment.revision),
            Self::States(_) | Self::Misprint => 0,
        }
    }

    /// Whether this shows anything that `other` did not show.
    fn is_newer(&self, other: &Self) -> bool {
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
            Self::Subject(_) | Self::Comment(_) | Self::States(_) | Self::Misprint => Vec::new(),
        }
    }
}
