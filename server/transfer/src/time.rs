//! Parsing of the time formats of other systems.

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
    /// RFC 3339, or date and time without an offset.
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
        text.is_empty() || is_zero || is_first_midnight || date == "-0001-11-30"
    }

    /// Parses one time. For a local time that a clock change skipped, the offset before the change
    /// applies; of a repeated one, the first is taken.
    ///
    /// # Errors
    /// The text is not of the expected form, or out of the range of a timestamp.
    pub(crate) fn read(&self, text: &str) -> Result<Timestamp> {
        let text = text.trim();
        let parsed = match &self.format {
            Format::UnixSeconds => match text.parse() {
                Ok(seconds) => Timestamp::from_second(seconds).map_err(Into::into),
                Err(_) => number(text).and_then(from_float_seconds),
            },
            Format::UnixMillis => match text.parse() {
                Ok(millis) => Timestamp::from_millisecond(millis).map_err(Into::into),
                Err(_) => number(text).and_then(|millis| from_float_seconds(millis / 1000.0)),
            },
            Format::Auto => match text.parse::<Timestamp>() {
                Ok(timestamp) => Ok(timestamp),
                // Go writes an offset without a colon after a blank.
                Err(_) if text.rsplit_once(' ').is_some_and(|(_, offset)| offset.starts_with(['+', '-'])) => {
                    self.read_pattern("%Y-%m-%d %H:%M:%S%.f %z", text)
                }
                Err(_) => text.parse::<DateTime>().map_err(Into::into).and_then(|local| self.to_timestamp(local)),
            },
            Format::Pattern(pattern) => self.read_pattern(pattern, text),
        };
        parsed.with_context(|| format!("{text:?} is not a time"))
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

fn number(text: &str) -> Result<f64> {
    Ok(text.parse::<f64>()?)
}

/// Serde form of an optional time: RFC 3339 text.
pub(crate) mod timestamp_text {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(timestamp: &Option<Timestamp>, out: S) -> Result<S::Ok, S::Error> {
        match timestamp {
            Some(timestamp) => out.collect_str(timestamp),
            None => out.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not an RFC 3339 time"))))
            .transpose()
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
        ] {
            assert!(TimeReader::is_none(zero), "{zero}");
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
        ];
        for (text, timestamp) in cases {
            assert_eq!(auto.read(text).unwrap().to_string(), timestamp, "{text}");
        }
        assert!(auto.read("0000-00-00 00:00:00").is_err());
        assert!(auto.read("yesterday").is_err());
        assert!(
            ["", " ", "0000-00-00 00:00:00", "0000-00-00", "-0001-11-30 00:00:00"].into_iter().all(TimeReader::is_none)
        );
        assert!(!TimeReader::is_none("2014-01-14"));
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
