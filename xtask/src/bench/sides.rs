//! The sides of a row: the loads that take turns on the same servers.

mod events;
mod read;
mod write;

use super::book::Book;
use super::environment::Environment;
use super::figures::Figures;
use super::row::Row;
use anyhow::{Context, Result};

/// The numbers of connections with which the bare loop is tried; the best counts.
pub(super) const BARE_CONNECTIONS: [usize; 3] = [1, 16, 64];
/// The number of callers that prepare the data of a measurement.
const FEW: &str = "32";
/// The size of a large subject, and the time limit after which filling it stops.
const MILLION: [&str; 4] = ["--comments", "1000000", "--within", "120"];

/// The part that the figures of a side play in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The measured load.
    Ours,
    /// A load that it is compared with; of several, the one with the best rate.
    Baseline,
    /// The measured load on one table of each kind.
    Single,
    /// The load that runs beside the measured one, by itself.
    Alone,
}

/// A load.
pub(super) struct Side {
    /// The name on the terminal and in the table.
    pub(super) label: String,
    /// The part that its figures play in the row.
    pub(super) role: Role,
    /// True if it runs on the servers with one table of each kind.
    pub(super) on_single: bool,
    /// The arguments of riposte-bench for a preparation before each round, outside the measured
    /// time.
    before: Option<Vec<String>>,
    load: Vec<String>,
}

/// The length of each measured load, and the number of its callers.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct LoadLength {
    /// Seconds measured in each round of each side
    #[arg(long, default_value_t = 3.0)]
    pub(super) seconds: f64,
    /// Seconds of the row idle, after its polling has settled; it has one round
    #[arg(long, default_value_t = 30.0)]
    idle_seconds: f64,
    /// Minutes of the row mixed, which has one round
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// Subjects of page_redis; with another number than 10000 the figures are not those of the row
    #[arg(long, default_value_t = 10_000)]
    subjects: usize,
    /// Callers of the closed loops that write
    #[arg(long, default_value_t = 256)]
    callers: usize,
    /// Creates per second of events_load and topic_load; with another number than 5000 the figures
    /// are not those of the rows
    #[arg(long, default_value_t = 5_000)]
    changes: u32,
    /// Calls per second of like_hot_10k; with another number than 10000 the figures are not those
    /// of the row
    #[arg(long, default_value_t = 10_000)]
    rate: u32,
}

impl LoadLength {
    /// Returns the lengths for closed loops; most rows need no others.
    pub(super) fn closed(seconds: f64, callers: usize) -> Self {
        Self { seconds, callers, idle_seconds: 0.0, minutes: 0.0, subjects: 0, changes: 0, rate: 0 }
    }
}

impl Side {
    fn new(label: &str, load: Vec<String>) -> Self {
        Self { label: label.to_owned(), role: Role::Baseline, on_single: false, before: None, load }
    }

    /// Adds a preparation before each round.
    fn after(self, before: Vec<String>) -> Self {
        Self { before: Some(before), ..self }
    }

    fn playing(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Measures one round. Its position among the rounds makes its names unique.
    pub(super) fn measure(&self, environment: &Environment<'_>, round: usize) -> Result<Figures> {
        let named = |words: &[String]| words.iter().map(|word| word.replace("{round}", &round.to_string())).collect();
        if let Some(before) = &self.before {
            let words: Vec<String> = named(before);
            environment.ask(&words)?;
        }
        let words: Vec<String> = named(&self.load);
        environment.measure(&words)
    }
}

/// Returns the sides on the servers with one table of each kind: the service's, and those of the
/// bare loops that read the tables of the service, which need one table of each.
pub(super) fn single_sides(
    row: Row,
    environment: &mut Environment<'_>,
    pace: LoadLength,
    connections: &[usize],
) -> Result<Vec<Side>> {
    let sides = sides(row, environment, pace, connections)?.into_iter();
    let sides = sides.filter(|side| side.role == Role::Ours || row.book() == Book::Read);
    let place = |side: Side| match side.role {
        Role::Ours => Side { label: "riposte, 1/1".to_owned(), role: Role::Single, on_single: true, ..side },
        Role::Baseline | Role::Single | Role::Alone => Side { on_single: true, ..side },
    };
    Ok(sides.map(place).collect())
}

/// Returns the service's side first, then the baselines: the bare loop with each of `connections`,
/// the service in another variant, or nothing.
pub(super) fn sides(
    row: Row,
    environment: &mut Environment<'_>,
    pace: LoadLength,
    connections: &[usize],
) -> Result<Vec<Side>> {
    let mut builder = LoadBuilder { environment, pace, connections };
    let mut sides = match row.book() {
        Book::Write => write::sides(row, &builder),
        Book::Read => read::sides(row, &mut builder),
        Book::Events => events::sides(row, &builder),
    }?;
    sides.first_mut().context("a row without a side")?.role = Role::Ours;
    Ok(sides)
}

/// Returns the service's side alone.
pub(super) fn ours(row: Row, environment: &mut Environment<'_>, pace: LoadLength) -> Result<Side> {
    sides(row, environment, pace, &[])?.into_iter().next().context("a row without a side")
}

/// The data from which loads are built.
struct LoadBuilder<'a, 'b> {
    environment: &'a mut Environment<'b>,
    pace: LoadLength,
    connections: &'a [usize],
}

impl LoadBuilder<'_, '_> {
    /// Returns the arguments for work of the service that is not measured.
    fn ask(&self, verb: &str, more: &[&str]) -> Vec<String> {
        let words = std::iter::once(verb).chain(more.iter().copied()).map(str::to_owned);
        words.chain(self.environment.endpoints(1)).collect()
    }

    /// Lets a few callers work for a while: each table has statements of its own, which every
    /// connection prepares once.
    fn make_ready(&self, verb: &str, more: &[&str]) -> Result<()> {
        let some = [more, &["--callers", FEW, "--seconds", "20"]].concat();
        self.environment.ask(&self.ask(verb, &some)).map(drop)
    }

    /// Returns a load through a number of serving processes.
    fn through(&self, verb: &str, servers: usize, more: &[&str]) -> Vec<String> {
        [self.timed(verb, more), self.environment.endpoints(servers)].concat()
    }

    /// Returns the bare loop on a database, with each number of connections.
    fn bare(&self, database: &str, verb: &str, more: &[&str]) -> Vec<Side> {
        let one = |count: &usize| {
            let place =
                ["--url".to_owned(), self.environment.url(database), "--connections".to_owned(), count.to_string()];
            Side::new(&format!("bare, {count} conn."), [self.timed(verb, more), place.to_vec()].concat())
        };
        self.connections.iter().map(one).collect()
    }

    /// Returns a load of the requested duration.
    fn timed(&self, verb: &str, more: &[&str]) -> Vec<String> {
        let words = [verb.to_owned(), "--seconds".to_owned(), self.pace.seconds.to_string()];
        words.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
    }
}

fn against(ours: Vec<String>, bare: Vec<Side>) -> Vec<Side> {
    std::iter::once(Side::new("riposte", ours)).chain(bare).collect()
}
