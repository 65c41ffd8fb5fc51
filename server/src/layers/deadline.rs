//! How long a call may take: the caller's `grpc-timeout`, read strictly and never more than the method's maximum.

use std::time::Duration;

use http::HeaderMap;

/// The transport has a timer of its own for the same header, which answers CANCELLED: ours ends the call a little
/// earlier, so that the caller reads DEADLINE_EXCEEDED.
const MARGIN: Duration = Duration::from_millis(5);

/// The time that the caller gives this call; `None` where the timeout is missing or malformed.
pub(super) fn of(headers: &HeaderMap) -> Option<Duration> {
    let asked = headers.get("grpc-timeout").and_then(|value| value.to_str().ok()).and_then(parse);
    asked.map(|asked| asked.saturating_sub(MARGIN.min(asked / 10)))
}

/// 1 to 8 digits and a unit, as the gRPC specification says.
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

    use super::parse;

    #[test]
    fn timeouts_are_read_as_the_specification_writes_them() {
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
}
