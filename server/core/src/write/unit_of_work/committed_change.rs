//! The rows that a batch committed under one subject. The cache is updated from them.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;

use crate::domain::comment::Comment;
use crate::domain::content::Content;
use crate::domain::ids::CommentId;
use crate::domain::subject::Subject;
use crate::write::unit_of_work::UnitOfWork;

/// The rows that one batch changed under one subject, as they are after the commit. The values are
/// absolute, not differences, so a cache may apply them twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedChange {
    /// The subject. Likes do not lock it: in a batch of likes only its id and its key are current.
    pub subject: Subject,
    /// True if the batch is a revision of the subject, namely `subject.revision`. A batch of likes
    /// is not.
    pub revised: bool,
    /// True if the batch created the subject.
    pub created: bool,
    /// The comments whose rows changed, including those that changed only by likes.
    pub comments: Vec<CommittedComment>,
}

/// One comment that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedComment {
    /// The row after the commit.
    pub comment: Comment,
    /// The content, if the batch wrote it or made the comment visible: what a cache stores has no
    /// content while the comment is not visible.
    pub content: Option<Content>,
    /// True if lists contained the comment before the batch.
    pub was_listed: bool,
}

/// Receives the rows that a commit changed, to update caches. The committer calls the observer
/// after the commit and before the response is sent, so the observer has to return quickly. It
/// returns no error, because a failure must not affect the write. A commit that the observer misses
/// reaches the cache through the outbox.
#[async_trait]
pub trait CommitObserver: Send + Sync + std::fmt::Debug {
    /// Called after a batch was committed.
    async fn committed(&self, changes: Vec<CommittedChange>);
}

impl UnitOfWork {
    /// Returns the changes of the batch, grouped by subject.
    #[must_use]
    pub fn changed(&self) -> Vec<CommittedChange> {
        let mut comments: BTreeMap<_, Vec<CommittedComment>> = BTreeMap::new();
        let ids: BTreeSet<CommentId> =
            self.write_set.new_comments.keys().chain(self.write_set.comments.keys()).copied().collect();
        for comment in ids.iter().filter_map(|id| self.comments.get(id)) {
            let id = comment.reference.id;
            let is_written = self.write_set.new_comments.contains_key(&id) || self.write_set.contents.contains(&id);
            let before = self.write_set.comments.get(&id);
            let was_visible = before.is_some_and(|before| before.lifecycle.state.is_visible());
            let is_shown = comment.lifecycle.state.is_visible() && !was_visible;
            let content = self.contents.get(&id).filter(|_| is_written || is_shown).cloned();
            let was_listed = before.is_some_and(|before| before.lifecycle.listed);
            let change = CommittedComment { comment: comment.clone(), content, was_listed };
            comments.entry(comment.reference.subject_id).or_default().push(change);
        }
        let of_subject = |subject: &Subject| {
            let revised = self.write_set.revised.contains(&subject.key);
            let comments = comments.remove(&subject.id).unwrap_or_default();
            let created = self.write_set.new_subjects.contains(&subject.key);
            (revised || !comments.is_empty()).then(|| CommittedChange {
                subject: subject.clone(),
                revised,
                created,
                comments,
            })
        };
        self.subjects.values().filter_map(of_subject).collect()
    }
}
