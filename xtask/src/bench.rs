//! `cargo xtask bench`: measures the service against the least that could do its work, in one run
//! on one machine.
//!
//! This module generates no load. riposte-bench does that, a separate program compiled with full
//! optimisation. The module starts servers, lets the sides take turns and reports medians.

mod book;
mod compare;
mod environment;
mod figures;
mod goal;
mod log_lines;
mod machine;
mod outcome;
mod overload;
mod plan;
mod processor;
mod profile;
mod record;
mod row;
mod sdk;
mod server;
mod sides;
mod suite;
mod table;
mod variant;

use crate::live::Live;
use crate::repo::Repo;
use anyhow::Result;
use book::Book;
use clap::Subcommand;
use std::sync::Arc;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Creates and likes, durable, through gRPC, against a bare SQL loop
    ///
    /// Starts real database servers and `riposte serve` on private ports. The load of riposte-bench
    /// and the bare loop (1, 16 and 64 connections; the best one counts) run alternately. The
    /// result is the median over the rounds. The table goes to the terminal, its figures to
    /// write.json in the folder bench of cargo's build directory, and with --record to
    /// docs/benchmarks/write.md, which explains the rows. Stop all other programs first: the
    /// processor is measured.
    Write(suite::Args),
    /// Pages and like states, through gRPC, against constant bytes and bare SQL
    ///
    /// As `write`: servers on private ports, sides that run alternately, medians over the rounds.
    /// page_hot has server and load on cores of their own and is compared with a server that
    /// returns the same bytes for every call. The figures go to read.json in the folder bench of
    /// cargo's build directory, and with --record to docs/benchmarks/read.md, which explains the
    /// rows.
    Read(suite::Args),
    /// The delays of events and of the Kafka topic, and the events that one process sends
    ///
    /// As `write`. A delay counts from the commit of a create until a subscriber, or a reader of
    /// the topic, has the event. The figures go to events.json in the folder bench of cargo's build
    /// directory, and with --record to docs/benchmarks/events.md, which explains the rows.
    Events(suite::Args),
    /// One client of each SDK, against the bare generated stub of its language
    ///
    /// Builds and installs the packages, and starts a `riposte dev` for each language, one after
    /// the other. The SDK's benchmark program calls the server alternately through the SDK and
    /// through the bare stub. The command also measures the install size, the lines written by
    /// hand, and the time from the start of a program to its first response. The table goes to the
    /// terminal, its figures to sdk.json in the folder bench of cargo's build directory, and with
    /// --record to docs/benchmarks/sdk.md, which explains the columns.
    Sdk(sdk::Args),
    /// Pages and creates at several times the rate at which the service is saturated
    ///
    /// Puts a database behind a slow connection and finds the knee of the service. Then calls come
    /// at several times that rate, whatever their outcome, and finally at a lower rate. Cached
    /// pages are read at the same time. The figures go to overload.json in the folder bench of
    /// cargo's build directory, and with --record to docs/benchmarks/overload.md, which explains
    /// the columns.
    Overload(overload::Args),
    /// Server CPU per operation of this tree's server, against an older one
    ///
    /// Builds this tree's server and measures it and BINARY alternately (A B B A) under the same
    /// load, each on a database server of its own, with one table and with many. Both binaries must
    /// be built with one profile: the same lto above all. BINARY has the configuration keys of its
    /// own revision, which FILE lists. The command fails when the lower end of the 95 % interval of
    /// a row's median ratio, new to old, is above 1.03. The table goes to the terminal, its figures
    /// to compare.json in the folder bench of cargo's build directory. docs/benchmarks/compare.md
    /// explains the method. Stop all other programs first.
    Compare(compare::Args),
}

/// Runs one benchmark. Returns `false` if a row could not be measured.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, what: &Bench) -> Result<bool> {
    match what {
        Bench::Write(args) => suite::run(repo, live, Book::Write, args),
        Bench::Read(args) => suite::run(repo, live, Book::Read, args),
        Bench::Events(args) => suite::run(repo, live, Book::Events, args),
        Bench::Sdk(args) => sdk::run(repo, live, args),
        Bench::Overload(args) => overload::run(repo, live, args),
        Bench::Compare(args) => compare::run(repo, live, args),
    }
}
