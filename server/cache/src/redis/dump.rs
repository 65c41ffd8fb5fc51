//! Writes the data of a Redis key as a line of words, separated by tabs. Tests use it to inspect
//! all keys without the cache protocol. The code that serves reads decodes the data.
//!
//! The first word determines the words that follow:
//!
//! * `cursor`, the relay's position in a partition: partition, generation
//! * `name`, the id of a subject by its key: partition, object type, object id, subject id (0: the
//!   subject does not exist)
//! * `block`, the head of a subject entry: partition, subject id, incarnation, generation, 1 if the
//!   entry can be read, otherwise 0; then, if the entry has a revision, the subject's row: object
//!   type, object id, root count, comment count, revision
//! * `comment`, a cached comment: partition, id, incarnation, subject, root, parent, floor, member,
//!   state, likes, dislikes, replies, revision, text
//! * `list`, a range of a list of comments: partition, owner (`s` and a subject id, or `r` and a
//!   root id), incarnation, lowest and highest floor; then for each comment: floor, id
//! * `choice`, the preview candidates of a root: partition, root, incarnation; then for each
//!   candidate: floor, id
//! * `states`, the likes of a member in a subject: partition, object type, object id, member,
//!   generation; then for each comment: id, value
//! * `aside`: no further words. Readers never receive the key's data by itself (a log, a pending
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
    let Some((part, form, of)) = parsed(name) else { return format!("strange\t{name}") };
    let read = match (form, kind) {
        ("cur", "hash") => cursor(values),
        ("k", "string") => named(of, values),
        ("h", "hash") => block(of, values),
        ("c", "string") => comment(of, values),
        ("z", "zset") => list(of, values),
        ("p", "string") => choice(of, values),
        ("m", "hash") => states(of, values),
        ("f", "string") | ("w", "hash") => Some(Line::Aside),
        ("cur" | "k" | "h" | "c" | "z" | "p" | "m" | "f" | "w", _) => None,
        _ => return format!("strange\t{name}"),
    };
    match read {
        Some(Line::Of(form, words)) => {
            let words: Vec<String> = words.into_iter().map(|word| word.replace(['\t', '\n'], " ")).collect();
            format!("{form}\t{}\t{}", part.get(), words.join("\t"))
        }
        Some(Line::Aside) => "aside".to_owned(),
        None => format!("damaged\t{name}"),
    }
}

enum Line {
    Of(&'static str, Vec<String>),
    Aside,
}

/// Splits a key into its partition, its form, and the rest of its name.
fn parsed(name: &str) -> Option<(Partition, &str, &str)> {
    let (part, rest) = name.strip_prefix("{p")?.split_once("}.")?;
    let number = part.parse().ok().filter(|_| part.len() == 4)?;
    let (timeline, rest) = rest.split_once(':')?;
    timeline.parse::<u16>().ok()?;
    let (form, of) = rest.split_once(':').unwrap_or((rest, ""));
    Some((Partition::number(number), form, of))
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn id(hex: &str) -> Option<i64> {
    i64::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 16)
}

/// Formats the bytes of an incarnation as hexadecimal digits.
fn born(bytes: &[u8]) -> String {
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
    Some(Line::Of("cursor", vec![generation.to_owned()]))
}

fn named(of: &str, values: &Values) -> Option<Line> {
    let (object_type, object) = of.split_once(':')?;
    let value = text(values.first()?)?;
    let subject = match value {
        "-" => 0,
        _ if value.starts_with('?') => return Some(Line::Aside),
        _ => id(value)?,
    };
    Some(Line::Of("name", vec![object_type.to_owned(), object.to_owned(), subject.to_string()]))
}

fn block(of: &str, values: &Values) -> Option<Line> {
    let (incarnation, generation) = (born(field(values, "inc")?), text(field(values, "g")?)?.to_owned());
    let revision = number(values, "rev");
    let answers = revision.is_some_and(|revision| revision >= number(values, "W").unwrap_or_default());
    let mut words = vec![id(of)?.to_string(), incarnation, generation, u8::from(answers).to_string()];
    if revision.is_some() {
        let row = StoredSubject::decode(field(values, "row")?)
            .ok()?
            .subject()
            .filter(|row| row.id.get().to_string() == words[0])?;
        words.extend([row.key.object_type().as_str().to_owned(), row.key.object_id().to_owned()]);
        words.extend([
            row.counts.root_count.to_string(),
            row.counts.comment_count.to_string(),
            row.revision.to_string(),
        ]);
    }
    Some(Line::Of("block", words))
}

fn comment(of: &str, values: &Values) -> Option<Line> {
    let value = values.first()?;
    let item = value::item(value, CommentId::new(id(of)?))?;
    let row = &item.comment;
    let above = |id: Option<CommentId>| id.map_or(0, CommentId::get).to_string();
    let content = item.content.as_ref().map_or("", |content| content.text());
    Some(Line::Of(
        "comment",
        vec![
            row.reference.id.get().to_string(),
            born(value.get(4..12)?),
            row.reference.subject_id.get().to_string(),
            above(row.reference.root_id),
            above(row.reference.parent_id),
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

fn list(of: &str, values: &Values) -> Option<Line> {
    let (owner, _) = of.split_once(':')?;
    id(owner.get(1..)?)?;
    let (sentinel, members) = values.split_at_checked(2)?;
    let sentinel = sentinel[0].strip_prefix(b"#")?;
    let (incarnation, bounds) = sentinel.split_at_checked(8)?;
    let (low, high) = text(bounds)?.strip_prefix(':')?.split_once(':')?;
    let mut words = vec![owner.to_owned(), born(incarnation), low.to_owned(), high.to_owned()];
    for pair in members.chunks_exact(2) {
        words.extend([text(&pair[1])?.to_owned(), id(text(&pair[0])?)?.to_string()]);
    }
    Some(Line::Of("list", words))
}

fn choice(of: &str, values: &Values) -> Option<Line> {
    let value = values.first()?;
    let (head, members) = value.split_at_checked(20).filter(|(_, members)| members.len().is_multiple_of(20))?;
    let mut words = vec![id(of)?.to_string(), born(&head[..8])];
    for member in members.chunks_exact(20) {
        let (floor, who) = member.split_first_chunk::<4>()?;
        words.extend([u32::from_be_bytes(*floor).to_string(), id(text(who)?)?.to_string()]);
    }
    Some(Line::Of("choice", words))
}

fn states(of: &str, values: &Values) -> Option<Line> {
    let (name, member) = of.split_once('\u{1}')?;
    let (object_type, object) = name.split_once(':')?;
    if field(values, "ok").is_none() {
        return Some(Line::Aside);
    }
    let generation = text(field(values, "g")?)?;
    let mut words: Vec<String> = [object_type, object, member, generation].map(str::to_owned).to_vec();
    for pair in values.chunks_exact(2) {
        let field = text(&pair[0])?;
        if field != "ok" && field != "g" && !field.starts_with(['!', '?']) {
            words.extend([id(field)?.to_string(), text(&pair[1])?.parse::<i8>().ok()?.to_string()]);
        }
    }
    Some(Line::Of("states", words))
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::{StoredSubject, dump};
    use crate::redis::tests::comment;
    use crate::redis::value::{CommentParts, hex};

    fn of(name: &str, kind: &str, values: &[&[u8]]) -> String {
        dump(&format!("{{p0007}}.0:{name}"), kind, &values.iter().map(|value| value.to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn each_form_is_told_in_its_words() {
        let (seven, nine) = (hex(7), hex(9));
        assert_eq!(of("cur", "hash", &[b"n", b"5", b"g", b"x"]), "cursor\t7\tx");
        assert_eq!(of("k:video:a:b", "string", &[seven.as_bytes()]), "name\t7\tvideo\ta:b\t7");
        assert_eq!(of("k:video:a", "string", &[b"-"]), "name\t7\tvideo\ta\t0");
        assert_eq!(of("k:video:a", "string", &[b"?me"]), "aside");
        let list = [b"#abcdefgh:0:2147483647", &b"-inf"[..], nine.as_bytes(), b"3"];
        let told = "list\t7\ts0000000000000007\t6162636465666768\t0\t2147483647\t3\t9";
        assert_eq!(of(&format!("z:s{seven}:n"), "zset", &list), told);
        let choice = [b"abcdefgh", &[0; 12][..], &[0, 0, 0, 2], nine.as_bytes()].concat();
        assert_eq!(of(&format!("p:{seven}"), "string", &[&choice]), "choice\t7\t7\t6162636465666768\t2\t9");
        let states = [&b"ok"[..], b"1", b"g", b"x", nine.as_bytes(), b"-1", b"!doubt", b"4"];
        assert_eq!(of("m:video:a\u{1}m5", "hash", &states), "states\t7\tvideo\ta\tm5\tx\t9\t-1");
        assert_eq!(of("m:video:a\u{1}m5", "hash", &[b"?", b"me", b"g", b"x"]), "aside");
        assert_eq!(
            of("h:0000000000000007", "hash", &[b"inc", b"abcdefgh", b"g", b"x"]),
            "block\t7\t7\t6162636465666768\tx\t0"
        );
    }

    #[test]
    fn what_is_damaged_or_of_no_known_form_is_told_by_its_name() {
        let row = comment(7, 3);
        let CommentParts { head, row, content } = CommentParts::of(&row, None);
        let mut value = [head, row, content].concat();
        let name = "c:0000000000000007";
        assert!(of(name, "string", &[&value]).starts_with("comment\t7\t7\t0000000000000000\t"));
        value[70] ^= 1;
        assert_eq!(of(name, "string", &[&value]), "damaged\t{p0007}.0:c:0000000000000007");
        assert_eq!(of(name, "hash", &[]), "damaged\t{p0007}.0:c:0000000000000007");
        let block =
            [&b"inc"[..], b"abcdefgh", b"g", b"x", b"rev", b"3", b"row", &StoredSubject::default().encode_to_vec()];
        assert!(of("h:0000000000000007", "hash", &block).starts_with("damaged"));
        assert_eq!(of("x:1", "string", &[b"1"]), "strange\t{p0007}.0:x:1");
        assert_eq!(dump("{p7}.0:cur", "hash", &[]), "strange\t{p7}.0:cur");
        assert_eq!(dump("session", "string", &[]), "strange\tsession");
    }
}
