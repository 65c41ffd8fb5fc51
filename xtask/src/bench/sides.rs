//! The sides of a row: the loads that take turns on the same servers.

mod read;
mod write;

use super::arena::Arena;
use super::book::Book;
use super::figures::Figures;
use super::row::Row;
use anyhow::{Context, Result};

/// Connections with which the bare loop is tried; the best counts.
pub(super) const BARE_CONNECTIONS: [usize; 3] = [1, 16, 64];
/// Callers that make ready what others are measured on.
const FEW: &str = "32";
/// A subject with so many comments, and how long filling may take before it stops where it is.
const MILLION: [&str; 4] = ["--comments", "1000000", "--within", "120"];

/// A load.
pub(super) struct Side {
    /// What it is called on the terminal and in the table.
    pub(super) label: String,
    /// What is asked of riposte-bench before each round, outside the measured time.
    before: Option<Vec<String>>,
    load: Vec<String>,
}

/// How long and with how many callers each load is measured.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Pace {
    /// Seconds measured in each round of each side
    #[arg(long, default_value_t = 3.0)]
    pub(super) seconds: f64,
    /// Minutes of the row mixed, which has one round
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// Subjects of page_redis, which is that row only with 10000
    #[arg(long, default_value_t = 10_000)]
    subjects: usize,
    /// Callers of the closed loops that write
    #[arg(long, default_value_t = 256)]
    callers: usize,
    /// Calls per second of like_hot_10k, which is that row only with 10000
    #[arg(long, default_value_t = 10_000)]
    rate: u32,
}

impl Pace {
    /// Of closed loops, which is all that most rows need.
    pub(super) fn closed(seconds: f64, callers: usize) -> Self {
        Self { seconds, callers, minutes: 0.0, subjects: 0, rate: 0 }
    }
}

impl Side {
    fn new(label: &str, load: Vec<String>) -> Self {
        Self { label: label.to_owned(), before: None, load }
    }

    /// The same with something that is done before each round.
    fn after(self, before: Vec<String>) -> Self {
        Self { before: Some(before), ..self }
    }

    /// One round: its place among the rounds makes names of its own.
    pub(super) fn measure(&self, arena: &Arena<'_>, round: usize) -> Result<Figures> {
        let named = |words: &[String]| words.iter().map(|word| word.replace("{round}", &round.to_string())).collect();
        if let Some(before) = &self.before {
            let words: Vec<String> = named(before);
            arena.ask(&words)?;
        }
        let words: Vec<String> = named(&self.load);
        arena.measure(&words)
    }
}

/// Our side first, then what it is held against: the bare loop with each of `connections`, or ourselves under other
/// circumstances, or nothing.
pub(super) fn sides(row: Row, arena: &mut Arena<'_>, pace: Pace, connections: &[usize]) -> Result<Vec<Side>> {
    let mut desk = Desk { arena, pace, connections };
    match row.book() {
        Book::Write => write::sides(row, &desk),
        Book::Read => read::sides(row, &mut desk),
    }
}

/// Our side alone.
pub(super) fn ours(row: Row, arena: &mut Arena<'_>, pace: Pace) -> Result<Side> {
    sides(row, arena, pace, &[])?.into_iter().next().context("a row without a side")
}

/// What loads are put together from.
struct Desk<'a, 'b> {
    arena: &'a mut Arena<'b>,
    pace: Pace,
    connections: &'a [usize],
}

impl Desk<'_, '_> {
    /// Something that is asked of the service and not measured.
    fn ask(&self, verb: &str, more: &[&str]) -> Vec<String> {
        let words = std::iter::once(verb).chain(more.iter().copied()).map(str::to_owned);
        words.chain(self.arena.endpoints(1)).collect()
    }

    /// Lets few callers work for a while: each table has statements of its own, which every connection prepares once.
    fn make_ready(&self, verb: &str, more: &[&str]) -> Result<()> {
        let some = [more, &["--callers", FEW, "--seconds", "20"]].concat();
        self.arena.ask(&self.ask(verb, &some)).map(drop)
    }

    /// A load through so many processes of the service.
    fn through(&self, verb: &str, servers: usize, more: &[&str]) -> Vec<String> {
        [self.timed(verb, more), self.arena.endpoints(servers)].concat()
    }

    /// The bare loop on a database, with each number of connections.
    fn bare(&self, database: &str, verb: &str, more: &[&str]) -> Vec<Side> {
        let one = |count: &usize| {
            let place = ["--url".to_owned(), self.arena.url(database), "--connections".to_owned(), count.to_string()];
            Side::new(&format!("bare, {count} conn."), [self.timed(verb, more), place.to_vec()].concat())
        };
        self.connections.iter().map(one).collect()
    }

    /// A load for as long as was asked for.
    fn timed(&self, verb: &str, more: &[&str]) -> Vec<String> {
        let words = [verb.to_owned(), "--seconds".to_owned(), self.pace.seconds.to_string()];
        words.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
    }
}

fn against(ours: Vec<String>, bare: Vec<Side>) -> Vec<Side> {
    std::iter::once(Side::new("riposte", ours)).chain(bare).collect()
}
