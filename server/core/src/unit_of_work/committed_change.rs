//! What a batch left behind under one subject, as rows: for whoever keeps copies of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::comment::Comment;
use crate::content::Content;
use crate::ids::CommentId;
use crate::subject::Subject;
use crate::unit_of_work::UnitOfWork;

/// Everything that one batch changed under one subject, as it is afterwards. All values are absolute: applied twice they
/// are the same as once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedChange {
    /// The subject. Likes do not lock it: of their batches only its id and its key can be relied on.
    pub subject: Subject,
    /// Whether the batch is a revision of the subject: `subject.revision`. Likes are none.
    pub revised: bool,
    /// Whether the batch brought the subject into being.
    pub created: bool,
    /// The comments whose rows changed, likes among the reasons.
    pub comments: Vec<CommittedComment>,
}

/// One comment that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedComment {
    /// The row now.
    pub comment: Comment,
    /// The content, where the batch wrote it.
    pub content: Option<Content>,
    /// Whether lists showed it before.
    pub was_listed: bool,
}

impl UnitOfWork {
    /// What the batch changed, subject by subject.
    #[must_use]
    pub fn changed(&self) -> Vec<CommittedChange> {
        let mut comments: BTreeMap<_, Vec<CommittedComment>> = BTreeMap::new();
        let ids: BTreeSet<CommentId> =
            self.write_set.new_comments.keys().chain(self.write_set.comments.keys()).copied().collect();
        for comment in ids.iter().filter_map(|id| self.comments.get(id)) {
            let id = comment.id;
            let written = self.write_set.new_comments.contains_key(&id) || self.write_set.contents.contains(&id);
            let content = self.contents.get(&id).filter(|_| written).cloned();
            let was_listed = self.write_set.comments.get(&id).is_some_and(|before| before.listed);
            let changed = CommittedComment { comment: comment.clone(), content, was_listed };
            comments.entry(comment.subject_id).or_default().push(changed);
        }
        let changed = |subject: &Subject| {
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
        self.subjects.values().filter_map(changed).collect()
    }
}
