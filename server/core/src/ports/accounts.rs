//! The accounts of members: a service of another team that knows what they may do.

use async_trait::async_trait;

use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::time::Millis;
use crate::ports::NoResult;

/// The account service. An implementation may keep accounts for as long as the service allows, and
/// return the last one while the service is unavailable.
#[async_trait]
pub trait AccountClient: Send + Sync + std::fmt::Debug {
    /// Returns the accounts of members under an object type, in the order of the members.
    async fn accounts(&self, object_type: &ObjectType, members: &[MemberId]) -> Vec<Result<Account, NoResult>>;

    /// Returns the account of a member as the service returned it last, if that was not too long
    /// ago. This makes no call.
    fn cached(&self, object_type: &ObjectType, member: &MemberId) -> Option<Account>;
}

/// An account, within the limits of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    /// The service knows no such account.
    Absent,
    /// An account.
    Present {
        /// Its level, 0 to 100.
        level: u8,
        /// Its state.
        state: AccountState,
        /// The end of a state other than normal; `None` for one without end.
        until: Option<Millis>,
        /// The priority of reviews of its texts, 0 to 100.
        review_priority: u8,
        /// The weight of its reports, 1 to 1,000; `None` if the platform decides.
        report_weight: Option<u16>,
        /// The start of its membership, if it is known.
        member_since: Option<Millis>,
    },
}

/// The state of an account, in order of strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountState {
    /// No opinion.
    Normal,
    /// The texts skip review before publication.
    Trusted,
    /// The texts wait for review.
    PreModerated,
    /// The member may not write texts.
    Muted,
    /// The member may not write.
    Banned,
}
