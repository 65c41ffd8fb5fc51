//! The deadline of a call: the caller's `grpc-timeout`, parsed strictly and limited to the method's
//! maximum.

use std::time::Duration;

use http::HeaderMap;
use riposte_core::Error;

const TIMEOUT: &str = "grpc-timeout";
/// The margin before the transport's own timer. The transport applies the same header and returns
/// CANCELLED; this deadline ends the call a little earlier, so that the caller receives
/// DEADLINE_EXCEEDED.
const MARGIN: Duration = Duration::from_millis(5);
/// The resolution of timers. Two timers that end closer to each other fire in an unspecified order.
const TIMER_RESOLUTION: Duration = Duration::from_millis(1);

/// Returns the timeout that the caller sets for this call, zero if it has already passed; `None` if
/// the caller sets none.
///
/// # Errors
/// [`Error::Invalid`] for a malformed timeout. Ignoring it would let a call run without a client
/// that waits for it.
pub(super) fn of(headers: &HeaderMap) -> Result<Option<Duration>, Error> {
    let mut values = headers.get_all(TIMEOUT).iter();
    let Some(value) = values.next() else { return Ok(None) };
    // Two values are rejected, because the caller's intent is unknown.
    match value.to_str().ok().filter(|_| values.next().is_none()).and_then(parse) {
        Some(requested) => Ok(Some(with_margin(requested))),
        None => Err(Error::invalid(TIMEOUT, "must be one of 1 to 8 digits and a unit of H, M, S, m, u, n")),
    }
}

fn with_margin(requested: Duration) -> Duration {
    requested.saturating_sub(MARGIN.min(requested / 10).max(TIMER_RESOLUTION))
}

/// Parses 1 to 8 digits and a unit, as the gRPC specification requires.
fn parse(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if !(1..=8).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(n * 3600)),
        "M" => Some(Duration::from_secs(n * 60)),
        "S" => Some(Duration::from_secs(n)),
        "m" => Some(Duration::from_millis(n)),
        "u" => Some(Duration::from_micros(n)),
        "n" => Some(Duration::from_nanos(n)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::HeaderMap;

    use super::{TIMEOUT, of, parse, with_margin};

    #[test]
    fn two_timeouts_are_rejected() {
        let mut headers = HeaderMap::new();
        for (value, is_accepted) in [("1S", true), ("5S", false)] {
            headers.append(TIMEOUT, value.parse().unwrap());
            assert_eq!(of(&headers).is_ok_and(|requested| requested.is_some()), is_accepted, "{headers:?}");
        }
    }

    #[test]
    fn timeouts_are_parsed_as_the_specification_defines_them() {
        for (text, expected) in [
            ("1S", Some(Duration::from_secs(1))),
            ("250m", Some(Duration::from_millis(250))),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3600))),
            ("100000000S", None),
            ("S", None),
            ("", None),
            ("-1S", None),
            ("1.5S", None),
            ("1s", None),
            ("é", None),
        ] {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn our_deadline_ends_before_the_transports_by_at_least_one_timer_tick() {
        for (requested, ours) in [(0, 0), (700, 0), (1_000, 0), (3_000, 2_000), (20_000, 18_000), (1_000_000, 995_000)]
        {
            assert_eq!(with_margin(Duration::from_micros(requested)), Duration::from_micros(ours), "{requested} us");
        }
    }
}
