//! Questions to services of other teams that stay without an answer.

/// The reason why a question has no answer. The object type decides what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoAnswer {
    /// The service answered the call, and left this item open or broke the contract about it.
    Undecided,
    /// The call failed, or was not made because the service is overloaded or unavailable.
    Unavailable,
}
