//! A run under far more load than the service can serve: the work that is still done, and the time
//! to recover. Then hostile clients are measured.

mod environment;
mod hostile;
mod row;

use super::record;
use crate::live::Live;
use crate::repo::Repo;
use crate::{build, tools};
use anyhow::{Result, ensure};
use environment::{Over, OverloadEnvironment};
use row::Row;
use std::sync::Arc;

/// The name on the command line.
pub(super) const NAME: &str = "overload";
/// The document that explains the columns.
pub(super) const DOCUMENT: &str = "docs/benchmarks/overload.md";

/// The milliseconds that each round trip to the database takes.
const DELAY_MS: u64 = 5;

/// The kind of the overload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Trial {
    /// Calls at several times the knee
    Times,
    /// A database that does not respond for a while
    Stop,
    /// Calls that are reset at once
    Resets,
    /// Connections that send no requests
    Idle,
}

/// The overloaded calls and the configuration of the service that receives them. The pools are
/// small and the connection is slow, so that neither the processor nor the concurrent load is the
/// first limit. Admission pools are as small as the connection pools, as an operator would set
/// them.
const LOADS: [(&str, &[&str]); 2] = [
    ("pages", &["store.pools.read.connections=4", "limits.reads=8", "limits.queue=16"]),
    ("creates", &["store.pools.write.connections=4", "limits.writes=48", "limits.queue=16"]),
];

/// The trials and their lengths.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Only these trials [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Trial>,
    /// The rates of the overloads, as multiples of the rate of the knee
    #[arg(long, value_delimiter = ',', default_values_t = [5.0, 10.0])]
    times: Vec<f64>,
    /// Seconds of each trial with several times the knee
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// Seconds during which the database does not respond
    #[arg(long, default_value_t = 10.0)]
    stop: f64,
    /// Seconds of resets, and of idle connections
    #[arg(long, default_value_t = 20.0)]
    hostile: f64,
    /// One more configuration value of the service, as its own --set
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Write the tables to docs/benchmarks/overload.md, with the date, the machine and this command
    /// line
    #[arg(long)]
    record: bool,
}

impl Args {
    fn wants(&self, trial: Trial) -> bool {
        self.only.is_empty() || self.only.contains(&trial)
    }

    /// Returns the configuration of the service.
    fn sets(&self, ours: &[&str]) -> Vec<String> {
        ours.iter().map(|set| (*set).to_owned()).chain(self.sets.iter().cloned()).collect()
    }
}

/// Measures everything. Returns `false` if something could not be measured.
pub(super) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    let sound = |of: &f64| of.is_finite() && *of > 0.0;
    ensure!(args.times.iter().chain([&args.seconds, &args.stop, &args.hostile]).all(sound), "rates and times");
    tools::mariadb(live)?;
    build::programs_to_measure(repo, live)?;
    let (mut rows, mut failed) = (Vec::new(), String::new());
    for (what, sets) in LOADS {
        for over in overs(args) {
            let name = format!("{what}, {over}");
            eprintln!("\n=== {name}");
            let measured = OverloadEnvironment::open(repo, live, &args.sets(sets))
                .and_then(|environment| environment.overload(what, over));
            match measured {
                Ok(figures) => rows.push(Row { what: name, figures }),
                Err(error) => failed += &format!("\nNot measured: {name}: {error:#}.\n"),
            }
        }
    }
    let mut attacks = Vec::new();
    for (what, trial) in [(hostile::RESETS, Trial::Resets), (hostile::IDLE, Trial::Idle)] {
        if args.wants(trial) {
            eprintln!("\n=== {what}");
            let environment = OverloadEnvironment::open(repo, live, &args.sets(hostile::SETS));
            match environment.and_then(|environment| environment.hostile(what, args.hostile)) {
                Ok(figures) => attacks.push(hostile::Row { what, figures }),
                Err(error) => failed += &format!("\nNot measured: {what}: {error:#}.\n"),
            }
        }
    }
    let figures = rows.iter().map(Row::json).chain(attacks.iter().map(hostile::Row::json)).collect();
    record::write_figures(repo, "bench/overload.json", figures)?;
    let tables = format!("{}\n{}{failed}", row::markdown(&rows), hostile::markdown(&attacks));
    println!("\n{tables}");
    if args.record {
        record::write_section(repo, (NAME, DOCUMENT), "", &method(args), &tables)?;
    }
    Ok(failed.is_empty())
}

/// Returns the overloads of one load, in the order of the table.
fn overs(args: &Args) -> Vec<Over> {
    let times = args.times.iter().filter(|_| args.wants(Trial::Times));
    let times = times.map(|times| Over::Times { times: *times, seconds: args.seconds });
    times.chain(args.wants(Trial::Stop).then_some(Over::Stop { seconds: args.stop })).collect()
}

fn method(args: &Args) -> String {
    format!(
        "{} s of many calls, {} s of a database that stands still, {} s of hostile clients. Artificial: each round trip to \
         the database takes {DELAY_MS} ms, and the service has {}; for the second table `{}`.",
        args.seconds,
        args.stop,
        args.hostile,
        LOADS.map(|(what, sets)| format!("for {what} `{}`", sets.join("`, `"))).join("; "),
        hostile::SETS.join("`, `")
    )
}
