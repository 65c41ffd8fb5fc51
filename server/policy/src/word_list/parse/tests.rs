//! List files, right and wrong.

use super::*;
use crate::word_list::ListEffect;

fn settings() -> ListSettings {
    let (name, code) = ("spam".to_owned(), "spam.word".to_owned());
    ListSettings { name, outcome: PolicyOutcome::Hold, code, mode: None, effect: ListEffect::Live }
}

fn read(text: &str) -> WordList {
    WordList::parse(&settings(), text.as_bytes()).unwrap()
}

fn faults(text: &str) -> Vec<(u32, String)> {
    WordList::parse(&settings(), text.as_bytes()).unwrap_err().faults
}

#[test]
fn a_plain_file_has_a_word_on_each_line_and_comments() {
    let list = read("\u{feff}# a comment\n\n  two words \r\nc#\n# {\"word\"\ntwo words\n");
    let words: Vec<_> = list.entries.iter().map(|entry| (entry.line, entry.word.as_str())).collect();
    assert_eq!(words, [(3, "two words"), (4, "c#")], "a word that comes again is one entry");
    let entry = &list.entries[1];
    assert_eq!((entry.outcome, entry.code.as_str(), entry.mode), (PolicyOutcome::Hold, "spam.word", None));
    assert_eq!(entry.id, "951a4d36e0a9");
}

#[test]
fn an_entry_in_json_overrides_what_the_list_says() {
    let full = r#"{"word":"x","outcome":"refuse","mode":"part","id":"a-1","code":"spam.link","expires":"2027-01-01"}"#;
    let list = read(&format!("# entries\n{full}\n\n{{\"word\":\"y\"}}\n# end"));
    let [x, y] = list.entries.as_slice() else { panic!("{list:?}") };
    assert_eq!((x.id.as_str(), x.outcome, x.code.as_str()), ("a-1", PolicyOutcome::Refuse, "spam.link"));
    assert_eq!((x.mode, x.expires, x.line), (Some(MatchMode::Part), Day::parse("2027-01-01"), 2));
    assert_eq!((y.outcome, y.code.as_str(), y.mode, y.line), (PolicyOutcome::Hold, "spam.word", None, 4));
}

#[test]
fn the_version_follows_from_the_bytes_alone() {
    let (one, other) = (read("badword\n"), read("badword"));
    assert_eq!((one.entries, one.version.len()), (other.entries, 16));
    assert_ne!(one.version, other.version);
    assert_eq!(read("").version, "e3b0c44298fc1c14");
}

#[test]
fn each_wrong_line_is_reported_with_its_number_and_without_its_word() {
    let wrong = [
        (r#"{"word":"secret","outcome":"ban"}"#, "`outcome` must be one of allow, mask, flag, hold, reject, refuse"),
        (r#"{"word":"secret","mode":"exact"}"#, "`mode` must be word or part"),
        (r#"{"word":"secret","expires":"tomorrow"}"#, "`expires` must be a day, as 2027-01-31"),
        (r#"{"word":"secret","severity":3}"#, "has an unknown key: write only word, outcome, mode, id, code, expires"),
        (r#"{"word":7}"#, "`word` must be a text"),
        (r#"{"outcome":"hold"}"#, "has no word"),
        (r#"{"word":"  "}"#, "has an empty word"),
        (r#"{"word":"secret","id":""}"#, "`id` must have 1 to 64 letters"),
        (r#"{"word":"secret","code":"Spam"}"#, "`code` must have small letters only"),
        (r#"{"word":"secret","code":"no spaces"}"#, "`code` must have 1 to 64 letters"),
        (r#"{"word":"secret""#, "must be a JSON object"),
        (r#"["secret"]"#, "must be a JSON object"),
        ("secret", "must be a JSON object"),
        (r#"{"word":"secret","secret":"refuse"}"#, "has an unknown key"),
        (r#"{"word":"secret","id":"first"}"#, "has the `id` of line 1"),
        (r#"{"word":"plain","outcome":"refuse"}"#, "has the word of line 2 with other values"),
    ];
    let lines: Vec<&str> = wrong.iter().map(|(line, _)| *line).collect();
    let found =
        faults(&format!("{{\"word\":\"fine\",\"id\":\"first\"}}\n{{\"word\":\"plain\"}}\n{}", lines.join("\n")));
    assert_eq!(found.len(), wrong.len(), "{found:?}");
    for ((line, what), (number, (_, expected))) in found.iter().zip((3..).zip(wrong)) {
        assert!(*line == number && what.starts_with(expected), "line {line}: {what}");
        assert!(!what.contains("secret"), "{what}");
    }
}

#[test]
fn a_plain_file_has_no_line_in_json_and_no_long_word() {
    let text = format!("one\n{{\"word\":\"two\"}}\n{}", "x".repeat(65));
    let found = faults(&text);
    assert!(found[0].1.starts_with("begins with `{`"), "{found:?}");
    assert_eq!(found[1], (3, "has 65 code points: at most 64 are possible".to_owned()));
    assert_eq!(read(&"好".repeat(64)).entries.len(), 1);
}

#[test]
fn bytes_that_are_no_text_are_reported_by_their_line() {
    let error = WordList::parse(&settings(), b"one\ntwo \xff").unwrap_err();
    assert_eq!(error.to_string(), "line 2: is no UTF-8 text");
}

#[test]
fn of_many_faults_the_first_twenty_are_reported() {
    let error = WordList::parse(&settings(), "{\n".repeat(25).as_bytes()).unwrap_err();
    assert_eq!((error.faults.len(), error.more), (20, 5));
    assert!(error.to_string().ends_with("; and 5 more"), "{error}");
}

#[test]
fn more_entries_than_a_matcher_takes_are_refused() {
    let many: String = (0..=MAX_ENTRIES).map(|number| format!("w{number}\n")).collect();
    let found = faults(&many);
    assert_eq!((found.len(), found[0].0), (1, MAX_ENTRIES as u32 + 1));
}
