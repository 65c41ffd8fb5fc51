//! Texts that show nothing, by the rule of the server. This crate does not use the server's crates:
//! the tests of both read the same scenarios.

use unicode_normalization::char::is_combining_mark;

/// The characters that Unicode calls Default_Ignorable_Code_Point: a display shows nothing for
/// them. The list is complete: Unicode reserves the unassigned ones among them.
const DEFAULT_IGNORABLE: [(char, char); 17] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Returns whether a text is empty for a reader: it has nothing but white space, default-ignorable
/// characters, controls, and marks, which need another character to stand on.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || DEFAULT_IGNORABLE.iter().any(|(first, last)| (*first..=*last).contains(&c))
            || is_combining_mark(c)
    })
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_IGNORABLE, is_blank};

    /// The scenarios of the SDKs, whose texts the server must judge as they expect.
    const SCENARIOS: &str = include_str!("../../../sdk/conformance/blank.yaml");

    /// Returns the texts of the scenarios after this comment, up to the next one.
    fn texts(heading: &str) -> Vec<String> {
        let (_, section) = SCENARIOS.split_once(heading).expect("the heading is in the file");
        let section = section.split("# ").next().unwrap_or(section);
        let quoted = section.split("text: \"").skip(1).filter_map(|rest| rest.split('"').next());
        quoted.map(unescape).collect()
    }

    /// Resolves the escapes of a YAML text: `\uXXXX` and `\UXXXXXXXX`.
    fn unescape(text: &str) -> String {
        let mut rest = text;
        let mut plain = String::new();
        while let Some((before, escape)) = rest.split_once('\\') {
            let digits = if escape.starts_with('u') { 4 } else { 8 };
            let number = u32::from_str_radix(&escape[1..=digits], 16).expect("a number");
            plain.push_str(before);
            plain.push(char::from_u32(number).expect("a character"));
            rest = &escape[digits + 1..];
        }
        plain + rest
    }

    #[test]
    fn the_sdks_expect_what_the_server_judges() {
        let (blank, shown) = (texts("# Nothing to read."), texts("# Something to read."));
        assert!(blank.len() >= 4 && blank.iter().all(|text| is_blank(text)), "{blank:?}");
        assert!(shown.len() >= 3 && !shown.iter().any(|text| is_blank(text)), "{shown:?}");
        let all: String = blank.concat();
        for (first, last) in DEFAULT_IGNORABLE {
            assert!(all.contains(first) && all.contains(last), "{first:?} to {last:?} is in no scenario");
        }
    }
}
