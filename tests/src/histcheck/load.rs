//! The load: clients that send random calls, each from its own seed.

mod call;
mod client;
mod failure;
mod feed;
mod known_comments;
mod owned;
mod planner;
mod policy;
mod review;
mod walk;
mod watcher;

pub(crate) use call::{comment_sort, counts, failure_outcome, item, send, value_of};
pub(crate) use client::{Acknowledged, Client, Environment};
pub(crate) use feed::{FeedReader, seen_event};
pub(crate) use known_comments::KnownComments;
pub(crate) use owned::{OWNERS, OwnedSubjects, OwnerClient};
pub(crate) use planner::{Planner, REREAD_DELAY};
pub(crate) use policy::{FilterFakes, FilteredClient, HeldTexts, JudgedComments, Newcomers, PolicyClient, write_list};
pub(crate) use review::{REVIEWED_SUBJECTS, REVIEWERS, ReviewedComments, Reviewer, reviewed_members};
pub(crate) use watcher::Watcher;

/// Number of clients that run all the time.
pub(crate) const CLIENTS: u32 = 60;
/// Number of further clients that run during a burst of overload.
pub(crate) const BURST: u32 = 256;
/// Number of subjects, over three object types; the first is the hot one.
pub(crate) const SUBJECTS: usize = 300;
