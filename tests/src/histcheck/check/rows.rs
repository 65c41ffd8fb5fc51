//! Every comment in a response is in its state at the revision of the response: it exists, has its
//! original position and its last content, and is shown only while it is visible. No response shows
//! a comment that was never written or whose create was refused.

use super::Findings;
use super::MAX_AGE;
use super::subject_history::{Change, Comment, RequestOutcome, SubjectHistory};
use crate::histcheck::history::{Item, Op, Outcome, Property};

/// Finds comments that are shown in a wrong state.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for number in history.op_numbers {
        let op = history.op(*number);
        for item in op.items() {
            let Some(comment) = history.comment(item.id) else {
                unknown_comment(history, findings, *number, item);
                continue;
            };
            let exported = matches!(op.outcome, Outcome::Export { .. });
            let violation = if exported {
                state_violation(history, comment, item, op, i64::MAX)
            } else {
                match op.revision() {
                    Some(revision) => state_violation(history, comment, item, op, revision),
                    None => violation_at_all_revisions(history, comment, item, op),
                }
            };
            if let Some(violation) = violation.or_else(|| immutable_violation(history, comment, item, exported)) {
                findings.add(|| format!("{violation}: {item}"), &comment.explaining_ops(history, *number));
            }
        }
    }
}

/// Reports a comment that was never acknowledged and does not exist at the end.
fn unknown_comment(history: &SubjectHistory<'_>, findings: &mut Findings, number: u32, item: &Item) {
    let writer = history.text_writer(item.text);
    let ops = [writer.map_or(number, |writer| writer.first), number];
    let creates = writer.is_some_and(|writer| history.call(writer).makes().is_some());
    let violation = match writer.map(|writer| (writer.outcome, creates, writer.begun)) {
        // The create may have been executed. No client knows the comment's id and deletes it, so it
        // exists at the end.
        Some((RequestOutcome::Unknown, true, begun))
            if begun < history.op(number).ended && history.export().is_none() =>
        {
            return;
        }
        Some((RequestOutcome::Unknown, true, _)) => "was shown, and does not exist at the end",
        Some((RequestOutcome::Acknowledged { .. }, true, _)) => "duplicate: its text was acknowledged under another id",
        Some((RequestOutcome::Refused, ..)) => "was refused as not executed, and is shown",
        Some((_, false, _)) => "is the text of an edit of another comment",
        None => "no call wrote it",
    };
    findings.add(|| format!("{violation}: {item}"), &ops);
}

/// Returns the violation of an item in a response at a revision, if any.
fn state_violation(
    history: &SubjectHistory<'_>,
    comment: &Comment,
    item: &Item,
    op: &Op,
    revision: i64,
) -> Option<String> {
    if comment.created_revision > revision {
        return Some(format!("shown at revision {revision}, and created at {}", comment.created_revision));
    }
    let (visible, text) = comment.state_at(revision);
    let shown = item.text != 0;
    if shown != visible && !comment.may_have_changed(history, Property::Visible(shown), op.ended) {
        let sets_it = |change: &&Change| change.revision <= revision && change.property == Property::Visible(visible);
        let since = comment.changes.iter().rfind(sets_it).map_or(comment.created_revision, |change| change.revision);
        let violation =
            if shown { "its content is shown though it was deleted" } else { "shown as deleted though it is visible" };
        return Some(format!("{violation}, at revision {revision}, since revision {since}"));
    }
    if shown && item.text != text && !comment.may_have_changed(history, Property::Text(item.text), op.ended) {
        return Some(format!("at revision {revision} its text is {text}"));
    }
    None
}

/// Returns the violation of an item in a response without a revision, if any: the item must match
/// the comment at some revision, from the last one returned before the call on.
fn violation_at_all_revisions(history: &SubjectHistory<'_>, comment: &Comment, item: &Item, op: &Op) -> Option<String> {
    let view = op.call.view().unwrap_or_default();
    let since = if view.fresh { op.begun } else { op.begun.saturating_sub(MAX_AGE) };
    let least = history.highest_returned(since).map_or(0, |(revision, _)| revision).max(view.min_revision);
    let later = comment
        .changes
        .iter()
        .filter(|change| change.revision > least && history.request(change.request).begun < op.ended);
    let mut first = None;
    for revision in std::iter::once(least.max(comment.created_revision)).chain(later.map(|change| change.revision)) {
        let violation = state_violation(history, comment, item, op, revision)?;
        first = first.or(Some(violation));
    }
    first
}

/// Returns the violation of the fields that never change, if any.
fn immutable_violation(history: &SubjectHistory<'_>, comment: &Comment, item: &Item, exported: bool) -> Option<String> {
    if !comment.has_position_of(item) {
        return Some(format!("its create returned root {} and floor {}", comment.root, comment.floor));
    }
    let (member, parent, _) = history.call(history.request(comment.request)).makes()?;
    if item.parent != parent {
        return Some(format!("its parent is {parent}"));
    }
    // A tombstone does not show its author, except in an export.
    (item.member != member && (item.text != 0 || exported)).then(|| format!("its author is {member}"))
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item, tombstone};
    use crate::histcheck::history::{Item, Sort};

    fn two() -> SampleHistory {
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).root(2, 12, 2, 2);
        history
    }

    #[test]
    fn a_page_that_matches_its_revision_is_valid_however_late() {
        let mut history = two();
        history.delete(3, 11, 3);
        history.page(4, Sort::Oldest, 2, &[item(11, 1), item(12, 2)]);
        history.page(5, Sort::Oldest, 3, &[item(12, 2)]);
        history.finds_nothing();
    }

    #[test]
    fn a_comment_deleted_at_the_revision_is_found() {
        let mut history = two();
        history.delete(3, 11, 3).page(4, Sort::Oldest, 3, &[item(11, 1), item(12, 2)]);
        history.finds("rows", "its content is shown though it was deleted");
    }

    #[test]
    fn a_comment_deleted_before_a_fresh_get_is_found_and_before_another_get_only_after_the_maximum_age() {
        let get = |at, fresh| {
            let mut history = two();
            history.delete(3, 11, 3).get(at, item(11, 1), fresh);
            history
        };
        get(4, true).finds("rows", "its content is shown though it was deleted");
        get(4, false).finds_nothing();
        get(40, false).finds("rows", "its content is shown though it was deleted");
    }

    #[test]
    fn deleted_content_that_may_have_been_undeleted_is_valid() {
        let mut history = two();
        history.delete(3, 11, 3).undelete(4, 11, None).page(5, Sort::Oldest, 3, &[item(11, 1), item(12, 2)]);
        history.finds_nothing();
    }

    #[test]
    fn an_old_text_is_found_and_the_text_of_an_edit_without_response_is_valid() {
        let mut history = two();
        history.edit(3, 11, 70, Some(3)).page(4, Sort::Oldest, 3, &[item(11, 1), item(12, 2)]);
        history.finds("rows", "at revision 3 its text is 70");
        let mut history = two();
        let edited = Item { text: 70, ..item(11, 1) };
        history.edit(3, 11, 70, None).page(4, Sort::Oldest, 3, &[edited, item(12, 2)]);
        history.finds_nothing();
    }

    #[test]
    fn comments_that_are_unknown_or_refused_or_duplicates_are_found() {
        let mut history = two();
        history.page(3, Sort::Oldest, 2, &[item(11, 1), item(12, 2), item(13, 3)]);
        history.finds("rows", "no call wrote it");
        let mut history = two();
        history.refused_root(3, 13).page(4, Sort::Oldest, 2, &[item(11, 1), item(12, 2), item(13, 3)]);
        history.finds("rows", "was refused as not executed");
        let mut history = two();
        let duplicate = Item { text: item(11, 1).text, ..item(13, 3) };
        history.page(4, Sort::Oldest, 2, &[item(11, 1), item(12, 2), duplicate]);
        history.finds("rows", "duplicate");
    }

    #[test]
    fn an_export_shows_the_author_of_a_tombstone_and_another_author_or_parent_is_found() {
        let exported = |deleted: Item| {
            let mut history = two();
            history.reply(3, 11, 21, 1, 3).delete(4, 12, 4).export(9, &[item(11, 1), below(11, 21, 1), deleted], &[]);
            history
        };
        let deleted = Item { member: 1, ..tombstone(12, 2) };
        exported(deleted).finds_nothing_of("rows");
        exported(Item { member: 2, ..deleted }).finds("rows", "its author is 1");
        exported(tombstone(12, 2)).finds("rows", "its author is 1");
        let mut history = exported(deleted);
        let wrong = [Item { member: 2, ..item(11, 1) }, Item { parent: 12, ..below(11, 21, 1) }, deleted];
        history.export(10, &wrong, &[]).finds("rows", "its author is 1");
        history.finds("rows", "its parent is 11");
    }

    #[test]
    fn the_state_at_the_end_is_that_of_the_last_change() {
        let (visible, deleted) = (item(11, 1), Item { member: 1, ..tombstone(11, 1) });
        let ending = |row: Item, changes: &dyn Fn(&mut SampleHistory)| {
            let mut history = SampleHistory::default();
            changes(history.root(1, 11, 1, 1));
            history.export(9, &[row], &[]);
            history
        };
        let delete = |history: &mut SampleHistory| {
            history.delete(2, 11, 2);
        };
        let undelete = |history: &mut SampleHistory| {
            history.delete(2, 11, 2).undelete(3, 11, Some(3));
        };
        let unknown_delete = |history: &mut SampleHistory| {
            history.unknown_delete(2, 11);
        };
        ending(visible, &delete).finds("rows", "its content is shown though it was deleted");
        ending(deleted, &undelete).finds("rows", "shown as deleted though it is visible");
        ending(deleted, &|_| ()).finds("rows", "shown as deleted though it is visible");
        for (row, changes) in [
            (deleted, &delete as &dyn Fn(&mut SampleHistory)),
            (visible, &undelete),
            (visible, &unknown_delete),
            (deleted, &unknown_delete),
        ] {
            ending(row, changes).finds_nothing_of("rows");
        }
        let mut history = SampleHistory::default();
        let duplicate = Item { text: visible.text, ..item(12, 2) };
        history.root(1, 11, 1, 1).delete(2, 11, 2).export(9, &[deleted, duplicate], &[]);
        history.finds("rows", "duplicate");
    }

    #[test]
    fn a_comment_shown_before_its_creation_or_at_another_floor_is_found() {
        let mut history = two();
        history.page(3, Sort::Oldest, 1, &[item(11, 1), item(12, 2)]);
        history.finds("rows", "created at 2");
        let mut history = two();
        history.page(3, Sort::Oldest, 1, &[item(11, 2)]);
        history.finds("rows", "floor 1");
    }
}
