//! Queries and the texts that have their words.

use super::*;
use std::sync::LazyLock;

static NORMALIZER: LazyLock<Normalizer> = LazyLock::new(Normalizer::default);

fn query(words: &str) -> WordQuery {
    WordQuery::parse(&NORMALIZER, "words", words).unwrap()
}

fn violation(words: &str) -> String {
    let violation = WordQuery::parse(&NORMALIZER, "words", words).unwrap_err();
    assert_eq!(violation.field, "words");
    violation.description
}

fn is_in(words: &str, text: &str) -> bool {
    query(words).is_in(&NORMALIZER, text)
}

#[test]
fn each_word_must_occur_in_any_order_and_as_a_complete_token() {
    assert!(is_in("dog cat", "A cat, a DOG."));
    assert!(!is_in("dog cat", "a dog"));
    assert!(!is_in("do", "a dog") && !is_in("dogs", "a dog"));
    assert!(is_in("ＤＯＧ", "dog") && is_in("STRASSE", "straße"));
    assert!(!is_in("cafe", "café"), "accents matter");
    assert!(is_in("2026", "２０２６年"));
}

#[test]
fn a_word_of_a_script_without_spaces_is_a_part_of_a_run() {
    assert!(is_in("京都", "東京都庁") && is_in("京", "東京") && is_in("東京都庁", "東京都庁"));
    assert!(!is_in("東都", "東京都") && !is_in("東京都", "東京"));
    assert!(!is_in("你好", "你 好") && !is_in("你好", "你，好"), "a part of one run");
    assert!(is_in("검색", "한국어검색이"));
    assert!(is_in("ー", "ー") && is_in("ーメン", "ラーメン"));
    assert!(is_in("app", "我的app好") && is_in("的", "我的app"));
}

#[test]
fn a_phrase_is_a_sequence_of_tokens() {
    assert!(is_in("\"big dog\"", "a Big, DOG!") && !is_in("\"big dog\"", "a dog, big"));
    assert!(!is_in("\"big dog\"", "big red dog") && !is_in("\"big dog\"", "big"));
    assert!(is_in("\"a b a\"", "a b a b") && !is_in("\"a b a\"", "a b"));
    assert!(is_in("\"dog\"", "dog"), "of one token, too");
    assert!(is_in("foo-bar", "foo bar") && !is_in("foo-bar", "bar foo"), "a word of two tokens is a phrase");
}

#[test]
fn a_phrase_may_begin_and_end_within_a_run_without_spaces() {
    assert!(is_in("的app", "我的app") && is_in("\"的 app\"", "我的app"));
    assert!(!is_in("我app", "我的app"));
    assert!(is_in("\"한국어 검색\"", "나는한국어 검색을") && !is_in("\"한국어 검색\"", "한국어 재검색"));
    assert!(is_in("\"a 好 b\"", "a好b") && !is_in("\"a 好 b\"", "a 你好 b"), "a run inside is complete");
}

#[test]
fn a_word_that_is_longer_than_a_token_is_found() {
    let long = "x".repeat(130);
    assert!(is_in(&long, &long));
    assert!(!is_in(&long, &"x".repeat(129)) && !is_in("x", &long));
}

#[test]
fn no_words_occur_in_every_text() {
    for words in ["", " \t\u{3000}\n"] {
        assert!(query(words).is_empty() && is_in(words, "") && is_in(words, "a"));
        assert!(query(words).terms().is_empty());
    }
}

#[test]
fn the_terms_of_a_query_are_pairs_where_there_are_some() {
    let terms = |words: &str| query(words).terms().into_iter().collect::<Vec<_>>();
    assert_eq!(terms("B \"a c\" 好"), ["a", "b", "c", "好"]);
    assert_eq!(terms("東京都"), ["京都", "東京"]);
}

#[test]
fn a_query_has_bounds() {
    assert!(query(&"é".repeat(256)).terms().len() == 1);
    assert_eq!(violation(&"é".repeat(257)), "must have at most 256 code points, has 257");
    assert_eq!(query(&"a ".repeat(16)).phrases.len(), 16);
    assert_eq!(violation(&"a ".repeat(17)), "must have at most 16 words and phrases, has 17");
}

#[test]
fn a_query_with_a_fault_is_refused() {
    for words in ["\"", "a \"b", "a \"b c", "\"a\" \""] {
        assert!(violation(words).contains("no closing quote"), "{words}");
    }
    for words in ["a\"b\"", "\"a\"b", "\"a\"\"b\"", "a\" b"] {
        assert!(violation(words).contains("a quote inside"), "{words}");
    }
    for (words, n) in [("!", 1), ("a …", 2), ("a b \"\"", 3), ("\" \"", 1), ("\u{200b}", 1)] {
        assert_eq!(violation(words), format!("word {n} has no letter and no digit"), "{words:?}");
    }
}
