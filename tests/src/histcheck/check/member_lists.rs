//! The list of a member's comments in an object type during a run: each comment of the member that
//! has been visible for some time, once and with a text that was written to it, and no other. The
//! list follows the commits, and each comment in it is shown as it is now.

use std::collections::BTreeMap;

use super::histories::{replaced, was_written};
use super::int_map::IntMap;
use super::subject_history::{Comment, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, History, Item, Nanos, Outcome};
use crate::histcheck::names;

/// The longest time by which a list may be behind the commits. The service promises some 100 ms.
/// Here faults stop relays and databases one after the other, and a list may follow only when both
/// are back.
const MAX_LAG: Nanos = 2 * MAX_AGE;

/// The lists that were read, by object type and member.
#[derive(Debug)]
pub(super) struct MemberLists<'h>(BTreeMap<(String, u32), Vec<MemberList<'h>>>);

/// A list that was read.
#[derive(Debug)]
struct MemberList<'h> {
    op: u32,
    begun: Nanos,
    ended: Nanos,
    items: IntMap<i64, &'h Item>,
}

impl<'h> MemberLists<'h> {
    /// Returns the lists of a history. Finds comments that a list has twice, and those of other
    /// members or types.
    pub(super) fn of(history: &'h History, findings: &mut Findings) -> Self {
        let mut lists: BTreeMap<(String, u32), Vec<MemberList<'h>>> = BTreeMap::new();
        for (number, op) in (0..).zip(&history.ops) {
            let (Call::OfMember { subject, member }, Outcome::OfMember(listed)) = (&op.call, &op.outcome) else {
                continue;
            };
            let object_type = names::key(*subject).object_type;
            let mut items = IntMap::default();
            for item in listed {
                findings.add_if_any(foreign(item, &object_type, *member), number);
                if items.insert(item.id, item).is_some() {
                    findings.add(|| format!("the list of member {member} has {} twice", item.id), &[number]);
                }
            }
            let list = MemberList { op: number, begun: op.begun, ended: op.ended, items };
            lists.entry((object_type, *member)).or_default().push(list);
        }
        Self(lists)
    }
}

/// Returns why a comment belongs to no list of this member.
fn foreign(item: &Item, object_type: &str, member: u32) -> Option<String> {
    let of = names::key(item.subject).object_type;
    let is_own = item.member == member && of == object_type && item.text_subject == item.subject;
    (!is_own).then(|| format!("the list of member {member} in {object_type} has a comment of another: {item}"))
}

/// Finds comments of a subject that lists lack, or that they should not have.
pub(super) fn check(history: &SubjectHistory<'_>, lists: &MemberLists<'_>, findings: &mut Findings) {
    let Some(subject) = history.op_numbers.first().map(|first| history.op(*first).call.subject()) else { return };
    let object_type = names::key(subject).object_type;
    for comment in &history.comments {
        let author = history.call(history.request(comment.request)).makes().map(|(member, ..)| member);
        for list in author.and_then(|author| lists.0.get(&(object_type.clone(), author))).into_iter().flatten() {
            findings.cases(1);
            let violation = match list.items.get(&comment.id) {
                Some(item) => shown(history, comment, list, item.text),
                None => {
                    let since = list.begun.saturating_sub(MAX_LAG);
                    let is_lost = comment.was_visible(history, since, list.ended);
                    is_lost.then(|| format!("the list of its author lacks {}, which is visible", comment.id))
                }
            };
            if let Some(description) = violation {
                findings.add(|| description, &comment.explaining_ops(history, list.op));
            }
        }
    }
    for list in lists.0.iter().filter(|((of, _), _)| *of == object_type).flat_map(|(_, lists)| lists) {
        let unknown = |item: &&&Item| item.subject == subject && history.comment(item.id).is_none();
        for item in list.items.values().filter(unknown) {
            // The create may have no response.
            if !history.text_writer(item.text).is_some_and(|request| history.may_have_created(request)) {
                findings.add(|| format!("a list has a comment that was never written: {item}"), &[list.op]);
            }
        }
    }
}

/// Returns why a list may not show a comment with this text.
fn shown(history: &SubjectHistory<'_>, comment: &Comment, list: &MemberList<'_>, text: u64) -> Option<String> {
    let (id, since) = (comment.id, list.begun.saturating_sub(MAX_AGE));
    if !comment.may_have_been(history, true, since, list.ended) {
        return Some(format!("the list of its author has {id}, which is not visible"));
    }
    if !was_written(history, comment, text) {
        return Some(format!("a list shows {id} with the text {text}, which was not written to it"));
    }
    let is_old = replaced(history, comment, since).contains(&text);
    is_old.then(|| format!("a list shows {id} with the text {text}, which was replaced"))
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item};
    use super::{MAX_AGE, MAX_LAG};
    use crate::histcheck::history::{Call, Item, Outcome};

    const RULE: &str = "member lists";
    /// Seconds after which no response may be older than second 5, and no list may lack what it
    /// had.
    const LATER: u64 = MAX_AGE / 1_000_000_000 + 10;
    const MUCH_LATER: u64 = MAX_LAG / 1_000_000_000 + 10;

    /// Returns the comments 11 and 12 of member 1, the first with the texts 11 and, since second 4,
    /// 7.
    fn written() -> SampleHistory {
        let mut history = SampleHistory::default();
        history.root(1, 11, 1, 1).root(2, 12, 2, 2).edit(4, 11, 7, Some(3));
        history
    }

    fn listed(mut history: SampleHistory, at: u64, items: &[Item]) -> SampleHistory {
        history.op(at, Call::OfMember { subject: 0, member: 1 }, Outcome::OfMember(items.into()));
        history
    }

    fn edited() -> Item {
        Item { text: 7, ..item(11, 1) }
    }

    #[test]
    fn a_list_has_every_comment_that_was_visible_for_some_time() {
        listed(written(), MUCH_LATER, &[item(12, 2), edited()]).finds_nothing();
        listed(written(), 5, &[]).finds_nothing();
        listed(written(), MUCH_LATER, &[item(12, 2)]).finds(RULE, "lacks 11, which is visible");
        let mut restored = written();
        restored.delete(5, 11, 4).undelete(MUCH_LATER - 5, 11, Some(5));
        listed(restored, MUCH_LATER, &[item(12, 2)]).finds_nothing();
    }

    #[test]
    fn a_list_has_no_comment_that_is_deleted_or_was_never_written() {
        let deleted = || {
            let mut history = written();
            history.delete(5, 11, 4);
            history
        };
        listed(deleted(), 6, &[item(12, 2), edited()]).finds_nothing_of(RULE);
        listed(deleted(), LATER, &[item(12, 2)]).finds_nothing();
        listed(deleted(), LATER, &[item(12, 2), edited()]).finds(RULE, "has 11, which is not visible");
        listed(written(), 5, &[item(13, 3)]).finds(RULE, "never written");
        let mut without_response = written();
        without_response.unknown_root(5, 13);
        listed(without_response, 6, &[item(13, 3)]).finds_nothing_of(RULE);
    }

    #[test]
    fn a_list_shows_each_comment_once_with_a_text_of_its_own() {
        listed(written(), 5, &[item(11, 1)]).finds_nothing();
        listed(written(), LATER, &[item(11, 1)]).finds(RULE, "the text 11, which was replaced");
        listed(written(), 5, &[Item { text: 12, ..item(11, 1) }]).finds(RULE, "the text 12, which was not written");
        listed(written(), 5, &[edited(), edited()]).finds(RULE, "has 11 twice");
        for other in
            [Item { member: 2, ..edited() }, Item { subject: 1, ..edited() }, Item { text_subject: 3, ..edited() }]
        {
            listed(written(), 5, &[other]).finds(RULE, "has a comment of another");
        }
    }
}
