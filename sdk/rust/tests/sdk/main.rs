//! The SDK: against servers of this process that misbehave on request, and against the real one.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod balance;
mod blocking;
mod client;
mod conformance;
mod dev;
mod handles;
mod local;
mod pages;
