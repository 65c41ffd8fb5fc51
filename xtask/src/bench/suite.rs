//! A run of one benchmark: its rows, each on servers of its own, its table and its files.

use super::book::Book;
use super::environment::Environment;
use super::figures::Figures;
use super::outcome::Outcome;
use super::plan::{RowSelection, plan};
use super::processor::Processor;
use super::row::Row;
use super::server::Server;
use super::sides::{BARE_CONNECTIONS, LoadLength, Role, Side, sides, single_sides};
use super::variant::{Tables, Variant};
use super::{record, table};
use crate::live::Live;
use crate::repo::Repo;
use crate::{build, servers, tools};
use anyhow::{Context, Result, ensure};
use std::sync::Arc;
use std::time::Instant;

/// The rows to measure, and the length of the measurements.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    selection: RowSelection,
    #[command(flatten)]
    pace: LoadLength,
    /// Rounds of each side; the sides take turns, and medians are reported
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// One more configuration value of the service, as its own --set
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Write the table to the document of this benchmark, with the date, the machine and this
    /// command line
    #[arg(long)]
    record: bool,
}

/// Measures every chosen row. Returns `false` if one of them could not be measured.
pub(super) fn run(repo: &Repo, live: &Arc<Live>, book: Book, args: &Args) -> Result<bool> {
    ensure!(args.rounds > 0, "at least one round");
    tools::mariadb(live)?;
    if args.selection.mysql {
        servers::unpack_mysql(repo, live)?;
    }
    build::programs_to_measure(repo, live)?;
    let (begin, rows) = (Instant::now(), plan(book, &args.selection)?);
    let (mut outcomes, mut failed) = (Vec::new(), Vec::new());
    for (number, (row, variant)) in rows.iter().enumerate() {
        let minutes = begin.elapsed().as_secs_f64() / 60.0;
        eprintln!("\n=== {}/{} after {minutes:.1} min: {} ({variant})", number + 1, rows.len(), row.name());
        match measure(repo, live, args, (*row, *variant), &outcomes) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => {
                eprintln!("error: {error:#}");
                failed.push(format!("{} ({variant}): {error:#}", row.name()));
            }
        }
        // The file is written after each row, so that an interrupted run leaves its finished rows.
        record::write_json(repo, book, &outcomes)?;
    }
    println!("\n{}", table::terminal(&outcomes));
    println!("{}", repo.target().join(book.json()).display());
    for row in &failed {
        eprintln!("not measured: {row}");
    }
    if args.record {
        let method = format!("Medians of {} round(s), {} s each.", args.rounds, args.pace.seconds);
        record::write_document(repo, book, &outcomes, &failed, &method)?;
    }
    Ok(failed.is_empty())
}

/// Measures one row on servers of its own.
fn measure(
    repo: &Repo,
    live: &Arc<Live>,
    args: &Args,
    (row, variant): (Row, Variant),
    earlier: &[Outcome],
) -> Result<Outcome> {
    let sets: Vec<String> = row.sets().iter().map(|set| (*set).to_owned()).chain(args.sets.iter().cloned()).collect();
    let (server, connections) = (Server::Current(sets), connections(row, variant, earlier));
    let mut main = Environment::open(repo, live, variant, row, &server)?;
    let mut sides = sides(row, &mut main, args.pace, &connections)?;
    let mut single = None;
    if row.has_single(variant) {
        let variant = Variant { tables: Tables::One, ..variant };
        let single = single.insert(Environment::open(repo, live, variant, row, &server)?);
        sides.extend(single_sides(row, single, args.pace, &connections)?);
    }
    let row_servers = RowServers { main, single };
    let measured = rounds(row, &row_servers, &sides, args).inspect_err(|_| eprintln!("{}", row_servers.logs()))?;
    let medians: Vec<(Role, String, Figures)> = sides
        .iter()
        .zip(&measured.figures)
        .map(|(side, rounds)| {
            let median = Figures::median(rounds).context("the processor was never fully available")?;
            Ok((side.role, side.label.clone(), median))
        })
        .collect::<Result<_>>()?;
    let of = |wanted: Role| medians.iter().find(|(role, ..)| *role == wanted).map(|(.., figures)| *figures);
    Ok(Outcome {
        row,
        variant,
        version: row_servers.main.version,
        ours: of(Role::Ours).context("a row without a side")?,
        baseline: baseline(row, &medians),
        single: of(Role::Single),
        alone: of(Role::Alone),
        rounds: measured.figures[0].len(),
        thrown_away: measured.thrown_away,
    })
}

/// The servers of one row.
struct RowServers<'a> {
    main: Environment<'a>,
    /// Those with one table of each kind, if a side runs on them.
    single: Option<Environment<'a>>,
}

impl<'a> RowServers<'a> {
    fn of(&self, side: &Side) -> &Environment<'a> {
        self.single.as_ref().filter(|_| side.on_single).unwrap_or(&self.main)
    }

    /// Returns the end of each service's log, for an error message.
    fn logs(&self) -> String {
        std::iter::once(&self.main).chain(&self.single).map(Environment::logs).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the baseline with the best rate, or the sum of both where they are parts of one whole.
fn baseline(row: Row, medians: &[(Role, String, Figures)]) -> Option<(String, Figures)> {
    let baselines = medians.iter().filter(|(role, ..)| *role == Role::Baseline);
    let baselines: Vec<_> = baselines.map(|(_, label, figures)| (label, figures)).collect();
    match baselines.as_slice() {
        [(one, redis), (other, constant)] if row.adds_up() => {
            Some((format!("{one} + {other}, per core"), Figures::added(redis, constant)))
        }
        all => {
            let best = all.iter().max_by(|(_, a), (_, b)| a.rate.total_cmp(&b.rate));
            best.map(|(label, figures)| ((*label).clone(), **figures))
        }
    }
}

/// Returns the numbers of connections with which the bare loop is measured: all of them, or only
/// the best one if an earlier variant of this row has determined it on the same database.
fn connections(row: Row, variant: Variant, earlier: &[Outcome]) -> Vec<usize> {
    let known = earlier.iter().find(|known| known.row == row && variant.same_for_the_bare_loop(known.variant));
    let best = known.and_then(|known| {
        let (label, _) = known.baseline.as_ref()?;
        BARE_CONNECTIONS.into_iter().find(|count| label.contains(&format!(" {count} ")))
    });
    best.map_or_else(|| BARE_CONNECTIONS.to_vec(), |count| vec![count])
}

/// The figures of all sides, each with those of its rounds.
struct RowFigures {
    figures: Vec<Vec<Figures>>,
    thrown_away: usize,
}

/// Lets the sides take turns.
fn rounds(row: Row, row_servers: &RowServers<'_>, sides: &[Side], args: &Args) -> Result<RowFigures> {
    let environment = &row_servers.main;
    let mut measured = RowFigures { figures: vec![Vec::new(); sides.len()], thrown_away: 0 };
    let mut processor = if row.depends_on_the_processor() { Some(Processor::learn(environment)?) } else { None };
    // The number of rounds is bounded, because a machine may never be free.
    let wanted = row.rounds(args.rounds);
    for round in 1..=wanted * 3 {
        let free = processor.as_mut().map_or(Ok(true), |processor| processor.is_there(environment))?;
        let mut round_figures = Vec::new();
        for side in sides {
            let figures = side.measure(row_servers.of(side), round).with_context(|| side.label.clone())?;
            round_figures.push(figures);
            eprintln!("  round {round}, {:<18} {}", side.label, table::brief(&figures));
        }
        if free && processor.as_mut().map_or(Ok(true), |processor| processor.is_there(environment))? {
            measured.figures.iter_mut().zip(round_figures).for_each(|(rounds, figures)| rounds.push(figures));
        } else {
            measured.thrown_away += 1;
            eprintln!("  round {round} does not count: the processor was not fully available before or after it");
        }
        if measured.figures[0].len() == wanted {
            break;
        }
    }
    Ok(measured)
}
