//! Times in milliseconds, the unit of all rows and rules.

/// A time in milliseconds since 1970-01-01T00:00:00Z. Requests cannot represent earlier times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(pub i64);

impl Millis {
    /// Returns the time that is `span` later, in whole milliseconds; at most the greatest
    /// representable time.
    #[must_use]
    pub fn plus(self, span: std::time::Duration) -> Self {
        let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(span))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Millis;

    #[test]
    fn time_ends_and_does_not_overflow() {
        assert_eq!(Millis(5).plus(Duration::from_micros(3_999)), Millis(8));
        for (time, span) in [(i64::MAX - 1, Duration::from_secs(1)), (0, Duration::MAX)] {
            assert_eq!(Millis(time).plus(span), Millis(i64::MAX));
        }
    }
}
