//! A response matches its request: a comment, a list, the replies of a root, or a change of a
//! comment. Previews belong to the roots that they are shown below, are no longer than requested,
//! and contain no comment twice.

use std::collections::BTreeSet;

use super::Findings;
use super::subject_history::{Comment, SubjectHistory};
use crate::histcheck::history::{Call, Item, ItemKind, Outcome, WriteResponse};

/// Finds responses that do not match their request.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for number in history.op_numbers {
        let op = history.op(*number);
        let violation = match (&op.call, &op.outcome) {
            (Call::Get { comment, .. }, Outcome::Comment(item)) => {
                (item.id != *comment).then(|| format!("{} instead of {comment}", item.id))
            }
            (Call::List(page), Outcome::Page(shown)) => check_roots(&shown.items, page.previews().into()),
            (Call::Replies { root, .. }, Outcome::Page(shown)) => check_replies(&shown.items, *root),
            (
                Call::Edit { comment, .. }
                | Call::Delete { comment, .. }
                | Call::Undelete { comment, .. }
                | Call::Hide { comment, .. }
                | Call::Unhide { comment, .. },
                Outcome::Written(written),
            ) => check_change(history, *comment, written),
            (Call::Root { .. }, Outcome::Written(written)) => {
                (written.root != 0).then(|| format!("a root below {}", written.root))
            }
            (Call::Reply { parent, .. }, Outcome::Written(written)) => check_reply(history, *parent, written),
            _other => None,
        };
        findings.add_if_any(violation, *number);
    }
}

/// Checks threads: a root followed by its preview.
fn check_roots(items: &[Item], limit: usize) -> Option<String> {
    for thread in items.chunk_by(|_, next| next.kind == ItemKind::Preview) {
        let (root, preview) = thread.split_first()?;
        if root.root != 0 || root.kind != ItemKind::Row {
            return Some(format!("a list of roots with {}, a reply", root.id));
        }
        if let Some(foreign) = preview.iter().find(|reply| reply.root != root.id) {
            return Some(format!("the preview of {} has {}, a reply to {}", root.id, foreign.id, foreign.root));
        }
        let distinct: BTreeSet<i64> = preview.iter().map(|reply| reply.id).collect();
        if distinct.len() < preview.len() || preview.len() > limit {
            return Some(format!(
                "the preview of {} has {} replies, {} of them distinct",
                root.id,
                preview.len(),
                distinct.len()
            ));
        }
    }
    None
}

/// Checks a page of replies: the root at the head, and replies to it.
fn check_replies(items: &[Item], root: i64) -> Option<String> {
    let fits = |item: &&Item| match item.kind {
        ItemKind::Head => item.id == root,
        ItemKind::Row => item.root == root,
        ItemKind::Preview => false,
    };
    let heads = items.iter().filter(|item| item.kind == ItemKind::Head).count();
    let foreign = items.iter().find(|item| !fits(item)).map(|item| format!("the replies to {root} have {item}"));
    foreign.or_else(|| (heads != 1).then(|| format!("the replies to {root} have {heads} heads")))
}

/// Checks that a change returns the comment that was to be changed, with its root and floor.
fn check_change(history: &SubjectHistory<'_>, id: i64, written: &WriteResponse) -> Option<String> {
    let has_position = |comment: &Comment| (comment.root, comment.floor) == (written.root, written.floor);
    let matches = written.id == id && history.comment(id).is_none_or(has_position);
    (!matches).then(|| format!("a change of {id} returned {written:?}"))
}

/// Checks that a reply belongs to the root of its parent.
fn check_reply(history: &SubjectHistory<'_>, parent: i64, written: &WriteResponse) -> Option<String> {
    let parent = history.comment(parent)?;
    let root = if parent.root == 0 { parent.id } else { parent.root };
    (written.root != root).then(|| format!("a reply to {} is below {}, not {root}", parent.id, written.root))
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item};
    use crate::histcheck::history::{Call, Item, ItemKind, Outcome, PageOf, PageResponse, Sort, View, WriteResponse};

    /// Returns root 11 with the replies 21 and 22, and root 12.
    fn two() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).reply(3, 11, 21, 1, 3).reply(4, 11, 22, 2, 4);
        sample_history
    }

    fn preview(id: i64, floor: i32) -> Item {
        Item { kind: ItemKind::Preview, ..below(11, id, floor) }
    }

    #[test]
    fn another_comment_than_the_requested_one_is_found() {
        let mut sample_history = two();
        sample_history.get(5, Item { replies: 2, ..item(11, 1) }, true).finds_nothing();
        sample_history.change_last(|op| op.call = Call::Get { subject: 0, comment: 12, view: View::default() });
        sample_history.finds("matching", "11 instead of 12");
    }

    #[test]
    fn previews_belong_to_their_root_and_are_no_longer_than_requested() {
        let first = Item { replies: 2, ..item(11, 1) };
        let page = |items: &[Item]| {
            let mut sample_history = two();
            sample_history.page(5, Sort::Oldest, 4, items);
            sample_history
        };
        page(&[first, preview(21, 1), preview(22, 2), item(12, 2)]).finds_nothing();
        page(&[first, item(12, 2), preview(21, 1), preview(22, 2)]).finds("matching", "the preview of 12 has 21");
        page(&[first, preview(21, 1), preview(21, 1), item(12, 2)]).finds("matching", "2 replies, 1 of them distinct");
        page(&[first, preview(21, 1), preview(22, 2), preview(22, 2), item(12, 2)]).finds("matching", "has 3 replies");
        page(&[first, preview(21, 1), preview(22, 2), below(11, 22, 2)]).finds("matching", "with 22, a reply");
    }

    #[test]
    fn replies_of_another_root_are_found() {
        let replies = |root, items: &[Item]| {
            let (mut sample_history, view) = (two(), View::default());
            let page = PageOf { subject: 0, sort: Sort::Oldest, size: 2, walk: 1, number: 0, view };
            let shown = PageResponse { revision: 4, counts: None, last: true, items: items.into() };
            sample_history.op(5, Call::Replies { root, page }, Outcome::Page(shown));
            sample_history
        };
        let head = Item { kind: ItemKind::Head, replies: 2, ..item(11, 1) };
        replies(11, &[head, below(11, 21, 1), below(11, 22, 2)]).finds_nothing();
        replies(12, &[head, below(11, 21, 1), below(11, 22, 2)]).finds("matching", "the replies to 12 have");
        replies(11, &[below(11, 21, 1), below(11, 22, 2)]).finds("matching", "0 heads");
    }

    #[test]
    fn a_change_of_another_comment_and_a_reply_below_another_root_are_found() {
        let mut sample_history = two();
        let call = Call::Delete { subject: 0, comment: 12, member: 1 };
        sample_history.op(5, call, Outcome::Written(WriteResponse { id: 11, root: 0, floor: 1, revision: 5 }));
        sample_history.finds("matching", "a change of 12 returned");
        let mut sample_history = two();
        sample_history.reply_to(5, 21, WriteResponse { id: 23, root: 12, floor: 1, revision: 5 });
        sample_history.finds("matching", "a reply to 21 is below 12, not 11");
    }
}
