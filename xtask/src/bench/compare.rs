//! Comparison of this tree's server with an older one: server CPU per operation. Both servers run
//! alternately under the same load.

mod interval;
mod row;
mod runs;

use super::record;
use super::row::Row as Load;
use super::server::Before;
use super::variant::{Tables, Variant};
use crate::live::Live;
use crate::repo::Repo;
use crate::{build, tools};
use anyhow::{Result, ensure};
use clap::ValueEnum;
use row::Row;
use std::path::PathBuf;
use std::sync::Arc;

/// The compared loads.
const LOADS: [Load; 5] = [Load::PageHot, Load::CreateHot, Load::LikeHot, Load::CreateSpread, Load::LikeSpread];
/// The number of rounds that the gate needs to pass.
const ROUNDS: usize = 9;
/// The file of figures, below cargo's build directory.
const FIGURES: &str = "bench/compare.json";

/// The older server, and the extent of the comparison.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The older server, built with the profile of this tree
    #[arg(long, value_name = "BINARY")]
    before: PathBuf,
    /// The configuration keys and log lines of its revision, as in bench/before/ed6c35b.toml
    #[arg(long, value_name = "FILE")]
    before_settings: PathBuf,
    /// Compare these rows and no others, of page_hot, create_hot, like_hot, create_spread and
    /// like_spread
    #[arg(long, value_name = "ROW", value_delimiter = ',', num_args = 1.., value_enum, hide_possible_values = true)]
    rows: Vec<Load>,
    /// Only with this number of tables
    #[arg(long, value_enum)]
    tables: Option<Tables>,
    /// Rounds of four turns, in the order A B B A; with fewer than 9 the gate does not pass
    #[arg(long, default_value_t = ROUNDS)]
    rounds: usize,
    #[command(flatten)]
    pub(super) pace: RunLength,
}

/// The length of each measured run, and the number of its callers.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct RunLength {
    /// Seconds measured in each turn, of which a round has four
    #[arg(long, default_value_t = 3.0)]
    pub(super) seconds: f64,
    /// Callers of the loads that write
    #[arg(long, default_value_t = 256)]
    pub(super) callers: usize,
}

/// Compares every chosen row. Returns `false` if the gate does not pass.
pub(super) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    let before = Before::open(&args.before, &args.before_settings)?;
    let plan = plan(args)?;
    tools::mariadb(live)?;
    build::programs_to_measure(repo, live)?;
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (number, (load, variant)) in plan.iter().enumerate() {
        eprintln!("\n=== {}/{}: {} ({variant})", number + 1, plan.len(), load.name());
        match runs::measure(repo, live, args, &before, (*load, *variant)) {
            Ok(row) => rows.push(row),
            Err(error) => faults.push(format!("{} ({variant}) is not measured: {error:#}", load.name())),
        }
        // The file is written after each row, so that an interrupted run leaves its finished rows.
        record::write_figures(repo, FIGURES, rows.iter().map(Row::json).collect())?;
    }
    println!("\n{}", report(repo, args, &rows)?);
    println!("{}", repo.target().join(FIGURES).display());
    faults.extend(rows.iter().filter_map(Row::fault));
    if args.rounds < ROUNDS {
        faults.push(format!("the gate needs at least {ROUNDS} rounds, and this run has {}", args.rounds));
    }
    for fault in &faults {
        eprintln!("gate: {fault}");
    }
    Ok(faults.is_empty())
}

/// Returns the chosen rows with each layout, that of a new database first.
fn plan(args: &Args) -> Result<Vec<(Load, Variant)>> {
    ensure!(args.rounds > 0, "at least one round");
    if let Some(other) = args.rows.iter().find(|row| !LOADS.contains(row)) {
        let known = LOADS.map(Load::name).join(", ");
        anyhow::bail!("{} is not compared; these rows are: {known}", other.name());
    }
    let layouts = Tables::value_variants().iter().filter(|tables| args.tables.is_none_or(|only| only == **tables));
    let loads = LOADS.into_iter().filter(|load| args.rows.is_empty() || args.rows.contains(load));
    let variant = |load: Load, tables| Variant { tables, pinned: load.is_pinned(), ..Variant::PLAIN };
    Ok(layouts.flat_map(|tables| loads.clone().map(|load| (load, variant(load, *tables)))).collect())
}

/// Returns the table in Markdown, below the machine, the profile, the rounds and the command line.
fn report(repo: &Repo, args: &Args, rows: &[Row]) -> Result<String> {
    let mut versions: Vec<&str> = rows.iter().map(|row| row.version.as_str()).collect();
    versions.dedup();
    let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    Ok(format!(
        "{}, {}. Database: {}. Profile of this tree, with which the older server has to be built too: {}.\n\n\
         `cargo xtask {command}`\n\n{} round(s) in the order A B B A, {} s each turn. The ratio is the median of the \
         rounds' ratios of server CPU per operation, new to old; the interval is that of order statistics.\n\n{}",
        super::machine::today()?,
        super::machine::describe()?,
        versions.join(", "),
        super::profile::dist(repo)?,
        args.rounds,
        args.pace.seconds,
        row::markdown(rows)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn args(more: &[&str]) -> Args {
        let all = ["compare", "--before", "old", "--before-settings", "old.toml"].iter().chain(more);
        Cli::try_parse_from(all).unwrap().args
    }

    #[test]
    fn every_row_is_compared_with_each_layout() {
        let plan = plan(&args(&[])).unwrap();
        let names: Vec<_> = plan.iter().map(|(load, variant)| (load.name(), variant.tables)).collect();
        let rows = ["page_hot", "create_hot", "like_hot", "create_spread", "like_spread"];
        let layouts = [Tables::Default, Tables::Many, Tables::One];
        let expected: Vec<_> = layouts.iter().flat_map(|of| rows.map(|row| (row, *of))).collect();
        assert_eq!(names, expected);
        assert!(plan.iter().all(|(load, variant)| variant.pinned == (*load == Load::PageHot)));
    }

    #[test]
    fn a_comparison_may_be_one_row_and_only_of_those_that_are_compared() {
        let spread = plan(&args(&["--rows", "like_spread", "--tables", "default"])).unwrap();
        assert_eq!(spread, [(Load::LikeSpread, Variant::PLAIN)]);
        let one = plan(&args(&["--rows", "like_hot", "--tables", "many"])).unwrap();
        assert_eq!(one, [(Load::LikeHot, Variant { tables: Tables::Many, ..Variant::PLAIN })]);
        let other = plan(&args(&["--rows", "storm"])).unwrap_err().to_string();
        assert!(other.starts_with("storm is not compared"), "{other}");
    }
}
