//! The load generator: each subcommand is one measurement of a running service through its public
//! API, or of its baseline, a bare loop, and writes one line of JSON.
//!
//! This crate must never depend on a crate of the server: it is a caller like any other.

mod bare;
mod batch;
mod cli;
mod clients;
mod closed;
mod constant;
mod cpu;
mod create;
mod database;
mod deep;
mod delay;
mod events;
mod fill;
mod held;
mod idle;
mod like;
mod like_open;
mod members;
mod mixed;
mod overload;
mod page;
mod prepare;
mod probe;
mod raw;
mod report;
mod scrape;
mod settled;
mod states;
mod storm;
mod subscribers;
mod threads;
mod visit;

use clap::Parser;
use std::process::ExitCode;

/// The server's own allocator, so that the allocator does not change the cost of the load.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    match Box::pin(cli::Cli::parse().run()).await {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
