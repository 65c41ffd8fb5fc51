//! The delivery of sequenced events to the event consumers: one loop for all of them, and the tail
//! that the consumers of a process share.

pub(super) mod consumer;
pub(super) mod feed;
mod followed;
mod isolation;
pub(super) mod settings;
pub(super) mod tail;
pub(super) mod times;

#[cfg(test)]
mod tests;
