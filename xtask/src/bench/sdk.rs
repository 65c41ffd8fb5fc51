//! A run over the SDKs: the cost of each for its users.

mod dev;
mod row;
mod starts;

use super::record;
use crate::build;
use crate::live::Live;
use crate::repo::Repo;
use crate::run::run_to_end;
use crate::sdk::{self, Installed, Language};
use anyhow::{Context, Result, ensure};
use dev::Dev;
use row::{CallFigures, Row};
use std::sync::Arc;

/// The name on the command line.
pub(super) const NAME: &str = "sdk";
/// The document that explains the columns.
pub(super) const DOCUMENT: &str = "docs/benchmarks/sdk.md";

/// The languages to measure, and the length of the measurements.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Default: all
    #[arg(value_enum)]
    languages: Vec<Language>,
    /// Rounds of client and stub, which take turns; medians are reported
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Seconds of each side in a round
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Write the table to docs/benchmarks/sdk.md, with the date, the machine and this command line
    #[arg(long)]
    record: bool,
}

/// Measures every chosen SDK. Returns `false` if one of them could not be measured.
pub(super) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    ensure!(args.rounds > 0 && args.seconds > 0.0, "at least one round, and some time for it");
    build::programs_to_measure(repo, live)?;
    let languages = if args.languages.is_empty() { Language::all() } else { args.languages.clone() };
    let (mut rows, mut failed) = (Vec::new(), String::new());
    // All packages are built first, so that no build runs during a measurement.
    let prepared: Vec<_> =
        languages.iter().map(|language| (*language, Installed::make(repo, live, *language))).collect();
    for (language, installed) in prepared {
        eprintln!("\n=== {}", language.name());
        match installed.and_then(|installed| measure(repo, live, args, language, &installed)) {
            Ok(row) => rows.push(row),
            Err(error) => failed += &format!("\nNot measured: {}: {error:#}.\n", language.name()),
        }
        record::write_figures(repo, "bench/sdk.json", rows.iter().map(Row::json).collect())?;
    }
    let table = row::markdown(&rows);
    println!("\n{table}{failed}");
    println!("{}", repo.target().join("bench/sdk.json").display());
    if args.record {
        let Args { rounds, seconds, .. } = args;
        let method = format!("Medians of {rounds} rounds, {seconds} s for each side, and of {rounds} starts.");
        record::write_section(repo, (NAME, DOCUMENT), "", &method, &format!("{table}{failed}"))?;
    }
    Ok(failed.is_empty())
}

/// Measures one SDK on a server of its own.
fn measure(repo: &Repo, live: &Arc<Live>, args: &Args, language: Language, installed: &Installed) -> Result<Row> {
    let server = Dev::start(repo, live)?;
    let first_ms =
        starts::first_response_ms(live, args.rounds, || installed.program(repo, server.target(), &["first"]))?;
    let (rounds, seconds) = (args.rounds.to_string(), args.seconds.to_string());
    let mut program = installed.program(repo, server.target(), &[&rounds, &seconds])?;
    let mut ways = Vec::new();
    let status = run_to_end(live, &mut program, &mut |line| {
        println!("{line}");
        ways.extend(CallFigures::parse(line));
    })?;
    ensure!(status.success(), "its program ended with {status}");
    ensure!(!ways.is_empty(), "its program reported no figures");
    // An honest client at full speed never meets the limit on control frames.
    ensure!(server.closed_for_control_frames()? == 0, "the server closed a connection for its control frames");
    let counts = sdk::by_hand(repo)?;
    let by_hand = counts.iter().find(|count| count.language == language).context("its lines were not counted")?;
    Ok(Row { language: language.name(), bytes: installed.bytes()?, lines_by_hand: by_hand.lines, first_ms, ways })
}
