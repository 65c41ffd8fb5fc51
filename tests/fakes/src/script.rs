//! The behaviour of the fakes: read from a file, or set by a test.

use std::collections::BTreeMap;
use std::time::Duration;

use riposte_sdk::account::v1::AccountState;
use riposte_sdk::filter::v1::FilterOutcome;
use riposte_settings::TimeSpan;
use serde::Deserialize;

/// The behaviour of both fakes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The filter.
    pub filter: FilterScript,
    /// The account service.
    pub accounts: AccountScript,
}

/// The behaviour of the filter.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterScript {
    /// Latency and faults.
    pub calls: CallScript,
    /// The outcome of a text without a word of `words`.
    pub outcome: Outcome,
    /// The outcomes of texts that contain a word. Of several the strongest counts.
    pub words: BTreeMap<String, Outcome>,
    /// The priority of reviews, 0 to 100.
    pub review_priority: i32,
}

/// The behaviour of the account service.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccountScript {
    /// Latency and faults.
    pub calls: CallScript,
    /// The account of a member that `members` does not name.
    pub others: AccountFields,
    /// The accounts of some members.
    pub members: BTreeMap<String, AccountFields>,
}

/// Latency and faults of the calls of one service.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallScript {
    /// The wait before each response.
    pub latency: Option<TimeSpan>,
    /// The fault of the calls.
    pub fault: Option<CallFault>,
    /// Only each call of this number has the fault: 2 means every second one.
    pub every: u32,
}

impl Default for CallScript {
    fn default() -> Self {
        Self { latency: None, fault: None, every: 1 }
    }
}

impl CallScript {
    /// Calls that all have a fault.
    #[must_use]
    pub fn with(fault: CallFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// Returns the wait before a response.
    #[must_use]
    pub fn wait(&self) -> Duration {
        self.latency.map_or(Duration::ZERO, TimeSpan::duration)
    }

    /// Returns the fault of the call with a number from 1 on.
    #[must_use]
    pub fn fault_of(&self, call: u32) -> Option<CallFault> {
        self.fault.filter(|_| call.is_multiple_of(self.every.max(1)))
    }
}

/// A fault of a call or of its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum CallFault {
    /// No response comes, ever
    Never,
    /// The call fails with UNAVAILABLE
    Unavailable,
    /// The call fails with RESOURCE_EXHAUSTED
    ResourceExhausted,
    /// The call fails with INTERNAL
    Internal,
    /// The first item has no result
    MissingKey,
    /// The result of the first item has a key that the request does not have
    ForeignKey,
    /// The first item has two results
    DoubleKey,
    /// The result of the first item is UNSPECIFIED
    Undecided,
    /// The result of the first item has an enum value that the contract does not have
    UnknownEnum,
    /// A number in the result of the first item is out of its range
    NumberOutOfRange,
    /// A text or, of an account, a time in the result of the first item is too long
    TooLong,
}

impl CallFault {
    /// All faults of a response that arrives: the first item is affected, the others are not.
    pub const GARBAGE: [Self; 7] = [
        Self::MissingKey,
        Self::ForeignKey,
        Self::DoubleKey,
        Self::Undecided,
        Self::UnknownEnum,
        Self::NumberOutOfRange,
        Self::TooLong,
    ];
}

/// An outcome of the filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Nothing speaks against the text.
    #[default]
    Allow,
    /// The text is shown and put into the review queue.
    Flag,
    /// The text waits for a moderator.
    Hold,
    /// The text is stored as rejected.
    Reject,
    /// The text is not stored.
    Refuse,
    /// The filter leaves it open.
    Undecided,
}

impl From<Outcome> for FilterOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Allow => Self::Allow,
            Outcome::Flag => Self::Flag,
            Outcome::Hold => Self::Hold,
            Outcome::Reject => Self::Reject,
            Outcome::Refuse => Self::Refuse,
            Outcome::Undecided => Self::Unspecified,
        }
    }
}

/// An account.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccountFields {
    /// `true` if the account exists.
    pub exists: bool,
    /// Its level.
    pub level: i32,
    /// Its state.
    pub state: State,
    /// The time for which the account may be kept.
    pub valid_for: Option<TimeSpan>,
    /// The time since the member joined.
    pub age: Option<TimeSpan>,
    /// The priority of reviews of its texts, 0 to 100.
    pub review_priority: i32,
}

impl Default for AccountFields {
    fn default() -> Self {
        Self { exists: true, level: 0, state: State::Normal, valid_for: None, age: None, review_priority: 0 }
    }
}

/// The state of an account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// No opinion.
    #[default]
    Normal,
    /// Trusted.
    Trusted,
    /// Reviewed first.
    PreModerated,
    /// No comments.
    Muted,
    /// No writes.
    Banned,
}

impl From<State> for AccountState {
    fn from(state: State) -> Self {
        match state {
            State::Normal => Self::Normal,
            State::Trusted => Self::Trusted,
            State::PreModerated => Self::PreModerated,
            State::Muted => Self::Muted,
            State::Banned => Self::Banned,
        }
    }
}
