//! The alternating measurements of both servers under one load.

use super::Args;
use super::row::{Round, Row};
use crate::bench::arena::Arena;
use crate::bench::figures::Figures;
use crate::bench::row::Row as Load;
use crate::bench::server::{Before, Server};
use crate::bench::sides::{self, Pace, Side};
use crate::bench::table;
use crate::bench::variant::Variant;
use crate::live::Live;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::sync::Arc;

/// One of the two servers, with a database server and a load of its own.
struct Contestant<'a> {
    label: &'static str,
    arena: Arena<'a>,
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
    let pace = Pace::closed(args.pace.seconds, args.pace.callers);
    let open = |label, server| -> Result<Contestant<'_>> {
        let mut arena = Arena::open(repo, live, variant, load, &server).context(label)?;
        let load = sides::ours(load, &mut arena, pace).context(label)?;
        Ok(Contestant { label, arena, load })
    };
    let sets = load.sets().iter().map(|set| (*set).to_owned()).collect();
    let new = open("new", Server::Current(sets))?;
    let old = open("old", Server::Before(before.clone()))?;
    // This turn is not counted: connections, prepared statements and caches of both servers begin
    // cold.
    for contestant in [&new, &old] {
        contestant.turn(0)?;
    }
    let rounds: Vec<Round> = (1..=args.rounds).map(|number| round(&new, &old, number)).collect::<Result<_>>()?;
    Row::new((load, variant), new.arena.version, &rounds)
}

/// Runs the turns A B B A: a machine that becomes steadily slower or faster affects both servers
/// equally. The server that begins changes from round to round.
fn round(new: &Contestant<'_>, old: &Contestant<'_>, number: usize) -> Result<Round> {
    let (outer, inner) = if number % 2 == 1 { (new, old) } else { (old, new) };
    let first = outer.turn(number)?;
    let within = [inner.turn(number)?, inner.turn(number)?];
    let around = [first, outer.turn(number)?];
    Ok(if number % 2 == 1 { Round { new: around, old: within } } else { Round { new: within, old: around } })
}

impl Contestant<'_> {
    fn turn(&self, round: usize) -> Result<Figures> {
        let measured = self.load.measure(&self.arena, round).with_context(|| self.label);
        let figures = measured.inspect_err(|_| eprintln!("{}", self.arena.logs()))?;
        eprintln!("  round {round}, {:<4} {}", self.label, table::brief(&figures));
        Ok(figures)
    }
}
