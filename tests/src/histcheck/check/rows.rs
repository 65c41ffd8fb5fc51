//! Every comment in a response is in its state at the revision of the response: it exists, has its
//! original position and its last content, and is shown only while it is visible. No
//! response shows a comment that was never written or whose create was refused.

use super::Found;
use super::STALE;
use super::fixture::{Comment, Fate, Fixture};
use crate::histcheck::history::{Item, Op, Outcome, What};

/// Finds comments that are shown in a wrong state.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    for number in fixture.mine {
        let op = fixture.op(*number);
        for item in op.items() {
            let Some(comment) = fixture.comment(item.id) else {
                stranger(fixture, found, *number, item);
                continue;
            };
            let exported = matches!(op.outcome, Outcome::Export { .. });
            let told = if exported {
                at(fixture, comment, item, op, i64::MAX)
            } else {
                match op.revision() {
                    Some(revision) => at(fixture, comment, item, op, revision),
                    None => some_time(fixture, comment, item, op),
                }
            };
            if let Some(what) = told.or_else(|| place(fixture, comment, item, exported)) {
                found.add(|| format!("{what}: {item}"), &comment.story(fixture, *number));
            }
        }
    }
}

/// Reports a comment that was never acknowledged and does not exist at the end.
fn stranger(fixture: &Fixture<'_>, found: &mut Found, number: u32, item: &Item) {
    let writer = fixture.writer(item.text);
    let ops = [writer.map_or(number, |writer| writer.first), number];
    let what = match writer.map(|writer| (writer.fate, fixture.call(writer).makes().is_some(), writer.begun)) {
        // A comment without a response to its create may be read. Nothing else deletes it, so it
        // exists at the end.
        Some((Fate::Open, true, begun)) if begun < fixture.op(number).ended && fixture.export().is_none() => return,
        Some((Fate::Open, true, _)) => "was shown and does not stand in the end",
        Some((Fate::Done { .. }, true, _)) => "doubled: its text was acknowledged under another id",
        Some((Fate::Refused, ..)) => "was refused as not executed, and is shown",
        Some((_, false, _)) => "is the text of an edit of another comment",
        None => "no call wrote it",
    };
    found.add(|| format!("{what}: {item}"), &ops);
}

/// Returns the violation of an item in a response at a revision, if any.
fn at(fixture: &Fixture<'_>, comment: &Comment, item: &Item, op: &Op, revision: i64) -> Option<String> {
    if comment.born > revision {
        return Some(format!("shown at revision {revision}, and made at {}", comment.born));
    }
    let (visible, text) = comment.at(revision);
    let shown = item.text != 0;
    if shown != visible && !comment.may(fixture, What::Visible(shown), op.ended) {
        let last = comment.changes.iter().rfind(|of| of.revision <= revision && of.what == What::Visible(visible));
        let since = last.map_or(comment.born, |of| of.revision);
        let words = if shown { "its content is shown though it was deleted" } else { "deleted though it stands" };
        return Some(format!("{words}, at revision {revision}, since revision {since}"));
    }
    if shown && item.text != text && !comment.may(fixture, What::Text(item.text), op.ended) {
        return Some(format!("at revision {revision} its text is {text}"));
    }
    None
}

/// Returns the violation of an item in a response without a revision, if any: it must match the
/// comment at some revision, from the last one returned before the call on.
fn some_time(fixture: &Fixture<'_>, comment: &Comment, item: &Item, op: &Op) -> Option<String> {
    let view = op.call.view().unwrap_or_default();
    let since = if view.fresh { op.begun } else { op.begun.saturating_sub(STALE) };
    let least = fixture.reached(since).map_or(0, |(revision, _)| revision).max(view.min_revision);
    let later = comment
        .changes
        .iter()
        .filter(|change| change.revision > least && fixture.requests[change.request as usize].begun < op.ended);
    let mut first = None;
    for revision in std::iter::once(least.max(comment.born)).chain(later.map(|change| change.revision)) {
        let wrong = at(fixture, comment, item, op, revision)?;
        first = first.or(Some(wrong));
    }
    first
}

/// Returns the violation of the parts that never change, if any.
fn place(fixture: &Fixture<'_>, comment: &Comment, item: &Item, exported: bool) -> Option<String> {
    if !comment.is_shown_by(item) {
        return Some(format!("it was answered with root {} and floor {}", comment.root, comment.floor));
    }
    let (member, parent, _) = fixture.call(&fixture.requests[comment.request as usize]).makes()?;
    if item.parent != parent {
        return Some(format!("it answers {parent}"));
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
    fn a_page_of_its_revision_is_fine_however_late_it_comes() {
        let mut history = two();
        history.delete(3, 11, 3);
        history.page(4, Sort::Oldest, 2, &[item(11, 1), item(12, 2)]);
        history.page(5, Sort::Oldest, 3, &[item(12, 2)]);
        history.has_none();
    }

    #[test]
    fn what_was_deleted_at_the_revision_is_found() {
        let mut history = two();
        history.delete(3, 11, 3).page(4, Sort::Oldest, 3, &[item(11, 1), item(12, 2)]);
        history.has("rows", "its content is shown though it was deleted");
    }

    #[test]
    fn what_was_deleted_before_a_fresh_get_is_found_and_before_a_stale_one_only_after_a_while() {
        let get = |at, fresh| {
            let mut history = two();
            history.delete(3, 11, 3).get(at, item(11, 1), fresh);
            history
        };
        get(4, true).has("rows", "its content is shown though it was deleted");
        get(4, false).has_none();
        get(40, false).has("rows", "its content is shown though it was deleted");
    }

    #[test]
    fn deleted_content_that_may_have_been_brought_back_is_fine() {
        let mut history = two();
        history.delete(3, 11, 3).undelete(4, 11, None).page(5, Sort::Oldest, 3, &[item(11, 1), item(12, 2)]);
        history.has_none();
    }

    #[test]
    fn an_old_text_is_found_and_an_unknown_new_one_is_fine() {
        let mut history = two();
        history.edit(3, 11, 70, Some(3)).page(4, Sort::Oldest, 3, &[item(11, 1), item(12, 2)]);
        history.has("rows", "at revision 3 its text is 70");
        let mut history = two();
        let edited = Item { text: 70, ..item(11, 1) };
        history.edit(3, 11, 70, None).page(4, Sort::Oldest, 3, &[edited, item(12, 2)]);
        history.has_none();
    }

    #[test]
    fn strangers_refused_ones_and_doubles_are_found() {
        let mut history = two();
        history.page(3, Sort::Oldest, 2, &[item(11, 1), item(12, 2), item(13, 3)]);
        history.has("rows", "no call wrote it");
        let mut history = two();
        history.refused_root(3, 13).page(4, Sort::Oldest, 2, &[item(11, 1), item(12, 2), item(13, 3)]);
        history.has("rows", "was refused as not executed");
        let mut history = two();
        let double = Item { text: item(11, 1).text, ..item(13, 3) };
        history.page(4, Sort::Oldest, 2, &[item(11, 1), item(12, 2), double]);
        history.has("rows", "doubled");
    }

    #[test]
    fn an_export_shows_the_author_of_a_tombstone_and_another_author_or_parent_is_found() {
        let exported = |gone: Item| {
            let mut history = two();
            history.reply(3, 11, 21, 1, 3).delete(4, 12, 4).export(9, &[item(11, 1), below(11, 21, 1), gone], &[]);
            history
        };
        let gone = Item { member: 1, ..tombstone(12, 2) };
        exported(gone).has_none_of("rows");
        exported(Item { member: 2, ..gone }).has("rows", "its author is 1");
        exported(tombstone(12, 2)).has("rows", "its author is 1");
        let mut history = exported(gone);
        let strange = [Item { member: 2, ..item(11, 1) }, Item { parent: 12, ..below(11, 21, 1) }, gone];
        history.export(10, &strange, &[]).has("rows", "its author is 1");
        history.has("rows", "it answers 11");
    }

    #[test]
    fn the_state_that_stands_in_the_end_is_that_of_the_last_change() {
        let (stands, gone) = (item(11, 1), Item { member: 1, ..tombstone(11, 1) });
        let ends = |row: Item, changes: &dyn Fn(&mut SampleHistory)| {
            let mut history = SampleHistory::default();
            changes(history.root(1, 11, 1, 1));
            history.export(9, &[row], &[]);
            history
        };
        let deleted = |history: &mut SampleHistory| {
            history.delete(2, 11, 2);
        };
        let back = |history: &mut SampleHistory| {
            history.delete(2, 11, 2).undelete(3, 11, Some(3));
        };
        let unknown = |history: &mut SampleHistory| {
            history.unknown_delete(2, 11);
        };
        ends(stands, &deleted).has("rows", "its content is shown though it was deleted");
        ends(gone, &back).has("rows", "deleted though it stands");
        ends(gone, &|_| ()).has("rows", "deleted though it stands");
        for (row, changes) in
            [(gone, &deleted as &dyn Fn(&mut SampleHistory)), (stands, &back), (stands, &unknown), (gone, &unknown)]
        {
            ends(row, changes).has_none_of("rows");
        }
        let mut history = SampleHistory::default();
        let double = Item { text: stands.text, ..item(12, 2) };
        history.root(1, 11, 1, 1).delete(2, 11, 2).export(9, &[gone, double], &[]);
        history.has("rows", "doubled");
    }

    #[test]
    fn a_comment_of_the_future_or_at_another_floor_is_found() {
        let mut history = two();
        history.page(3, Sort::Oldest, 1, &[item(11, 1), item(12, 2)]);
        history.has("rows", "made at 2");
        let mut history = two();
        history.page(3, Sort::Oldest, 1, &[item(11, 2)]);
        history.has("rows", "floor 1");
    }
}
