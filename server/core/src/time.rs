//! Points in time, in the one unit that rows and rules use.

/// Milliseconds since 1970-01-01T00:00:00Z. Times before it are not representable in requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(pub i64);

impl Millis {
    /// The time `span` later, at most the end of time.
    #[must_use]
    pub fn plus(self, span: std::time::Duration) -> Self {
        let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(span))
    }
}
