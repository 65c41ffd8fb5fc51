//! A run under far more load than can be borne: what is still done, and how soon all is well again.

mod row;
mod stage;

use super::record;
use crate::live::Live;
use crate::repo::Repo;
use crate::{build, tools};
use anyhow::{Result, ensure};
use row::Row;
use stage::Stage;
use std::sync::Arc;

/// The name on the command line.
pub(super) const NAME: &str = "overload";
/// The document that explains the columns.
pub(super) const DOCUMENT: &str = "docs/benchmarks/overload.md";

/// Milliseconds that each round trip to the database takes.
const WIRE_MS: u64 = 5;

/// What is asked too often, and the service that is asked. The pools are small and the wire is slow, so that neither the
/// processor nor the load beside it is what ends first; rooms are as small as the pools, as an operator would have them.
const LOADS: [(&str, &[&str]); 2] = [
    ("pages", &["store.pools.read.connections=4", "limits.reads=8", "limits.queue=16"]),
    ("creates", &["store.pools.write.connections=4", "limits.writes=48", "limits.queue=16"]),
];

/// How much, and how long.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// How many times the rate of the knee
    #[arg(long, default_value_t = 5.0)]
    times: f64,
    /// Seconds of that
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// One more configuration value of the service, as its own --set
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Write the table to docs/benchmarks/overload.md, with the date, the machine and this command line
    #[arg(long)]
    record: bool,
}

/// Measures both loads; `false` when one of them could not be measured.
pub(super) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    ensure!(args.times > 0.0 && args.seconds > 0.0, "a rate and a time");
    tools::mariadb(live)?;
    build::programs(repo, live)?;
    let (mut rows, mut failed) = (Vec::new(), String::new());
    for (what, sets) in LOADS {
        eprintln!("\n=== {what}");
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).chain(args.sets.iter().cloned()).collect();
        match Stage::open(repo, live, &sets).and_then(|stage| stage.measure(what, args)) {
            Ok(figures) => rows.push(Row { what, figures }),
            Err(error) => failed += &format!("\nNot measured: {what}: {error:#}.\n"),
        }
        record::write_figures(repo, "bench/overload.json", rows.iter().map(Row::json).collect())?;
    }
    let table = row::markdown(&rows);
    println!("\n{table}{failed}");
    if args.record {
        let Args { times, seconds, .. } = args;
        let method = format!(
            "{times} times the knee for {seconds} s. Artificial: each round trip to the database takes {WIRE_MS} ms, and the service \
             has {}.",
            LOADS.map(|(what, sets)| format!("for {what} `{}`", sets.join("`, `"))).join("; ")
        );
        record::write_section(repo, (NAME, DOCUMENT), "", &method, &format!("{table}{failed}"))?;
    }
    Ok(failed.is_empty())
}
