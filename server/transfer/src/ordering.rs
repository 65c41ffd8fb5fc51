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
//! * Of the votes of one member for one comment the latest counts, if it was not withdrawn.
//!
//! The order follows from the heads of the records alone, about 100 bytes for each comment.

use std::cmp::Reverse;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BinaryHeap, HashMap, HashSet};

use anyhow::Result;

use super::batch::{BatchSink, BatchWriter};
use super::record::LikeEvent;
use super::spool::{Head, RecordKind, Spool};

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

/// Passes the spooled subjects to `sink` one after another, each in its order.
///
/// # Errors
/// The spool cannot be read; or the error of `sink`.
pub(crate) fn write_batches(spool: Spool, orphans: Orphans, sink: BatchSink<'_>) -> Result<()> {
    spool.into_subjects(&mut |partition, heads| plan(&heads, orphans, BatchWriter::new(partition, &mut *sink)))
}

/// Writes the records of one subject to `writer` in their order, and separates those that cannot be
/// imported. `heads` has them in the order of the file, at least one.
///
/// # Errors
/// That of `writer`.
fn plan(heads: &[Head], orphans: Orphans, mut writer: BatchWriter<'_>) -> Result<()> {
    let Some(first) = heads.first() else { return Ok(()) };
    let valid = |kind: RecordKind| heads.iter().filter(move |head| head.kind == kind && !head.is_rejected);
    let unique = UniqueComments::of(valid(RecordKind::Comment));
    let rejected: HashSet<u64> =
        heads.iter().filter(|head| head.kind == RecordKind::Comment && head.is_rejected).map(|head| head.id).collect();
    let mut nodes: Vec<Node<'_>> = unique.comments.iter().map(|head| Node::comment(head)).collect();
    if orphans == Orphans::Tombstone {
        add_missing_parents(&mut nodes, &rejected);
    }
    let tree = ThreadTree::of(&nodes);
    let order = tree.order(&nodes);
    let keep = tree.carries_text(&nodes, &order);
    let thread = Placement { nodes, tree, order, keep, rejected };
    let subject = valid(RecordKind::Subject).next_back();
    writer.begin(subject, first, thread.has_retained())?;
    heads.iter().filter(|head| head.is_rejected).try_for_each(|head| writer.reject(head, None))?;
    for head in &unique.duplicates {
        writer.reject(head, Some(("DUPLICATE_ID", "another comment of this subject has the same id")))?;
    }
    (0..unique.repeated).for_each(|_| writer.repeated());
    thread.write(&mut writer)?;
    latest_likes(valid(RecordKind::Like)).into_iter().try_for_each(|head| writer.like(head))?;
    writer.finish()
}

/// Comments with each id once.
struct UniqueComments<'h> {
    comments: Vec<&'h Head>,
    duplicates: Vec<&'h Head>,
    repeated: u64,
}

impl<'h> UniqueComments<'h> {
    fn of(comments: impl Iterator<Item = &'h Head>) -> Self {
        let mut content_by_id: HashMap<u64, u64> = HashMap::new();
        let mut unique = Self { comments: Vec::new(), duplicates: Vec::new(), repeated: 0 };
        for head in comments {
            match content_by_id.entry(head.id) {
                Slot::Vacant(slot) => {
                    slot.insert(head.content);
                    unique.comments.push(head);
                }
                Slot::Occupied(slot) if *slot.get() == head.content => unique.repeated += 1,
                Slot::Occupied(_) => unique.duplicates.push(head),
            }
        }
        unique
    }
}

/// A comment of the thread, or what stands for one that is missing.
#[derive(Debug)]
struct Node<'h> {
    /// The comment; of a placeholder, its first reply.
    head: &'h Head,
    is_placeholder: bool,
    id: u64,
    parent: Option<u64>,
    time: i64,
}

impl<'h> Node<'h> {
    fn comment(head: &'h Head) -> Self {
        Self { head, is_placeholder: false, id: head.id, parent: head.parent, time: head.time }
    }

    fn has_substance(&self) -> bool {
        self.is_placeholder || self.head.has_substance
    }
}

/// Adds a deleted root for every parent that is named but absent, as old as its oldest reply.
fn add_missing_parents(nodes: &mut Vec<Node<'_>>, rejected: &HashSet<u64>) {
    let present: HashSet<u64> = nodes.iter().map(|node| node.id).collect();
    let mut missing: Vec<Node<'_>> = Vec::new();
    let mut index_by_id: HashMap<u64, usize> = HashMap::new();
    for node in nodes.iter() {
        let Some(parent) = node.parent.filter(|parent| !present.contains(parent) && !rejected.contains(parent)) else {
            continue;
        };
        let index = *index_by_id.entry(parent).or_insert_with(|| {
            missing.push(Node { head: node.head, is_placeholder: true, id: parent, parent: None, time: node.time });
            missing.len() - 1
        });
        if let Some(placeholder) = missing.get_mut(index) {
            placeholder.time = placeholder.time.min(node.time);
        }
    }
    nodes.append(&mut missing);
}

/// Edges between positions in a list of comments. The replies of a comment are those of `replies`
/// from its start to the start of the next comment.
#[derive(Debug)]
struct ThreadTree {
    parent: Vec<Option<u32>>,
    starts: Vec<u32>,
    replies: Vec<u32>,
}

impl ThreadTree {
    fn of(nodes: &[Node<'_>]) -> Self {
        let index_by_id: HashMap<u64, u32> = (0..).zip(nodes).map(|(index, node)| (node.id, index)).collect();
        let parent_of = |node: &Node<'_>| node.parent.and_then(|id| index_by_id.get(&id).copied());
        let parent: Vec<Option<u32>> = nodes.iter().map(parent_of).collect();
        let mut starts = vec![0_u32; nodes.len() + 1];
        for index in parent.iter().flatten() {
            if let Some(count) = starts.get_mut(position(*index) + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut replies = vec![0_u32; parent.iter().flatten().count()];
        for (index, parent) in (0_u32..).zip(&parent) {
            let Some(next) = parent.and_then(|parent| next.get_mut(position(parent))) else { continue };
            if let Some(slot) = replies.get_mut(position(*next)) {
                *slot = index;
            }
            *next += 1;
        }
        Self { parent, starts, replies }
    }

    fn parent(&self, index: u32) -> Option<u32> {
        self.parent.get(position(index)).copied().flatten()
    }

    fn replies(&self, index: u32) -> &[u32] {
        let start = |index: usize| self.starts.get(index).copied().map_or(0, position);
        self.replies.get(start(position(index))..start(position(index) + 1)).unwrap_or_default()
    }

    /// Returns positions with every parent before its replies, then by time; comments in a cycle
    /// are never reached.
    fn order(&self, nodes: &[Node<'_>]) -> Vec<u32> {
        let rank = |index: u32| (nodes.get(position(index)).map_or(i64::MAX, |node| node.time), index);
        let roots = (0_u32..).zip(&self.parent).filter(|(_, parent)| parent.is_none());
        let mut ready: BinaryHeap<_> = roots.map(|(index, _)| Reverse(rank(index))).collect();
        let mut order = Vec::with_capacity(nodes.len());
        while let Some(Reverse((_, index))) = ready.pop() {
            order.push(index);
            ready.extend(self.replies(index).iter().map(|reply| Reverse(rank(*reply))));
        }
        order
    }

    /// Returns, for each comment, true if it has a text, was deleted in the source, or has such a
    /// comment below it.
    fn carries_text(&self, nodes: &[Node<'_>], order: &[u32]) -> Vec<bool> {
        let mut keep: Vec<bool> = nodes.iter().map(Node::has_substance).collect();
        for index in order.iter().rev() {
            if keep.get(position(*index)).copied().unwrap_or_default()
                && let Some(slot) = self.parent(*index).and_then(|parent| keep.get_mut(position(parent)))
            {
                *slot = true;
            }
        }
        keep
    }
}

fn position(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// A thread whose order is known.
struct Placement<'h> {
    nodes: Vec<Node<'h>>,
    tree: ThreadTree,
    order: Vec<u32>,
    keep: Vec<bool>,
    rejected: HashSet<u64>,
}

impl Placement<'_> {
    fn is_retained(&self, index: u32) -> bool {
        self.keep.get(position(index)).copied().unwrap_or_default()
    }

    /// Returns true if a comment of the thread is imported: all of them lie below a kept root, and
    /// no root without a rejected parent is rejected itself.
    fn has_retained(&self) -> bool {
        let is_below_rejected = |node: &Node<'_>| node.parent.is_some_and(|parent| self.rejected.contains(&parent));
        let mut roots =
            self.order.iter().filter(|index| self.tree.parent(**index).is_none() && self.is_retained(**index));
        roots.any(|index| self.nodes.get(position(*index)).is_some_and(|node| !is_below_rejected(node)))
    }

    /// Writes first the reachable comments in order, then those in cycles as rejects.
    fn write(mut self, writer: &mut BatchWriter<'_>) -> Result<()> {
        let mut is_reached = vec![false; self.nodes.len()];
        for index in std::mem::take(&mut self.order) {
            if let Some(slot) = is_reached.get_mut(position(index)) {
                *slot = true;
            }
            let (keep, in_file) = (self.is_retained(index), self.tree.parent(index).is_some());
            let Some(node) = self.nodes.get(position(index)) else { continue };
            let below_rejected = node.parent.is_some_and(|parent| self.rejected.contains(&parent));
            match (keep, below_rejected) {
                (true, false) if node.is_placeholder => writer.placeholder(node.head, node.time)?,
                (true, false) => writer.comment(node.head, node.parent.is_some() && !in_file)?,
                (false, _) => {
                    self.rejected.insert(node.id);
                    writer.reject(node.head, Some(("TEXT_EMPTY", "it has no text and no reply with a text")))?;
                }
                (true, true) => {
                    self.rejected.insert(node.id);
                    writer.reject(node.head, Some(("PARENT_REJECTED", "its parent was rejected")))?;
                }
            }
        }
        for (node, _) in self.nodes.iter().zip(is_reached).filter(|(_, is_reached)| !is_reached) {
            writer.reject(node.head, Some(("PARENT_CYCLE", "it is one of its own ancestors")))?;
        }
        Ok(())
    }
}

/// Returns the likes that remain: those that are no events, then of the events of a member for a
/// comment the latest, if it was not withdrawn, by time. Of two at one time, the later one in the
/// file counts.
fn latest_likes<'h>(likes: impl Iterator<Item = &'h Head>) -> Vec<&'h Head> {
    let (events, mut remaining): (Vec<&Head>, Vec<&Head>) = likes.partition(|head| head.event.is_some());
    let mut latest: HashMap<u64, &Head> = HashMap::new();
    for head in events.iter().copied() {
        let stored = latest.entry(head.id).or_insert(head);
        if stored.time <= head.time {
            *stored = head;
        }
    }
    let mut cast: Vec<&Head> = latest.into_values().filter(|head| head.event == Some(LikeEvent::Cast)).collect();
    cast.sort_by_key(|head| (head.time, head.offset));
    remaining.append(&mut cast);
    remaining
}

#[cfg(test)]
mod tests;
