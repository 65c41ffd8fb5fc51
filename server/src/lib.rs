//! The service: one binary that answers gRPC, and the library it is made of.
//!
//! `cli` reads the command line, `config` every knob, `app` puts the parts together, `lifecycle` stops them.
//! This crate must never hold a rule of the domain (those live in `riposte-core`) or speak SQL (that is the store's).

pub mod admission;
pub mod app;
pub mod audit;
pub mod auth;
pub mod cache_stack;
pub mod cli;
pub mod clock;
pub mod config;
pub mod fuzz;
pub mod lifecycle;
pub mod middleware;
mod open_files;
#[cfg(feature = "planted")]
mod planted;
pub mod response_cache;
pub mod rpc;
pub mod telemetry;
pub mod write;
