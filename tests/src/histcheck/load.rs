//! The load: clients that ask by chance, each from its own seed.

mod call;
mod client;
mod planner;
mod walk;
mod watcher;

pub(crate) use call::{counts, failed, heard, item, send};
pub(crate) use client::{Client, Stage};
pub(crate) use planner::{Planner, RIPE};
pub(crate) use watcher::Watcher;

/// Clients that always ask.
pub(crate) const CLIENTS: u32 = 64;
/// Clients more that ask during a burst of overload.
pub(crate) const BURST: u32 = 4 * CLIENTS;
/// Subjects, over three object types; the first is the hot one.
pub(crate) const SUBJECTS: usize = 300;
