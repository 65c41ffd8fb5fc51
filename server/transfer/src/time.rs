//! Parsing of the time formats of other systems.

use std::borrow::Cow;

use anyhow::{Context, Result, bail, ensure};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

/// The time format of a source, and the zone of its times without an offset.
#[derive(Debug, Clone)]
pub(crate) struct TimeReader {
    format: Format,
    zone: TimeZone,
}

#[derive(Debug, Clone)]
enum Format {
    /// RFC 3339; date and time without an offset; the forms of PostgreSQL, Go and Ruby.
    Auto,
    UnixSeconds,
    UnixMillis,
    Pattern(String),
}

impl TimeReader {
    /// Creates a reader. `format` is `auto`, `unix`, `unix_ms` or a strptime pattern; `zone` is an
    /// IANA name for times without an offset.
    ///
    /// # Errors
    /// The zone is not known, or no time has the form of the pattern.
    pub(crate) fn new(format: &str, zone: &str) -> Result<Self> {
        let format = match format {
            "" | "auto" => Format::Auto,
            "unix" => Format::UnixSeconds,
            "unix_ms" => Format::UnixMillis,
            pattern => {
                check_pattern(pattern)?;
                Format::Pattern(pattern.to_owned())
            }
        };
        let zone = match zone {
            "" | "UTC" => TimeZone::UTC,
            name => TimeZone::get(name).with_context(|| format!("the time zone {name:?} is not known"))?,
        };
        Ok(Self { format, zone })
    }

    /// Creates a reader for times in UTC, in RFC 3339 or as date and time.
    pub(crate) fn utc() -> Self {
        Self { format: Format::Auto, zone: TimeZone::UTC }
    }

    /// Creates a reader for times without an offset in this zone.
    pub(crate) fn local(zone: &TimeZone) -> Self {
        Self { format: Format::Auto, zone: zone.clone() }
    }

    /// Returns true for a text that stands for no time: nothing, or a zero date as MySQL
    /// (0000-00-00), PHP (-0001-11-30) and Go (0001-01-01T00:00:00Z) write it.
    pub(crate) fn is_none(text: &str) -> bool {
        let text = text.trim();
        let date = text.split([' ', 'T', 't']).next().unwrap_or_default();
        let is_zero = date.contains(['-', '/', '.']) && date.chars().all(|c| matches!(c, '0' | '-' | '/' | '.'));
        let is_first_midnight = date == "0001-01-01" && !text.chars().skip(date.len()).any(|c| matches!(c, '1'..='9'));
        // Go's zero time in the local mean time of its zone, to which no whole minutes fit.
        let is_local_zero = matches!(date, "0001-01-01" | "0000-12-31") && text.ends_with(" LMT");
        text.is_empty() || is_zero || is_first_midnight || is_local_zero || date == "-0001-11-30"
    }

    /// Parses one time. For a local time that a clock change skipped, the offset before the change
    /// applies; of a repeated one, the first is taken.
    ///
    /// # Errors
    /// The text is not of the expected form, or out of the range of a timestamp.
    pub(crate) fn read(&self, text: &str) -> Result<Timestamp> {
        let text = text.trim();
        ensure!(!Self::is_none(text), "{text:?} stands for no time");
        let parsed = match &self.format {
            Format::UnixSeconds => match text.parse() {
                Ok(seconds) => Timestamp::from_second(seconds).ok(),
                Err(_) => number(text).and_then(|seconds| from_float_seconds(seconds).ok()),
            },
            Format::UnixMillis => match text.parse() {
                Ok(millis) => Timestamp::from_millisecond(millis).ok(),
                Err(_) => number(text).and_then(|millis| from_float_seconds(millis / 1000.0).ok()),
            },
            Format::Auto => rfc3339(text)
                .or_else(|| self.without_offset(text))
                .or_else(|| with_offset(text).and_then(|text| rfc3339(&text))),
            Format::Pattern(pattern) => {
                return self
                    .read_pattern(pattern, text)
                    .ok()
                    .with_context(|| format!("{text:?} is not a time of the form {pattern}"));
            }
        };
        parsed.with_context(|| format!("{text:?} is not a time{}", before_the_last(text)))
    }

    /// Returns the time of a date, or of date and time, without an offset.
    fn without_offset(&self, text: &str) -> Option<Timestamp> {
        let is_date = text.len() == DATE.len() && has_form(text, DATE);
        let is_local = is_date || offset_of(text)?.is_empty() && !is_leap_second(text);
        let parsed = is_local.then(|| with_nanoseconds(text).parse::<DateTime>().ok())?;
        parsed.and_then(|local| self.to_timestamp(local).ok())
    }

    fn read_pattern(&self, pattern: &str, text: &str) -> Result<Timestamp> {
        let parsed = strtime::parse(pattern, text)?;
        match parsed.to_timestamp() {
            Ok(timestamp) => Ok(timestamp),
            Err(_) => self.to_timestamp(parsed.to_datetime()?),
        }
    }

    fn to_timestamp(&self, local: DateTime) -> Result<Timestamp> {
        Ok(local.to_zoned(self.zone.clone())?.timestamp())
    }
}

/// Returns the bound that a time of the last day exceeds, for its message.
pub(crate) fn before_the_last(text: &str) -> &'static str {
    if text.starts_with("9999-12-3") { " before 9999-12-31" } else { "" }
}

/// A date: `d` stands for a digit.
const DATE: &str = "dddd-dd-dd";
/// The digits of a fraction that are not finer than a nanosecond.
const NANOSECOND_DIGITS: usize = 9;
/// Date and time; the blank stands for `T`, too.
const DATE_TIME: &str = "dddd-dd-dd dd:dd:dd";

/// Parses a time by the grammar of RFC 3339: `T` may be a blank, and a leap second is the last one
/// of a day in UTC.
pub(crate) fn rfc3339(text: &str) -> Option<Timestamp> {
    let is_offset = |offset: &str| {
        let Some(clock) = offset.strip_prefix(['+', '-']) else { return matches!(offset, "Z" | "z") };
        let is_clock = clock.len() == 5 && has_form(clock, "dd:dd");
        is_clock
            && clock.get(..2).is_some_and(|hours| hours < "24")
            && clock.get(3..).is_some_and(|minutes| minutes < "60")
    };
    offset_of(text).filter(|offset| is_offset(offset))?;
    let timestamp: Timestamp = with_nanoseconds(text).parse().ok()?;
    let utc = timestamp.to_zoned(TimeZone::UTC);
    (!is_leap_second(text) || (utc.hour(), utc.minute()) == (23, 59)).then_some(timestamp)
}

/// Returns what follows date and time: an offset, or nothing. `None` for a text of another form.
fn offset_of(text: &str) -> Option<&str> {
    let rest = text.get(DATE_TIME.len()..).filter(|_| has_form(text, DATE_TIME))?;
    let Some(fraction) = rest.strip_prefix('.') else { return Some(rest) };
    let offset = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    (offset.len() < fraction.len()).then_some(offset)
}

/// Returns a time without what is finer than a nanosecond.
fn with_nanoseconds(text: &str) -> Cow<'_, str> {
    let (head, fraction) = text.split_at_checked(DATE_TIME.len() + 1).unwrap_or((text, ""));
    let digits = fraction.len() - fraction.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match (fraction.get(..digits.min(NANOSECOND_DIGITS)), fraction.get(digits..)) {
        (Some(shorter), Some(offset)) if digits > shorter.len() => Cow::Owned(format!("{head}{shorter}{offset}")),
        _ => Cow::Borrowed(text),
    }
}

/// Returns true if a text begins as `form` says.
fn has_form(text: &str, form: &str) -> bool {
    let fits = |(byte, form): (u8, u8)| match form {
        b'd' => byte.is_ascii_digit(),
        b' ' => matches!(byte, b' ' | b'T' | b't'),
        other => byte == other,
    };
    text.len() >= form.len() && text.bytes().zip(form.bytes()).all(fits)
}

fn is_leap_second(text: &str) -> bool {
    text.get(..DATE_TIME.len()).is_some_and(|date_time| date_time.ends_with(":60"))
}

/// Returns a time in the form of RFC 3339 for one in the form of PostgreSQL (`2022-01-01
/// 00:00:00+08`), of Go (`2022-01-01 00:00:00 +0800 CST`, with or without the name of the zone and
/// a reading of the monotonic clock) or of Ruby (`2022-01-01 00:00:00 UTC`); `None` for a text of
/// another form.
fn with_offset(text: &str) -> Option<String> {
    let is_clock = |(_, clock): &(&str, &str)| {
        clock.starts_with(['+', '-']) && clock.trim_start_matches(['+', '-']).parse::<f64>().is_ok()
    };
    let text = text.rsplit_once(" m=").filter(is_clock).map_or(text, |(time, _)| time);
    let rest = offset_of(text)?;
    let local = text.strip_suffix(rest)?;
    let mut words = rest.split_whitespace();
    let offset = words.next()?;
    // The offset says more than the name of a zone, which is the offset again if it has none.
    let (zone, after) = (words.next().unwrap_or_default(), words.next());
    let is_zone_part = |c: char| c.is_alphanumeric() || matches!(c, '+' | '-' | '_' | '/' | ':');
    if after.is_some() || !zone.chars().all(is_zone_part) {
        return None;
    }
    if matches!(offset, "UTC" | "GMT" | "Z") && zone.is_empty() {
        return Some(format!("{local}Z"));
    }
    let (sign, clock) = offset.split_at_checked(1).filter(|(sign, _)| matches!(*sign, "+" | "-"))?;
    let (hours, minutes) = clock.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { "00" } else { minutes.strip_prefix(':').unwrap_or(minutes) };
    Some(format!("{local}{sign}{hours}:{minutes}"))
}

/// Converts seconds since 1970 with a fraction, as Isso's database stores them.
///
/// # Errors
/// The number is out of the range of a timestamp.
pub(crate) fn from_float_seconds(seconds: f64) -> Result<Timestamp> {
    if !seconds.is_finite() || seconds.abs() > 1e12 {
        bail!("{seconds:e} is not a time");
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked one line above")]
    let millis = (seconds * 1000.0).round() as i64;
    Ok(Timestamp::from_millisecond(millis)?)
}

/// Refuses a pattern by which no time can be read, such as `YYYY-MM-DD`.
fn check_pattern(pattern: &str) -> Result<()> {
    let cure = "write auto, unix, unix_ms or a strptime pattern such as %Y-%m-%d %H:%M:%S";
    ensure!(pattern.contains('%'), "the time format {pattern:?} has no % and fits no time; {cure}");
    let sample = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
    let formatted = strtime::format(pattern, &sample);
    formatted.map(drop).with_context(|| format!("the time format {pattern:?} cannot be used; {cure}"))
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Serde form of an optional time: RFC 3339 text.
pub(crate) mod timestamp_text {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::time::rfc3339;

    pub(crate) fn serialize<S: Serializer>(timestamp: &Option<Timestamp>, out: S) -> Result<S::Ok, S::Error> {
        match timestamp {
            Some(timestamp) => out.collect_str(timestamp),
            None => out.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        // The spool has times outside of the years 0 to 9999 as they are displayed.
        let displayed = |text: &str| text.parse().ok().filter(|time: &Timestamp| time.to_string() == *text);
        let read = |text: String| {
            let time = rfc3339(&text).or_else(|| displayed(&text));
            time.ok_or_else(|| D::Error::custom(format!("{text:?} is not an RFC 3339 time")))
        };
        text.map(read).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_dates_are_no_times_in_any_spelling() {
        for zero in [
            "",
            " ",
            "0000-00-00",
            "0000-00-00 00:00:00.000000",
            "0000-00-00T00:00:00Z",
            "00-00-00 00:00:00",
            "0000/00/00",
            "00.00.0000 00:00",
            "-0001-11-30T00:00:00+00:00",
            "0001-01-01T00:00:00Z",
            "0001-01-01 00:00:00",
            "0001-01-01",
            "0001-01-01 00:00:00 +0000 UTC",
            "0001-01-01 08:05:43 +0805 LMT",
            "0000-12-31 19:03:58 -0456 LMT",
        ] {
            assert!(TimeReader::is_none(zero), "{zero}");
            assert!(TimeReader::utc().read(zero).is_err(), "{zero}");
        }
        for time in ["0", "1970-01-01 00:00:00", "0001-01-01T00:00:01Z", "0001-01-02", "2000-00-00", "1900-01-01"] {
            assert!(!TimeReader::is_none(time), "{time}");
        }
    }

    #[test]
    fn numbers_with_a_fraction_are_unix_times_too() {
        let (seconds, millis) = (TimeReader::new("unix", "").unwrap(), TimeReader::new("unix_ms", "").unwrap());
        assert_eq!(seconds.read("1600000000.25").unwrap().to_string(), "2020-09-13T12:26:40.25Z");
        assert_eq!(millis.read("1600000000000.0").unwrap().to_string(), "2020-09-13T12:26:40Z");
        assert!(seconds.read("nan").is_err() && seconds.read("1e300").is_err() && millis.read("x").is_err());
    }

    #[test]
    fn madrid_summer_and_winter_times_become_utc() {
        let madrid = TimeReader::new("%Y-%m-%d 0 days %H:%M:%S", "Europe/Madrid").unwrap();
        assert_eq!(madrid.read("2015-09-15 0 days 10:50:19").unwrap().to_string(), "2015-09-15T08:50:19Z");
        assert_eq!(madrid.read("2016-01-15 0 days 10:50:19").unwrap().to_string(), "2016-01-15T09:50:19Z");
        assert!(madrid.read("2016-01-15 1 days 10:50:19").is_err());
    }

    #[test]
    fn a_number_that_is_no_time_is_named_as_it_is_written() {
        assert_eq!(from_float_seconds(1.5).unwrap().to_string(), "1970-01-01T00:00:01.5Z");
        for (seconds, words) in [(1e300, "1e300 is not a time"), (-2e12, "-2e12 is not a time")] {
            assert_eq!(from_float_seconds(seconds).unwrap_err().to_string(), words);
        }
    }

    #[test]
    fn every_common_form_is_read() {
        let auto = TimeReader::new("", "Asia/Taipei").unwrap();
        let cases = [
            ("2012-12-12T12:12:12Z", "2012-12-12T12:12:12Z"),
            ("2021-03-17T12:09:47.722181Z", "2021-03-17T12:09:47.722181Z"),
            ("2014-01-14 17:32:12", "2014-01-14T09:32:12Z"),
            ("2014-01-14", "2014-01-13T16:00:00Z"),
            ("2022-01-01 00:00:00 +0800", "2021-12-31T16:00:00Z"),
            (" 2014-01-14T17:32:12+01:00 ", "2014-01-14T16:32:12Z"),
            ("2022-01-01 00:00:00 +0800 CST", "2021-12-31T16:00:00Z"),
            ("2022-01-01 00:00:00.123456789 +0800 CST", "2021-12-31T16:00:00.123456789Z"),
            ("2022-01-01 00:00:00 +0000 UTC", "2022-01-01T00:00:00Z"),
            ("2022-01-01 00:00:00.5 +0800 CST m=+0.012345", "2021-12-31T16:00:00.5Z"),
            ("2022-01-01 00:00:00 -0230 NDT m=-12.5", "2022-01-01T02:30:00Z"),
            ("2022-01-01 00:00:00 +0800 +0800", "2021-12-31T16:00:00Z"),
            ("2022-01-01 00:00:00 -0300 -03", "2022-01-01T03:00:00Z"),
            ("2022-01-01 00:00:00 +0800 Asia/Shanghai", "2021-12-31T16:00:00Z"),
            ("2022-01-01 00:00:00 +08:00", "2021-12-31T16:00:00Z"),
            ("2022-01-01 00:00:00 UTC", "2022-01-01T00:00:00Z"),
            ("2022-01-01 00:00:00+08", "2021-12-31T16:00:00Z"),
        ];
        for (text, timestamp) in cases {
            assert_eq!(auto.read(text).unwrap().to_string(), timestamp, "{text}");
        }
        assert!(auto.read("0000-00-00 00:00:00").is_err());
        for other in
            ["yesterday", "2022-01-01 00:00:00 CST", "2022-01-01 00:00:00 +0800 CST or so", "+0800 2022-01-01 00:00:00"]
        {
            assert!(auto.read(other).is_err(), "{other}");
        }
        assert!(
            ["", " ", "0000-00-00 00:00:00", "0000-00-00", "-0001-11-30 00:00:00"].into_iter().all(TimeReader::is_none)
        );
        assert!(!TimeReader::is_none("2014-01-14"));
    }

    #[test]
    fn times_outside_of_the_grammar_are_none() {
        let auto = TimeReader::new("", "Europe/Berlin").unwrap();
        for text in [
            "2020-01-01T00:00:00+25:00",
            "2020-01-01T00:00:00+24:00",
            "2020-01-01T00:00:00-00:60",
            "2020-01-01 00:00:00 +2500 CST",
            "2020-01-01T00:00Z",
            "2020-01-01T00:00",
            "20200101T000000Z",
            "2020-01-01T00:00:00,5Z",
            "2020-01-01T00:00:00.Z",
            "2020-01-01 00:00:00+:01",
            "2020-01-01 00:00:00+01:",
            "2020-01-01T00:00:00Z[Europe/Berlin]",
            "2020-01-01T00:00:00[Europe/Berlin]",
            "2020-01-01T00:00:60Z",
            "2020-01-01T23:59:60",
            "2020-01-01T24:00:00Z",
            "2020-02-30T00:00:00Z",
            "2020-1-1",
            "+2020-01-01T00:00:00Z",
            "2020-01-01T00:00:00",
        ] {
            assert_eq!(rfc3339(text), None, "{text}");
            assert_eq!(auto.read(text).is_ok(), text == "2020-01-01T00:00:00", "{text}");
        }
        for text in ["2020-01-01T00:00:00+01", "2020-01-01T00:00:00+0100", "2020-01-01 00:00:00 UTC", "2020-01-01"] {
            assert_eq!(rfc3339(text), None, "{text}");
            assert!(auto.read(text).is_ok(), "{text}");
        }
        let picoseconds = rfc3339("2020-01-01T00:00:00.1234567891234Z").map(|time| time.to_string());
        assert_eq!(picoseconds.as_deref(), Some("2020-01-01T00:00:00.123456789Z"));
        for text in ["2020-01-01t00:00:00z", "2020-01-01 00:00:00-23:59", "2016-12-31T18:59:60.5-05:00"] {
            assert!(rfc3339(text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_fault_has_the_time_and_no_words_of_the_parser() {
        let faults =
            [("", "2020-13-01", "\"2020-13-01\" is not a time"), ("%Y", "x", "\"x\" is not a time of the form %Y")];
        for (format, text, expected) in faults {
            let error = TimeReader::new(format, "").unwrap().read(text).unwrap_err();
            assert_eq!(format!("{error:#}"), expected);
        }
    }

    #[test]
    fn unix_times_are_read_in_seconds_and_milliseconds() {
        let millis = TimeReader::new("unix_ms", "UTC").unwrap();
        assert_eq!(millis.read("1435654192085").unwrap().to_string(), "2015-06-30T08:49:52.085Z");
        let seconds = TimeReader::new("unix", "UTC").unwrap();
        assert_eq!(seconds.read("1435654192").unwrap().to_string(), "2015-06-30T08:49:52Z");
        assert!(seconds.read("999999999999999999").is_err());
        assert_eq!(from_float_seconds(1_435_654_192.085).unwrap().to_string(), "2015-06-30T08:49:52.085Z");
        assert!(from_float_seconds(f64::NAN).is_err());
    }

    #[test]
    fn a_date_pattern_without_a_time_means_midnight() {
        let day = TimeReader::new("%Y-%m-%d", "Europe/Madrid").unwrap();
        assert_eq!(day.read("2015-09-15").unwrap().to_string(), "2015-09-14T22:00:00Z");
    }

    #[test]
    fn an_unknown_zone_is_refused() {
        assert!(TimeReader::new("auto", "Europe/Atlantis").is_err());
        for pattern in ["YYYY-MM-DD", "%Y-%m-%K", "page"] {
            assert!(format!("{:#}", TimeReader::new(pattern, "").unwrap_err()).contains(pattern));
        }
        for pattern in ["%s", "%d/%b/%Y:%H:%M:%S %z", "%A, %d %B %Y %I:%M %p", "%FT%T%.f%:z"] {
            TimeReader::new(pattern, "").unwrap();
        }
    }
}
