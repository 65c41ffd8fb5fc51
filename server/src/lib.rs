//! The service: one binary that serves gRPC, and the library that it consists of.
//!
//! `cli` parses the command line, `config` reads every setting, `app` composes the components,
//! `lifecycle` stops them. This crate must never contain a rule of the domain (those live in
//! `riposte-core`) or speak SQL (that is the store's).

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
pub mod listener;
pub mod middleware;
mod observers;
mod open_files;
#[cfg(feature = "planted")]
mod planted;
pub mod response_cache;
pub mod rpc;
pub mod write;
