//! `cargo xtask kill`: real databases under a load program that has them, and its own servers, killed.
//!
//! The load program (`tests/src/kill.rs`) owns the servers, the history and the verdict. The databases are ours, so it
//! gives orders on its standard output, one a line, and reads on its standard input that they are done.

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

/// A database that keeps what it committed, both in its log and in its binary log.
const CAREFUL: Setup = Setup { sync_binlog: true, ..Setup::TESTS };
/// A database that forgets up to a second when it is killed.
const CARELESS: Setup = Setup { durable: false, ..Setup::TESTS };

/// Builds what is needed and runs the rounds; whether nothing was lost or doubled.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    tools::mariadb(live)?;
    build::programs(repo, live)?;
    rounds(repo, live, args)
}

impl Args {
    /// So many rounds by a random seed.
    pub(crate) fn short(rounds: u32) -> Self {
        Self { rounds, seed: None, careless: false }
    }
}

/// Runs the rounds with the programs that are built; whether nothing was lost or doubled.
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

/// Runs a load program to its end and does to the databases what it asks; whether it succeeded.
pub(crate) fn obey(live: &Arc<Live>, load: &mut Command, databases: &mut Pair) -> Result<bool> {
    // What it leaves behind when it is killed goes with us.
    let scratch = live.folder()?;
    load.stdin(Stdio::piped()).stdout(Stdio::piped()).env("TMPDIR", scratch.path());
    // Its servers are in its process group and end with it.
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
