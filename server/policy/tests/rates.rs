//! The share of real comments in which published word lists find something, by the ways to match.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it stands")]

#[path = "real/texts.rs"]
mod texts;

use riposte_policy::{Day, MatchMode, Matcher, Normalizer, PolicyOutcome, WordList};
use std::path::Path;
use std::sync::Arc;

/// Returns the number of texts in which the lists find something.
fn hits(lists: &[WordList], comments: &[String]) -> usize {
    let today = Day::parse("2026-11-26").unwrap();
    let normalizer = Arc::new(Normalizer::default());
    let (matcher, _) = Matcher::new(Arc::clone(&normalizer), lists, today).unwrap();
    let is_hit = |text: &&String| matcher.find(text, &normalizer.match_copy(text)).outcome != PolicyOutcome::Allow;
    comments.iter().filter(is_hit).count()
}

/// Returns the lists of some languages.
fn lists(folder: &Path, languages: &[&str], mode: Option<MatchMode>) -> Vec<WordList> {
    languages.iter().map(|language| texts::words(folder, language, mode)).collect()
}

#[test]
fn the_rates_on_spanish_comments_are_those_that_were_measured_first() {
    let Some(folder) = texts::folder() else { return };
    let madrid = texts::madrid(&folder);
    assert_eq!(madrid.len(), 5_633);
    let measured: [(&[&str], Option<MatchMode>, f64); 8] = [
        (&["en"], None, 0.60),
        (&["es"], None, 1.88),
        (&["ja"], None, 0.05),
        (&["en", "es", "zh"], None, 2.17),
        (&["en"], Some(MatchMode::Part), 11.02),
        (&["es"], Some(MatchMode::Part), 10.46),
        (&["ja"], Some(MatchMode::Part), 11.49),
        (&["en", "es", "zh"], Some(MatchMode::Part), 19.58),
    ];
    for (languages, mode, expected) in measured {
        let count = hits(&lists(&folder, languages, mode), &madrid);
        let rate = count as f64 * 100.0 / madrid.len() as f64;
        println!("{languages:?}, {mode:?}: {count} texts, {rate:.2} %");
        assert!((rate - expected).abs() <= 0.05, "{languages:?}, {mode:?}: {rate:.2} %, not {expected} %");
    }
}

#[test]
fn single_han_characters_are_found_in_chinese_comments_only_if_they_have_a_mode() {
    let Some(folder) = texts::folder() else { return };
    let vtaiwan = texts::vtaiwan(&folder);
    assert_eq!(vtaiwan.len(), 197);
    assert_eq!(hits(&lists(&folder, &["zh"], Some(MatchMode::Part)), &vtaiwan), 11);
    assert_eq!(hits(&lists(&folder, &["zh"], None), &vtaiwan), 0);
}
