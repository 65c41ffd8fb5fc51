//! Encodes the protocol's types as the words of a function call.

use fred::bytes::Bytes;
use fred::types::Value;
use prost::Message;
use riposte_core::page::{ListOrder, PageQuery, PageStart, RangeSplit};
use riposte_core::{CommentId, Partition, Subject, SubjectKey};

use super::stored::StoredSubject;
use super::value::{self, CommentParts, hex};
use crate::port::{
    CacheFill, CachedCandidates, CachedComment, CachedPageQuery, FillLease, FillScope, LikeCounts, ListName, ListPart,
    ListRange, SubjectMember, SubjectUpdate,
};

pub(super) fn text(text: impl Into<String>) -> Value {
    Value::String(text.into().into())
}

pub(super) fn bytes(bytes: impl Into<Vec<u8>>) -> Value {
    Value::Bytes(Bytes::from(bytes.into()))
}

pub(super) fn number(number: impl ToString) -> Value {
    text(number.to_string())
}

pub(super) fn id(id: CommentId) -> Value {
    text(hex(id.get()))
}

/// Encodes ids as one word.
pub(super) fn ids(ids: &[CommentId]) -> Value {
    text(ids.iter().map(|id| hex(id.get())).collect::<String>())
}

/// Returns the key of a partition's cursor. All other keys of the partition have the same
/// beginning.
pub(super) fn cursor(at: Partition, timeline: u16) -> String {
    format!("{{p{:04}}}.{timeline}:cur", at.get())
}

/// Returns a subject's name. No type contains a colon, so names are unique.
pub(super) fn name(key: &SubjectKey) -> String {
    format!("{}:{}", key.object_type().as_str(), key.object_id())
}

/// Returns a member's name under a subject. Neither id contains control characters.
pub(super) fn member(who: &SubjectMember) -> String {
    format!("{}\u{1}{}", name(&who.key), who.member.as_str())
}

fn owner(root: Option<CommentId>, subject: i64) -> String {
    root.map_or_else(|| format!("s{}", hex(subject)), |root| format!("r{}", hex(root.get())))
}

pub(super) const fn order(order: ListOrder) -> &'static str {
    match order {
        ListOrder::Oldest => "o",
        ListOrder::Newest => "n",
    }
}

pub(super) fn kind(kind: FillScope) -> String {
    match kind {
        FillScope::List(ListName { root, order: of }) => {
            format!("{}{}", order(of), root.map_or_else(String::new, |root| hex(root.get())))
        }
        FillScope::Picked { root, first } => {
            format!("p{first}:{}", root.map_or_else(String::new, |root| hex(root.get())))
        }
        FillScope::Row => "row".to_owned(),
        FillScope::Comments => "comments".to_owned(),
    }
}

/// Returns the row, its pins, and a flag for a deleted subject.
fn row(subject: &Subject) -> [Value; 3] {
    let pins: String = subject.pins.iter().map(|pin| hex(pin.get())).collect();
    let deleted = if subject.delete_time.is_some() { "1" } else { "" };
    [bytes(StoredSubject::from(subject).encode_to_vec()), text(pins), text(deleted)]
}

fn parts(of: CommentId, parts: CommentParts) -> [Value; 4] {
    [id(of), bytes(parts.head), bytes(parts.row), bytes(parts.content)]
}

/// Encodes a change in the format that the library describes.
pub(super) fn change(change: &SubjectUpdate) -> Vec<Value> {
    let subject = &change.subject;
    let mut words = vec![number(subject.revision)];
    words.extend(row(subject));
    words.push(text(if change.created { name(&subject.key) } else { String::new() }));
    words.push(number(change.lists.len()));
    for list in &change.lists {
        words.extend([text(owner(list.root, subject.id.get())), number(list.came.len()), number(list.went.len())]);
        words.extend(list.came.iter().flat_map(|(floor, who)| [number(floor), id(*who)]));
        words.extend(list.went.iter().map(number));
    }
    words.push(number(change.patches.len()));
    for patch in &change.patches {
        words.extend(parts(patch.comment.reference.id, CommentParts::of(&patch.comment, patch.content.as_ref())));
    }
    words
}

/// Encodes the likes of a comment.
pub(super) fn likes(likes: &LikeCounts) -> [Value; 3] {
    [text(hex(likes.subject.get())), id(likes.id), bytes(value::told(likes))]
}

/// Encodes the data of a fill; it follows the words about the lease and the lifetimes.
pub(super) fn fill(fill_lease: &FillLease, fill: &CacheFill) -> Vec<Value> {
    let mut words = vec![number(u8::from(fill.force)), number(fill.seen)];
    match &fill.subject {
        Some(subject) => {
            words.push(number(subject.revision));
            words.extend(row(subject));
        }
        None => words.extend([text(""), text(""), text(""), text("")]),
    }
    words.push(number(fill.lists.len()));
    for ListRange { name, low, high, members } in &fill.lists {
        words.extend([text(owner(name.root, fill_lease.subject.get())), text(order(name.order))]);
        words.extend([number(low), number(high), number(members.len())]);
        words.extend(members.iter().flat_map(|(floor, who)| [number(floor), id(*who)]));
    }
    words.push(number(fill.items.len()));
    for CachedComment { comment, content } in &fill.items {
        words.extend(parts(comment.reference.id, CommentParts::of(comment, content.as_ref())));
    }
    words.push(number(fill.choices.len()));
    for CachedCandidates { root, members, high, place: (likes, floor) } in &fill.choices {
        words.extend([id(*root), number(likes), number(floor), number(high), number(members.len())]);
        words.extend(members.iter().flat_map(|(floor, who)| [number(floor), id(*who)]));
    }
    words
}

/// Encodes a request for a page.
pub(super) fn page(ask: &CachedPageQuery) -> Vec<Value> {
    let root = ask.root.map_or_else(String::new, |root| hex(root.get()));
    let mut words = vec![text(name(&ask.key)), text(root), number(ask.previews)];
    match &ask.part {
        ListPart::Window(window) => words.extend(part(window)),
        ListPart::These(ids) => words.extend(std::iter::once(text("i")).chain(ids.iter().map(|one| id(*one)))),
    }
    words
}

fn part(window: &PageQuery) -> [Value; 6] {
    let cut = RangeSplit::of(window);
    let start = match window.start {
        PageStart::Beginning | PageStart::After(_) => "f",
        PageStart::Before(_) => "b",
        PageStart::Around(_) => "a",
    };
    [text(order(window.order)), text(start), number(window.limit), number(cut.floor), number(cut.low), number(cut.high)]
}
