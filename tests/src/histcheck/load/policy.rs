//! The load of comments that the policy judges: authors, moderators that set standings, a word list
//! that changes, a filter with outages, and new members.

mod call;
mod client;
mod filtered;
mod held;
mod newcomers;

pub(crate) use call::attempt;
pub(crate) use client::{JudgedComments, PolicyClient, write_list};
pub(crate) use filtered::{FilterFakes, FilteredClient};
pub(crate) use held::HeldTexts;
pub(crate) use newcomers::Newcomers;

/// Number of clients. Each has members of its own, whose standings it sets.
const POLICY_CLIENTS: u32 = 4;
/// The client of filtered texts.
const FILTER_CLIENT: u32 = POLICY_CLIENTS;
/// Number of clients of new members.
const NEWCOMER_CLIENTS: u32 = 3;
/// The first one of them.
const FIRST_NEWCOMER: u32 = FILTER_CLIENT + 1;
/// Number of moderators that judge what an outage held.
const MODERATORS: u32 = 2;
/// The first one of them.
const FIRST_MODERATOR: u32 = FIRST_NEWCOMER + NEWCOMER_CLIENTS;
