//! A response from the cache or from the rows, as readers get it: without the content of comments
//! that are not visible, and without what the revision of a comment does not cover.

use riposte_core::comment::CommentView;
use riposte_core::page::{ReplyPage, RootPage};
use riposte_core::{LikeValue, Subject, SubjectKey};

/// A response as readers get it. A constructor removes the content of comments that are not
/// visible.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AuditedResponse {
    /// A page of roots.
    Roots(Box<RootPage>),
    /// A page of replies of one root.
    Replies(Box<ReplyPage>),
    /// A subject, or its absence.
    Subject(Option<Box<Subject>>),
    /// A comment, or its absence.
    Comment(Option<Box<CommentView>>),
    /// A member's values for comments, as far as they are known.
    States(Vec<Option<LikeValue>>),
    /// A rendered page that differs from the cached data.
    WrongRendering,
}

impl AuditedResponse {
    pub(crate) fn roots(page: RootPage) -> Self {
        let mut page = page.redacted();
        let threads = page.threads.items.iter_mut().chain(&mut page.pinned);
        threads.for_each(|thread| remove_next_floor(&mut thread.root));
        Self::Roots(Box::new(page))
    }

    pub(crate) fn replies(page: ReplyPage) -> Self {
        let mut page = page.redacted();
        remove_next_floor(&mut page.root);
        Self::Replies(Box::new(page))
    }

    pub(crate) fn comment(view: Option<CommentView>) -> Self {
        let mut view = view.map(|view| view.seen_by(None));
        view.iter_mut().for_each(remove_next_floor);
        Self::Comment(view.map(Box::new))
    }

    /// Returns a readable name of the kind.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Roots(_) => "page of roots",
            Self::Replies(_) => "page of replies",
            Self::Subject(_) => "subject",
            Self::Comment(_) => "comment",
            Self::States(_) => "like states",
            Self::WrongRendering => "rendered page",
        }
    }

    /// Returns whether this response of the cache equals that of the rows, or is newer than the
    /// rows were when they were read.
    pub(crate) fn agrees(&self, rows: &Self) -> bool {
        match (self, rows) {
            (Self::States(cached), Self::States(rows)) => {
                let agrees = |(cached, row): (&Option<LikeValue>, _)| cached.is_none() || cached == row;
                cached.len() == rows.len() && cached.iter().zip(rows).all(agrees)
            }
            _ => self == rows || self.is_newer(rows),
        }
    }

    /// Returns the key of the subject, if the response contains it.
    pub(crate) fn subject(&self) -> Option<SubjectKey> {
        match self {
            Self::Roots(page) => Some(page.subject.key.clone()),
            Self::Replies(page) => Some(page.subject.key.clone()),
            Self::Subject(subject) => subject.as_ref().map(|subject| subject.key.clone()),
            Self::Comment(view) => view.as_ref().map(|view| view.subject.clone()),
            Self::States(_) | Self::WrongRendering => None,
        }
    }

    /// Returns the revision of the response; 0 if it has none.
    pub(crate) fn revision(&self) -> i64 {
        match self {
            Self::Roots(page) => page.subject.revision,
            Self::Replies(page) => page.subject.revision,
            Self::Subject(subject) => subject.as_ref().map_or(0, |subject| subject.revision),
            Self::Comment(view) => view.as_ref().map_or(0, |view| view.comment.lifecycle.revision),
            Self::States(_) | Self::WrongRendering => 0,
        }
    }

    /// Returns whether this response contains a newer revision than `other`.
    fn is_newer(&self, other: &Self) -> bool {
        if self.revision() != other.revision() {
            return self.revision() > other.revision();
        }
        let others = other.views();
        let newer = |view: &&CommentView| {
            let same = others.iter().find(|other| other.comment.reference.id == view.comment.reference.id);
            same.is_some_and(|other| view.comment.lifecycle.revision > other.comment.lifecycle.revision)
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
            Self::Subject(_) | Self::Comment(_) | Self::States(_) | Self::WrongRendering => Vec::new(),
        }
    }
}

/// Removes the next floor of a comment. A reply that waits takes a floor and leaves the revision of
/// its root, so the cache may have a lower one until the next visible reply. It is only an upper
/// bound of the floors that readers see.
fn remove_next_floor(view: &mut CommentView) {
    view.comment.next_floor = 0;
}
