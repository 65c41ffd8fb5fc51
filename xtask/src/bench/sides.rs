//! The sides of a row: the loads that take turns on the same servers.

use super::arena::Arena;
use super::figures::Figures;
use super::row::Row;
use anyhow::Result;

/// Connections with which the bare loop is tried; the best counts.
pub(super) const BARE_CONNECTIONS: [usize; 3] = [1, 16, 64];
/// Subjects, or comments, of the spread rows.
const MANY: &str = "10000";
/// Comments on the subject of `create_1m`, and how long filling may take before it stops where it is.
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
    /// Callers of the closed loops
    #[arg(long, default_value_t = 256)]
    callers: usize,
    /// Calls per second of like_hot_10k, which is that row only with 10000
    #[arg(long, default_value_t = 10_000)]
    rate: u32,
}

impl Side {
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
pub(super) fn sides(row: Row, arena: &Arena<'_>, pace: Pace, connections: &[usize]) -> Result<Vec<Side>> {
    let side = |label: &str, load: Vec<String>| Side { label: label.to_owned(), before: None, load };
    let through = |verb: &str, servers: usize, more: &[&str]| {
        let callers = (verb != "like-open").then(|| ["--callers".to_owned(), pace.callers.to_string()]);
        let more = more.iter().map(|word| (*word).to_owned()).chain(callers.into_iter().flatten());
        words(verb, pace, more.chain(arena.endpoints(servers)))
    };
    let bare = |verb: &str, more: &[&str]| {
        let one = |count: &usize| {
            let place = ["--url".to_owned(), arena.url("bare"), "--connections".to_owned(), count.to_string()];
            let more = more.iter().map(|word| (*word).to_owned());
            side(&format!("bare, {count} conn."), words(verb, pace, more.chain(place)))
        };
        connections.iter().map(one).collect::<Vec<_>>()
    };
    let against = |ours: Vec<String>, bare: Vec<Side>| std::iter::once(side("riposte", ours)).chain(bare).collect();
    Ok(match row {
        Row::CreateHot => against(through("create", 1, &[]), bare("bare-create", &[])),
        Row::CreateSpread => against(
            through("create", 1, &["--prefix", "spread", "--subjects", MANY]),
            bare("bare-create", &["--subjects", MANY]),
        ),
        Row::LikeHot => against(through("like", 1, &[]), bare("bare-like", &[])),
        Row::LikeSpread => against(
            through("like", 1, &["--prefix", "spread", "--comments", MANY]),
            bare("bare-like", &["--comments", MANY]),
        ),
        Row::CreateHot2 => {
            vec![side("two processes", through("create", 2, &[])), side("one process", through("create", 1, &[]))]
        }
        Row::LikeHot10k => vec![side("riposte", through("like-open", 1, &["--rate", &pace.rate.to_string()]))],
        Row::Create1m => {
            let (full, small) = (["--prefix", "full"], ["--prefix", "small-{round}"]);
            let fill = |subject: [&str; 2], amount: &[&str]| -> Vec<String> {
                let words = ["fill"].into_iter().chain(subject).chain(amount.iter().copied()).map(str::to_owned);
                words.chain(arena.endpoints(1)).collect()
            };
            let filled = arena.ask(&fill(full, &MILLION))?;
            let label = |comments: &str| format!("{comments} comments");
            let (has, wanted) = (filled["comments"].to_string(), fill(small, &["--comments", "1000"]));
            let few = Side { before: Some(wanted), ..side(&label("1000"), through("create", 1, &small)) };
            vec![side(&label(&has), through("create", 1, &full)), few]
        }
    })
}

fn words(verb: &str, pace: Pace, more: impl Iterator<Item = String>) -> Vec<String> {
    [verb.to_owned(), "--seconds".to_owned(), pace.seconds.to_string()].into_iter().chain(more).collect()
}
