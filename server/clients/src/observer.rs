//! The outcomes of calls, for metrics.

/// The outcome of one call, or of one that was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// Every item was decided.
    Decided,
    /// The service responded, and some items were left open or broke the contract.
    Undecided,
    /// No response came within the deadline.
    Timeout,
    /// The service could not be reached, or responded that it is unavailable.
    Unavailable,
    /// The service responded that it is overloaded.
    ResourceExhausted,
    /// The call failed with another status.
    Failed,
    /// No call was made: too many were under way.
    BulkheadFull,
    /// No call was made: earlier ones failed.
    BreakerOpen,
}

impl CallOutcome {
    /// Returns the name as a label of metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Undecided => "undecided",
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::ResourceExhausted => "resource_exhausted",
            Self::Failed => "failed",
            Self::BulkheadFull => "bulkhead_full",
            Self::BreakerOpen => "breaker_open",
        }
    }
}

/// Counts the calls of one service.
pub trait CallObserver: Send + Sync + std::fmt::Debug {
    /// Counts a call.
    fn called(&self, outcome: CallOutcome);
}

/// Counts nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl CallObserver for Unobserved {
    fn called(&self, _outcome: CallOutcome) {}
}
