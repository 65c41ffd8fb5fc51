//! Lists and the texts in which they find something.

use super::*;
use crate::day::Day;
use crate::word_list::{ListSettings, MAX_ENTRIES, WordList};
use std::sync::LazyLock;

static NORMALIZER: LazyLock<Arc<Normalizer>> = LazyLock::new(|| Arc::new(Normalizer::default()));

fn list(name: &str, outcome: PolicyOutcome, words: &str) -> WordList {
    let (name, code) = (name.to_owned(), "policy.list".to_owned());
    let settings = ListSettings { name, outcome, code, mode: None, effect: ListEffect::Live };
    WordList::parse(&settings, words.as_bytes()).unwrap()
}

fn compiled(lists: &[WordList]) -> (Matcher, Vec<EntryNote>) {
    Matcher::new(Arc::clone(&NORMALIZER), lists, Day::parse("2026-11-26").unwrap()).unwrap()
}

fn find<'m>(matcher: &'m Matcher, text: &str) -> Findings<'m> {
    matcher.find(text, &NORMALIZER.match_copy(text))
}

/// Returns the hits of held words in a text, by their ranges.
fn spans(words: &str, text: &str) -> Vec<(u32, u32)> {
    let (matcher, _) = compiled(&[list("l", PolicyOutcome::Hold, words)]);
    find(&matcher, text).hits.iter().map(|hit| (hit.span.start, hit.span.end)).collect()
}

#[test]
fn latin_words_end_at_other_scripts_and_han_words_anywhere() {
    assert_eq!(spans("spam\nass", "SPAM, spam你 class spams spam1 1spam"), [(0, 4), (6, 10)]);
    assert_eq!(spans("大麻", "大麻烦大麻"), [(0, 2), (3, 5)]);
    assert_eq!(spans("café", "cafe\u{301} cafés"), [(0, 5)]);
    assert_eq!(spans("two words", "Two words! two  words"), [(0, 9)]);
    assert_eq!(spans("$pam", "x$pamy"), [(1, 5)], "a symbol is no end of a word");
    assert_eq!(spans("ไทย", "กไทยก"), [(1, 4)]);
    assert_eq!(spans("हिन्दी", "हिन्दी हिन्दीक"), [(0, 6)], "a vowel sign belongs to its word");
}

#[test]
fn a_mode_overrides_the_scripts() {
    assert_eq!(spans(r#"{"word":"ass","mode":"part"}"#, "class"), [(2, 5)]);
    assert_eq!(spans(r#"{"word":"大麻","mode":"word"}"#, "大麻烦 大麻"), [(4, 6)]);
    assert_eq!(spans(r#"{"word":"性","mode":"part"}"#, "女性"), [(1, 2)]);
}

#[test]
fn marks_and_confusable_letters_are_undone_in_tokens_that_have_them() {
    assert_eq!(spans("spam", "s\u{336}p\u{336}a\u{336}m\u{336}!"), [(0, 8)]);
    assert_eq!(spans("spam", "sp\u{430}m spam"), [(0, 4), (5, 9)]);
    assert_eq!(spans("free money", "frее money"), [(0, 10)], "the phrase has one mixed token");
    assert_eq!(spans("model", "mоdel"), [(0, 5)], "a skeleton may be longer than its letter");
    assert_eq!(spans("спам", "спaм СПAМ"), [(0, 4), (5, 9)], "Latin letters in a Cyrillic word");
    assert_eq!(spans("casino", "CASIΝО"), [(0, 6)], "capitals are confusable, not their small forms");
    assert!(spans("com", "соrn corn").len() == 1, "only the mixed token is a skeleton");
    assert!(spans("cop", "сор").is_empty(), "a Russian word");
    assert!(spans("пляж", "plяzh").is_empty());
}

#[test]
fn an_allowed_word_removes_what_lies_inside_it_and_nothing_else() {
    let lists = [list("deny", PolicyOutcome::Reject, "大麻\n麻烦人"), list("ok", PolicyOutcome::Allow, "大麻烦")];
    let (matcher, _) = compiled(&lists);
    let findings = find(&matcher, "大麻烦");
    let effects: Vec<_> = findings.hits.iter().map(|hit| (hit.outcome, hit.effect)).collect();
    assert_eq!(effects, [(PolicyOutcome::Reject, HitEffect::Allowed), (PolicyOutcome::Allow, HitEffect::Counts)]);
    assert_eq!((findings.outcome, findings.decisive()), (PolicyOutcome::Allow, None));
    assert_eq!(find(&matcher, "大麻烦人").outcome, PolicyOutcome::Reject, "it reaches beyond the allowed word");
    assert_eq!(find(&matcher, "大麻烦大麻").outcome, PolicyOutcome::Reject);
}

#[test]
fn the_strongest_outcome_counts_and_of_equal_ones_the_longest_is_named() {
    let lists = [
        list("a", PolicyOutcome::Flag, "one two three"),
        list("b", PolicyOutcome::Hold, "one\ntwo three\nthree"),
        list("c", PolicyOutcome::Mask, "four"),
    ];
    let (matcher, _) = compiled(&lists);
    let findings = find(&matcher, "one two three four");
    let decisive = findings.decisive().unwrap();
    assert_eq!(
        (findings.outcome, decisive.list, decisive.span),
        (PolicyOutcome::Hold, "b", TextRange { start: 4, end: 13 })
    );
    assert_eq!(findings.masks(), [TextRange { start: 14, end: 18 }]);
    assert_eq!(decisive.version, lists[1].version);
    assert_eq!(decisive.entry, lists[1].entries[1].id);
}

#[test]
fn a_list_in_dry_run_finds_and_has_no_effect() {
    let dry_run = |list: WordList| WordList { effect: ListEffect::DryRun, ..list };
    let lists = [
        dry_run(list("refused", PolicyOutcome::Refuse, "spam")),
        dry_run(list("allowed", PolicyOutcome::Allow, "spam now")),
        list("live", PolicyOutcome::Flag, "now"),
    ];
    let (matcher, _) = compiled(&lists);
    let findings = find(&matcher, "spam now");
    assert_eq!(findings.outcome, PolicyOutcome::Flag);
    let dry = findings.hits.iter().filter(|hit| hit.effect == HitEffect::DryRun).map(|hit| hit.list);
    assert_eq!(dry.collect::<Vec<_>>(), ["refused", "allowed"]);
}

#[test]
fn equal_words_of_two_lists_are_both_hits() {
    let lists = [list("a", PolicyOutcome::Flag, "Spam"), list("b", PolicyOutcome::Hold, "ＳＰＡＭ")];
    let (matcher, _) = compiled(&lists);
    let findings = find(&matcher, "spam");
    assert_eq!(findings.hits.iter().map(|hit| hit.list).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(matcher.entries(), 2);
}

#[test]
fn entries_that_would_hit_everything_are_skipped_and_reported_by_their_lines() {
    let words = "\u{200b}\n性\nass\nfine\n24/7\nの\nсок\n好的\n🖕";
    let (matcher, notes) = compiled(&[list("l", PolicyOutcome::Hold, words)]);
    let reported: Vec<_> = notes.iter().map(|note| (note.line, note.kind)).collect();
    let expected = [
        (1, NoteKind::EmptySkipped),
        (2, NoteKind::SingleSkipped),
        (3, NoteKind::Short),
        (5, NoteKind::NoLetter),
        (6, NoteKind::SingleSkipped),
    ];
    assert_eq!(reported, expected);
    assert_eq!(matcher.entries(), 6);
}

#[test]
fn an_entry_ends_on_the_day_it_names() {
    let lists = [list("l", PolicyOutcome::Hold, r#"{"word":"spam","expires":"2026-11-27"}"#)];
    let on = |day| Matcher::new(Arc::clone(&NORMALIZER), &lists, Day::parse(day).unwrap()).unwrap();
    assert_eq!(on("2026-11-26").0.entries(), 1);
    let (matcher, notes) = on("2026-11-27");
    assert_eq!((matcher.entries(), notes[0].kind), (0, NoteKind::Expired));
    assert_eq!(find(&matcher, "spam"), Findings::default());
}

#[test]
fn after_256_hits_the_search_ends_and_the_text_is_held() {
    let (matcher, _) = compiled(&[list("l", PolicyOutcome::Mask, "好的")]);
    let findings = find(&matcher, &"好的".repeat(MAX_HITS));
    assert_eq!((findings.hits.len(), findings.too_many_hits), (MAX_HITS, false));
    assert_eq!(findings.outcome, PolicyOutcome::Mask);
    let findings = find(&matcher, &"好的".repeat(MAX_HITS + 1));
    assert_eq!((findings.hits.len(), findings.too_many_hits), (MAX_HITS, true));
    assert_eq!((findings.outcome, findings.decisive()), (PolicyOutcome::Hold, None));
}

#[test]
fn hits_without_effect_hide_no_word() {
    let dry_run = WordList { effect: ListEffect::DryRun, ..list("dry run", PolicyOutcome::Mask, "好的") };
    let (matcher, _) = compiled(&[dry_run, list("live", PolicyOutcome::Refuse, "大麻")]);
    let findings = find(&matcher, &format!("{}大麻", "好的".repeat(2 * MAX_HITS)));
    assert_eq!((findings.hits.len(), findings.too_many_hits), (MAX_HITS + 1, false));
    assert_eq!(findings.outcome, PolicyOutcome::Refuse);

    let (matcher, _) = compiled(&[
        list("allowed", PolicyOutcome::Allow, "大麻烦"),
        list("masked", PolicyOutcome::Mask, "大麻"),
        list("refused", PolicyOutcome::Refuse, "坏词"),
    ]);
    let findings = find(&matcher, &format!("{}坏词", "大麻烦".repeat(MAX_HITS / 2)));
    assert_eq!((findings.outcome, findings.too_many_hits), (PolicyOutcome::Hold, true), "it is not shown");
}

#[test]
fn a_hit_in_the_match_copy_and_in_a_folded_one_counts_once() {
    let (matcher, _) = compiled(&[list("l", PolicyOutcome::Mask, "spam")]);
    let text = format!("{}spa\u{336}m", "spam ".repeat(MAX_HITS - 1));
    let findings = find(&matcher, &text);
    assert_eq!((findings.hits.len(), findings.too_many_hits), (MAX_HITS, false));
}

#[test]
fn more_entries_than_the_bound_are_refused() {
    let words: String = (0..=MAX_ENTRIES / 2).map(|number| format!("w{number}\n")).collect();
    let lists = [list("a", PolicyOutcome::Hold, &words), list("b", PolicyOutcome::Hold, &words)];
    let error = Matcher::new(Arc::clone(&NORMALIZER), &lists, Day::parse("2026-11-26").unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "200002 entries in all lists: at most 200000 are possible");
}

#[test]
fn the_debug_form_of_a_matcher_has_no_word() {
    let (matcher, _) = compiled(&[list("names", PolicyOutcome::Hold, "secret")]);
    let text = format!("{matcher:?} {:?}", find(&matcher, "a secret"));
    assert!(text.contains("names") && !text.contains("secret"), "{text}");
    assert!(matcher.heap_bytes() > 0 && matcher.heap_bytes() < MAX_HEAP_BYTES);
}
