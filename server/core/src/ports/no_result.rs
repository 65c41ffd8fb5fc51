//! Questions to services of other teams that stay without a result.

/// The reason why an item has no result. The object type decides what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoResult {
    /// The service responded, and left this item open or broke the contract about it.
    Undecided,
    /// The call failed, or was not made because the service is overloaded or unavailable.
    Unavailable,
}
