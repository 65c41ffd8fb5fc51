//! Bytes that are not UTF-8 and halves of characters in JSON: the record that has them is rejected,
//! with the field as it stood. A subject loses its title instead: its comments do not depend on it.
//!
//! An input has [`NOT_UTF8`] and two hexadecimal digits for each such byte, and a value of JSON has
//! [`HALF`] and four. Characters of the file that are such marks themselves are escaped, and are
//! what they were after [`reject`]. A rejected record has the character for unknown ones (U+FFFD)
//! in place of each mark, and its original fields have `\\xHH` or `\\uHHHH` and, so that this is
//! not ambiguous, `\\\\` for a backslash.

use super::group::GroupEntry;
use super::marks::{HALF, NOT_UTF8, restore};
use super::read_notes::ReadNotes;
use super::record::{Client, Comment, Key, Like, Record, Subject};

/// Returns the fault of a text that has such bytes or halves.
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    match (text.contains(NOT_UTF8), text.contains(HALF)) {
        (true, _) => Some("it is not UTF-8"),
        (false, true) => Some("it has half of a character (a surrogate without the other one)"),
        (false, false) => None,
    }
}

/// Rejects a record with such bytes or halves, and writes them as this module says. A subject loses
/// the metadata that has them, which `notes` record. Characters that were escaped are restored.
pub(crate) fn reject(entry: &mut GroupEntry, notes: &mut ReadNotes) {
    if let Record::Subject(Subject { key, metadata, .. }) = &mut entry.record
        && entry.problem.is_none()
    {
        let entries = metadata.len();
        metadata.retain(|_, value| fault(value).is_none());
        if metadata.len() < entries {
            notes.add_unreadable_title(&key.object_id);
        }
    }
    let mut spoiled = Vec::new();
    for (name, text) in texts(&mut entry.record) {
        if let Some(fault) = fault(text) {
            let unknown = replaced(text, |_, _| char::REPLACEMENT_CHARACTER.to_string());
            spoiled.push((name, fault, std::mem::replace(text, unknown)));
        }
    }
    if let (Some((_, fault, _)), None) = (spoiled.first(), &entry.problem) {
        entry.problem = Some(entry.problem("RECORD_INVALID", fault));
    }
    let original = entry.record.original_mut();
    for (name, _, raw) in spoiled {
        if !original.values().any(|known| *known == raw) {
            original.insert(name, raw);
        }
    }
    for raw in original.values_mut().filter(|raw| fault(raw).is_some()) {
        let escape = |mark, digits: &str| format!("{}{digits}", if mark == HALF { "\\u" } else { "\\x" });
        *raw = replaced(&raw.replace('\\', "\\\\"), escape);
    }
    restore_record(&mut entry.record);
}

/// Puts the characters of a record that were escaped back in their place.
pub(crate) fn restore_record(record: &mut Record) {
    texts(record).into_iter().for_each(|(_, text)| restore(text));
    record.original_mut().values_mut().for_each(restore);
}

/// Returns a text with a replacement of each invalid byte or half, which is made from its mark and
/// its digits.
fn replaced(text: &str, replacement: impl Fn(char, &str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, mark, after)) = split_mark(rest) {
        let (digits, remaining) = after.split_at_checked(if mark == HALF { 4 } else { 2 }).unwrap_or((after, ""));
        out.push_str(before);
        out.push_str(&replacement(mark, digits));
        rest = remaining;
    }
    out + rest
}

fn split_mark(text: &str) -> Option<(&str, char, &str)> {
    let offset = text.find([NOT_UTF8, HALF])?;
    let (before, from_mark) = text.split_at(offset);
    let mark = from_mark.chars().next()?;
    Some((before, mark, from_mark.get(mark.len_utf8()..)?))
}

/// Returns the texts of a record with their names.
fn texts(record: &mut Record) -> Vec<(String, &mut String)> {
    fn of_key(key: &mut Key) -> [(&'static str, &mut String); 2] {
        [("object_type", &mut key.object_type), ("object_id", &mut key.object_id)]
    }
    let (key, metadata, fields) = match record {
        Record::Subject(Subject { key, owner_id, metadata, .. }) => (key, Some(metadata), vec![("owner_id", owner_id)]),
        Record::Comment(Comment {
            key,
            external_id,
            parent_external_id,
            member_id,
            text,
            mentioned_member_ids,
            metadata,
            client,
            ..
        }) => {
            let Client { ip, platform, device } = client;
            let mut fields = vec![("text", text), ("external_id", external_id), ("member_id", member_id)];
            fields.extend(parent_external_id.as_mut().map(|parent| ("parent_external_id", parent)));
            fields.extend(mentioned_member_ids.iter_mut().map(|member| ("mentioned_member_ids", member)));
            fields.extend([("ip", ip), ("platform", platform), ("device", device)]);
            (key, Some(metadata), fields)
        }
        Record::Like(Like { key, comment_external_id, member_id, .. }) => {
            (key, None, vec![("comment_external_id", comment_external_id), ("member_id", member_id)])
        }
    };
    let metadata = metadata.into_iter().flatten().map(|(name, value)| (name.clone(), value));
    let fields = fields.into_iter().chain(of_key(key)).map(|(name, value)| (name.to_owned(), value));
    fields.chain(metadata).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::ESCAPE;

    #[test]
    fn the_original_of_a_field_that_is_not_utf8_is_kept() {
        let comment = Comment {
            text: format!("caf{NOT_UTF8}e9 \\ bar"),
            external_id: "1".to_owned(),
            metadata: [("author_name".to_owned(), format!("{NOT_UTF8}ff"))].into(),
            original: [("website".to_owned(), format!("{NOT_UTF8}c3{NOT_UTF8}28"))].into(),
            ..Comment::default()
        };
        let mut entry = GroupEntry::valid(Record::Comment(comment));
        reject(&mut entry, &mut ReadNotes::default());
        assert_eq!(entry.problem.as_ref().map(|problem| problem.reason.as_str()), Some("RECORD_INVALID"));
        let original: Vec<_> =
            entry.record.original().iter().map(|(name, raw)| (name.as_str(), raw.as_str())).collect();
        let expected = [("author_name", "\\xff"), ("text", "caf\\xe9 \\\\ bar"), ("website", "\\xc3\\x28")];
        assert_eq!(original, expected);
        let Record::Comment(comment) = entry.record else { panic!("it stays a comment") };
        assert_eq!(
            (comment.text.as_str(), comment.metadata["author_name"].as_str()),
            ("caf\u{fffd} \\ bar", "\u{fffd}")
        );
    }

    #[test]
    fn halves_of_characters_are_kept_as_escapes() {
        let text = format!("a{HALF}d800b\\");
        let comment = Comment { text, external_id: "1".to_owned(), ..Comment::default() };
        let mut entry = GroupEntry::valid(Record::Comment(comment));
        reject(&mut entry, &mut ReadNotes::default());
        assert!(entry.problem.as_ref().unwrap().message.contains("half of a character"));
        assert_eq!(entry.record.original()["text"], "a\\ud800b\\\\");
        let Record::Comment(comment) = entry.record else { panic!("it stays a comment") };
        assert_eq!(comment.text, "a\u{fffd}b\\");
    }

    #[test]
    fn a_subject_loses_a_title_that_cannot_be_read() {
        let key = Key { object_type: "page".to_owned(), object_id: "/a".to_owned() };
        let metadata = [("title".to_owned(), format!("x{HALF}dc00")), ("url".to_owned(), "/a".to_owned())];
        let subject = Subject { key, metadata: metadata.into(), ..Subject::default() };
        let (mut entry, mut notes) = (GroupEntry::valid(Record::Subject(subject)), ReadNotes::default());
        reject(&mut entry, &mut notes);
        let Record::Subject(subject) = &entry.record else { panic!("it stays a subject") };
        assert!(entry.problem.is_none() && subject.metadata.keys().eq(["url"]), "{entry:?}");
        assert!(notes.lines()[0].contains("1 subject") && notes.lines()[0].contains("/a"), "{:?}", notes.lines());
    }

    #[test]
    fn characters_that_are_marks_are_in_the_record_as_in_the_file() {
        let text = format!("{ESCAPE}0e9 {ESCAPE}1d800 {ESCAPE}2 \u{fdd3}");
        let comment =
            Comment { text: text.clone(), original: [("website".to_owned(), text)].into(), ..Comment::default() };
        let mut entry = GroupEntry::valid(Record::Comment(comment));
        reject(&mut entry, &mut ReadNotes::default());
        assert!(entry.problem.is_none(), "{:?}", entry.problem);
        let expected = "\u{fdd0}e9 \u{fdd1}d800 \u{fdd2} \u{fdd3}";
        assert_eq!(entry.record.original()["website"], expected);
        let Record::Comment(comment) = entry.record else { panic!("it stays a comment") };
        assert_eq!(comment.text, expected);
    }

    #[test]
    fn other_records_stay_as_they_are() {
        let comment = Comment { text: "caf\u{e9} \\ bar \u{fffd}".to_owned(), ..Comment::default() };
        let mut entry = GroupEntry::valid(Record::Comment(comment));
        let before = entry.clone();
        reject(&mut entry, &mut ReadNotes::default());
        assert_eq!(entry, before);
    }
}
