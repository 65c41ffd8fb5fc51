//! `riposte migrate`: the only command that changes the schema of a production database.

mod progress;

use self::progress::ProgressView;
use super::{
    ConfigSources,
    exit::{ERROR, Failure, UNAVAILABLE, USAGE},
    layout::LayoutCost,
    output,
};
use crate::{app, clock::SystemClock, config::Config};
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
    /// Print the layout with its cost, and the statements that `up` would run, each with its cost
    /// on that server, without running them
    Plan,
    /// Migrate every data source to the schema of this version; after an interruption, run it again
    Up,
}

impl Args {
    pub(super) async fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        let mut config = sources.load()?.config;
        if config.store.is_new_file() && !matches!(self.action, Action::Up) {
            // Only `up` makes the file: a temporary one lacks the same steps.
            config.store.data_dir = None;
        }
        app::check_sqlite_folder(&config.store)?;
        let store = SqlStore::open(&config.store.to_config()?, Arc::new(SystemClock))?;
        let outcome = match self.action {
            Action::Status => status(&config, &store).await,
            Action::Plan => plan(&config, &store).await,
            Action::Up => up(&config, &store).await,
        };
        store.close().await;
        outcome.map(|()| ExitCode::SUCCESS).map_err(Into::into)
    }
}

async fn status(config: &Config, store: &SqlStore) -> Result<(), Failure> {
    let found = riposte_migrations::status(store).await;
    for (index, schema) in found.iter().enumerate() {
        write_line(&format!("{}: {}", label(config, index), describe(schema)))?;
    }
    match worst_exit_code(&found) {
        None => Ok(()),
        Some(code) => Err(Failure::new(code, "not every data source has the schema of this version")),
    }
}

async fn plan(config: &Config, store: &SqlStore) -> Result<(), Failure> {
    let planned = with_source(config, store, riposte_migrations::plan(store).await).await?;
    let layout = layout(config, store);
    let mut text = format!("-- {}\n", layout.summary());
    for (source, cost) in (0..).map_while(|source| Some((source, layout.of_source(source)?))) {
        text += &format!("-- {}: {cost}\n", label(config, source));
    }
    let mut heading = None;
    for PlannedStatement { source, step, sql, cost } in &planned {
        if heading != Some((source, step)) {
            text += &format!("-- {}, step {step}\n", label(config, *source));
            heading = Some((source, step));
        }
        text += &format!("{sql}; -- {cost}\n");
    }
    output::write(&text).map_err(|error| Failure::new(ERROR, error.to_string()))?;
    let count = u64::try_from(planned.len()).unwrap_or(u64::MAX);
    output::note(&format!("to run: {}; {}", output::count(count, "statement"), costs(&planned)));
    Ok(())
}

/// Returns the layout of a store that has followed its database, with the cost of each source.
pub(super) fn layout(config: &Config, store: &SqlStore) -> LayoutCost {
    let sources = store.sources();
    LayoutCost::of(config.store.kind, sources, |source| riposte_migrations::table_count(sources, source))
}

async fn up(config: &Config, store: &SqlStore) -> Result<(), Failure> {
    let mut progress_view = ProgressView::start(store.sources().all().len());
    let outcome = riposte_migrations::up(store, |progress| progress_view.update(progress)).await;
    let tables = progress_view.finish();
    with_source(config, store, outcome).await?;
    write_line(&format!(
        "{} made or changed; every data source has the schema of this version",
        output::count(tables, "table")
    ))
}

fn write_line(text: &str) -> Result<(), Failure> {
    output::line(text).map_err(|error| Failure::new(ERROR, error.to_string()))
}

/// Returns the number of statements that are not instant.
fn costs(planned: &[PlannedStatement]) -> String {
    let count = |matches_cost: fn(&StatementCost) -> bool| {
        planned.iter().filter(|statement| matches_cost(&statement.cost)).count()
    };
    let slow = count(|cost| matches!(cost, StatementCost::OnlineBuild | StatementCost::LockedBuild));
    match (slow, count(|cost| matches!(cost, StatementCost::Refused(_)))) {
        (0, 0) => "all are instant".to_owned(),
        (slow, 0) => format!("{slow} read whole tables"),
        (slow, refused) => format!("{slow} read whole tables, {refused} would be refused"),
    }
}

/// Adds the data source to the error of a failed run, and distinguishes an unreachable source from
/// a failed statement.
async fn with_source<T>(
    config: &Config,
    store: &SqlStore,
    outcome: riposte_migrations::Result<T>,
) -> Result<T, Failure> {
    let error = match outcome {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let (source, text, code) = match error {
        Error::Refused { source, text } => (source, text, USAGE),
        Error::Failed { source, text } => (source, text, ERROR),
    };
    let unreachable = worst_exit_code(&riposte_migrations::status(store).await) == Some(UNAVAILABLE);
    let code = if unreachable { UNAVAILABLE } else { code };
    Err(Failure::new(code, format!("{}: {text}", label(config, source))))
}

/// Returns the failure of a command that needs the schema on every data source, or `None` if all
/// are ready.
pub(super) fn not_ready(config: &Config, found: &[SourceSchema]) -> Option<Failure> {
    let code = worst_exit_code(found)?;
    let unready = (0..).zip(found).filter(|(_, schema)| **schema != SourceSchema::Ready);
    let lines: Vec<_> =
        unready.map(|(index, schema)| format!("{}: {}", label(config, index), describe(schema))).collect();
    Some(Failure::new(code, lines.join("\n")))
}

/// Returns the exit code of the worst finding.
fn worst_exit_code(found: &[SourceSchema]) -> Option<u8> {
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
fn label(config: &Config, index: usize) -> String {
    let number = index + 1;
    match config.store.sources.get(index) {
        Some(source) => format!("data source {number} ({source})"),
        None => format!("data source {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{ERROR, SourceSchema, UNAVAILABLE, USAGE, costs, worst_exit_code};
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
    fn the_exit_code_reports_the_worst_state_that_was_found() {
        let missing = || SourceSchema::Missing(vec!["m0001_schema"]);
        let (mismatch, down) = (SourceSchema::Mismatch("50/200".into()), SourceSchema::Unreachable("refused".into()));
        assert_eq!(worst_exit_code(&[SourceSchema::Ready, SourceSchema::Ready]), None);
        assert_eq!(worst_exit_code(&[SourceSchema::Ready, missing()]), Some(ERROR));
        assert_eq!(worst_exit_code(&[missing(), mismatch.clone()]), Some(USAGE));
        assert_eq!(worst_exit_code(&[down, mismatch, missing()]), Some(UNAVAILABLE));
    }
}
