//! The text that is shown when words of it are masked.

use crate::text_range::TextRange;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Returns the stored text with each code point of the ranges as `*`, in NFC. A range is widened to
/// the characters that a reader sees, so none of them is cut. A text in NFC does not become longer.
#[must_use]
pub fn masked(text: &str, ranges: &[TextRange]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for character in text.graphemes(true) {
        let count = character.chars().count();
        let own = TextRange { start: at, end: at + count as u32 };
        at = own.end;
        if ranges.iter().any(|range| range.start < own.end && own.start < range.end) {
            shown.extend(std::iter::repeat_n('*', count));
        } else {
            shown.push_str(character);
        }
    }
    shown.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, ranges: &[(u32, u32)]) -> String {
        masked(text, &ranges.iter().map(|(start, end)| TextRange { start: *start, end: *end }).collect::<Vec<_>>())
    }

    #[test]
    fn each_code_point_of_a_hit_is_a_star() {
        assert_eq!(shown("a bad word", &[(2, 5)]), "a *** word");
        assert_eq!(shown("大麻烦", &[(0, 2), (1, 2)]), "**烦");
        assert_eq!(shown("nothing", &[]), "nothing");
    }

    #[test]
    fn a_character_is_masked_as_a_whole() {
        // A family of two, a letter with its mark, and a flag.
        assert_eq!(shown("x👩\u{200d}👧y", &[(3, 4)]), "x***y");
        assert_eq!(shown("s\u{336}x", &[(0, 1)]), "**x");
        assert_eq!(shown("🇪🇸!", &[(1, 2)]), "**!");
    }
}
