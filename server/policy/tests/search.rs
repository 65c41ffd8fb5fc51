//! Tokens and queries, compared with simple definitions on random texts, and on real comments.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it stands")]

#[path = "real/texts.rs"]
#[expect(dead_code, reason = "other tests read the lists of words")]
mod texts;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use riposte_policy::{Normalizer, WordQuery};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static NORMALIZER: LazyLock<Normalizer> = LazyLock::new(Normalizer::default);

/// Pieces of texts that meet in all ways.
const PIECES: [&str; 32] = [
    "a", "B", "ｃ", "é", "e\u{301}", "ß", "ﬁ", "1", "٣", "½", " ", "\u{3000}", "-", "\"", "，", "\u{200b}", "\u{301}",
    "\u{336}", "´", "好", "麻", "カ", "ｶ", "ﾞ", "ー", "한", "\u{1100}", "\u{1161}", "ไ", "ี่", "ក្", "👍",
];

fn text() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![9 => select(&PIECES[..]).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn query(words: &str) -> WordQuery {
    WordQuery::parse(&NORMALIZER, "words", words).unwrap()
}

/// Returns the runs of a text of a few letters, by the simplest rules.
fn runs(text: &str) -> Vec<String> {
    let form = |c: char| if c.is_ascii_alphanumeric() { 1 } else { u8::from("好麻".contains(c)) * 2 };
    let chars: Vec<char> = text.chars().collect();
    let runs = chars.chunk_by(|one, next| form(*one) == form(*next)).filter(|run| form(run[0]) > 0);
    runs.map(|run| run.iter().collect()).collect()
}

/// Returns `true` if a sequence of runs occurs in a text: as text between marks, which only the
/// ends of a run without spaces may leave out.
fn occurs(phrase: &[String], text: &str) -> bool {
    let between = |runs: &[String]| runs.iter().map(|run| format!("|{run}")).collect::<String>() + "|";
    let phrase = between(phrase);
    let is_open = |c: Option<char>| c.is_some_and(|c| "好麻".contains(c));
    let mut wanted = phrase.as_str();
    if is_open(wanted.chars().nth(1)) {
        wanted = &wanted[1..];
    }
    if is_open(wanted.chars().rev().nth(1)) {
        wanted = &wanted[..wanted.len() - 1];
    }
    between(&runs(text)).contains(wanted)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_word_of_a_text_is_found_in_it(text in text()) {
        for word in text.split_whitespace() {
            if let Ok(query) = WordQuery::parse(&NORMALIZER, "words", word) {
                prop_assert!(query.is_in(&NORMALIZER, &text), "{word:?} in {text:?}");
            }
        }
    }

    #[test]
    fn a_text_with_all_words_has_the_terms_of_the_query(words in text(), text in text()) {
        let terms = NORMALIZER.search_terms(&text);
        prop_assert!(terms.iter().all(|term| !term.is_empty() && !term.contains(char::is_whitespace)));
        prop_assert!(terms.iter().all(|term| term.chars().count() <= 64));
        if let Ok(query) = WordQuery::parse(&NORMALIZER, "words", &words) && query.is_in(&NORMALIZER, &text) {
            prop_assert!(query.terms().is_subset(&terms), "{query:?} {text:?}");
        }
    }

    #[test]
    fn words_are_found_as_the_simple_definition_says(
        words in prop::collection::vec("[ab1好麻-]{0,2}[ab1好麻]", 1..4),
        phrase in "[ab好麻]([ab1好麻 ,]{0,4}[ab好麻])?",
        text in "[ab1好麻 ,]{0,14}",
    ) {
        let expected = words.iter().chain([&phrase]).all(|words| occurs(&runs(words), &text));
        let parsed = query(&format!("{} \"{phrase}\"", words.join(" ")));
        prop_assert_eq!(parsed.is_in(&NORMALIZER, &text), expected);
        prop_assert_eq!(query(&words[0]).is_in(&NORMALIZER, &text), occurs(&runs(&words[0]), &text));
    }

    #[test]
    fn each_part_of_a_run_without_spaces_is_found(run in "[好麻东カタ한국ไท]{1,12}", ends in any::<(Index, Index)>()) {
        let chars: Vec<char> = run.chars().collect();
        let (one, other) = (ends.0.index(chars.len()), ends.1.index(chars.len()));
        let part: String = chars[one.min(other)..=one.max(other)].iter().collect();
        let text = format!("a{run}!");
        prop_assert!(query(&part).is_in(&NORMALIZER, &text));
    }

    #[test]
    fn keys_are_equal_exactly_for_equal_runs(one in "[ab1好 ,]{0,6}", other in "[ab1好 ,]{0,6}") {
        let (first, second) = (NORMALIZER.text_key(&one), NORMALIZER.text_key(&other));
        prop_assert_eq!(first == second, runs(&one) == runs(&other));
        prop_assert_eq!(first.is_none(), runs(&one).is_empty());
    }

    #[test]
    fn the_normalized_text_has_the_same_terms_and_the_same_key(text in text()) {
        let copy = NORMALIZER.match_copy(&text);
        prop_assert_eq!(NORMALIZER.search_terms(copy.as_str()), NORMALIZER.search_terms(&text));
        prop_assert_eq!(NORMALIZER.text_key(copy.as_str()), NORMALIZER.text_key(&text));
        prop_assert_eq!(NORMALIZER.text_key(&text).is_none(), NORMALIZER.search_terms(&text).is_empty());
    }

    #[test]
    fn no_bytes_make_the_parsers_of_searches_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        riposte_policy::fuzz::search(&NORMALIZER, &bytes);
        riposte_policy::fuzz::search(&NORMALIZER, &[b"state = ACTIVE OR (".as_slice(), &bytes].concat());
    }
}

#[test]
fn the_groups_of_duplicates_in_real_comments_are_those_that_were_counted_first() {
    let Some(folder) = texts::folder() else { return };
    let mut groups = BTreeMap::new();
    for text in texts::madrid(&folder) {
        if let Some(key) = NORMALIZER.text_key(&text) {
            *groups.entry(key).or_insert(0) += 1;
        }
    }
    let mut sizes: Vec<i32> = groups.into_values().filter(|size| *size > 1).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    println!("{} comments in {} groups: {sizes:?}", sizes.iter().sum::<i32>(), sizes.len());
    assert_eq!((sizes.iter().sum::<i32>(), sizes.len()), (416, 100));
    assert_eq!(sizes[..5], [62, 39, 13, 13, 12]);
}
