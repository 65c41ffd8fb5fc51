//! Durations and sizes in human-readable form: `10min`, `250ms`, `64KiB`.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{fmt, str::FromStr, time::Duration};

/// A length of time: a whole number and one unit of `ms`, `s`, `min`, `h`, `d`. `0s` is allowed.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[schemars(inline)]
pub struct TimeSpan(#[schemars(with = "String", extend("pattern" = r"^\s*[0-9]+\s*(ms|s|min|h|d)\s*$"))] Duration);

/// A number of bytes: a whole number and one unit of `B`, `KiB`, `MiB`, `GiB`.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[schemars(inline)]
pub struct ByteSize(#[schemars(with = "String", extend("pattern" = r"^\s*[0-9]+\s*(B|KiB|MiB|GiB)\s*$"))] u64);

/// Milliseconds in each unit, the largest first, so that a value is shown in its largest exact
/// unit.
const TIME_UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];

/// Bytes in each unit, the largest first.
const SIZE_UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl TimeSpan {
    /// Returns the span as a standard library type.
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl ByteSize {
    /// Returns the size in bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        quantity(text, &TIME_UNITS)
            .map(|ms| TimeSpan(Duration::from_millis(ms)))
            .ok_or_else(|| "is not a duration: write a whole number and ms, s, min, h or d, as in \"10min\"".to_owned())
    }
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        quantity(text, &SIZE_UNITS)
            .map(ByteSize)
            .ok_or_else(|| "is not a size: write a whole number and B, KiB, MiB or GiB, as in \"64KiB\"".to_owned())
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quantity(f, u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX), &TIME_UNITS, "s")
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quantity(f, self.0, &SIZE_UNITS, "B")
    }
}

/// Parses `<whole number><unit>`. Only blanks between the two and around them are tolerated.
fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

/// Writes `value` in the largest unit that divides it.
fn write_quantity(f: &mut fmt::Formatter<'_>, value: u64, units: &[(&str, u64)], zero_unit: &str) -> fmt::Result {
    match units.iter().find(|(_, factor)| value > 0 && value.is_multiple_of(*factor)) {
        Some((unit, factor)) => write!(f, "{}{unit}", value / factor),
        None => write!(f, "0{zero_unit}"),
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{ByteSize, TimeSpan};
    use std::time::Duration;

    #[test]
    fn durations_are_read_as_people_write_them_and_printed_the_same_way() {
        for (text, ms, shown) in [
            ("250ms", 250, "250ms"),
            ("90s", 90_000, "90s"),
            ("600s", 600_000, "10min"),
            ("10min", 600_000, "10min"),
            ("2 h", 7_200_000, "2h"),
            ("1d", 86_400_000, "1d"),
            ("0s", 0, "0s"),
        ] {
            let span: TimeSpan = text.parse().unwrap();
            assert_eq!((span.duration(), span.to_string().as_str()), (Duration::from_millis(ms), shown), "{text}");
        }
        for text in ["", "10", "min", "-1s", "1.5s", "10 mins", "1h30min", "99999999999999999999d"] {
            assert!(text.parse::<TimeSpan>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_as_people_write_them_and_printed_the_same_way() {
        for (text, bytes, shown) in
            [("64KiB", 65_536, "64KiB"), ("4096KiB", 4 << 20, "4MiB"), ("10B", 10, "10B"), ("1GiB", 1 << 30, "1GiB")]
        {
            let size: ByteSize = text.parse().unwrap();
            assert_eq!((size.bytes(), size.to_string().as_str()), (bytes, shown), "{text}");
        }
        for text in ["64", "64K", "64kb", "1.5MiB", ""] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }
}
