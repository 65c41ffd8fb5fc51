//! The policy of any list and any text, and any search of a text, for fuzzers.

use crate::rule_inputs::links;
use crate::{
    Day, HitEffect, ListEffect, ListSettings, MatchCopy, Matcher, MemberInputs, Normalizer, PolicyOutcome, RuleInputs,
    WordList, WordQuery, masked,
};
use riposte_core::search::SearchFilter;
use std::sync::Arc;

/// Reads the bytes up to the first NUL as a list file, and finds its entries in the rest.
///
/// # Panics
/// If a range cuts a character of the text or is outside it, or an outcome comes from no hit.
pub fn list_and_text(normalizer: &Arc<Normalizer>, bytes: &[u8]) {
    let (list, text) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], String::from_utf8_lossy(&bytes[at + 1..])),
        None => (bytes, String::from_utf8_lossy(bytes)),
    };
    let copy = normalizer.match_copy(&text);
    let length = text.chars().count() as u32;
    ranges(&copy, length);
    let inputs = RuleInputs::of(&text, &copy, 0, MemberInputs::default());
    assert!(inputs.length == length && inputs.repeats <= length);
    let (name, code) = ("fuzz".to_owned(), "policy.list".to_owned());
    let settings = ListSettings { name, outcome: PolicyOutcome::Mask, code, mode: None, effect: ListEffect::Live };
    // An error is a valid result.
    let Ok(list) = WordList::parse(&settings, list) else { return };
    let Some(today) = Day::new(2026, 11, 26) else { return };
    let Ok((matcher, _)) = Matcher::new(Arc::clone(normalizer), &[list], today) else { return };
    let findings = matcher.find(&text, &copy);
    for hit in &findings.hits {
        assert!(hit.span.start < hit.span.end && hit.span.end <= length, "{hit:?}");
    }
    let counts = findings.hits.iter().any(|hit| hit.effect == HitEffect::Counts && hit.outcome == findings.outcome);
    assert!(counts || findings.too_many_hits || findings.outcome == PolicyOutcome::Allow);
    let shown = masked(&text, &findings.masks());
    assert!(findings.masks().is_empty() || shown.contains('*'), "a masked text has a mark");
}

/// Checks that the ranges of a copy are in order, inside the text, and not empty.
fn ranges(copy: &MatchCopy, length: u32) {
    let mut last = 0;
    for (_, span) in copy.code_points() {
        assert!(span.start < span.end && span.end <= length && last <= span.start, "{span:?} in {length}");
        last = span.start;
    }
}

/// Reads the bytes up to the first NUL as the words and as the filter of a search, and searches for
/// the words in the rest.
///
/// # Panics
/// If a text with all words lacks a term of the query, if only one of key and terms exists, or if
/// no filter can name the host of a link.
pub fn search(normalizer: &Normalizer, bytes: &[u8]) {
    let (request, text) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, bytes),
    };
    let (request, text) = (String::from_utf8_lossy(request), String::from_utf8_lossy(text));
    let terms = normalizer.search_terms(&text);
    assert_eq!(normalizer.text_key(&text).is_some(), !terms.is_empty());
    // Errors are valid results.
    if let Ok(query) = WordQuery::parse(normalizer, "words", &request) {
        assert!(!query.is_in(normalizer, &text) || query.terms().is_subset(&terms), "{query:?}");
    }
    let copy = normalizer.match_copy(&text);
    for host in links::hosts(copy.as_str()) {
        assert!(SearchFilter::parse("filter", &format!("link = \"{host}\"")).is_ok(), "{host}");
    }
    if let Err(violation) = SearchFilter::parse("filter", &request) {
        assert!(violation.field == "filter" && !violation.description.is_empty());
    }
}
