//! Black-box tests of Riposte: real servers, called only through the public SDK.
//!
//! [`Server`] starts the shipped binary, [`mysql`] finds the database servers that `cargo xtask
//! test` started, [`redis`] finds the Redis servers and starts others for fault injection, and
//! [`suite`] runs one list of cases over every store. This crate must never depend on the server's
//! crates: it tests only behaviour that is visible through the contract.

pub mod binary;
pub mod command;
pub mod drill;
pub mod feed;
pub mod histcheck;
pub mod locks;
pub mod mysql;
pub mod names;
pub mod rank;
pub mod raw;
pub mod real;
pub mod say;
pub mod server;
pub mod settings;
pub mod suite;
pub mod thread_tree;
pub mod watch;

pub use names::Names;
pub use riposte_test_support::{clock, net, proxy, redis, until};
pub use say::{Say, floors, refused};
pub use server::Server;
pub use suite::{Case, Fixture};
pub use watch::Watch;
