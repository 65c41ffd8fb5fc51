//! A day of the calendar.

use std::fmt;

/// A day of the calendar, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    year: u16,
    month: u8,
    day: u8,
}

impl Day {
    /// Returns the day of these numbers, if the calendar has it.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            2 => 28 + u8::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=days).contains(&day).then_some(Self { year, month, day })
    }

    /// Returns the day of a text such as `2027-01-31`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut number = |digits: usize| {
            let part = parts.next()?;
            let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse::<u16>().ok()).flatten()
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        // Two digits fit one byte.
        parts.next().is_none().then(|| Self::new(year, month as u8, day as u8)).flatten()
    }

    /// Returns the day at a time, in milliseconds since 1970 in UTC.
    #[must_use]
    pub fn at_millis(millis: i64) -> Self {
        let (mut left, mut year) = (millis.max(0) / 86_400_000, 1970);
        let days_of = |year: u16| 365 + i64::from(Self::new(year, 2, 29).is_some());
        while left >= days_of(year) && year < 9999 {
            left -= days_of(year);
            year += 1;
        }
        let days = (1..=12).flat_map(|month| (1..=31).filter_map(move |day| Self::new(year, month, day)));
        // Times after the calendar are at its last day.
        days.take(left as usize + 1).last().unwrap_or(Self { year, month: 12, day: 31 })
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_of_the_calendar_is_read_and_any_other_text_is_refused() {
        for text in ["2027-01-31", "2024-02-29", "2000-02-29", "0001-12-31"] {
            assert_eq!(Day::parse(text).unwrap().to_string(), text);
        }
        let wrong =
            ["2027-02-29", "1900-02-29", "2027-13-01", "2027-00-01", "2027-04-31", "2027-1-1", "27-01-01", "2027-01"];
        for text in wrong.into_iter().chain(["2027-01-01-01", "+027-01-01", "2027/01/01", "", "2027-01-00"]) {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_in_the_order_of_time() {
        let days = ["2026-11-30", "2026-12-01", "2027-01-01"].map(|text| Day::parse(text).unwrap());
        assert!(days.is_sorted());
    }

    #[test]
    fn the_day_of_a_time_changes_at_midnight_in_utc() {
        let at = |millis| Day::at_millis(millis).to_string();
        assert_eq!(at(0), "1970-01-01");
        assert_eq!(at(86_399_999), "1970-01-01");
        assert_eq!(at(86_400_000), "1970-01-02");
        assert_eq!((at(1_709_251_199_999), at(1_709_251_200_000)), ("2024-02-29".to_owned(), "2024-03-01".to_owned()));
        assert_eq!(at(1_798_761_599_999), "2026-12-31");
        assert_eq!(at(1_798_761_600_000), "2027-01-01");
    }
}
