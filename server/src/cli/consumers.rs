//! `riposte consumers`: the stored positions of event consumers.

use super::{ConfigSources, exit, exit::Failure, output};
use crate::{app, clock::SystemClock};
use clap::Subcommand;
use riposte_core::ports::{Clock, ConsumerPositions, PositionRemoval, StoredPosition, shown_name};
use riposte_store::SqlStore;
use std::{process::ExitCode, sync::Arc};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Remove the position of an event consumer that no worker runs any more
    #[command(after_long_help = RULES)]
    Remove {
        /// The name of the consumer, as doctor and metrics show it
        name: String,
        /// Remove it; without this flag the command only shows what it would remove
        #[arg(long)]
        yes: bool,
    },
}

const RULES: &str = "\
An event consumer derives its own state from the events of the comments, and stores its position in \
each data source. Events are kept until every stored position has passed them, for at most \
events.retention. The position of a consumer that was retired with its feature stays, keeps events for \
that time, and raises the alert RiposteConsumerOvertaken; doctor names it.

This command removes such a position from every data source. It refuses a name that a running worker \
registers. Workers register their consumers every 20 s, and a registration lasts 2 min, so wait as long \
after the last of them has stopped. Nothing else is deleted. If a worker runs the consumer again, the \
consumer is first rebuilt from the rows.

Exit code 3 says that no data source has such a position.

Examples:
  riposte doctor
  riposte consumers remove topic
  riposte consumers remove topic --yes";

impl Args {
    pub(super) async fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        let Action::Remove { name, yes } = self.action;
        let config = sources.load()?.config;
        app::check_sqlite_folder(&config.store)?;
        let store = SqlStore::open(&config.store.to_config()?, Arc::new(SystemClock))?;
        // The layout follows the database.
        let removed = match super::migrate::not_ready(&config, &store.schema().await) {
            Some(failure) => Err(failure),
            None => remove(&*store.positions(), store.sources().all().len(), &name, yes).await,
        };
        store.close().await;
        removed.map(|()| ExitCode::SUCCESS).map_err(Into::into)
    }
}

fn write_line(text: &str) -> Result<(), Failure> {
    output::line(text).map_err(|error| Failure::new(exit::ERROR, error.to_string()))
}

async fn remove(positions: &dyn ConsumerPositions, sources: usize, name: &str, yes: bool) -> Result<(), Failure> {
    let shown = shown_name(name);
    let mut found = Vec::new();
    for source in 0..sources {
        let stored = positions.all(source).await.map_err(|error| unavailable(source, &error))?;
        let named = stored.into_iter().filter(|stored| stored.name == name || shown_name(&stored.name) == name);
        found.extend(named.map(|stored| (source, stored)));
    }
    if found.iter().any(|(_, stored)| stored.is_registered(SystemClock.now())) {
        return Err(registered(shown));
    }
    if found.is_empty() {
        let missing = format!("no data source has a position of {shown:?}");
        return Err(Failure::new(exit::NOT_FOUND, missing));
    }
    for (source, StoredPosition { name, number, .. }) in found {
        if !yes {
            write_line(&format!("source {}: would remove the position {number} of {shown}", source + 1))?;
            continue;
        }
        let removed =
            positions.remove(source, &name, SystemClock.now()).await.map_err(|error| unavailable(source, &error))?;
        match removed {
            PositionRemoval::Removed => {
                write_line(&format!("source {}: removed the position {number} of {shown}", source + 1))?;
            }
            PositionRemoval::Absent => {}
            PositionRemoval::Registered => return Err(registered(shown)),
        }
    }
    if yes { Ok(()) } else { Err(Failure::new(exit::USAGE, "nothing was removed: repeat the command with --yes")) }
}

fn registered(shown: &str) -> Failure {
    let message = format!(
        "a worker that is running, or was within the last 2 min, registers {shown:?}: its position cannot be removed"
    );
    Failure::new(exit::ERROR, message)
}

fn unavailable(source: usize, error: &riposte_core::Error) -> Failure {
    Failure::new(exit::UNAVAILABLE, format!("data source {} cannot be used: {}", source + 1, error.log_text()))
}

#[cfg(test)]
mod tests {
    use super::{SystemClock, exit, remove};
    use riposte_core::Millis;
    use riposte_core::ports::{Clock, Epoch, LeaseCandidate, PositionMove};
    use riposte_store::{SqlStore, StoreConfig};
    use std::sync::Arc;
    use std::time::Duration;

    #[tokio::test]
    async fn a_position_is_removed_on_request_unless_a_worker_runs() {
        let store = SqlStore::open(&StoreConfig::sqlite(None), Arc::new(SystemClock)).expect("a folder");
        riposte_migrations::up(&store, |_| {}).await.expect("migrated");
        let (positions, now) = (store.positions(), SystemClock.now());
        let epoch = store.outbox().acquire_lease(0, LeaseCandidate::repairing([7; 16]), now).await;
        let epoch: Epoch = epoch.expect("acquired").expect("free");
        let code = async |yes| remove(&*positions, 1, "topic", yes).await.map_err(|failure| failure.code);
        assert_eq!(code(true).await, Err(exit::NOT_FOUND));
        let to = PositionMove { name: "topic", from: 0, to: 7 };
        assert!(positions.advance(0, epoch, to).await.expect("moved"));
        positions.register(0, &["topic"], now.plus(Duration::from_secs(60))).await.expect("registered");
        assert_eq!(code(true).await, Err(exit::ERROR), "a worker runs it");
        // The registration cannot be shortened, so the position is made anew without one.
        assert_eq!(
            positions.remove(0, "topic", Millis(i64::MAX)).await,
            Ok(riposte_core::ports::PositionRemoval::Removed)
        );
        assert!(positions.advance(0, epoch, to).await.expect("moved"));
        // A name that is shown stands for every position that is shown by it.
        let earlier = PositionMove { name: "topic@3", ..to };
        assert!(positions.advance(0, epoch, earlier).await.expect("moved"));
        assert_eq!(code(false).await, Err(exit::USAGE), "only with --yes");
        assert_eq!(positions.all(0).await.expect("read").len(), 2);
        assert_eq!(code(true).await, Ok(()));
        assert_eq!(positions.all(0).await, Ok(Vec::new()));
        store.close().await;
    }
}
