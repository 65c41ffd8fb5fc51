//! The wall clock.

use crate::domain::time::Millis;

/// The wall clock. Ids, times of rows and the age of page tokens depend on it; no order does.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Returns the current time.
    fn now(&self) -> Millis;
}
