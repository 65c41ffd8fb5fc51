//! E-mail addresses and passwords in what a rejects file keeps of a source: fields with such names
//! are left out, and addresses are replaced where no fields can be distinguished.

/// Returns true for the name of a field that is never kept.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("mail") || name.contains("password")
}

/// Returns a text with `…` in place of each e-mail address: where no fields can be distinguished,
/// no name says which are addresses. The values of members of JSON whose name is that of a secret
/// are replaced, too, although the text may be no JSON.
pub(crate) fn without_addresses(text: &str) -> String {
    let text = without_secret_members(text);
    let (mut out, mut copied, mut from) = (String::with_capacity(text.len()), 0, 0);
    while let Some((at, length)) = next_at(&text, from) {
        let (start, end) = (local_start(&text, copied, at), host_end(&text, at + length));
        from = at + length;
        if start < at && end > from {
            out.push_str(text.get(copied..start).unwrap_or_default());
            out.push('…');
            (copied, from) = (end, end);
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

/// The longest local part in quotes, in characters.
const QUOTED_CHARS_MAX: usize = 128;
/// The longest host that is an address of the network in brackets, in bytes.
const LITERAL_BYTES_MAX: usize = 64;
/// The sign of an address, as JSON may escape it.
const ESCAPED_AT: &str = "\\u0040";

/// Returns the next `@` from an offset, and its length.
fn next_at(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = text.get(from..)?;
    memchr::memchr2_iter(b'@', b'\\', rest.as_bytes()).find_map(|at| {
        let sign =
            ["@", ESCAPED_AT].into_iter().find(|sign| rest.get(at..).is_some_and(|rest| rest.starts_with(sign)))?;
        Some((from + at, sign.len()))
    })
}

/// Returns the start of the local part of an address that ends at `end`, not before `first`. The
/// part may be in quotes.
fn local_start(text: &str, first: usize, end: usize) -> usize {
    let before = text.get(first..end).unwrap_or_default();
    let is_separator = |c: char| matches!(c, ',' | ';' | ':' | '\t' | '\n' | '{' | '}');
    if before.ends_with('"') {
        // CSV doubles quotes, and JSON escapes them.
        let head = before.trim_end_matches(['"', '\\']);
        let mut quoted = head.char_indices().rev().take(QUOTED_CHARS_MAX);
        let start = quoted.find(|(_, c)| *c == '"' || is_separator(*c));
        if let Some((at, '"')) = start.filter(|(at, _)| at + 1 < head.len()) {
            return first + at + 1;
        }
    }
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '\'' | '!' | '$' | '*' | '~');
    let mut start = end;
    while let Some((at, c)) = text.get(first..start).and_then(|before| before.char_indices().next_back()) {
        let escape = start.checked_sub(ESCAPED_AT.len()).filter(|escape| *escape >= first);
        let escaped = escape.filter(|escape| text.get(*escape..start).is_some_and(is_escape));
        match escaped {
            Some(escape) => start = escape,
            None if is_part(c) => start = first + at,
            None => break,
        }
    }
    start
}

/// Returns the end of the host of an address that begins at `start`.
fn host_end(text: &str, start: usize) -> usize {
    let mut rest = text.get(start..).unwrap_or_default();
    let literal = rest.starts_with('[').then(|| rest.bytes().take(LITERAL_BYTES_MAX).position(|byte| byte == b']'));
    if let Some(end) = literal.flatten() {
        return start + end + 1;
    }
    while let Some(c) = rest.chars().next() {
        let length = match rest.get(..ESCAPED_AT.len()) {
            Some(escape) if is_escape(escape) => escape.len(),
            _ if c.is_alphanumeric() || matches!(c, '.' | '-') => c.len_utf8(),
            _ => break,
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    text.len() - rest.len()
}

/// Returns true for the escape of a character in JSON.
fn is_escape(text: &str) -> bool {
    text.strip_prefix("\\u").is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Returns a text with `…` in place of the values of those members whose names are secrets.
fn without_secret_members(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('"') {
        let Some((name, after_name)) = after.split_once('"') else { break };
        out.push_str(before);
        out.push('"');
        let value =
            after_name.trim_start().strip_prefix(':').map(str::trim_start).and_then(|value| value.strip_prefix('"'));
        match value.filter(|_| is_secret(name)) {
            Some(value) => {
                let gap = after_name.len() - value.len();
                out.push_str(name);
                out.push('"');
                out.push_str(after_name.get(..gap).unwrap_or_default());
                out.push('…');
                rest = value.get(text_end(value)..).unwrap_or_default();
            }
            None => {
                out.push_str(name);
                rest = after.get(name.len()..).unwrap_or_default();
                // The quote may begin the next text, where this one was no name.
                if after_name.trim_start().starts_with(':') {
                    out.push('"');
                    rest = after_name;
                }
            }
        }
    }
    out + rest
}

/// Returns the offset of the quote that ends a text of JSON.
fn text_end(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_grows_with_the_length_alone() {
        // Each would take minutes if a sign led to a search through the whole text.
        for part in ["@", "\"@", "a@[", "\\\\u0040", "\"\"@x", "a@b"] {
            let text = part.repeat(1 << 20);
            assert!(without_addresses(&text).len() <= text.len(), "{part}");
        }
    }

    #[test]
    fn no_address_stays_in_the_source_of_a_record() {
        for (text, expected) in [
            ("a bob@example.org, b", "a …, b"),
            (r"x j\u00fcrgen@m\u00fcller.de y", "x … y"),
            (r"x\u0040example.org", "…"),
            ("root@localhost;secret@[127.0.0.1]!", "…;…!"),
            ("Ann <secret@example.org>", "Ann <…>"),
            ("o'neil@example.org", "…"),
            ("\"quoted secret\"@example.org", "\"…"),
            ("@bob hello, 5 @ 3, x@ y", "@bob hello, 5 @ 3, x@ y"),
            ("\"1\",\"@bob hi\"", "\"1\",\"@bob hi\""),
            ("https://example.org/@bob", "https://example.org/@bob"),
            (r#"{"eMail": "no \" address", "text": "ann \"x\" b"}"#, r#"{"eMail": "…", "text": "ann \"x\" b"}"#),
            (r#"{"text": "it, \"mail\": gone", "password":"p"#, r#"{"text": "it, \"mail\": gone", "password":"…"#),
        ] {
            assert_eq!(without_addresses(text), expected, "{text}");
        }
    }
}
