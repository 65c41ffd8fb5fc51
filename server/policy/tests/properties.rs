//! Normalisation, search and masks, compared with simple definitions on random texts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it stands")]

use proptest::prelude::*;
use proptest::sample::{Index, select};
use riposte_policy::{
    Day, HitEffect, ListEffect, ListSettings, MAX_HITS, MatchMode, Matcher, Normalizer, PolicyOutcome, TextRange,
    WordList, masked,
};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

static NORMALIZER: LazyLock<Arc<Normalizer>> = LazyLock::new(|| Arc::new(Normalizer::default()));

/// Pieces of texts that meet in all ways: letters with forms of all kinds, marks that are composed
/// and marks that are not, jamo, digits, invisible code points, emoji.
const PIECES: [&str; 48] = [
    "a",
    "b",
    "c",
    "A",
    "ｂ",
    "ⓒ",
    "ß",
    "ﬁ",
    "İ",
    "é",
    "e\u{301}",
    "\u{301}",
    "\u{336}",
    "\u{20dd}",
    "\u{327}",
    "а",
    "с",
    "В",
    "ς",
    "α",
    "\u{345}",
    "ա",
    "Ꭰ",
    "好",
    "麻",
    "烦",
    "㈱",
    "ガ",
    "ｶ",
    "\u{ff9e}",
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "각",
    "ก",
    "\u{e33}",
    "क",
    "\u{958}",
    "\u{93c}",
    "1",
    "٢",
    "𝟚",
    "\u{200b}",
    "\u{ad}",
    "\u{fe0f}",
    "👩\u{200d}👧",
    " ",
    ".",
];

fn text() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![12 => select(&PIECES[..]).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn list(words: &[String], outcome: PolicyOutcome, mode: Option<MatchMode>) -> WordList {
    let (name, code) = (outcome.name().to_owned(), "policy.list".to_owned());
    let settings = ListSettings { name, outcome, code, mode, effect: ListEffect::Live };
    WordList::parse(&settings, words.join("\n").as_bytes()).unwrap()
}

fn matcher(lists: &[WordList]) -> Matcher {
    Matcher::new(Arc::clone(&NORMALIZER), lists, Day::parse("2026-11-26").unwrap()).unwrap().0
}

/// Returns all places of a word in a text, both as code points.
fn places(text: &[char], word: &[char]) -> Vec<usize> {
    let is_at = |at: &usize| text[*at..].starts_with(word);
    (0..text.len()).filter(is_at).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_copy_is_in_nfc_and_normalizing_it_changes_nothing(text in text()) {
        let copy = NORMALIZER.match_copy(&text);
        let composed: String = copy.as_str().nfc().collect();
        prop_assert_eq!(&composed, copy.as_str());
        let again = NORMALIZER.match_copy(copy.as_str());
        prop_assert_eq!(again.as_str(), copy.as_str());
    }

    #[test]
    fn the_copy_is_that_of_its_code_points_composed(text in text()) {
        // Each code point alone; the composition of all.
        let alone = |c: char| NORMALIZER.match_copy(c.encode_utf8(&mut [0; 4])).as_str().to_owned();
        let composed: String = text.chars().map(alone).collect::<String>().nfc().collect();
        let copy = NORMALIZER.match_copy(&text);
        prop_assert_eq!(copy.as_str(), composed);
    }

    #[test]
    fn each_range_of_a_copy_has_the_code_points_that_it_comes_from(text in text()) {
        let stored: Vec<char> = text.chars().collect();
        let copy = NORMALIZER.match_copy(&text);
        let points: Vec<(char, TextRange)> = copy.code_points().collect();
        let mut at = 0;
        while at < points.len() {
            // The code points of one cluster have one range, which alone gives the same cluster.
            let span = points[at].1;
            let cluster: String = points[at..].iter().take_while(|(_, own)| *own == span).map(|(c, _)| *c).collect();
            prop_assert!(span.start < span.end && span.end as usize <= stored.len());
            let source: String = stored[span.start as usize..span.end as usize].iter().collect();
            let of_source = NORMALIZER.match_copy(&source);
            prop_assert_eq!(of_source.as_str(), &cluster);
            at += cluster.chars().count();
            prop_assert!(points.get(at).is_none_or(|(_, next)| next.start >= span.end));
        }
    }

    #[test]
    fn invisible_code_points_change_no_hit(
        text in "[ab好 ]{0,12}",
        places in prop::collection::vec((any::<Index>(), select(&["\u{200b}", "\u{ad}", "\u{fe0f}"][..])), 0..6),
    ) {
        let matcher = matcher(&[list(&["ab".to_owned(), "a好".to_owned(), "好".to_owned()], PolicyOutcome::Hold, None)]);
        let count = |text: &str| matcher.find(text, &NORMALIZER.match_copy(text)).hits.len();
        let mut disguised: Vec<String> = text.chars().map(String::from).collect();
        for (at, invisible) in places {
            disguised.insert(at.index(disguised.len() + 1), invisible.to_owned());
        }
        prop_assert_eq!(count(&disguised.concat()), count(&text));
    }

    #[test]
    fn parts_are_found_at_each_of_their_places(
        words in prop::collection::btree_set("[abé好麻]{1,4}", 1..6),
        text in "[abéÉ好麻 ]{0,16}",
    ) {
        let words: Vec<String> = words.into_iter().collect();
        let matcher = matcher(&[list(&words, PolicyOutcome::Flag, Some(MatchMode::Part))]);
        let chars: Vec<char> = text.to_lowercase().chars().collect();
        let mut expected = BTreeSet::new();
        for word in &words {
            let word: Vec<char> = word.chars().collect();
            let spans = places(&chars, &word).into_iter().map(|at| (at as u32, (at + word.len()) as u32));
            expected.extend(spans.map(|(start, end)| TextRange { start, end }));
        }
        let findings = matcher.find(&text, &NORMALIZER.match_copy(&text));
        let found: BTreeSet<TextRange> = findings.hits.iter().map(|hit| hit.span).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn words_are_found_where_neither_a_letter_of_their_script_nor_a_digit_is_beside_them(
        words in prop::collection::btree_set("[ab]{1,3}", 1..4),
        text in "[ab好1 .]{0,16}",
    ) {
        let words: Vec<String> = words.into_iter().collect();
        let matcher = matcher(&[list(&words, PolicyOutcome::Flag, None)]);
        let continues = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let chars: Vec<char> = text.chars().collect();
        let mut expected = BTreeSet::new();
        for word in &words {
            let word: Vec<char> = word.chars().collect();
            for at in places(&chars, &word) {
                let (before, end) = (at.checked_sub(1).and_then(|at| chars.get(at)), at + word.len());
                if !continues(before) && !continues(chars.get(end)) {
                    expected.insert(TextRange { start: at as u32, end: end as u32 });
                }
            }
        }
        let findings = matcher.find(&text, &NORMALIZER.match_copy(&text));
        let found: BTreeSet<TextRange> = findings.hits.iter().map(|hit| hit.span).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn an_allowed_word_removes_exactly_what_lies_inside_it(
        denied in prop::collection::btree_set("[好麻烦]{1,3}", 1..4),
        allowed in prop::collection::btree_set("[好麻烦]{1,4}", 1..3),
        text in "[好麻烦]{0,12}",
    ) {
        let words = |words: BTreeSet<String>| words.into_iter().collect::<Vec<_>>();
        let part = Some(MatchMode::Part);
        let lists = [
            list(&words(denied), PolicyOutcome::Reject, part),
            list(&words(allowed), PolicyOutcome::Allow, part),
        ];
        let matcher = matcher(&lists);
        let findings = matcher.find(&text, &NORMALIZER.match_copy(&text));
        let is_allowed = |span: TextRange| {
            findings.hits.iter().any(|hit| hit.outcome == PolicyOutcome::Allow && hit.span.contains(span))
        };
        for hit in findings.hits.iter().filter(|hit| hit.outcome != PolicyOutcome::Allow) {
            prop_assert_eq!(hit.effect == HitEffect::Allowed, is_allowed(hit.span));
        }
        let counts = findings.hits.iter().any(|hit| hit.outcome == PolicyOutcome::Reject && !is_allowed(hit.span));
        prop_assert_eq!(findings.outcome == PolicyOutcome::Reject, counts);
        prop_assert!(findings.hits.len() <= MAX_HITS);
    }

    #[test]
    fn a_mask_covers_whole_characters_and_leaves_the_others(
        text in text(),
        ends in prop::collection::vec((any::<Index>(), any::<Index>()), 0..4),
    ) {
        let length = text.chars().count();
        let range = |(one, other): (Index, Index)| {
            let (one, other) = (one.index(length + 1), other.index(length + 1));
            TextRange { start: one.min(other) as u32, end: one.max(other) as u32 }
        };
        let spans: Vec<TextRange> = ends.into_iter().map(range).filter(|span| span.code_points() > 0).collect();
        let (mut expected, mut at) = (String::new(), 0_u32);
        for character in text.graphemes(true) {
            let own = at..at + character.chars().count() as u32;
            at = own.end;
            let is_masked = own.clone().any(|at| spans.iter().any(|span| (span.start..span.end).contains(&at)));
            expected += &if is_masked { "*".repeat(own.len()) } else { character.to_owned() };
        }
        let composed: String = expected.nfc().collect();
        prop_assert_eq!(masked(&text, &spans), composed);
        // The limit of the length holds for a masked text, too.
        let stored: String = text.nfc().collect();
        prop_assert!(masked(&stored, &spans).chars().count() <= stored.chars().count());
    }

    #[test]
    fn no_bytes_make_the_reader_of_lists_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        riposte_policy::fuzz::list_and_text(&NORMALIZER, &bytes);
        riposte_policy::fuzz::list_and_text(&NORMALIZER, &[b"{\"word\":\"".as_slice(), &bytes, b"\"}\0"].concat());
    }
}
