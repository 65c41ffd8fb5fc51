//! From the protocol's terms to the words of a function call.

use fred::bytes::Bytes;
use fred::types::Value;
use prost::Message;
use riposte_core::page::{Cut, Order, Start, Window};
use riposte_core::{CommentId, Partition, Subject, SubjectKey};

use super::message::SubjectRow;
use super::value::{self, Parts, hex};
use crate::port::{Change, Choice, Fill, Item, Kind, Likes, ListName, Listed, Member, PageAsk, Part, Ticket};

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

/// Ids in one word.
pub(super) fn ids(ids: &[CommentId]) -> Value {
    text(ids.iter().map(|id| hex(id.get())).collect::<String>())
}

/// The key of a partition's cursor: all others of it begin like this one.
pub(super) fn cursor(at: Partition, timeline: u16) -> String {
    format!("{{p{:04}}}.{timeline}:cur", at.get())
}

/// A subject's name. No type has a colon, so no two subjects have the same.
pub(super) fn name(key: &SubjectKey) -> String {
    format!("{}:{}", key.object_type().as_str(), key.object_id())
}

/// A member's name under a subject. Neither id has control characters.
pub(super) fn member(who: &Member) -> String {
    format!("{}\u{1}{}", name(&who.key), who.member.as_str())
}

fn owner(root: Option<CommentId>, subject: i64) -> String {
    root.map_or_else(|| format!("s{}", hex(subject)), |root| format!("r{}", hex(root.get())))
}

pub(super) const fn order(order: Order) -> &'static str {
    match order {
        Order::Oldest => "o",
        Order::Newest => "n",
    }
}

pub(super) fn kind(kind: Kind) -> String {
    match kind {
        Kind::List(ListName { root, order: of }) => {
            format!("{}{}", order(of), root.map_or_else(String::new, |root| hex(root.get())))
        }
        Kind::Picked { root, first } => format!("p{first}:{}", root.map_or_else(String::new, |root| hex(root.get()))),
        Kind::Row => "row".to_owned(),
        Kind::Comments => "comments".to_owned(),
    }
}

/// The row, its pins, and whether it is deleted.
fn row(subject: &Subject) -> [Value; 3] {
    let pins: String = subject.pins.iter().map(|pin| hex(pin.get())).collect();
    let deleted = if subject.delete_time.is_some() { "1" } else { "" };
    [bytes(SubjectRow::from(subject).encode_to_vec()), text(pins), text(deleted)]
}

fn parts(of: CommentId, parts: Parts) -> [Value; 4] {
    [id(of), bytes(parts.head), bytes(parts.row), bytes(parts.content)]
}

/// A change, as the library describes it.
pub(super) fn change(change: &Change) -> Vec<Value> {
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
        words.extend(parts(patch.comment.id, Parts::of(&patch.comment, patch.content.as_ref())));
    }
    words
}

/// Likes of a comment.
pub(super) fn likes(likes: &Likes) -> [Value; 3] {
    [text(hex(likes.subject.get())), id(likes.id), bytes(value::told(likes))]
}

/// What a fill brings, behind the words about the ticket and the times.
pub(super) fn fill(ticket: &Ticket, fill: &Fill) -> Vec<Value> {
    let mut words = vec![number(u8::from(fill.force)), number(fill.seen)];
    match &fill.subject {
        Some(subject) => {
            words.push(number(subject.revision));
            words.extend(row(subject));
        }
        None => words.extend([text(""), text(""), text(""), text("")]),
    }
    words.push(number(fill.lists.len()));
    for Listed { name, low, high, members } in &fill.lists {
        words.extend([text(owner(name.root, ticket.subject.get())), text(order(name.order))]);
        words.extend([number(low), number(high), number(members.len())]);
        words.extend(members.iter().flat_map(|(floor, who)| [number(floor), id(*who)]));
    }
    words.push(number(fill.items.len()));
    for Item { comment, content } in &fill.items {
        words.extend(parts(comment.id, Parts::of(comment, content.as_ref())));
    }
    words.push(number(fill.choices.len()));
    for Choice { root, members, high, place: (likes, floor) } in &fill.choices {
        words.extend([id(*root), number(likes), number(floor), number(high), number(members.len())]);
        words.extend(members.iter().flat_map(|(floor, who)| [number(floor), id(*who)]));
    }
    words
}

/// A page to look for.
pub(super) fn page(ask: &PageAsk) -> Vec<Value> {
    let root = ask.root.map_or_else(String::new, |root| hex(root.get()));
    let mut words = vec![text(name(&ask.key)), text(root), number(ask.previews)];
    match &ask.part {
        Part::Window(window) => words.extend(part(window)),
        Part::These(ids) => words.extend(std::iter::once(text("i")).chain(ids.iter().map(|one| id(*one)))),
    }
    words
}

fn part(window: &Window) -> [Value; 6] {
    let cut = Cut::of(window);
    let start = match window.start {
        Start::Beginning | Start::After(_) => "f",
        Start::Before(_) => "b",
        Start::Around(_) => "a",
    };
    [text(order(window.order)), text(start), number(window.limit), number(cut.floor), number(cut.low), number(cut.high)]
}
