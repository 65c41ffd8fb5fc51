//! Formats the data of a Redis key as a line of fields, separated by tabs. Tests use it to inspect
//! all keys without the cache protocol. It decodes the data with the code that serves reads.
//!
//! The first field is the form of the data and determines the fields that follow:
//!
//! * `cursor`, the relay's position in a partition: partition, generation
//! * `name`, the id of a subject by its key: partition, object type, object id, subject id (0: the
//!   subject does not exist)
//! * `block`, a subject entry without its parts: partition, subject id, incarnation, generation, 1
//!   if the entry can be read, otherwise 0; then, if the entry has a revision, the subject's row:
//!   object type, object id, root count, comment count, revision
//! * `comment`, a cached comment: partition, id, incarnation, subject, root, parent, floor, member,
//!   state, likes, dislikes, replies, revision, text
//! * `list`, a range of a list of comments: partition, owner (`s` and a subject id, or `r` and a
//!   root id), incarnation, lowest and highest floor; then for each comment: floor, id
//! * `choice`, the preview candidates of a root: partition, root, incarnation; then for each
//!   candidate: floor, id
//! * `states`, the likes of a member in a subject: partition, object type, object id, member,
//!   generation; then for each comment: id, value
//! * `aside`: no further fields. Readers never receive the key's data by itself (a log, a pending
//!   read or fill), or other checks cover it (a rendered page).
//! * `damaged`: the key. Its form is known, but its content is invalid.
//! * `strange`: the key. Its form is unknown.

use prost::Message;
use riposte_core::{CommentId, Partition};

use super::stored::StoredSubject;
use super::value;

/// The data of a key: the value of a string; alternating fields and values of a hash; alternating
/// members and scores of a sorted set.
type Values = [Vec<u8>];

/// Returns the line of the key `name`. `kind` is its Redis type: `string`, `hash` or `zset`.
#[must_use]
pub fn dump(name: &str, kind: &str, values: &Values) -> String {
    let Some((partition, form, rest)) = split_key(name) else { return format!("strange\t{name}") };
    let line = match (form, kind) {
        ("cur", "hash") => cursor(values),
        ("k", "string") => subject_id(rest, values),
        ("h", "hash") => subject_entry(rest, values),
        ("c", "string") => comment(rest, values),
        ("z", "zset") => list(rest, values),
        ("p", "string") => candidates(rest, values),
        ("m", "hash") => states(rest, values),
        ("f", "string") | ("w", "hash") => Some(Line::Aside),
        ("cur" | "k" | "h" | "c" | "z" | "p" | "m" | "f" | "w", _) => None,
        _ => return format!("strange\t{name}"),
    };
    match line {
        Some(Line::Decoded(form, fields)) => {
            let fields: Vec<String> = fields.into_iter().map(|field| field.replace(['\t', '\n'], " ")).collect();
            format!("{form}\t{}\t{}", partition.get(), fields.join("\t"))
        }
        Some(Line::Aside) => "aside".to_owned(),
        None => format!("damaged\t{name}"),
    }
}

/// A line without its partition.
enum Line {
    /// The form, and the fields that follow the partition.
    Decoded(&'static str, Vec<String>),
    /// A line of the form `aside`.
    Aside,
}

/// Splits a key into its partition, its form, and the rest of its name.
fn split_key(name: &str) -> Option<(Partition, &str, &str)> {
    let (part, rest) = name.strip_prefix("{p")?.split_once("}.")?;
    let number = part.parse().ok().filter(|_| part.len() == 4)?;
    let (timeline, rest) = rest.split_once(':')?;
    timeline.parse::<u16>().ok()?;
    let (form, rest) = rest.split_once(':').unwrap_or((rest, ""));
    Some((Partition::number(number), form, rest))
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn id(hex: &str) -> Option<i64> {
    i64::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 16)
}

/// Formats the bytes of an incarnation as hexadecimal digits.
fn incarnation(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn field<'v>(values: &'v Values, name: &str) -> Option<&'v [u8]> {
    values.chunks_exact(2).find(|pair| pair[0] == name.as_bytes()).map(|pair| &pair[1][..])
}

fn number(values: &Values, name: &str) -> Option<i64> {
    text(field(values, name)?)?.parse().ok()
}

fn cursor(values: &Values) -> Option<Line> {
    // The field is absent, and no entry can be read, until the relay has reached the partition.
    let generation = field(values, "g").map_or(Some(""), text)?;
    Some(Line::Decoded("cursor", vec![generation.to_owned()]))
}

fn subject_id(rest: &str, values: &Values) -> Option<Line> {
    let (object_type, object) = rest.split_once(':')?;
    let value = text(values.first()?)?;
    let subject = match value {
        "-" => 0,
        _ if value.starts_with('?') => return Some(Line::Aside),
        _ => id(value)?,
    };
    Some(Line::Decoded("name", vec![object_type.to_owned(), object.to_owned(), subject.to_string()]))
}

fn subject_entry(rest: &str, values: &Values) -> Option<Line> {
    let (incarnation, generation) = (incarnation(field(values, "inc")?), text(field(values, "g")?)?.to_owned());
    let revision = number(values, "rev");
    let readable = revision.is_some_and(|revision| revision >= number(values, "W").unwrap_or_default());
    let mut fields = vec![id(rest)?.to_string(), incarnation, generation, u8::from(readable).to_string()];
    if revision.is_some() {
        let row = StoredSubject::decode(field(values, "row")?)
            .ok()?
            .subject()
            .filter(|row| row.id.get().to_string() == fields[0])?;
        fields.extend([row.key.object_type().as_str().to_owned(), row.key.object_id().to_owned()]);
        fields.extend([
            row.counts.root_count.to_string(),
            row.counts.comment_count.to_string(),
            row.revision.to_string(),
        ]);
    }
    Some(Line::Decoded("block", fields))
}

fn comment(rest: &str, values: &Values) -> Option<Line> {
    let value = values.first()?;
    let cached = value::decode_comment(value, CommentId::new(id(rest)?))?;
    let row = &cached.comment;
    let id_or_zero = |id: Option<CommentId>| id.map_or(0, CommentId::get).to_string();
    let content = cached.content.as_ref().map_or("", |content| content.text());
    Some(Line::Decoded(
        "comment",
        vec![
            row.reference.id.get().to_string(),
            incarnation(value.get(4..12)?),
            row.reference.subject_id.get().to_string(),
            id_or_zero(row.reference.root_id),
            id_or_zero(row.reference.parent_id),
            row.reference.floor.to_string(),
            row.reference.member.as_str().to_owned(),
            row.lifecycle.state.code().to_string(),
            row.counts.like_count.to_string(),
            row.counts.dislike_count.to_string(),
            row.counts.reply_count.to_string(),
            row.lifecycle.revision.to_string(),
            content.to_owned(),
        ],
    ))
}

fn list(rest: &str, values: &Values) -> Option<Line> {
    let (owner, _) = rest.split_once(':')?;
    id(owner.get(1..)?)?;
    let (sentinel, members) = values.split_at_checked(2)?;
    let sentinel = sentinel[0].strip_prefix(b"#")?;
    let (entry, bounds) = sentinel.split_at_checked(8)?;
    let (low, high) = text(bounds)?.strip_prefix(':')?.split_once(':')?;
    let mut fields = vec![owner.to_owned(), incarnation(entry), low.to_owned(), high.to_owned()];
    for pair in members.chunks_exact(2) {
        fields.extend([text(&pair[1])?.to_owned(), id(text(&pair[0])?)?.to_string()]);
    }
    Some(Line::Decoded("list", fields))
}

fn candidates(rest: &str, values: &Values) -> Option<Line> {
    let value = values.first()?;
    let (head, members) = value.split_at_checked(20).filter(|(_, members)| members.len().is_multiple_of(20))?;
    let mut fields = vec![id(rest)?.to_string(), incarnation(&head[..8])];
    for member in members.chunks_exact(20) {
        let (floor, reply) = member.split_first_chunk::<4>()?;
        fields.extend([u32::from_be_bytes(*floor).to_string(), id(text(reply)?)?.to_string()]);
    }
    Some(Line::Decoded("choice", fields))
}

fn states(rest: &str, values: &Values) -> Option<Line> {
    let (name, member) = rest.split_once('\u{1}')?;
    let (object_type, object) = name.split_once(':')?;
    if field(values, "ok").is_none() {
        return Some(Line::Aside);
    }
    let generation = text(field(values, "g")?)?;
    let mut fields: Vec<String> = [object_type, object, member, generation].map(str::to_owned).to_vec();
    for pair in values.chunks_exact(2) {
        let name = text(&pair[0])?;
        if name != "ok" && name != "g" && !name.starts_with(['!', '?']) {
            fields.extend([id(name)?.to_string(), text(&pair[1])?.parse::<i8>().ok()?.to_string()]);
        }
    }
    Some(Line::Decoded("states", fields))
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::{StoredSubject, dump};
    use crate::redis::tests::comment;
    use crate::redis::value::{CommentParts, hex};

    fn dumped(name: &str, kind: &str, values: &[&[u8]]) -> String {
        dump(&format!("{{p0007}}.0:{name}"), kind, &values.iter().map(|value| value.to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn each_form_is_written_with_its_fields() {
        let (seven, nine) = (hex(7), hex(9));
        assert_eq!(dumped("cur", "hash", &[b"n", b"5", b"g", b"x"]), "cursor\t7\tx");
        assert_eq!(dumped("k:video:a:b", "string", &[seven.as_bytes()]), "name\t7\tvideo\ta:b\t7");
        assert_eq!(dumped("k:video:a", "string", &[b"-"]), "name\t7\tvideo\ta\t0");
        assert_eq!(dumped("k:video:a", "string", &[b"?me"]), "aside");
        let list = [b"#abcdefgh:0:2147483647", &b"-inf"[..], nine.as_bytes(), b"3"];
        let expected = "list\t7\ts0000000000000007\t6162636465666768\t0\t2147483647\t3\t9";
        assert_eq!(dumped(&format!("z:s{seven}:n"), "zset", &list), expected);
        let candidates = [b"abcdefgh", &[0; 12][..], &[0, 0, 0, 2], nine.as_bytes()].concat();
        assert_eq!(dumped(&format!("p:{seven}"), "string", &[&candidates]), "choice\t7\t7\t6162636465666768\t2\t9");
        let states = [&b"ok"[..], b"1", b"g", b"x", nine.as_bytes(), b"-1", b"!token", b"4"];
        assert_eq!(dumped("m:video:a\u{1}m5", "hash", &states), "states\t7\tvideo\ta\tm5\tx\t9\t-1");
        assert_eq!(dumped("m:video:a\u{1}m5", "hash", &[b"?", b"me", b"g", b"x"]), "aside");
        assert_eq!(
            dumped("h:0000000000000007", "hash", &[b"inc", b"abcdefgh", b"g", b"x"]),
            "block\t7\t7\t6162636465666768\tx\t0"
        );
    }

    #[test]
    fn data_that_is_damaged_or_of_an_unknown_form_is_written_with_its_key() {
        let row = comment(7, 3);
        let CommentParts { head, row, content } = CommentParts::of(&row, None);
        let mut value = [head, row, content].concat();
        let name = "c:0000000000000007";
        assert!(dumped(name, "string", &[&value]).starts_with("comment\t7\t7\t0000000000000000\t"));
        value[70] ^= 1;
        assert_eq!(dumped(name, "string", &[&value]), "damaged\t{p0007}.0:c:0000000000000007");
        assert_eq!(dumped(name, "hash", &[]), "damaged\t{p0007}.0:c:0000000000000007");
        let entry =
            [&b"inc"[..], b"abcdefgh", b"g", b"x", b"rev", b"3", b"row", &StoredSubject::default().encode_to_vec()];
        assert!(dumped("h:0000000000000007", "hash", &entry).starts_with("damaged"));
        assert_eq!(dumped("x:1", "string", &[b"1"]), "strange\t{p0007}.0:x:1");
        assert_eq!(dump("{p7}.0:cur", "hash", &[]), "strange\t{p7}.0:cur");
        assert_eq!(dump("session", "string", &[]), "strange\tsession");
    }
}
