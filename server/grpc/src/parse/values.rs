//! Parses names, notes and times that have no domain type of their own.

use std::time::Duration;

use prost_types::Timestamp;
use riposte_core::{Millis, Violation};

/// The range of times in seconds: the years 0001 to 9999, as for the contract's timestamps.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// The longest name of a law, in bytes.
const MAX_LAW: usize = 256;

/// Parses a name of 1 to `limit` bytes without control characters.
pub(crate) fn name(field: &str, value: &str, limit: usize) -> Result<String, Violation> {
    let is_valid = !value.is_empty() && value.len() <= limit && !value.chars().any(char::is_control);
    let rule = || Violation::field(field, format!("must have 1 to {limit} bytes and no control characters"));
    if is_valid { Ok(value.to_owned()) } else { Err(rule()) }
}

/// Checks a text of at most `limit` code points, which may have several lines.
pub(crate) fn bounded(field: &str, value: &str, limit: usize) -> Result<(), Violation> {
    let length = value.chars().count();
    if length > limit {
        return Err(Violation::field(field, format!("must have at most {limit} code points, has {length}")));
    }
    if value.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(Violation::field(field, "must have no control characters but line ends and tabs"));
    }
    Ok(())
}

/// Checks the name of a law: an optional line of at most 256 bytes.
pub(crate) fn law(field: &str, value: &str) -> Result<(), Violation> {
    if value.len() > MAX_LAW {
        return Err(Violation::field(field, format!("must have at most {MAX_LAW} bytes")));
    }
    if value.chars().any(char::is_control) {
        return Err(Violation::field(field, "must have no control characters"));
    }
    Ok(())
}

/// Parses an optional time, in milliseconds.
pub(crate) fn time(field: &str, time: Option<Timestamp>) -> Result<Option<Millis>, Violation> {
    let Some(Timestamp { seconds, nanos }) = time else { return Ok(None) };
    if !SECONDS.contains(&seconds) || !(0..1_000_000_000).contains(&nanos) {
        return Err(Violation::field(field, "must be a time of the years 0001 to 9999"));
    }
    Ok(Some(Millis(seconds * 1_000 + i64::from(nanos) / 1_000_000)))
}

/// Returns a duration; `None` if it is negative or has parts that no duration has, on which the
/// conversion of the library panics.
pub(crate) fn duration(given: &prost_types::Duration) -> Option<Duration> {
    let (seconds, nanos) = (u64::try_from(given.seconds).ok()?, u32::try_from(given.nanos).ok()?);
    (nanos < 1_000_000_000).then(|| Duration::new(seconds, nanos))
}
