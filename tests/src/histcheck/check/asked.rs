//! A response matches its request: a comment, a list, the replies of a
//! root, or a change of a comment. Previews belong to the roots that they are shown below, are no
//! longer than requested, and contain no comment twice.

use std::collections::BTreeSet;

use super::Found;
use super::fixture::Fixture;
use crate::histcheck::history::{Call, Item, Outcome, Place, Written};

/// Finds responses that do not match their request.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    for number in fixture.mine {
        let op = fixture.op(*number);
        let wrong = match (&op.call, &op.outcome) {
            (Call::Get { comment, .. }, Outcome::Comment(item)) => {
                (item.id != *comment).then(|| format!("{} instead of {comment}", item.id))
            }
            (Call::List(page), Outcome::Page(shown)) => roots(&shown.items, page.previews().into()),
            (Call::Replies { root, .. }, Outcome::Page(shown)) => replies(&shown.items, *root),
            (
                Call::Edit { comment, .. } | Call::Delete { comment, .. } | Call::Undelete { comment, .. },
                Outcome::Written(of),
            ) => changed(fixture, *comment, of),
            (Call::Root { .. }, Outcome::Written(of)) => (of.root != 0).then(|| format!("a root below {}", of.root)),
            (Call::Reply { parent, .. }, Outcome::Written(of)) => reply(fixture, *parent, of),
            _other => None,
        };
        found.extend(wrong, *number);
    }
}

/// Checks threads: a root followed by its preview.
fn roots(items: &[Item], most: usize) -> Option<String> {
    for thread in items.chunk_by(|_, next| next.place == Place::Preview) {
        let (root, preview) = thread.split_first()?;
        if root.root != 0 || root.place != Place::Row {
            return Some(format!("a list of roots with {}, a reply", root.id));
        }
        if let Some(foreign) = preview.iter().find(|reply| reply.root != root.id) {
            return Some(format!("the preview of {} has {}, a reply to {}", root.id, foreign.id, foreign.root));
        }
        let different: BTreeSet<i64> = preview.iter().map(|reply| reply.id).collect();
        if different.len() < preview.len() || preview.len() > most {
            return Some(format!(
                "the preview of {} has {} replies, {} different",
                root.id,
                preview.len(),
                different.len()
            ));
        }
    }
    None
}

/// Checks a page of replies: the root at the head, and replies to it.
fn replies(items: &[Item], root: i64) -> Option<String> {
    let fits = |item: &&Item| match item.place {
        Place::Head => item.id == root,
        Place::Row => item.root == root,
        Place::Preview => false,
    };
    let head = items.iter().filter(|item| item.place == Place::Head).count();
    let foreign = items.iter().find(|item| !fits(item)).map(|item| format!("the replies to {root} have {item}"));
    foreign.or_else(|| (head != 1).then(|| format!("the replies to {root} have {head} heads")))
}

fn changed(fixture: &Fixture<'_>, comment: i64, of: &Written) -> Option<String> {
    let as_it_is = fixture.comment(comment).is_none_or(|comment| (comment.root, comment.floor) == (of.root, of.floor));
    (of.id != comment || !as_it_is).then(|| format!("a change of {comment} is answered as one of {of:?}"))
}

/// Checks that a reply belongs to the root of its parent.
fn reply(fixture: &Fixture<'_>, parent: i64, of: &Written) -> Option<String> {
    let parent = fixture.comment(parent)?;
    let root = if parent.root == 0 { parent.id } else { parent.root };
    (of.root != root).then(|| format!("a reply to {} stands below {}, not {root}", parent.id, of.root))
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item};
    use crate::histcheck::history::{Call, Item, Outcome, PageOf, Place, Shown, Sort, View, Written};

    /// Returns 11 with 21 and 22 below it, and 12.
    fn two() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).reply(3, 11, 21, 1, 3).reply(4, 11, 22, 2, 4);
        sample_history
    }

    fn preview(id: i64, floor: i32) -> Item {
        Item { place: Place::Preview, ..below(11, id, floor) }
    }

    #[test]
    fn another_comment_than_was_asked_for_is_found() {
        let mut sample_history = two();
        sample_history.get(5, Item { replies: 2, ..item(11, 1) }, true).has_none();
        sample_history.last(|op| op.call = Call::Get { subject: 0, comment: 12, view: View::default() });
        sample_history.has("asked", "11 instead of 12");
    }

    #[test]
    fn previews_are_of_their_root_and_no_longer_than_asked() {
        let first = Item { replies: 2, ..item(11, 1) };
        let page = |items: &[Item]| {
            let mut sample_history = two();
            sample_history.page(5, Sort::Oldest, 4, items);
            sample_history
        };
        page(&[first, preview(21, 1), preview(22, 2), item(12, 2)]).has_none();
        page(&[first, item(12, 2), preview(21, 1), preview(22, 2)]).has("asked", "the preview of 12 has 21");
        page(&[first, preview(21, 1), preview(21, 1), item(12, 2)]).has("asked", "2 replies, 1 different");
        page(&[first, preview(21, 1), preview(22, 2), preview(22, 2), item(12, 2)]).has("asked", "has 3 replies");
        page(&[first, preview(21, 1), preview(22, 2), below(11, 22, 2)]).has("asked", "with 22, a reply");
    }

    #[test]
    fn replies_of_another_root_are_found() {
        let replies = |root, items: &[Item]| {
            let (mut sample_history, view) = (two(), View::default());
            let page = PageOf { subject: 0, sort: Sort::Oldest, size: 2, walk: 1, number: 0, view };
            let shown = Shown { revision: 4, counts: None, last: true, items: items.into() };
            sample_history.op(5, Call::Replies { root, page }, Outcome::Page(shown));
            sample_history
        };
        let head = Item { place: Place::Head, replies: 2, ..item(11, 1) };
        replies(11, &[head, below(11, 21, 1), below(11, 22, 2)]).has_none();
        replies(12, &[head, below(11, 21, 1), below(11, 22, 2)]).has("asked", "the replies to 12 have");
        replies(11, &[below(11, 21, 1), below(11, 22, 2)]).has("asked", "0 heads");
    }

    #[test]
    fn a_change_of_another_comment_and_a_reply_elsewhere_are_found() {
        let mut sample_history = two();
        let call = Call::Delete { subject: 0, comment: 12, member: 1 };
        sample_history.op(5, call, Outcome::Written(Written { id: 11, root: 0, floor: 1, revision: 5 }));
        sample_history.has("asked", "a change of 12 is answered as one of");
        let mut sample_history = two();
        sample_history.answer(5, 21, Written { id: 23, root: 12, floor: 1, revision: 5 });
        sample_history.has("asked", "a reply to 21 stands below 12, not 11");
    }
}
