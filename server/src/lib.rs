//! The service: one binary that serves gRPC, and the library that it consists of.
//!
//! `cli` parses the command line, `config` reads every setting, `app` composes the components,
//! `lifecycle` stops them. This crate must never contain a rule of the domain, which belongs
//! to `riposte-core`, or SQL, which belongs to the store.

pub mod app;
pub mod cache_stack;
pub mod cli;
pub mod clock;
pub mod config;
mod decorators;
pub mod lifecycle;
pub mod listener;
mod observers;
mod open_files;

use std::process::ExitCode;

pub use decorators::{Decorator, Decorators};

/// Runs the command line of this process, with servers that are decorated, and returns its exit
/// code.
pub fn main_with(decorators: Decorators) -> ExitCode {
    // With two providers in one process rustls panics at the first handshake, so the provider is
    // chosen before anything else runs. The call fails only if a provider is already installed,
    // which then stays.
    drop(rustls::crypto::ring::default_provider().install_default());
    cli::run(&decorators)
}
