//! Runs, tokens, terms and keys of many kinds of texts.

use super::*;
use std::sync::LazyLock;

static NORMALIZER: LazyLock<Normalizer> = LazyLock::new(Normalizer::default);

/// Returns the tokens of a text; one of a script without spaces is in brackets.
fn tokens(text: &str) -> Vec<String> {
    let shown = |token: Token<'_>| match token.form {
        RunForm::Word => token.text.to_owned(),
        RunForm::Unspaced => format!("[{}]", token.text),
    };
    NORMALIZER.token_runs(text).tokens().map(shown).collect()
}

fn terms(text: &str) -> Vec<String> {
    NORMALIZER.search_terms(text).into_iter().collect()
}

fn key(text: &str) -> Option<TextKey> {
    NORMALIZER.text_key(text)
}

#[test]
fn words_are_runs_of_letters_marks_and_digits() {
    assert_eq!(tokens("Hello, wörld! v2 3.14"), ["hello", "wörld", "v2", "3", "14"]);
    assert_eq!(tokens("don't foo-bar a_b"), ["don", "t", "foo", "bar", "a", "b"]);
    assert_eq!(tokens("ＦＯＯ ⓑⓐⓡ x\u{200b}y ٣"), ["foo", "bar", "xy", "3"]);
    assert_eq!(tokens("हिन्दी n\u{303}\u{336}o"), ["हिन्दी", "ñ\u{336}o"]);
    for text in ["", " \t\n", "?!…👍", "\u{200b}"] {
        assert_eq!(tokens(text), [""; 0], "{text:?}");
    }
}

#[test]
fn scripts_without_spaces_are_runs_of_their_own() {
    assert_eq!(tokens("我的app好"), ["[我的]", "app", "[好]"]);
    assert_eq!(tokens("第3回 2026年"), ["[第]", "3", "[回]", "2026", "[年]"]);
    assert_eq!(tokens("カタカナとひらがな漢字"), ["[カタカナとひらがな漢字]"]);
    assert_eq!(tokens("한국어 검색"), ["[한국어]", "[검색]"]);
    assert_eq!(tokens("ไทยab ລາວ ខ្មែរ"), ["[ไทย]", "ab", "[ລາວ]", "[ខ្មែរ]"]);
    assert_eq!(tokens("ｶﾞｽ"), ["[ガス]"], "half width");
}

#[test]
fn a_letter_of_no_script_belongs_to_the_run_around_it() {
    assert_eq!(tokens("ラーメン"), ["[ラーメン]"]);
    assert_eq!(tokens("ーメン"), ["[ーメン]"], "the script comes later");
    assert_eq!(tokens("o\u{2bc}clock"), ["o\u{2bc}clock"]);
    assert_eq!(tokens("\u{336}x \u{336}好 \u{336}"), ["\u{336}x", "[\u{336}好]", "\u{336}"]);
}

#[test]
fn a_mark_of_a_script_without_spaces_belongs_to_it() {
    // A part of a text may begin with the vowel of the letter before it.
    assert_eq!(tokens("ี่นี่"), ["[ี่นี่]"]);
    assert_eq!(tokens("aี่"), ["a", "[ี่]"]);
}

#[test]
fn a_token_has_at_most_64_code_points_and_a_run_without_spaces_is_complete() {
    assert_eq!(tokens(&"é".repeat(64)), ["é".repeat(64)]);
    assert_eq!(tokens(&"é".repeat(130)), ["é".repeat(64), "é".repeat(64), "éé".to_owned()]);
    assert_eq!(tokens(&"好".repeat(130)), [format!("[{}]", "好".repeat(130))]);
}

#[test]
fn the_terms_are_words_and_characters_and_pairs_of_scripts_without_spaces() {
    assert_eq!(terms("b a B"), ["a", "b"]);
    assert_eq!(terms("东京塔"), ["东", "东京", "京", "京塔", "塔"]);
    assert_eq!(terms("好 app"), ["app", "好"]);
    assert_eq!(terms("?!"), [""; 0]);
}

#[test]
fn texts_of_equal_runs_have_equal_keys() {
    for (one, other) in [
        ("Buy now!", "buy…NOW"),
        ("Straße", "STRASSE"),
        ("我的app", "我的 App"),
        ("ｶﾞｽ", "ガス"),
        ("cafe\u{301}", "café"),
        ("１２", "12"),
    ] {
        assert_eq!(key(one), key(other), "{one} {other}");
        assert!(key(one).is_some(), "{one}");
    }
}

#[test]
fn texts_of_other_runs_have_other_keys() {
    let texts = ["a b", "b a", "ab", "a", "a b c", "á b", "好", "好好", "好 好", "a a"];
    for (n, text) in texts.iter().enumerate() {
        for other in &texts[n + 1..] {
            assert_ne!(key(text), key(other), "{text} {other}");
        }
    }
    let (long, cut) = ("a".repeat(128), [&*"a".repeat(64), &*"a".repeat(64)].join(" "));
    assert_ne!(key(&long), key(&cut), "a long run is not cut");
}

#[test]
fn a_text_without_runs_has_no_key() {
    for text in ["", "…", "👍🏽", "\u{200b} \u{ad}"] {
        assert_eq!(key(text), None, "{text:?}");
    }
}

#[test]
fn keys_are_fixed() {
    // SHA-256 of `hello`, zero, `我`, zero: computed by another program.
    let expected = "d9df7fc48c674943af639122de031ff4";
    assert_eq!(key("Hello 我").map(|key| key.to_string()).as_deref(), Some(expected));
}
