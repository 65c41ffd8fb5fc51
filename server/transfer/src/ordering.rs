//! The order of one subject's comments in which the server accepts them, and the rules for comments
//! that it cannot accept.
//!
//! * Parents come before their replies, otherwise the earlier comment first; equal times keep the
//!   file's order. Floors therefore follow time, as if the comments had been written here.
//! * A comment without text is rejected (`TEXT_EMPTY`), unless a comment with text is below it:
//!   then it is imported as a tombstone, deleted by its author at its creation time, because the
//!   thread would break without it.
//! * A reply whose parent is not in the file is an orphan; [`Orphans`] determines its treatment.
//! * Replies in a cycle are rejected with all their descendants (`PARENT_CYCLE`), and so are the
//!   descendants of a comment that the format already rejected (`PARENT_REJECTED`).
//! * A second comment with the same id is dropped if it is identical and rejected otherwise
//!   (`DUPLICATE_ID`).

use std::cmp::Reverse;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BinaryHeap, HashMap, HashSet};

use jiff::Timestamp;

use super::group::Group;
use super::record::{Comment, CommentState, DeletedBy, Key, Like, Problem, Record, Reject, Subject};

/// The treatment of a reply whose parent is neither in the file nor on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Orphans {
    /// The reply and all its replies are rejected and listed: the import adds nothing that the
    /// source does not have.
    #[default]
    Reject,
    /// The reply becomes a root with the metadata `orphan_of=<id>`: every text is imported, but the
    /// subject has more roots than in the source.
    Root,
    /// The missing parent is imported as a deleted comment: every text and every known edge is
    /// imported.
    Tombstone,
}

/// One subject, ready to be sent in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SubjectBatch {
    pub(crate) key: Key,
    pub(crate) subject: Subject,
    /// True if the file describes the subject.
    pub(crate) is_described: bool,
    /// True if the subject itself is to be sent: the file describes it, or comments need it.
    pub(crate) requires_subject: bool,
    pub(crate) comments: Vec<OrderedComment>,
    pub(crate) likes: Vec<Like>,
    pub(crate) rejects: Vec<Reject>,
    /// The number of identical repetitions of comments in the file.
    pub(crate) repeated: u64,
}

/// A comment in its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OrderedComment {
    pub(crate) comment: Comment,
    /// True if its parent is not in the file: only the server knows whether the parent exists.
    pub(crate) orphan: bool,
}

/// Orders a group and separates the records that cannot be imported.
pub(crate) fn prepare_batch(group: Group, orphans: Orphans) -> SubjectBatch {
    let Group { key, subject, comments, likes, rejects } = group;
    let is_described = subject.is_some();
    let subject = subject.unwrap_or_else(|| Subject { key: key.clone(), ..Subject::default() });
    let mut batch = SubjectBatch { key, subject, is_described, likes, rejects, ..SubjectBatch::default() };
    let mut comments = unique(comments, &mut batch);
    if orphans == Orphans::Tombstone {
        add_missing_parents(&mut comments, &batch.rejects);
    }
    let tree = ThreadTree::of(&comments);
    let order = tree.order(&comments);
    let keep = tree.carries_text(&comments, &order);
    let rejected = rejected_ids(&batch.rejects);
    fill_batch(comments, &Placement { tree, order, keep, rejected }, &mut batch);
    batch.requires_subject = is_described || !batch.comments.is_empty();
    batch
}

/// Edges between positions in a list of comments.
#[derive(Debug)]
struct ThreadTree {
    parent: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

#[derive(Debug)]
struct Placement {
    tree: ThreadTree,
    order: Vec<usize>,
    keep: Vec<bool>,
    rejected: HashSet<String>,
}

impl ThreadTree {
    fn of(comments: &[Comment]) -> Self {
        let ids: HashMap<&str, usize> =
            comments.iter().enumerate().map(|(index, c)| (c.external_id.as_str(), index)).collect();
        let mut children = vec![Vec::new(); comments.len()];
        let mut parent = vec![None; comments.len()];
        for (index, comment) in comments.iter().enumerate() {
            let parent_index = comment.parent_external_id.as_deref().and_then(|id| ids.get(id).copied());
            if let (Some(slot), Some(parent_index)) = (parent.get_mut(index), parent_index) {
                *slot = Some(parent_index);
                if let Some(list) = children.get_mut(parent_index) {
                    list.push(index);
                }
            }
        }
        Self { parent, children }
    }

    /// Returns positions with every parent before its replies, then by time; comments in a cycle
    /// are never reached.
    fn order(&self, comments: &[Comment]) -> Vec<usize> {
        let rank = |index: usize| (comments.get(index).and_then(|c| c.create_time).unwrap_or(Timestamp::MAX), index);
        let roots = self.parent.iter().enumerate().filter(|(_, parent)| parent.is_none());
        let mut ready: BinaryHeap<_> = roots.map(|(index, _)| Reverse(rank(index))).collect();
        let mut order = Vec::with_capacity(comments.len());
        while let Some(Reverse((_, index))) = ready.pop() {
            order.push(index);
            ready.extend(self.children.get(index).into_iter().flatten().map(|child| Reverse(rank(*child))));
        }
        order
    }

    /// Returns, for each comment, true if it has a text, was deleted in the source, or has such a
    /// comment below it.
    fn carries_text(&self, comments: &[Comment], order: &[usize]) -> Vec<bool> {
        let mut keep: Vec<bool> = comments.iter().map(has_substance).collect();
        for index in order.iter().rev() {
            let parent = self.parent.get(*index).copied().flatten();
            if keep.get(*index).copied().unwrap_or_default()
                && let Some(slot) = parent.and_then(|parent| keep.get_mut(parent))
            {
                *slot = true;
            }
        }
        keep
    }
}

fn has_substance(comment: &Comment) -> bool {
    comment.state == CommentState::Deleted || !comment.text.trim().is_empty()
}

fn unique(comments: Vec<Comment>, batch: &mut SubjectBatch) -> Vec<Comment> {
    let mut index_by_id: HashMap<String, usize> = HashMap::with_capacity(comments.len());
    let mut unique: Vec<Comment> = Vec::with_capacity(comments.len());
    for comment in comments {
        match index_by_id.entry(comment.external_id.clone()) {
            Slot::Vacant(slot) => {
                slot.insert(unique.len());
                unique.push(comment);
            }
            Slot::Occupied(slot) if unique.get(*slot.get()) == Some(&comment) => batch.repeated += 1,
            Slot::Occupied(_) => {
                let message = format!("another comment of this subject has the id {}", comment.external_id);
                batch.rejects.push(reject(comment, "DUPLICATE_ID", message));
            }
        }
    }
    unique
}

/// Adds a deleted root for every parent that is named but absent, as old as its oldest reply.
fn add_missing_parents(comments: &mut Vec<Comment>, rejects: &[Reject]) {
    let rejected = rejected_ids(rejects);
    let present: HashSet<&str> = comments.iter().map(|c| c.external_id.as_str()).collect();
    let mut missing: Vec<Comment> = Vec::new();
    let mut index_by_id: HashMap<String, usize> = HashMap::new();
    for comment in comments.iter() {
        let Some(parent) = &comment.parent_external_id else { continue };
        if present.contains(parent.as_str()) || rejected.contains(parent) {
            continue;
        }
        let index = *index_by_id.entry(parent.clone()).or_insert_with(|| {
            missing.push(placeholder(parent, comment));
            missing.len() - 1
        });
        if let Some(placeholder) = missing.get_mut(index) {
            placeholder.create_time = placeholder.create_time.min(comment.create_time);
            placeholder.delete_time = placeholder.create_time;
        }
    }
    comments.append(&mut missing);
}

fn placeholder(id: &str, reply: &Comment) -> Comment {
    Comment {
        key: reply.key.clone(),
        source: reply.source.clone(),
        external_id: id.to_owned(),
        member_id: "~missing".to_owned(),
        state: CommentState::Deleted,
        deleted_by: Some(DeletedBy::Moderator),
        create_time: reply.create_time,
        ..Comment::default()
    }
}

fn rejected_ids(rejects: &[Reject]) -> HashSet<String> {
    let id = |reject: &Reject| match &reject.record {
        Record::Comment(comment) => Some(comment.external_id.clone()),
        Record::Subject(_) | Record::Like(_) => None,
    };
    // The id of a duplicate still names the comment that was imported.
    rejects.iter().filter(|reject| reject.problem.reason != "DUPLICATE_ID").filter_map(id).collect()
}

/// Fills the batch: first the reachable comments in order, then those in cycles as rejects.
fn fill_batch(comments: Vec<Comment>, placement: &Placement, batch: &mut SubjectBatch) {
    let mut slots: Vec<Option<Comment>> = comments.into_iter().map(Some).collect();
    let mut rejected = placement.rejected.clone();
    for index in &placement.order {
        let Some(comment) = slots.get_mut(*index).and_then(Option::take) else { continue };
        let keep = placement.keep.get(*index).copied().unwrap_or_default();
        let in_file = placement.tree.parent.get(*index).copied().flatten().is_some();
        let below_rejected = comment.parent_external_id.as_ref().is_some_and(|parent| rejected.contains(parent));
        if !keep || below_rejected {
            rejected.insert(comment.external_id.clone());
            let (reason, message) = match keep {
                false => ("TEXT_EMPTY", "it has no text and no reply with a text"),
                true => ("PARENT_REJECTED", "its parent was rejected"),
            };
            batch.rejects.push(reject(comment, reason, message.to_owned()));
            continue;
        }
        let orphan = comment.parent_external_id.is_some() && !in_file;
        batch.comments.push(OrderedComment { comment: normalized(comment), orphan });
    }
    for comment in slots.into_iter().flatten() {
        batch.rejects.push(reject(comment, "PARENT_CYCLE", "it is one of its own ancestors".to_owned()));
    }
}

/// Turns a comment without text into a tombstone, and clears the text of one that was deleted in
/// the source.
fn normalized(mut comment: Comment) -> Comment {
    if comment.state != CommentState::Deleted && comment.text.trim().is_empty() {
        comment.state = CommentState::Deleted;
        comment.deleted_by = Some(DeletedBy::Author);
        comment.delete_time = comment.create_time;
    }
    if comment.state == CommentState::Deleted {
        comment.text.clear();
        comment.deleted_by.get_or_insert(DeletedBy::Moderator);
        comment.delete_time = comment.delete_time.or(comment.edit_time).or(comment.create_time);
    }
    comment
}

fn reject(comment: Comment, reason: &str, message: String) -> Reject {
    Reject { record: Record::Comment(comment), problem: Problem::new(reason, message) }
}

#[cfg(test)]
mod tests;
