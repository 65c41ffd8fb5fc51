//! Values of an input in messages: on one line, readable and short, whatever the file has.

use std::borrow::Cow;

use super::marks::{ESCAPE, HALF, NOT_UTF8, is_mark, restore};

/// The size of a message with values of an input, in characters.
pub(crate) const MESSAGE_CHARS_MAX: usize = 500;
/// The size of one value or name in a message, in characters.
pub(crate) const VALUE_CHARS_MAX: usize = 60;

/// Returns the start of a text, with escapes for control characters, bytes that are not UTF-8 and
/// the noncharacters that are marks.
pub(crate) fn excerpt(text: &str, chars_max: usize) -> String {
    let text = with_marks(text);
    let mut shown = String::with_capacity(text.len().min(chars_max));
    let mut chars = text.chars();
    for count in 0.. {
        let Some(c) = chars.next() else { break };
        let is_followed_by = |digits: usize| {
            let rest = chars.as_str().get(..digits);
            rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        match c {
            _ if count == chars_max => {
                shown.push('…');
                break;
            }
            NOT_UTF8 if is_followed_by(2) => shown.push_str("\\x"),
            HALF if is_followed_by(4) => shown.push_str("\\u"),
            ESCAPE if is_followed_by(1) => {
                let mut escaped = String::from_iter([ESCAPE].into_iter().chain(chars.next()));
                restore(&mut escaped);
                shown.extend(escaped.chars().flat_map(char::escape_unicode));
            }
            c if is_mark(c) => shown.extend(c.escape_unicode()),
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    with_json_escapes(&shown)
}

/// Returns a text with the escapes of JSON in place of those of `{:?}`.
fn with_json_escapes(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, escape)) = rest.split_once("\\u{") {
        out.push_str(before);
        let c = escape.split_once('}').and_then(|(digits, after)| {
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((c, after))
        });
        let Some((c, after)) = c else {
            out.push_str("\\u{");
            rest = escape;
            continue;
        };
        out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        rest = after;
    }
    out + rest
}

/// Returns a text in which marks that `{:?}` has escaped are marks again.
fn with_marks(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u{fdd") {
        return Cow::Borrowed(text);
    }
    let unescape = |text: String, mark: char| text.replace(&mark.escape_unicode().to_string(), &mark.to_string());
    Cow::Owned([NOT_UTF8, HALF, ESCAPE].into_iter().fold(text.to_owned(), unescape))
}

#[cfg(test)]
mod tests {
    use super::excerpt;
    use crate::marks::{ESCAPE, HALF, NOT_UTF8};

    #[test]
    fn a_message_is_one_readable_line_of_bounded_length() {
        assert_eq!(excerpt("a\tb\nc", 60), "a\\tb\\nc");
        assert_eq!(excerpt(&format!("a{NOT_UTF8}ffb"), 60), "a\\xffb");
        assert_eq!(excerpt(&format!("a{HALF}d800b {:?}", format!("{HALF}dc00")), 60), "a\\ud800b \"\\udc00\"");
        assert_eq!(excerpt(&format!("{ESCAPE}0ff {ESCAPE}2 {NOT_UTF8}!"), 60), "\\ufdd0ff \\ufdd2 \\ufdd0!");
        assert_eq!(excerpt(&format!("{:?}", format!("{ESCAPE}1d800")), 60), "\"\\ufdd1d800\"");
        let quoted = format!("{:?} is not a time", format!("{NOT_UTF8}fe"));
        assert_eq!(excerpt(&quoted, 60), "\"\\xfe\" is not a time");
        assert_eq!(excerpt(&"ä".repeat(1 << 20), 60), format!("{}…", "ä".repeat(60)));
        assert_eq!(
            excerpt(&format!("{:?} {:?}", "a\u{200b}\u{1b}", "\u{e0001}"), 60),
            "\"a\\u200b\\u001b\" \"\\udb40\\udc01\""
        );
        assert_eq!(excerpt(&"ä".repeat(60), 60), "ä".repeat(60));
    }
}
