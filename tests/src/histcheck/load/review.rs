//! The load of comments that wait for review: authors, readers and moderators at both servers.

mod call;
mod planner;
mod reviewer;

pub(crate) use call::attempt;
pub(crate) use planner::{REVIEWED_SUBJECTS, ReviewedComments, reviewed_members};
pub(crate) use reviewer::Reviewer;

/// Number of clients. Each acts as one moderator and as some authors.
pub(crate) const REVIEWERS: u32 = 16;
/// The client number of the first one.
pub(crate) const FIRST_REVIEWER: u32 = 400_000;
