//! Marks in the text of a file while it is read: each stands for something that no text can have.
//!
//! [`NOT_UTF8`] stands for a byte that is not UTF-8, and [`HALF`] for half of a character. Both are
//! noncharacters of Unicode, which are rare but allowed in texts. Where the file has one of them
//! or [`ESCAPE`] itself, [`ESCAPE`] precedes it, and it is restored when the record is complete.

/// Stands, with two hexadecimal digits after it, for a byte that is not UTF-8.
pub(crate) const NOT_UTF8: char = '\u{fdd0}';
/// Stands, with four hexadecimal digits after it, for half of a character: an escape of JSON for a
/// surrogate without the other one, which no text can have.
pub(crate) const HALF: char = '\u{fdd1}';
/// Stands, with one digit after it, for one of these three characters that the file has itself:
/// they are noncharacters, which are rare but allowed in texts.
pub(crate) const ESCAPE: char = '\u{fdd2}';

/// Returns true for the characters that are marks here.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, NOT_UTF8 | HALF | ESCAPE)
}

/// Appends a character, or what stands for it.
pub(crate) fn push_escaped(out: &mut String, c: char) {
    match c {
        NOT_UTF8 => out.extend([ESCAPE, '0']),
        HALF => out.extend([ESCAPE, '1']),
        ESCAPE => out.extend([ESCAPE, '2']),
        other => out.push(other),
    }
}

/// Returns a text that is compared with texts of a file, escaped as they are.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_escaped(&mut out, c));
    out
}

/// Puts the characters that were escaped back in their place.
pub(crate) fn restore(text: &mut String) {
    if !text.contains(ESCAPE) {
        return;
    }
    let (mut restored, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(c) = chars.next() {
        restored.extend(match c {
            ESCAPE => chars.next().map(|digit| match digit {
                '0' => NOT_UTF8,
                '1' => HALF,
                _ => ESCAPE,
            }),
            other => Some(other),
        });
    }
    *text = restored;
}
