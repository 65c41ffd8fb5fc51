//! The properties of one subject's records by which its order is planned, as columns of a few
//! bytes: a subject of 20 million comments has 340 MiB of them.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, HashSet};

use anyhow::{Result, ensure};

use super::{Orphans, ParentRules};
use crate::record::LikeEvent;
use crate::spool::{Head, HeadList, RecordKind};

/// The most records whose ids are in memory at a time; those of a larger subject are resolved in
/// parts. It is small in tests, so that they have parts.
const IDS_MAX: u32 = if cfg!(test) { 1 << 15 } else { 1 << 20 };
/// The greatest number of a node. The numbers above it say why a node has no parent.
const NODES_MAX: u32 = u32::MAX - 4;
/// The comment names no parent.
const ROOT: u32 = u32::MAX;
/// The comment names a parent that is not in the file.
const MISSING: u32 = u32::MAX - 1;
/// The comment names a parent that the format rejected.
const REFUSED: u32 = u32::MAX - 2;
/// The comment names a parent that is a comment of another subject.
const ELSEWHERE: u32 = u32::MAX - 3;

/// A property of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It is a comment that no other record repeats, or a placeholder.
    Comment = 1,
    /// It has a text, was deleted in its source, or is above such a comment.
    Carries = 1 << 1,
    /// It has the id of another comment.
    Duplicate = 1 << 2,
    /// Its place in the order is known.
    Reached = 1 << 3,
    /// A rule rejects it.
    Rejected = 1 << 4,
    /// It is the vote that counts of several ones.
    Latest = 1 << 5,
}

/// The columns. A node is a record, by its number in the file, or a placeholder for a missing
/// parent, by a greater number.
#[derive(Debug)]
pub(super) struct Columns<'h> {
    heads: &'h HeadList,
    times: Vec<i64>,
    marks: Vec<u8>,
    parents: Vec<u32>,
    /// The first reply of each placeholder.
    first_replies: Vec<u32>,
    /// The last record that describes the subject.
    pub(super) subject: Option<u32>,
    /// True if a record that describes the subject says that it is hidden.
    pub(super) is_hidden: bool,
    /// True if a record that describes the subject is rejected, and everything of it therefore.
    pub(super) is_refused: bool,
    /// The number of identical repetitions of comments.
    pub(super) repeated: u64,
}

/// The ids of one part while its records are resolved.
#[derive(Debug, Default)]
struct PartIds {
    /// The first comment with each id, and the hash of its content.
    comments: HashMap<u64, (u32, u64)>,
    /// The ids of comments that the format rejected.
    refused: HashSet<u64>,
    /// The latest vote of each member for each comment, and its time.
    votes: HashMap<u64, (i64, u32, LikeEvent)>,
    /// The placeholders.
    missing: HashMap<u64, u32>,
}

impl<'h> Columns<'h> {
    /// Reads the columns of a subject's records. With [`Orphans::Tombstone`] a parent that is named
    /// but absent gets a placeholder: a deleted root, as old as its oldest reply.
    ///
    /// # Errors
    /// The spool cannot be read.
    pub(super) fn read(heads: &'h HeadList, rules: &mut ParentRules) -> Result<Self> {
        let capacity = usize::try_from(heads.len())?;
        let mut columns = Self {
            heads,
            times: Vec::with_capacity(capacity),
            marks: Vec::with_capacity(capacity),
            parents: vec![ROOT; capacity],
            first_replies: Vec::new(),
            subject: None,
            is_hidden: false,
            is_refused: false,
            repeated: 0,
        };
        let mut waits = false;
        heads.each(&mut |index, head| {
            columns.times.push(head.time);
            columns.marks.push(first_marks(head, head.is_rejected));
            waits |= head.requires_subject;
            match (head.kind, head.is_rejected && !head.requires_subject) {
                (RecordKind::Subject, true) => columns.is_refused = true,
                (RecordKind::Subject, false) => {
                    columns.subject = Some(index);
                    columns.is_hidden |= head.is_hidden;
                }
                (RecordKind::Comment | RecordKind::Like, _) => {}
            }
            Ok(())
        })?;
        if waits && columns.subject.is_some() && !columns.is_refused {
            heads.each(&mut |index, head| {
                let marks = first_marks(head, columns.rejects(head));
                columns.marks.get_mut(position(index)).into_iter().for_each(|first| *first = marks);
                Ok(())
            })?;
        }
        let parts = u64::from(heads.len() / IDS_MAX) + 1;
        for part in 0..parts {
            let mut ids = PartIds::default();
            columns.find_ids(&mut ids, |id| id % parts == part)?;
            columns.find_parents(&mut ids, rules, |id| id % parts == part)?;
        }
        columns.complete_placeholders();
        Ok(columns)
    }

    /// Returns true for a record that is rejected before the order is known. A record that was
    /// rejected with its subject is not, once a valid record describes the subject.
    pub(super) fn rejects(&self, head: &Head) -> bool {
        self.is_refused || head.is_rejected && !(head.requires_subject && self.subject.is_some())
    }

    /// Finds the first comment and the last vote with each id for which `is_in_part` holds.
    fn find_ids(&mut self, ids: &mut PartIds, is_in_part: impl Fn(u64) -> bool) -> Result<()> {
        let heads = self.heads;
        heads.each(&mut |index, head| {
            if head.kind == RecordKind::Subject || !is_in_part(head.id) {
                return Ok(());
            }
            match (head.kind, head.event) {
                (RecordKind::Comment, _) if self.rejects(head) => {
                    ids.refused.insert(head.id);
                }
                (RecordKind::Comment, _) => self.add_comment(index, head, ids),
                (RecordKind::Like, Some(event)) if !head.is_rejected || head.requires_subject => {
                    let latest = ids.votes.entry(head.id).or_insert((head.time, index, event));
                    if latest.0 <= head.time {
                        *latest = (head.time, index, event);
                    }
                }
                (RecordKind::Like | RecordKind::Subject, _) => {}
            }
            Ok(())
        })?;
        let cast = ids.votes.values().filter(|(_, _, event)| *event == LikeEvent::Cast);
        cast.for_each(|(_, index, _)| self.set(*index, Mark::Latest));
        ids.votes = HashMap::new();
        Ok(())
    }

    fn add_comment(&mut self, index: u32, head: &Head, ids: &mut PartIds) {
        match ids.comments.entry(head.id) {
            Slot::Vacant(slot) => {
                slot.insert((index, head.content));
            }
            Slot::Occupied(slot) => {
                self.clear(index);
                match slot.get().1 == head.content {
                    true => self.repeated += 1,
                    false => self.set(index, Mark::Duplicate),
                }
            }
        }
    }

    /// Finds the parents with ids for which `is_in_part` holds.
    fn find_parents(
        &mut self,
        ids: &mut PartIds,
        rules: &mut ParentRules,
        is_in_part: impl Fn(u64) -> bool,
    ) -> Result<()> {
        let heads = self.heads;
        heads.each(&mut |index, head| {
            let Some(id) = head.parent.filter(|id| is_in_part(*id) && self.has(index, Mark::Comment)) else {
                return Ok(());
            };
            let parent = match (ids.comments.get(&id), ids.refused.contains(&id), rules.orphans) {
                (Some((parent, _)), _, _) => *parent,
                (None, true, _) => REFUSED,
                (None, false, Orphans::Tombstone) => self.placeholder(id, ids)?,
                (None, false, Orphans::Reject) if rules.is_elsewhere(id)? => ELSEWHERE,
                (None, false, Orphans::Reject | Orphans::Root) => MISSING,
            };
            if let Some(slot) = self.parents.get_mut(position(index)) {
                *slot = parent;
            }
            Ok(())
        })
    }

    /// Returns the node of a missing parent.
    fn placeholder(&mut self, id: u64, ids: &mut PartIds) -> Result<u32> {
        if let Some(node) = ids.missing.get(&id) {
            return Ok(*node);
        }
        let node = u32::try_from(self.times.len())?;
        ensure!(node <= NODES_MAX, "a subject has more than 4 billion records");
        self.times.push(i64::MAX);
        self.marks.push(0);
        self.parents.push(ROOT);
        self.first_replies.push(ROOT);
        ids.missing.insert(id, node);
        Ok(node)
    }

    /// Gives each placeholder its first reply and the time of its oldest one. A placeholder without
    /// a reply that is imported is not used.
    fn complete_placeholders(&mut self) {
        if self.first_replies.is_empty() {
            return;
        }
        let records = self.heads.len();
        for index in 0..records {
            let is_reply = |parent: &u32| *parent >= records && self.has(index, Mark::Comment);
            let Some(parent) = self.parent(index).filter(is_reply) else { continue };
            self.marks.get_mut(position(parent)).into_iter().for_each(|marks| *marks |= PLACEHOLDER_MARKS);
            let time = self.time(index);
            self.times.get_mut(position(parent)).into_iter().for_each(|oldest| *oldest = time.min(*oldest));
            let first = self.first_replies.get_mut(position(parent - records));
            first.into_iter().for_each(|first| *first = index.min(*first));
        }
    }

    /// Returns the numbers of all nodes that are comments.
    pub(super) fn comments(&self) -> impl Iterator<Item = u32> {
        (0_u32..).zip(&self.marks).filter(|(_, marks)| is_comment(marks)).map(|(index, _)| index)
    }

    /// Returns the number of comments.
    pub(super) fn comment_count(&self) -> usize {
        self.marks.iter().filter(|marks| is_comment(marks)).count()
    }

    /// Returns the numbers of the votes that count of several ones, by their time.
    pub(super) fn latest_votes(&self) -> Vec<u32> {
        let numbers = (0..self.heads.len()).filter(|index| self.has(*index, Mark::Latest));
        let mut votes: Vec<u32> = numbers.collect();
        votes.sort_unstable_by_key(|index| (self.time(*index), *index));
        votes
    }

    /// Returns the reply for which a placeholder stands in; `None` for a record.
    pub(super) fn first_reply(&self, node: u32) -> Option<u32> {
        let placeholder = node.checked_sub(self.heads.len())?;
        self.first_replies.get(position(placeholder)).copied()
    }

    /// Returns the time of a node, in microseconds since 1970.
    pub(super) fn time(&self, node: u32) -> i64 {
        self.times.get(position(node)).copied().unwrap_or(i64::MAX)
    }

    /// Returns the parent of a node, if it is a node.
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        self.parents.get(position(node)).copied().filter(|parent| *parent <= NODES_MAX)
    }

    /// Returns true if a comment names a parent that is not in the file.
    pub(super) fn is_orphan(&self, node: u32) -> bool {
        self.parents.get(position(node)) == Some(&MISSING)
    }

    /// Returns true if a comment names a parent that is a comment of another subject.
    pub(super) fn is_elsewhere(&self, node: u32) -> bool {
        self.parents.get(position(node)) == Some(&ELSEWHERE)
    }

    /// Returns true if the parent of a comment is rejected.
    pub(super) fn is_below_rejected(&self, node: u32) -> bool {
        self.parents.get(position(node)) == Some(&REFUSED)
            || self.parent(node).is_some_and(|parent| self.has(parent, Mark::Rejected))
    }

    pub(super) fn has(&self, node: u32, mark: Mark) -> bool {
        self.marks.get(position(node)).is_some_and(|marks| marks & bit(mark) != 0)
    }

    pub(super) fn set(&mut self, node: u32, mark: Mark) {
        if let Some(marks) = self.marks.get_mut(position(node)) {
            *marks |= bit(mark);
        }
    }

    fn clear(&mut self, node: u32) {
        if let Some(marks) = self.marks.get_mut(position(node)) {
            *marks = 0;
        }
    }
}

/// The marks of a placeholder with a reply.
const PLACEHOLDER_MARKS: u8 = bit(Mark::Comment) | bit(Mark::Carries);

const fn bit(mark: Mark) -> u8 {
    mark as u8
}

fn is_comment(marks: &u8) -> bool {
    marks & bit(Mark::Comment) != 0
}

fn first_marks(head: &Head, is_rejected: bool) -> u8 {
    match (head.kind, is_rejected, head.has_substance) {
        (RecordKind::Comment, false, true) => bit(Mark::Comment) | bit(Mark::Carries),
        (RecordKind::Comment, false, false) => bit(Mark::Comment),
        _ => 0,
    }
}

fn position(node: u32) -> usize {
    usize::try_from(node).unwrap_or(usize::MAX)
}
