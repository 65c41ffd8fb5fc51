//! Every field with each of its operators.

use super::*;
use crate::domain::search::{DecisionAction, DuplicateOf};

/// Checks filters on the comment with all values and on the one without.
fn check(cases: &[(&str, bool, bool)]) {
    let fixture = Fixture::new();
    for (text, complete, plain) in cases {
        let filter = parse(text);
        assert_eq!(filter.matches(&fixture.comment()), *complete, "{text}: all values");
        assert_eq!(filter.matches(&fixture.plain()), *plain, "{text}: no values");
    }
}

#[test]
fn fields_with_one_value_are_equal_or_not() {
    check(&[
        ("subject = \"video-1\"", true, true),
        ("subject != \"video-1\"", false, false),
        ("subject = \"video\"", false, false),
        ("subject != \"Video-1\"", true, true),
        ("member = \"ann\"", true, true),
        ("member != \"ann\"", false, false),
        ("member != \"bob\"", true, true),
        ("state = DELETED", true, false),
        ("state != DELETED", false, true),
        ("state = ACTIVE", false, true),
    ]);
}

#[test]
fn an_absent_value_makes_both_operators_false_and_not_is_the_complement() {
    check(&[
        ("deleted_by = SUBJECT_OWNER", true, false),
        ("deleted_by != SUBJECT_OWNER", false, false),
        ("deleted_by != AUTHOR", true, false),
        ("NOT deleted_by = AUTHOR", true, true),
        ("NOT deleted_by != SUBJECT_OWNER", true, true),
        ("code = \"spam.link\"", true, false),
        ("code != \"spam.link\"", false, false),
        ("code != \"spam\"", true, false),
        ("-code = \"spam\"", true, true),
        ("action = REJECT", true, false),
        ("action != REJECT", false, false),
        ("action != APPROVE", true, false),
        ("edit_time > \"2000-01-01T00:00:00Z\"", true, false),
        ("NOT edit_time > \"2000-01-01T00:00:00Z\"", false, true),
    ]);
}

#[test]
fn fields_with_several_values_are_equal_to_one_or_unequal_to_all() {
    check(&[
        ("mention = \"bob\"", true, false),
        ("mention = \"eve\"", true, false),
        ("mention = \"ann\"", false, false),
        ("mention != \"bob\"", false, false),
        ("mention != \"ann\"", true, false),
        ("NOT mention = \"ann\"", true, true),
        ("open = TEXT", true, false),
        ("open = APPEAL", true, false),
        ("open = EDIT", false, false),
        ("open != TEXT", false, false),
        ("open != EDIT", true, false),
        ("NOT open = EDIT", true, true),
    ]);
}

#[test]
fn a_link_equals_its_host_and_the_domains_above() {
    check(&[
        ("link = \"www.example.com\"", true, false),
        ("link = \"example.com\"", true, false),
        ("link = \"Example.COM\"", true, false),
        ("link = \"com\"", true, false),
        ("link = \"other.org\"", true, false),
        ("link = \"ample.com\"", false, false),
        ("link = \"www.other.org\"", false, false),
        ("link != \"example.com\"", false, false),
        ("link != \"example.net\"", true, false),
        ("NOT link = \"example.com\"", false, true),
    ]);
}

#[test]
fn roots_and_parents_are_ids_or_0() {
    check(&[
        ("root = 7", true, false),
        ("root = 8", false, false),
        ("root = 0", false, true),
        ("parent = 8", true, false),
        ("parent = 0", false, true),
    ]);
}

#[test]
fn numbers_are_compared_in_six_ways() {
    for (field, number) in [("depth", 2), ("length", 300), ("reports", 4), ("decisions", 3)] {
        let fixture = Fixture::new();
        let comment = fixture.comment();
        for (operator, below, same, above) in [
            ("=", false, true, false),
            ("!=", true, false, true),
            ("<", false, false, true),
            ("<=", false, true, true),
            (">", true, false, false),
            (">=", true, true, false),
        ] {
            for (value, expected) in [(number - 1, below), (number, same), (number + 1, above)] {
                let text = format!("{field} {operator} {value}");
                assert_eq!(parse(&text).matches(&comment), expected, "{text}");
            }
        }
    }
}

#[test]
fn times_are_compared_in_four_ways() {
    for (field, hour) in [("create_time", 10), ("edit_time", 11)] {
        let fixture = Fixture::new();
        for (operator, below, same, above) in
            [("<", false, false, true), ("<=", false, true, true), (">", true, false, false), (">=", true, true, false)]
        {
            for (value, expected) in [("59:59.999", below), ("00:00", same), ("00:00.001", above)] {
                let hour = if value.starts_with("59") { hour - 1 } else { hour };
                let text = format!("{field} {operator} \"2026-11-25T{hour:02}:{value}Z\"");
                assert_eq!(parse(&text).matches(&fixture.comment()), expected, "{text}");
            }
        }
    }
}

#[test]
fn duplicates_have_the_key_of_the_text_that_the_caller_finds() {
    let fixture = Fixture::new();
    let mut filter = parse("duplicate_of = 5 OR NOT duplicate_of = 6");
    assert_eq!(filter.duplicate_ids(), [id(5), id(6)]);
    assert!(parse("duplicate_of = 5").duplicate_ids() == [id(5)] && parse("root = 5").duplicate_ids().is_empty());
    let unset =
        |comment| SearchFilter::Comparison(FilterComparison::DuplicateOf(DuplicateOf { comment, text_key: None }));
    assert_eq!(filter, SearchFilter::Or(vec![unset(id(5)), SearchFilter::Not(Box::new(unset(id(6))))]));
    filter.set_text_keys(&mut |comment| Some(key(comment.get() as u8)));
    let with_key = |text_key| CommentFacts { text_key, ..fixture.comment() };
    for (text_key, expected) in [(Some(key(5)), true), (Some(key(6)), false), (Some(key(7)), true), (None, true)] {
        assert_eq!(filter.matches(&with_key(text_key)), expected, "{text_key:?}");
    }
    // A text without tokens has no duplicates, not even itself.
    let mut none = parse("duplicate_of = 5");
    none.set_text_keys(&mut |_| None);
    assert!(!none.matches(&with_key(None)) && !none.matches(&with_key(Some(key(5)))));
    assert!(parse("NOT duplicate_of = 5").matches(&with_key(None)), "NOT is the complement");
}

#[test]
fn an_action_is_that_of_the_contract_for_texts_and_proposed_edits() {
    let fixture = Fixture::new();
    for action in DecisionAction::ALL {
        let filter = parse(&format!("action = {action}"));
        for act in CommentAct::ALL {
            let comment = CommentFacts { act: Some(act), ..fixture.comment() };
            let name = format!("{act:?}").to_uppercase();
            let is_same = name.strip_suffix("EDIT").unwrap_or(&name) == action.to_string();
            assert_eq!(filter.matches(&comment), is_same, "{action} {act:?}");
        }
    }
}

#[test]
fn every_state_has_its_name() {
    let fixture = Fixture::new();
    for state in CommentState::ALL {
        let filter = parse(&format!("state = {state}"));
        for other in CommentState::ALL {
            let comment = CommentFacts { state: other, ..fixture.comment() };
            assert_eq!(filter.matches(&comment), state == other);
        }
    }
}

#[test]
fn nothing_matches_a_comment_that_the_service_erased() {
    let fixture = Fixture::new();
    let erased = CommentFacts { erased: true, deleted_by: None, ..fixture.comment() };
    for text in ["state = DELETED", "NOT state = DELETED", "state = ACTIVE OR NOT state = ACTIVE", "-root = 1"] {
        assert!(!parse(text).matches(&erased), "{text}");
    }
}

#[test]
fn comparisons_are_joined() {
    check(&[
        ("depth = 2 AND length = 300 AND reports = 4", true, false),
        ("depth = 0 OR depth = 2", true, true),
        ("depth = 1 OR depth = 3", false, false),
        ("(depth = 2 OR depth = 0) AND (state = ACTIVE OR decisions > 2)", true, true),
        ("NOT (depth = 2 OR state = ACTIVE)", false, false),
        ("-(depth = 2 AND state = ACTIVE)", true, true),
        ("NOT (NOT depth = 2)", true, false),
    ]);
}
