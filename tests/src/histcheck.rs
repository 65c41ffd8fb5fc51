//! The history check, a black-box test. Clients call the service through its public SDK while
//! faults are injected. Every call and its response is recorded in one history, which is checked
//! against the promises of the service.
//!
//! [`history`] is the recorded data, [`load`] sends the calls, [`fault`] injects faults, [`check`]
//! finds violations, and [`run`] combines them. `cargo xtask prove` starts it with two databases;
//! docs/reliability.md describes its use.

mod check;
mod end;
mod environment;
mod fault;
mod fleet;
mod history;
mod load;
mod names;
mod options;
mod positions;
mod probe;
mod report;
mod run;
mod sample;
mod summary;
mod topic;

use std::time::Instant;

use anyhow::{Result, ensure};

pub use fault::Means;
pub use options::Options;

/// Executes the run that the options describe. Returns true if the history breaks no promise or,
/// where a mutant was selected, if it breaks one.
///
/// # Errors
/// Fails when there are no databases, a process does not start again, or a file cannot be read or
/// written.
pub async fn run(options: Options) -> Result<bool> {
    if options.sample > 0 {
        return Ok(sample::measure(options.seed, options.sample));
    }
    if let Some(path) = &options.check {
        let history = history::read(path)?;
        ensure!(!history.ops.is_empty(), "{} contains no operations", path.display());
        if history.tables.is_empty() {
            println!("the run was interrupted, so the tables and the cache are not checked");
        }
        let begun = Instant::now();
        let check::Checked { anomalies, cases } = check::check(&history);
        report::show(&history, &anomalies, path);
        println!("cases by rule: {cases:?}");
        println!("{} operations checked in {:.1} s", history.ops.len(), begun.elapsed().as_secs_f64());
        return Ok(anomalies.is_empty());
    }
    run::run(&options).await
}
