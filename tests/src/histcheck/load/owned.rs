//! The load of subjects with an owner: owner, authors, readers and moderators at both servers.

mod call;
mod owner;
mod planner;

pub(crate) use call::attempt;
pub(crate) use owner::OwnerClient;
pub(crate) use planner::OwnedSubjects;

/// Number of clients. Each acts as the owner, as a moderator and as one author.
pub(crate) const OWNERS: u32 = 4;
