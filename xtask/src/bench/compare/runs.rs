//! The alternating measurements of both servers under one load.

use super::Args;
use super::row::{Round, Row};
use crate::bench::environment::Environment;
use crate::bench::figures::Figures;
use crate::bench::row::Row as Load;
use crate::bench::server::{Before, Server};
use crate::bench::sides::{self, LoadLength, Side};
use crate::bench::table;
use crate::bench::variant::Variant;
use crate::live::Live;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::sync::Arc;

/// One of the two servers, with a database server and a load of its own.
struct Contestant<'a> {
    label: &'static str,
    environment: Environment<'a>,
    load: Side,
}

/// Measures one row.
pub(super) fn measure(
    repo: &Repo,
    live: &Arc<Live>,
    args: &Args,
    before: &Before,
    (load, variant): (Load, Variant),
) -> Result<Row> {
    let pace = LoadLength::closed(args.pace.seconds, args.pace.callers);
    let open = |label, server| -> Result<Contestant<'_>> {
        let mut environment = Environment::open(repo, live, variant, load, &server).context(label)?;
        let load = sides::ours(load, &mut environment, pace).context(label)?;
        Ok(Contestant { label, environment, load })
    };
    let sets = load.sets().iter().map(|set| (*set).to_owned()).collect();
    let new = open("new", Server::Current(sets))?;
    let old = open("old", Server::Before(before.clone()))?;
    // This run is not counted: connections, prepared statements and caches of both servers begin
    // cold.
    for contestant in [&new, &old] {
        contestant.run(0)?;
    }
    let rounds: Vec<Round> = (1..=args.rounds).map(|number| round(&new, &old, number)).collect::<Result<_>>()?;
    Row::new((load, variant), new.environment.version, &rounds)
}

/// Makes the runs A B B A: a machine that becomes steadily slower or faster affects both servers
/// equally. The server that begins changes from round to round.
fn round(new: &Contestant<'_>, old: &Contestant<'_>, number: usize) -> Result<Round> {
    let (outer, inner) = if number % 2 == 1 { (new, old) } else { (old, new) };
    let first = outer.run(number)?;
    let within = [inner.run(number)?, inner.run(number)?];
    let around = [first, outer.run(number)?];
    Ok(if number % 2 == 1 { Round { new: around, old: within } } else { Round { new: within, old: around } })
}

impl Contestant<'_> {
    fn run(&self, round: usize) -> Result<Figures> {
        let measured = self.load.measure(&self.environment, round).with_context(|| self.label);
        let figures = measured.inspect_err(|_| eprintln!("{}", self.environment.logs()))?;
        eprintln!("  round {round}, {:<4} {}", self.label, table::brief(&figures));
        Ok(figures)
    }
}
