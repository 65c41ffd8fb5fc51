//! The order of one subject's comments in which the server accepts them, and the rules for comments
//! that it cannot accept.
//!
//! * Parents come before their replies, otherwise the earlier comment first; equal times keep the
//!   file's order. Floors therefore follow time, as if the comments had been written here.
//! * A comment without text is rejected (`TEXT_EMPTY`), unless a comment with text is below it:
//!   then it is imported as a tombstone, deleted by its author at its creation time, because the
//!   thread would break without it.
//! * A reply whose parent is not in the file is an orphan; [`Orphans`] determines its treatment.
//!   One whose parent is in the file, but of another subject, is rejected with them
//!   (`PARENT_MISSING`): no server has the parent where it is named.
//! * Replies in a cycle are rejected with all their descendants (`PARENT_CYCLE`), and so are the
//!   descendants of a comment that the format already rejected (`PARENT_REJECTED`).
//! * A second comment with the same id is dropped if it is identical and rejected otherwise
//!   (`DUPLICATE_ID`).
//! * A subject that several records describe is as the last of them says, but hidden if any of them
//!   says so: two pages with one id must not show what one of them hides.
//! * If a record that describes the subject is rejected, everything of the subject is
//!   (`SUBJECT_REJECTED`): the comments alone would make it public, whatever its source says. A
//!   record with this reason in a rejects file is imported with a valid record of its subject only.
//! * Of the votes of one member for one comment the latest counts, if it was not withdrawn.
//!
//! The order follows from the heads of the records alone. The memory for it is 17 bytes for each
//! record of a subject, and the ids of a million records at a time.

mod columns;
mod deferred;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use anyhow::Result;

use self::columns::{Columns, Mark};
use self::deferred::DeferredReplies;
use super::batch::{BatchSink, BatchWriter};
use super::record::SUBJECT_REJECTED;
use super::spool::{CommentIds, HeadList, Partition, RecordKind, Spool};

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
/// The spool cannot be read or written; or the error of `sink`.
pub(crate) fn write_batches(mut spool: Spool, orphans: Orphans, sink: BatchSink<'_>) -> Result<()> {
    let strict = spool.has_unknown_subject();
    let mut parents = ParentRules { orphans, ids: spool.take_unique_ids() };
    let mut each = |partition: &Partition, heads: &HeadList| {
        plan(heads, &mut parents, strict, BatchWriter::new(partition, &mut *sink))
    };
    spool.into_subjects(&mut each)
}

/// The rules for replies whose parent is not among the comments of their subject.
#[derive(Debug)]
struct ParentRules {
    orphans: Orphans,
    /// The ids of the comments of all subjects.
    ids: Option<CommentIds>,
}

impl ParentRules {
    /// Returns true if a missing parent is a comment of another subject.
    fn is_elsewhere(&mut self, id: u64) -> Result<bool> {
        self.ids.as_mut().filter(|_| self.orphans == Orphans::Reject).map_or(Ok(false), |ids| ids.contains(id))
    }
}

/// The words for a reply whose parent is a comment of another subject.
const ELSEWHERE: &str = "its parent is in the files, but of another subject; --strip-query, --subject-by or --url-map \
                         may make one subject of both";

/// Writes the records of one subject to `writer` in their order, and separates those that cannot be
/// imported. `heads` has them in the order of the file, at least one. With `strict` a subject that
/// no record describes is refused.
///
/// # Errors
/// The spool cannot be read; that of `writer`.
fn plan(heads: &HeadList, parents: &mut ParentRules, strict: bool, mut writer: BatchWriter<'_>) -> Result<()> {
    let mut columns = Columns::read(heads, parents)?;
    if columns.is_refused || strict && columns.subject.is_none() {
        return refuse(heads, &columns, writer);
    }
    let order = order(&mut columns);
    carry_up(&mut columns, &order);
    let subject = columns.subject.map(|index| heads.get(index)).transpose()?;
    let retained = has_retained(&columns, &order);
    writer.begin(subject.as_ref(), &heads.get(0)?, columns.is_hidden, retained)?;
    heads.each(&mut |index, head| {
        if columns.rejects(head) {
            writer.reject(head, None)
        } else if columns.has(index, Mark::Duplicate) {
            writer.reject(head, Some(("DUPLICATE_ID", "another comment of this subject has the same id")))
        } else {
            Ok(())
        }
    })?;
    (0..columns.repeated).for_each(|_| writer.repeated());
    write_thread(heads, &mut columns, &order, &mut writer)?;
    heads.each(
        &mut |_, head| match head.kind == RecordKind::Like && !columns.rejects(head) && head.event.is_none() {
            true => writer.like(head),
            false => Ok(()),
        },
    )?;
    columns.latest_votes().into_iter().try_for_each(|index| writer.like(&heads.get(index)?))?;
    writer.finish()
}

/// Rejects everything of a subject of which a record is, or may be, rejected. Of several votes of a
/// member only the one that counts is a record to import later.
fn refuse(heads: &HeadList, columns: &Columns<'_>, mut writer: BatchWriter<'_>) -> Result<()> {
    let problem = match columns.is_refused {
        true => (
            SUBJECT_REJECTED,
            "a record of its subject is rejected, without which the subject might become public; correct that record \
             and import both together",
        ),
        false => (
            "SUBJECT_UNKNOWN",
            "no record describes its subject, but one that cannot be read might; correct that record and import both \
             together",
        ),
    };
    writer.begin(None, &heads.get(0)?, false, false)?;
    heads.each(&mut |index, head| match (head.is_rejected && !head.requires_subject, head.event) {
        (true, _) => writer.reject(head, None),
        (false, Some(_)) if !columns.has(index, Mark::Latest) => Ok(()),
        (false, _) => writer.reject(head, Some(problem)),
    })?;
    writer.finish()
}

/// Returns the comments with every parent before its replies, then by time; comments in a cycle are
/// never reached.
fn order(columns: &mut Columns<'_>) -> Vec<u32> {
    let mut order = Vec::with_capacity(columns.comment_count());
    order.extend(columns.comments());
    order.sort_unstable_by_key(|node| (columns.time(*node), *node));
    let mut deferred = DeferredReplies::default();
    let mut ready = BinaryHeap::new();
    let mut reached = 0;
    for place in 0..order.len() {
        let Some(node) = order.get(place).copied() else { break };
        if let Some(parent) = columns.parent(node).filter(|parent| !columns.has(*parent, Mark::Reached)) {
            deferred.add(parent, node);
            continue;
        }
        ready.push(Reverse((columns.time(node), node)));
        // The replies that waited for a comment are earlier than all that follow.
        while let Some(Reverse((_, node))) = ready.pop() {
            columns.set(node, Mark::Reached);
            // No more comments were reached than passed, so this place has been read.
            if let Some(slot) = order.get_mut(reached) {
                *slot = node;
            }
            reached += 1;
            ready.extend(deferred.take(node).map(|reply| Reverse((columns.time(reply), reply))));
        }
    }
    order.truncate(reached);
    order
}

/// Marks each comment that has a comment with a text, or a deleted one, below it.
fn carry_up(columns: &mut Columns<'_>, order: &[u32]) {
    for node in order.iter().rev() {
        if let Some(parent) = columns.parent(*node).filter(|_| columns.has(*node, Mark::Carries)) {
            columns.set(parent, Mark::Carries);
        }
    }
}

/// Returns true if a comment of the thread is imported: all of them lie below a root that carries a
/// text, and no root without a rejected parent is rejected itself.
fn has_retained(columns: &Columns<'_>, order: &[u32]) -> bool {
    order.iter().any(|node| {
        let is_root = columns.parent(*node).is_none() && !columns.is_elsewhere(*node);
        is_root && columns.has(*node, Mark::Carries) && !columns.is_below_rejected(*node)
    })
}

/// Writes first the reachable comments in order, then those in cycles as rejects.
fn write_thread(
    heads: &HeadList,
    columns: &mut Columns<'_>,
    order: &[u32],
    writer: &mut BatchWriter<'_>,
) -> Result<()> {
    for node in order.iter().copied() {
        let rejection = match (columns.has(node, Mark::Carries), columns.is_below_rejected(node)) {
            (true, false) if columns.is_elsewhere(node) => Some(("PARENT_MISSING", ELSEWHERE)),
            (true, false) => None,
            (false, _) => Some(("TEXT_EMPTY", "it has no text and no reply with a text")),
            (true, true) => Some(("PARENT_REJECTED", "its parent was rejected")),
        };
        if rejection.is_some() {
            columns.set(node, Mark::Rejected);
        }
        match (rejection, columns.first_reply(node)) {
            (Some(_), None) => writer.reject(&heads.get(node)?, rejection)?,
            (None, None) => writer.comment(&heads.get(node)?, columns.is_orphan(node))?,
            (_, Some(reply)) => writer.placeholder(&heads.get(reply)?, columns.time(node))?,
        }
    }
    for node in columns.comments().filter(|node| !columns.has(*node, Mark::Reached)) {
        writer.reject(&heads.get(node)?, Some(("PARENT_CYCLE", "it is one of its own ancestors")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
