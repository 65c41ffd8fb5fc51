//! Times of RFC 3339.

use winnow::Parser;
use winnow::combinator::{alt, opt, preceded};
use winnow::error::EmptyError;
use winnow::token::{one_of, take_while};

use crate::domain::time::Millis;

const DAY_MINUTES: i64 = 24 * 60;

/// A time of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilterTime {
    /// The millisecond that the time is in.
    pub(super) millis: Millis,
    /// `true` if the time is the start of that millisecond.
    pub(super) is_exact: bool,
}

/// Returns the time of a text of RFC 3339 with at most nine digits behind the second; `None` for
/// another text, a day that the calendar does not have, or a leap second.
pub(super) fn parse(text: &str) -> Option<FilterTime> {
    let (days, _, (seconds, nanos), offset) = (day, one_of(['T', 't']), time_of_day, offset).parse(text).ok()?;
    let minutes = days * DAY_MINUTES - offset;
    let millis = Millis((minutes * 60 + seconds) * 1_000 + nanos / 1_000_000);
    Some(FilterTime { millis, is_exact: nanos % 1_000_000 == 0 })
}

/// Returns the days since 1970-01-01.
fn day(input: &mut &str) -> Result<i64, EmptyError> {
    let (year, _, month, _, day) =
        (number(4, 1..=9_999), '-', number(2, 1..=12), '-', number(2, 1..=31)).parse_next(input)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _other => 31,
    };
    if day > length {
        return Err(EmptyError);
    }
    // Years begin in March here, so that the leap day is the last one of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days_before_month = (153 * month + 2) / 5;
    let days_before_year = 365 * year + year / 4 - year / 100 + year / 400;
    Ok(days_before_year + days_before_month + day - 1 - 719_468)
}

/// Returns the seconds of the day, and the nanoseconds.
fn time_of_day(input: &mut &str) -> Result<(i64, i64), EmptyError> {
    let (hour, _, minute, _, second) =
        (number(2, 0..=23), ':', number(2, 0..=59), ':', number(2, 0..=59)).parse_next(input)?;
    let fraction: Option<&str> =
        opt(preceded('.', take_while(1..=9, |c: char| c.is_ascii_digit()))).parse_next(input)?;
    let nanos = fraction.map_or(Ok(0), |digits| format!("{digits:0<9}").parse()).map_err(|_| EmptyError)?;
    Ok(((hour * 60 + minute) * 60 + second, nanos))
}

/// Returns the minutes by which the local time is ahead of UTC.
fn offset(input: &mut &str) -> Result<i64, EmptyError> {
    let sign = alt(('+'.value(1), '-'.value(-1)));
    let local = (sign, number(2, 0..=23), ':', number(2, 0..=59));
    alt((one_of(['Z', 'z']).value(0), local.map(|(sign, hours, _, minutes)| sign * (hours * 60 + minutes))))
        .parse_next(input)
}

/// Takes a number of this many digits within a range.
fn number<'t>(digits: usize, range: std::ops::RangeInclusive<i64>) -> impl Parser<&'t str, i64, EmptyError> {
    take_while(digits..=digits, |c: char| c.is_ascii_digit())
        .verify_map(|text: &str| text.parse().ok())
        .verify(move |number| range.contains(number))
}
