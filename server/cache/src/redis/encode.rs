//! Encodes the protocol's types as the arguments of a function call.

use fred::bytes::Bytes;
use fred::types::Value;
use prost::Message;
use riposte_core::page::{ListOrder, PageQuery, PageStart, RangeSplit};
use riposte_core::{CommentId, Partition, Subject, SubjectKey};

use super::stored::StoredSubject;
use super::value::{self, CommentParts, hex, hex_list};
use crate::port::{
    CacheFill, CachedCandidates, CachedComment, CachedPageQuery, ConcealedComment, FillLease, FillScope, LikeCounts,
    ListName, ListPart, ListRange, SubjectMember, SubjectUpdate,
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

/// Encodes ids as one argument.
pub(super) fn ids(ids: &[CommentId]) -> Value {
    text(hex_list(ids.iter().map(|id| id.get())))
}

/// Returns the key of a partition's cursor. All other keys of the partition have the same prefix.
pub(super) fn cursor(partition: Partition, timeline: u16) -> String {
    format!("{{p{:04}}}.{timeline}:cur", partition.get())
}

/// Returns the name of a subject in keys. No object type contains a colon, so names are unique.
pub(super) fn name(key: &SubjectKey) -> String {
    format!("{}:{}", key.object_type().as_str(), key.object_id())
}

/// Returns the name of a member under a subject in keys. Neither id contains control characters.
pub(super) fn member(member: &SubjectMember) -> String {
    format!("{}\u{1}{}", name(&member.key), member.member.as_str())
}

/// Returns the name of a list in keys, without its order.
fn list_name(root: Option<CommentId>, subject: i64) -> String {
    root.map_or_else(|| format!("s{}", hex(subject)), |root| format!("r{}", hex(root.get())))
}

pub(super) const fn order(order: ListOrder) -> &'static str {
    match order {
        ListOrder::Oldest => "o",
        ListOrder::Newest => "n",
    }
}

/// Returns the name of a fill scope.
pub(super) fn scope(scope: FillScope) -> String {
    match scope {
        FillScope::List(ListName { root, order: from }) => {
            format!("{}{}", order(from), root.map_or_else(String::new, |root| hex(root.get())))
        }
        FillScope::Floors { root, first } => {
            format!("p{first}:{}", root.map_or_else(String::new, |root| hex(root.get())))
        }
        FillScope::Row => "row".to_owned(),
        FillScope::Comments => "comments".to_owned(),
    }
}

/// Returns the row of a subject, its pins, and a flag that is set if the subject is deleted.
fn row(subject: &Subject) -> [Value; 3] {
    let pins: String = subject.pins.iter().map(|pin| hex(pin.get())).collect();
    let deleted = if subject.delete_time.is_some() { "1" } else { "" };
    [bytes(StoredSubject::from(subject).encode_to_vec()), text(pins), text(deleted)]
}

fn member_of_list((floor, comment): &(i32, CommentId)) -> [Value; 2] {
    [number(floor), id(*comment)]
}

fn comment(comment: CommentId, parts: CommentParts) -> [Value; 4] {
    [id(comment), bytes(parts.head), bytes(parts.row), bytes(parts.content)]
}

/// Encodes a change in the format that lua/change.lua describes.
pub(super) fn change(change: &SubjectUpdate) -> Vec<Value> {
    let subject = &change.subject;
    let mut args = vec![number(subject.revision)];
    args.extend(row(subject));
    args.push(text(if change.created { name(&subject.key) } else { String::new() }));
    args.push(number(change.lists.len()));
    for list in &change.lists {
        args.extend([
            text(list_name(list.root, subject.id.get())),
            number(list.added.len()),
            number(list.removed.len()),
        ]);
        args.extend(list.added.iter().flat_map(member_of_list));
        args.extend(list.removed.iter().map(number));
    }
    args.push(number(change.patches.len()));
    for patch in &change.patches {
        args.extend(comment(patch.comment.reference.id, CommentParts::of(&patch.comment, patch.content.as_ref())));
    }
    args
}

/// Encodes the likes of a comment.
pub(super) fn likes(likes: &LikeCounts) -> [Value; 3] {
    [text(hex(likes.subject.get())), id(likes.id), bytes(value::likes_and_position(likes))]
}

/// Encodes a comment that is not visible, with the revision of its subject.
pub(super) fn concealed(ConcealedComment { subject, comment, revision }: &ConcealedComment) -> [Value; 3] {
    [text(hex(subject.get())), id(*comment), number(revision)]
}

/// Encodes the data of a fill; these arguments follow those about the lease and the lifetimes.
pub(super) fn fill(fill_lease: &FillLease, fill: &CacheFill) -> Vec<Value> {
    let mut args = vec![number(u8::from(fill.force)), number(fill.subject_revision)];
    match &fill.subject {
        Some(subject) => {
            args.push(number(subject.revision));
            args.extend(row(subject));
        }
        None => args.extend([text(""), text(""), text(""), text("")]),
    }
    args.push(number(fill.lists.len()));
    for ListRange { name, low, high, members } in &fill.lists {
        args.extend([text(list_name(name.root, fill_lease.subject.get())), text(order(name.order))]);
        args.extend([number(low), number(high), number(members.len())]);
        args.extend(members.iter().flat_map(member_of_list));
    }
    args.push(number(fill.items.len()));
    for CachedComment { comment, content } in &fill.items {
        args.extend(self::comment(comment.reference.id, CommentParts::of(comment, content.as_ref())));
    }
    args.push(number(fill.candidates.len()));
    for CachedCandidates { root, members, high, bound: (likes, floor) } in &fill.candidates {
        args.extend([id(*root), number(likes), number(floor), number(high), number(members.len())]);
        args.extend(members.iter().flat_map(member_of_list));
    }
    args
}

/// Encodes a request for a page.
pub(super) fn page(query: &CachedPageQuery) -> Vec<Value> {
    let root = query.root.map_or_else(String::new, |root| hex(root.get()));
    let mut args = vec![text(name(&query.key)), text(root), number(query.previews)];
    match &query.part {
        ListPart::Window(window) => args.extend(self::window(window)),
        ListPart::Ids(ids) => args.extend(std::iter::once(text("i")).chain(ids.iter().map(|comment| id(*comment)))),
    }
    args
}

fn window(window: &PageQuery) -> [Value; 6] {
    let split = RangeSplit::of(window);
    let start = match window.start {
        PageStart::Beginning | PageStart::After(_) => "f",
        PageStart::Before(_) => "b",
        PageStart::Around(_) => "a",
    };
    [
        text(order(window.order)),
        text(start),
        number(window.limit),
        number(split.floor),
        number(split.low),
        number(split.high),
    ]
}
