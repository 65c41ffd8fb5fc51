//! A black-box checker: clients ask the service through its public SDK while faults strike it, every call and answer
//! goes into one history, and the history is held against what the service promises.
//!
//! [`history`] is what is taken down, [`load`] asks, [`fault`] strikes, [`check`] judges, and [`run`] puts them
//! together. `cargo xtask prove` starts it with two databases; docs/reliability.md tells how to use it.

mod arena;
mod check;
mod end;
mod fault;
mod history;
mod load;
mod names;
mod options;
mod probe;
mod report;
mod run;
mod sample;
mod summary;

use std::time::Instant;

use anyhow::{Result, ensure};

pub use fault::Means;
pub use options::Options;

/// Does what the options say; tells whether nothing is wrong with the history, or, where a bug was planted, whether
/// something is.
///
/// # Errors
/// When there are no databases, something does not come up again, or a file cannot be read or written.
pub async fn run(options: Options) -> Result<bool> {
    if options.sample > 0 {
        return Ok(sample::measure(options.seed, options.sample));
    }
    if let Some(path) = &options.check {
        let history = history::read(path)?;
        ensure!(!history.ops.is_empty(), "{}: there are no operations in it", path.display());
        if history.tables.is_empty() {
            println!("this run did not come to its end: tables and copies are not judged");
        }
        let (begun, anomalies) = (Instant::now(), check::check(&history));
        report::print(&history, &anomalies, path);
        println!("{} operations checked in {:.1} s", history.ops.len(), begun.elapsed().as_secs_f64());
        return Ok(anomalies.is_empty());
    }
    run::run(&options).await
}
