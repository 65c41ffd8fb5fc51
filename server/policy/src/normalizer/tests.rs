//! Match copy and ranges of many kinds of texts.

use super::*;
use std::sync::LazyLock;

static NORMALIZER: LazyLock<Normalizer> = LazyLock::new(Normalizer::default);

fn copy(text: &str) -> String {
    NORMALIZER.match_copy(text).text
}

/// Returns the code points of a copy with their ranges.
fn ranges(text: &str) -> Vec<(char, u32, u32)> {
    NORMALIZER.match_copy(text).code_points().map(|(c, span)| (c, span.start, span.end)).collect()
}

#[test]
fn forms_of_a_letter_are_one_letter() {
    for text in ["ABC", "ａｂｃ", "ⒶⒷⒸ", "🄰🄱🄲", "𝐀𝒷𝖈", "a\u{200b}b\u{ad}c", "a\u{202e}bc\u{202c}", "a\u{e0041}bc"]
    {
        assert_eq!(copy(text), "abc", "{text}");
    }
    for (text, expected) in
        [("Straße", "strasse"), ("ﬁn", "fin"), ("ΣΑΣ", "σασ"), ("İ", "i\u{307}"), ("ı", "ı"), ("ꭰ", "Ꭰ")]
    {
        assert_eq!(copy(text), expected);
    }
}

#[test]
fn digits_of_all_scripts_are_ascii_digits() {
    for text in ["٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿", "𞥐𞥑𞥒𞥓𞥔𞥕𞥖𞥗𞥘𞥙"]
    {
        assert_eq!(copy(text), "0123456789");
    }
    assert_eq!(copy("①½"), "11⁄2");
}

#[test]
fn letters_of_their_own_are_kept() {
    for text in ["ñ", "é", "ü", "å", "й", "ё", "が", "한국어", "繁體", "ไทย", "हिन्दी", "👍🏽"]
    {
        assert_eq!(copy(text), text);
    }
}

#[test]
fn ranges_are_those_of_the_stored_text() {
    assert_eq!(ranges("Ab"), [('a', 0, 1), ('b', 1, 2)]);
    assert_eq!(NORMALIZER.match_copy("好Ñ한").spans, None, "nothing is moved");
    // Removed, expanded and composed.
    assert_eq!(ranges("a\u{200b}b"), [('a', 0, 1), ('b', 2, 3)]);
    assert_eq!(ranges("xﬁy"), [('x', 0, 1), ('f', 1, 2), ('i', 1, 2), ('y', 2, 3)]);
    assert_eq!(ranges("xe\u{301}y"), [('x', 0, 1), ('é', 1, 3), ('y', 3, 4)]);
    assert_eq!(ranges("e\u{200d}\u{301}\u{200d}y"), [('é', 0, 3), ('y', 4, 5)]);
    assert_eq!(ranges("ｶ\u{ff9e}x"), [('ガ', 0, 2), ('x', 2, 3)]);
    assert_eq!(ranges("\u{1100}\u{1161}\u{11a8}"), [('각', 0, 3)]);
    // A letter that NFC itself takes apart does not take the one before it along.
    assert_eq!(ranges("क\u{958}"), [('क', 0, 1), ('क', 1, 2), ('\u{93c}', 1, 2)]);
    assert_eq!(ranges("\u{301}a"), [('\u{301}', 0, 1), ('a', 1, 2)]);
    assert_eq!(ranges("\u{200b}\u{301}a"), [('\u{301}', 0, 2), ('a', 2, 3)]);
}

#[test]
fn marks_in_another_order_are_the_same_letter() {
    assert_eq!(copy("a\u{323}\u{302}"), copy("a\u{302}\u{323}"));
    assert_eq!(copy("a\u{323}\u{302}"), "ậ");
}

#[test]
fn tokens_that_mix_scripts_are_seen_and_neighbours_without_spaces_are_not() {
    for text in ["pаy", "αb", "x1у", "ա\u{301}a"] {
        assert!(NORMALIZER.match_copy(text).is_mixed, "{text}");
    }
    for text in ["pay дай", "我的app", "app我дай", "дай-pay", "ไทยab", "a好б", "día", "б१", "नमस्तेa"]
    {
        assert!(!NORMALIZER.match_copy(text).is_mixed, "{text}");
    }
}

#[test]
fn stray_marks_are_seen_on_letters_that_drop_them() {
    for text in ["s\u{336}", "д\u{20dd}", "α\u{337}b", "n\u{303}\u{336}"] {
        assert!(NORMALIZER.match_copy(text).has_marks, "{text}");
    }
    for text in ["n\u{303}", "é", "好\u{336}", "हिन्दी", "1\u{336}", "\u{336}a", "-\u{336}"] {
        assert!(!NORMALIZER.match_copy(text).has_marks, "{text}");
    }
}
