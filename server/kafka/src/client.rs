//! The client: records, producers and the check of the topic.

mod check;
mod connection;
mod partition;
mod record;
#[cfg(test)]
mod tests;
pub(crate) mod topic;
