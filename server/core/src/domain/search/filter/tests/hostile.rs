//! Texts that no client of good will sends.

use super::*;
use crate::domain::search::{MAX_FILTER_BYTES, MAX_FILTER_COMPARISONS, MAX_FILTER_LEVELS};
use proptest::prelude::*;

#[test]
fn a_filter_has_at_most_1_kib() {
    let padded = |bytes: usize| format!("{:<bytes$}", "root=1");
    parse(&padded(MAX_FILTER_BYTES));
    let violation = SearchFilter::parse("filter", &padded(MAX_FILTER_BYTES + 1)).expect_err("too long");
    assert_eq!(violation.description, "must have at most 1024 bytes, has 1025");
    // Bytes, not code points.
    let wide = format!("member = \"{}\"", "楼".repeat(400));
    assert!(SearchFilter::parse("filter", &wide).is_err_and(|violation| violation.description.contains("has 1211")));
}

#[test]
fn a_filter_has_at_most_32_comparisons() {
    let joined = |count: usize| vec!["root=1"; count].join(" AND ");
    assert!(matches!(parse(&joined(MAX_FILTER_COMPARISONS)), SearchFilter::And(filters) if filters.len() == 32));
    let (position, rule) = violation(&joined(MAX_FILTER_COMPARISONS + 1));
    assert_eq!((position, rule.as_str()), (32 * 11 + 1, "the filter has more than 32 comparisons"));
    // In groups, too.
    let pairs = vec!["(root=1 OR root=2)"; 17].join(" AND ");
    assert!(violation(&pairs).1.contains("more than 32 comparisons"));
}

#[test]
fn at_most_8_parentheses_are_open() {
    let nested = |levels: usize| format!("{}root=1{}", "(".repeat(levels), ")".repeat(levels));
    parse(&nested(MAX_FILTER_LEVELS));
    assert_eq!(violation(&nested(MAX_FILTER_LEVELS + 1)), (9, "more than 8 parentheses are open".to_owned()));
    parse(&vec![nested(MAX_FILTER_LEVELS); 20].join(" OR "));
    let complements = |levels: usize| format!("{}root=1{}", "NOT (".repeat(levels), ")".repeat(levels));
    parse(&complements(MAX_FILTER_LEVELS));
    assert_eq!(violation(&complements(MAX_FILTER_LEVELS + 1)).0, 8 * 5 + 5);
}

#[test]
fn a_kibibyte_of_one_character_is_refused_early() {
    for (text, position) in [
        ("(", 9),
        (")", 1),
        ("\"", 1),
        ("\\", 1),
        ("-", 2),
        ("NOT ", 5),
        ("-(", 18),
        ("=", 1),
        ("a", 1),
        ("0", 1),
        ("\0", 1),
        ("\u{1b}", 1),
        ("楼", 1),
        ("\u{202e}", 1),
        (" ", 1_025),
    ] {
        let text = text.repeat(MAX_FILTER_BYTES / text.len());
        assert_eq!(violation(&text).0, position, "{:?}", &text[..4]);
    }
    for (prefix, repeated) in [("member = \"", "\\\""), ("member = \"", "\\\\"), ("root = ", "9"), ("depth = ", "0")] {
        let text = prefix.to_owned() + &repeated.repeat((MAX_FILTER_BYTES - prefix.len()) / repeated.len());
        let is_number = repeated == "0";
        assert_eq!(SearchFilter::parse("filter", &text).is_ok(), is_number, "{prefix}{repeated}");
    }
}

#[test]
fn control_characters_and_lone_escapes_are_refused() {
    for text in ["root =\0 1", "root = 1\u{b}", "root\u{85}= 1", "\u{feff}root = 1", "root = 1\0"] {
        violation(text);
    }
    for value in ["\\", "a\\", "\\x", "\\u0041", "a\\ \"", "a\0", "a\n", "\u{7f}"] {
        violation(&format!("member = \"{value}\""));
    }
    assert_eq!(violation("member = \"\\").0, 11);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_makes_the_parser_panic_and_every_position_is_in_the_text(
        pieces in prop::collection::vec(
            prop_oneof![
                4 => prop::sample::select(&[
                    "(", ")", "NOT", "-", "AND", "OR", " ", "root", "depth", "state", "member", "create_time", "=", "!=",
                    "<", ">=", "1", "ACTIVE", "\"a\"", "\"", "\\", "\"2026-11-25T00:00:00Z\"", "楼", "\0",
                ][..]).prop_map(str::to_owned),
                1 => any::<char>().prop_map(String::from),
            ],
            0..20,
        ),
        gap in prop::sample::select(&["", " "][..]),
    ) {
        let text = pieces.join(gap);
        match SearchFilter::parse("query.filter", &text) {
            Ok(filter) => {
                let fixture = Fixture::new();
                let matches = filter.matches(&fixture.comment());
                prop_assert_ne!(SearchFilter::Not(Box::new(filter)).matches(&fixture.comment()), matches);
            }
            Err(_) => prop_assert!((1..=text.chars().count() + 1).contains(&violation(&text).0), "{}", text),
        }
    }
}
