//! The lease of a review: the moderator that judges it, until when.

use crate::domain::member::MemberId;
use crate::domain::time::Millis;

/// The lease of the review of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewLease {
    /// The token that names the lease.
    pub token: LeaseToken,
    /// The moderator that holds it.
    pub holder: MemberId,
    /// The time at which it ends.
    pub until: Millis,
}

impl ReviewLease {
    /// Returns true if the lease has not ended at the time `now`.
    #[must_use]
    pub fn lasts(&self, now: Millis) -> bool {
        self.until > now
    }
}

/// The token of a lease: 16 bytes that the service derives from the caller, the moderator and the
/// request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LeaseToken(pub [u8; 16]);

impl LeaseToken {
    /// Returns the token of the leases that an attempt of a claim takes; that of the first one is
    /// the token itself.
    #[must_use]
    pub const fn of_attempt(self, attempt: u8) -> Self {
        let mut bytes = self.0;
        bytes[15] ^= attempt;
        Self(bytes)
    }
}
