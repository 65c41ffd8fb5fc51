//! `riposte events`: the feed of events of a running service as JSON lines, and the rows that it
//! continues.

mod backfill;
mod tail;

use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the events of object types as they happen
    #[command(after_long_help = tail::EXAMPLES)]
    Tail(tail::Args),
    /// Print the rows of an object type, and the events of the time that this takes
    #[command(after_long_help = backfill::EXAMPLES)]
    Backfill(backfill::Args),
}

impl Args {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Tail(tail) => tail.run().await,
            Action::Backfill(backfill) => backfill.run().await,
        }
    }
}
