//! Records of JSON exports: faults that reject one record, and the fields as they stand in the
//! file.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value};

use super::addresses::is_secret;
use super::counted::count;
use super::group::GroupEntry;
use super::input::{SourcePosition, TOO_LONG};
use super::json_object::Object;
use super::marks::{HALF, is_mark, push_escaped};
use super::member_ids;
use super::record::{Comment, Key, Problem, Record};

/// Parses a text of JSON.
///
/// # Errors
/// The fault for which the record is rejected.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(&marked(text)).map_err(|error| fault(&error))
}

/// Returns a text of JSON with [`HALF`] in place of each escape for half of a character, which no
/// parser accepts although it is valid JSON. Escapes for characters that are marks are escaped as
/// an input does it.
pub(crate) fn marked(text: &str) -> Cow<'_, str> {
    if !["\\ud", "\\uD", "\\ufd", "\\uFD", "\\uFd", "\\ufD"].iter().any(|escape| text.contains(escape)) {
        return Cow::Borrowed(text);
    }
    let unit = |rest: &str| u16::from_str_radix(rest.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(offset) = rest.find('\\') {
        let (before, escape) = rest.split_at(offset);
        out.push_str(before);
        let is_low = |rest: Option<&str>| rest.and_then(unit).is_some_and(|unit| (0xdc00..=0xdfff).contains(&unit));
        let length = match unit(escape) {
            Some(0xd800..=0xdbff) if is_low(escape.get(6..)) => 12,
            Some(half @ 0xd800..=0xdfff) => {
                out.push(HALF);
                out.push_str(&format!("{half:04x}"));
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            Some(unit) if char::from_u32(u32::from(unit)).is_some_and(is_mark) => {
                char::from_u32(u32::from(unit)).into_iter().for_each(|c| push_escaped(&mut out, c));
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            _ => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(escape);
        rest = after;
    }
    Cow::Owned(out + rest)
}

/// Parses the text of one record, which may be only the start of a longer one.
///
/// # Errors
/// Same as for [`parse`].
pub(crate) fn parse_complete<T: DeserializeOwned>(text: &str, is_cut: bool) -> Result<T, String> {
    if is_cut { Err(TOO_LONG.to_owned()) } else { parse(text).map(|Object(record)| record) }
}

/// Parses the text of one record to a value whose numbers are as they are written: those that would
/// be rounded or written in another form are texts.
pub(crate) fn parse_exact(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&with_exact_numbers(&marked(text)))
}

fn with_exact_numbers(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied) = (String::new(), 0);
    let (mut in_text, mut is_escaped) = (false, false);
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((start, byte)) = bytes.next() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b'-' | b'0'..=b'9' if !in_text => {
                let is_part = |(_, byte): &(usize, u8)| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let mut end = start + 1;
                while bytes.next_if(is_part).is_some() {
                    end += 1;
                }
                let number = text.get(start..end).unwrap_or_default();
                if changes_when_parsed(number) {
                    out.push_str(text.get(copied..start).unwrap_or_default());
                    out.push_str(&format!("\"{number}\""));
                    copied = end;
                }
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns true for a number of JSON that is no integer of a few digits.
fn changes_when_parsed(number: &str) -> bool {
    const EXACT_DIGITS: usize = 15;
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (digits, None),
    };
    let (complete, fraction) =
        mantissa.split_once('.').map_or((mantissa, None), |(complete, part)| (complete, Some(part)));
    let is_number = is_digits(complete)
        && (complete == "0" || !complete.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(is_digits);
    let is_short = fraction.is_none() && exponent.is_none() && complete.len() <= EXACT_DIGITS && number != "-0";
    is_number && !is_short
}

/// Returns the words of an error, without the place within the record: its record has a place in
/// the file.
pub(crate) fn fault(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let bytes = count(u64::try_from(error.column()).unwrap_or(u64::MAX), "byte");
    match (text.strip_suffix(&place), error.line()) {
        (Some(fault), 1) => format!("{} (after {bytes})", words(fault)),
        (Some(fault), line) => format!("{} (in its line {line}, after {bytes})", words(fault)),
        (None, _) => words(&text),
    }
}

/// Returns a fault in the words of JSON; the parser has those of this program's types.
fn words(fault: &str) -> String {
    let name = |text: &str| text.trim_matches('`').to_owned();
    if matches!(fault, "unexpected end of hex escape" | "lone leading surrogate in hex escape") {
        return "it has half of a character (a surrogate without the other one)".to_owned();
    }
    if let Some(found) = fault.strip_prefix("invalid type: ").or_else(|| fault.strip_prefix("invalid value: "))
        && let Some((found, expected)) = found.rsplit_once(", expected ")
    {
        return format!("there is {} where {} is expected", found_words(found), expected_words(expected));
    }
    if let Some((word, known)) = fault.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("{} is not one of {}", name(word), known.trim_start_matches("one of ").replace('`', ""));
    }
    if let Some((member, known)) = fault.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected "))
    {
        let known = known.trim_start_matches("one of ").replace('`', "");
        return format!("the member {} is not known; known are {known}", name(member));
    }
    if let Some(member) = fault.strip_prefix("missing field ") {
        return format!("it has no {}", name(member));
    }
    match fault.strip_prefix("duplicate field ") {
        Some(member) => format!("it has {} twice", name(member)),
        None => syntax_words(fault).unwrap_or(fault).to_owned(),
    }
}

/// Returns a fault of the syntax in words.
fn syntax_words(fault: &str) -> Option<&'static str> {
    Some(match fault {
        "EOF while parsing an object" | "EOF while parsing a list" => "it ends before its closing bracket",
        "EOF while parsing a string" => "it ends inside a text",
        "EOF while parsing a value" => "it ends where a value is expected",
        "expected `:`" => "a colon is expected",
        "expected `,` or `]`" => "a comma or ] is expected",
        "expected `,` or `}`" => "a comma or } is expected",
        "expected ident" | "expected value" => {
            "a value is expected: an object, a list, a text, a number, true, false or null"
        }
        "expected `\"`" | "key must be a string" => "the name of a member is expected, in quotes",
        "invalid escape" => "a text has a backslash with no known escape after it",
        "invalid number" => "it has a number that JSON does not know",
        "number out of range" => "it has a number that is too large",
        "invalid unicode code point" => "a text is not UTF-8",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "a text has a control character that is not escaped"
        }
        "trailing comma" => "there is a comma before a closing bracket",
        "trailing characters" => "there is more after its end",
        "recursion limit exceeded" => "it is nested too deeply",
        _ => return None,
    })
}

fn found_words(found: &str) -> String {
    match found.split_once(' ') {
        _ if found == "sequence" => "a list".to_owned(),
        _ if found == "map" => "an object".to_owned(),
        Some(("string", text)) => format!("the text {text}"),
        Some(("integer", number)) => format!("the number {}", number.replace('`', "")),
        Some(("floating", point)) => format!("the number {}", point.trim_start_matches("point ").replace('`', "")),
        Some(("boolean", value)) => value.replace('`', ""),
        Some(_) | None => found.to_owned(),
    }
}

fn expected_words(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "f32" | "f64" => "a number",
        "a string" | "string" | "a borrowed string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" | "map" => "an object",
        "string or map" | "variant identifier" => "one of the known words",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

/// Returns the rejection of a record that cannot be parsed, with its text and, if it has one, its
/// id.
pub(crate) fn rejected(text: &str, place: SourcePosition, key: &Key, message: &str) -> GroupEntry {
    let value = parse_exact(text).unwrap_or_default();
    let read = |name: &str| value.get(name).map(text_of).or_else(|| after_name(text, 1, name));
    let id = ["id", "commentHex"].into_iter().find_map(read).unwrap_or_default();
    let comment = Comment { key: key.clone(), external_id: member_ids::fit_external_id(&id), ..Comment::hidden() };
    let problem = Problem::at("RECORD_INVALID", place, message);
    let mut entry = GroupEntry::rejected(Record::Comment(comment), problem).at(place);
    entry.keep_original([("record", text)]);
    entry
}

/// Returns the value of the first member of this name in an object that may not be JSON. It is in
/// as many brackets as `level` says: in 1 for a member of the object itself.
pub(crate) fn after_name(text: &str, level: usize, name: &str) -> Option<String> {
    let text = marked(text);
    let (mut depth, mut start, mut is_escaped) = (0_usize, None, false);
    for (offset, byte) in text.bytes().enumerate() {
        match (start, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(from), b'"') => {
                start = None;
                let (found, rest) = (text.get(from..offset)?, text.get(offset + 1..)?);
                let Some(rest) = rest.trim_start().strip_prefix(':').filter(|_| depth == level && found == name) else {
                    continue;
                };
                let value = Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()?;
                return Some(text_of(&value));
            }
            (Some(_), _) => {}
            (None, b'"') => start = Some(offset + 1),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    None
}

/// Returns a text or a number as text; an empty one for other values.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

/// Keeps the members of a record that the entry has in another form.
pub(crate) fn keep_original(entry: &mut GroupEntry, text: &str) {
    let Ok(Value::Object(members)) = parse_exact(text) else { return };
    let text = |value: Value| match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => other.to_string(),
    };
    let members: Vec<_> = members.into_iter().map(|(name, value)| (name, text(value))).collect();
    entry.keep_original(members.iter().map(|(name, text)| (name.as_str(), text.as_str())));
}

/// Returns a value as text without the members that are never kept: addresses and passwords.
pub(crate) fn without_secrets(mut value: Value) -> String {
    fn remove(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| !is_secret(name));
                members.values_mut().for_each(remove);
            }
            Value::Array(entries) => entries.iter_mut().for_each(remove),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    remove(&mut value);
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::ESCAPE;

    #[test]
    fn numbers_stay_as_they_are_written() {
        let numbers = ["123456789012345678901", "-9223372036854775809", "1.50", "1e3", "-0", "1E+400", "0.1"];
        for number in numbers {
            let value = parse_exact(&format!("[{number}, \"{number}\", \"\\\"{number}\"]")).unwrap();
            assert_eq!((value[0].as_str(), value[1].as_str()), (Some(number), Some(number)));
            assert_eq!(value[2], format!("\"{number}"));
        }
        let short = r#"{"a1": [12, -7, 0, true, "1.5"]}"#;
        assert!(matches!(with_exact_numbers(short), Cow::Borrowed(_)));
        for broken in ["[01]", "[1.]", "[.5]", "[-]", "[1e]", "[00.5]", "[1.5.5]", "[123456789012345678x]"] {
            assert!(parse_exact(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn halves_of_characters_are_marked_and_whole_ones_stay() {
        let cases = [
            (r#""a\ud800b""#, format!("a{HALF}d800b")),
            (r#""\uDC00\ud83d\ude00\\ud800""#, format!("{HALF}dc00\u{1f600}\\ud800")),
            (r#""\ud83d\ud83d\ude00\uD800\u0041""#, format!("{HALF}d83d\u{1f600}{HALF}d800A")),
            (r#""\ufdd0e9\uFDD1 \\ufdd0""#, format!("{ESCAPE}0e9{ESCAPE}1 \\ufdd0")),
        ];
        for (json, expected) in cases {
            assert_eq!(parse::<String>(json).unwrap(), expected, "{json}");
        }
        assert!(
            matches!(marked(r#""\ud83d\ude00""#), Cow::Owned(_)) && matches!(marked("\"\\u00e9\""), Cow::Borrowed(_))
        );
        assert!(parse::<String>(r#""\ud8""#).is_err() && parse::<String>(r#""\ud800"#).is_err());
        let error = serde_json::from_str::<String>(r#""x\ud800""#).unwrap_err();
        assert!(fault(&error).starts_with("it has half of a character"), "{}", fault(&error));
    }

    #[test]
    fn a_member_of_a_broken_object_is_its_own() {
        let text = r#"{"user": {"id": 5}, "a\"": "id", "list": ["id"], "id": "7 \ud800", "text": broken"#;
        assert_eq!(after_name(text, 1, "id"), Some(format!("7 {HALF}d800")));
        assert_eq!((after_name(text, 1, "text"), after_name(text, 2, "id")), (None, Some("5".to_owned())));
    }

    #[test]
    fn faults_are_in_the_words_of_json() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Inner {
            #[expect(dead_code, reason = "only its type counts")]
            count: u32,
            #[expect(dead_code, reason = "only its type counts")]
            state: Option<crate::record::CommentState>,
        }
        let cases = [
            ("5", "there is the number 5 where an object is expected"),
            (r#"{"count": "x"}"#, "there is the text \"x\" where a whole number that is not negative is expected"),
            (r#"{"count": -1.5}"#, "there is the number -1.5 where a whole number that is not negative is expected"),
            (r#"{"count": {}}"#, "there is an object where a whole number that is not negative is expected"),
            (r#"{"count": 1, "state": "SEEN"}"#, "SEEN is not one of ACTIVE, UNAPPROVED, PENDING"),
            (r#"{"count": 1, "txt": 1}"#, "the member txt is not known; known are count or state"),
            (r#"{"count": 1, "count": 1}"#, "it has count twice"),
            ("[1, null]", "there is a list where an object is expected"),
            ("{", "it ends before its closing bracket"),
            (r#"{"count": 1} 2"#, "there is more after its end"),
            (r#"{"count": 1,}"#, "there is a comma before a closing bracket"),
            (r#"{"count" 1}"#, "a colon is expected"),
            (r#"{count: 1}"#, "the name of a member is expected, in quotes"),
            (r#"{"count": tru}"#, "a value is expected"),
            (r#"{"count": 01}"#, "it has a number that JSON does not know"),
            (r#"{"count": 1 "state": null}"#, "a comma or } is expected"),
            ("{\"a\tb\": 1}", "a text has a control character"),
            (r#"{"\q": 1}"#, "a text has a backslash"),
        ];
        for (json, expected) in cases {
            let fault = parse::<Object<Inner>>(json).unwrap_err();
            assert!(fault.starts_with(expected), "{json}: {fault}");
            assert!(!fault.contains("struct") && !fault.contains('`'), "{json}: {fault}");
        }
    }

    #[test]
    fn secrets_are_in_no_original() {
        let value = parse_exact(r#"{"a": {"eMail": "x", "n": 1.50}, "b": [{"password": 1}]}"#).unwrap();
        assert_eq!(without_secrets(value), r#"{"a":{"n":"1.50"},"b":[{}]}"#);
    }
}
