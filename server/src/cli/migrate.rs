//! `riposte migrate`: the only command that changes the schema of a production database.

mod progress;

use self::progress::ProgressView;
use super::{
    ConfigSources,
    exit::{ERROR, Failure, UNAVAILABLE, USAGE},
    output,
};
use crate::{clock::SystemClock, config::Config};
use clap::Subcommand;
use riposte_migrations::{Error, PlannedStatement, StatementCost};
use riposte_store::{SqlStore, schema::SourceSchema};
use std::{process::ExitCode, sync::Arc};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum Action {
    /// Print whether each data source has the schema of this version; exit code 1 if one has not
    Status,
    /// Print the statements that `up` would run, each with its cost on that server, without running
    /// them
    Plan,
    /// Migrate every data source to the schema of this version; after an interruption, run it again
    Up,
}

impl Args {
    pub(super) async fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        let config = sources.load()?.config;
        let store = SqlStore::open(&config.store.to_open()?, Arc::new(SystemClock))?;
        let done = match self.action {
            Action::Status => status(&config, &store).await,
            Action::Plan => plan(&config, &store).await,
            Action::Up => up(&config, &store).await,
        };
        store.close().await;
        done.map(|()| ExitCode::SUCCESS).map_err(Into::into)
    }
}

async fn status(config: &Config, store: &SqlStore) -> Result<(), Failure> {
    let found = riposte_migrations::status(store).await;
    for (place, schema) in found.iter().enumerate() {
        println!("{}: {}", label(config, place), describe(schema));
    }
    match worst(&found) {
        None => Ok(()),
        Some(code) => Err(Failure::new(code, "not every data source has the schema of this version")),
    }
}

async fn plan(config: &Config, store: &SqlStore) -> Result<(), Failure> {
    let planned = reached(config, store, riposte_migrations::plan(store).await).await?;
    let mut text = String::new();
    let mut heading = None;
    for PlannedStatement { source, step, sql, cost } in &planned {
        if heading != Some((source, step)) {
            text += &format!("-- {}, step {step}\n", label(config, *source));
            heading = Some((source, step));
        }
        text += &format!("{sql}; -- {cost}\n");
    }
    output::write(&text).map_err(|error| Failure::new(ERROR, error.to_string()))?;
    eprintln!("{} statements would be run; {}", planned.len(), costs(&planned));
    Ok(())
}

async fn up(config: &Config, store: &SqlStore) -> Result<(), Failure> {
    let mut shown = ProgressView::start(store.sources().all().len());
    let done = riposte_migrations::up(store, |progress| shown.update(progress)).await;
    let tables = shown.finish();
    reached(config, store, done).await?;
    println!("{tables} tables made or changed; every data source has the schema of this version");
    Ok(())
}

/// Returns the number of statements that are not instant.
fn costs(planned: &[PlannedStatement]) -> String {
    let count = |is: fn(&StatementCost) -> bool| planned.iter().filter(|statement| is(&statement.cost)).count();
    let slow = count(|cost| matches!(cost, StatementCost::OnlineBuild | StatementCost::LockedBuild));
    match (slow, count(|cost| matches!(cost, StatementCost::Refused(_)))) {
        (0, 0) => "all are instant".to_owned(),
        (slow, 0) => format!("{slow} read whole tables"),
        (slow, refused) => format!("{slow} read whole tables, {refused} would be refused"),
    }
}

/// Adds the data source to the error of a failed run, and distinguishes an unreachable source from
/// a failed statement.
async fn reached<T>(config: &Config, store: &SqlStore, done: riposte_migrations::Result<T>) -> Result<T, Failure> {
    let error = match done {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let (source, text, code) = match error {
        Error::Refused { source, text } => (source, text, USAGE),
        Error::Failed { source, text } => (source, text, ERROR),
    };
    let unreachable = worst(&riposte_migrations::status(store).await) == Some(UNAVAILABLE);
    let code = if unreachable { UNAVAILABLE } else { code };
    Err(Failure::new(code, format!("{}: {text}", label(config, source))))
}

/// Returns the exit code of the worst finding.
fn worst(found: &[SourceSchema]) -> Option<u8> {
    let code = |schema: &SourceSchema| match schema {
        SourceSchema::Ready => None,
        SourceSchema::Missing(_) => Some(ERROR),
        SourceSchema::Mismatch(_) => Some(USAGE),
        SourceSchema::Unreadable(_) | SourceSchema::Unreachable(_) => Some(UNAVAILABLE),
    };
    found.iter().filter_map(code).max()
}

fn describe(schema: &SourceSchema) -> String {
    match schema {
        SourceSchema::Ready => "ready".to_owned(),
        SourceSchema::Missing(steps) => format!("lacks {}; run `riposte migrate up`", steps.join(", ")),
        SourceSchema::Mismatch(text) => format!("refused: {text}"),
        SourceSchema::Unreadable(text) => format!("unreadable: {text}"),
        SourceSchema::Unreachable(text) => format!("unreachable: {text}"),
    }
}

/// Returns the number of a data source and its address without credentials.
fn label(config: &Config, place: usize) -> String {
    let number = place + 1;
    match config.store.sources.get(place) {
        Some(source) => format!("data source {number} ({source})"),
        None => format!("data source {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{ERROR, SourceSchema, UNAVAILABLE, USAGE, costs, worst};
    use riposte_migrations::{PlannedStatement, StatementCost};

    #[test]
    fn a_plan_has_the_number_of_statements_that_are_not_instant() {
        let statement = |cost| PlannedStatement { source: 0, step: "m0010_content_extra", sql: String::new(), cost };
        let mut planned = vec![statement(StatementCost::Instant), statement(StatementCost::InstantColumn)];
        assert_eq!(costs(&planned), "all are instant");
        planned.push(statement(StatementCost::OnlineBuild));
        assert_eq!(costs(&planned), "1 read whole tables");
        planned.push(statement(StatementCost::Refused("5.7.44".to_owned())));
        assert_eq!(costs(&planned), "1 read whole tables, 1 would be refused");
    }

    #[test]
    fn the_exit_code_stands_for_the_worst_state_that_was_found() {
        let missing = || SourceSchema::Missing(vec!["m0001_schema"]);
        let (mismatch, down) = (SourceSchema::Mismatch("50/200".into()), SourceSchema::Unreachable("refused".into()));
        assert_eq!(worst(&[SourceSchema::Ready, SourceSchema::Ready]), None);
        assert_eq!(worst(&[SourceSchema::Ready, missing()]), Some(ERROR));
        assert_eq!(worst(&[missing(), mismatch.clone()]), Some(USAGE));
        assert_eq!(worst(&[down, mismatch, missing()]), Some(UNAVAILABLE));
    }
}
