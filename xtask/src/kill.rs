//! `cargo xtask kill`: real databases under a load program. The databases and the program's own
//! servers are killed.
//!
//! The load program (`tests/src/kill.rs`) owns the servers, the history and the check. The task
//! runner owns the databases, so the load program writes orders to its standard output, one a line,
//! and reads their completion from its standard input.

mod orders;

use crate::live::Live;
use crate::repo::Repo;
use crate::servers::{DiskFault, Pair, Setup};
use crate::{build, servers, tools};
use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use orders::{Order, Verb};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// What to kill, and how often.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds in one history; in each a server, a database or both die
    #[arg(long, default_value_t = 20)]
    rounds: u32,
    /// Who dies when, and what the load asks; a run prints its seed. Default: a random one
    #[arg(long)]
    seed: Option<u64>,
    /// Let the databases flush once a second instead of at every commit: they lose what was acknowledged, so this run
    /// has to fail. Shows that a loss is found
    #[arg(long)]
    careless: bool,
}

/// A database that keeps its commits in both its log and its binary log.
const CAREFUL: Setup = Setup { sync_binlog: true, ..Setup::TESTS };
/// A database that loses up to a second of commits when it is killed.
const CARELESS: Setup = Setup { durable: false, ..Setup::TESTS };

/// Builds the programs and runs the rounds. Returns `true` if nothing was lost or duplicated.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    tools::mariadb(live)?;
    build::programs(repo, live)?;
    rounds(repo, live, args)
}

impl Args {
    /// Returns arguments for a number of rounds with a random seed.
    pub(crate) fn short(rounds: u32) -> Self {
        Self { rounds, seed: None, careless: false }
    }
}

/// Runs the rounds with the built programs. Returns `true` if nothing was lost or duplicated.
pub(crate) fn rounds(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    let mut databases = servers::start_mariadb(live, if args.careless { CARELESS } else { CAREFUL })?;
    let mut load = repo.clean(repo.kill_load_binary());
    load.args(["--rounds", &args.rounds.to_string()]);
    if let Some(seed) = args.seed {
        load.args(["--seed", &seed.to_string()]);
    }
    load.envs(databases.exports()).env("RIPOSTE_TEST_BIN", repo.server_binary());
    obey(live, &mut load, &mut databases)
}

/// Runs a load program to its end and executes its orders on the databases. Returns `true` if it
/// succeeded.
pub(crate) fn obey(live: &Arc<Live>, load: &mut Command, databases: &mut Pair) -> Result<bool> {
    // The load program's temporary files are in this folder, which is removed even if the program
    // is killed.
    let scratch = live.folder()?;
    load.stdin(Stdio::piped()).stdout(Stdio::piped()).env("TMPDIR", scratch.path());
    // The load program's servers are in its process group and end with it.
    let mut load = live.spawn(load)?;
    let mut answers = load.child().stdin.take().context("no standard input")?;
    let lines = load.child().stdout.take().context("no standard output")?;
    for line in BufReader::new(lines).lines() {
        let line = line?;
        let Some(order) = Order::read(&line)? else {
            println!("{line}");
            continue;
        };
        for number in order.databases {
            match order.verb {
                Verb::Kill => databases.kill(number)?,
                Verb::Start => databases.start_again(live, number)?,
                Verb::Pause => databases.signal(number, Signal::SIGSTOP)?,
                Verb::Resume => databases.signal(number, Signal::SIGCONT)?,
                Verb::FailSync => databases.fail_disk(live, number, DiskFault::Sync)?,
                Verb::FillDisk => databases.fail_disk(live, number, DiskFault::Full)?,
            }
        }
        writeln!(answers, "done")?;
    }
    Ok(load.wait()?.success())
}
