//! Times of RFC 3339.

use super::super::time::{FilterTime, parse};
use super::text_form::time_text;
use super::*;
use proptest::prelude::*;

fn millis(text: &str) -> Option<i64> {
    parse(text).map(|time| time.millis.0)
}

#[test]
fn a_time_has_a_day_a_time_of_day_and_an_offset() {
    for (text, expected) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-11-25T10:00:00Z", 1_795_600_800_000),
        ("2026-11-25t10:00:00z", 1_795_600_800_000),
        ("2026-11-25T11:30:00+01:30", 1_795_600_800_000),
        ("2026-11-25T00:00:00-10:00", 1_795_600_800_000),
        ("2026-11-25T10:00:00-00:00", 1_795_600_800_000),
        ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("2026-11-25T10:00:00.5Z", 1_795_600_800_500),
        ("2026-11-25T10:00:00.123456789Z", 1_795_600_800_123),
    ] {
        assert_eq!(millis(text), Some(expected), "{text}");
    }
}

#[test]
fn other_texts_are_no_times() {
    for text in [
        "",
        "now",
        "2026-11-25",
        "2026-11-25T10:00:00",
        "2026-11-25T10:00Z",
        "2026-11-25 10:00:00Z",
        "2026-11-25T10:00:00.Z",
        "2026-11-25T10:00:00.1234567890Z",
        "2026-11-25T10:00:00,5Z",
        "2026-11-25T24:00:00Z",
        "2026-11-25T10:60:00Z",
        "2026-11-25T10:00:60Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        "+2026-11-25T10:00:00Z",
        "2026-1-25T10:00:00Z",
        "2026-11-25T10:00:00+1:00",
        "2026-11-25T10:00:00+01",
        "2026-11-25T10:00:00+24:00",
        "2026-11-25T10:00:00+01:60",
        "2026-11-25T10:00:00ZZ",
        " 2026-11-25T10:00:00Z",
        "２026-11-25T10:00:00Z",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn a_time_between_two_milliseconds_is_compared_exactly() {
    let fixture = Fixture::new();
    for (time, [less, at_most, greater, at_least]) in [
        ("2026-11-25T09:59:59.9995Z", [false, false, true, true]),
        ("2026-11-25T10:00:00.000000000Z", [false, true, false, true]),
        ("2026-11-25T10:00:00.000000001Z", [true, true, false, false]),
    ] {
        for (operator, expected) in [("<", less), ("<=", at_most), (">", greater), (">=", at_least)] {
            let text = format!("create_time {operator} \"{time}\"");
            assert_eq!(super::parse(&text).matches(&fixture.comment()), expected, "{text}");
        }
    }
}

proptest! {
    #[test]
    fn each_millisecond_of_the_calendar_has_its_text(millis in -62_135_596_800_000..=253_402_300_799_999_i64) {
        let time = FilterTime { millis: Millis(millis), is_exact: true };
        prop_assert_eq!(parse(&time_text(Millis(millis))), Some(time));
    }
}
