//! `riposte doctor`: checks everything that the configured server depends on, with one line for
//! each result.

mod audit;
mod cache;
mod check_result;
mod consumers;
mod open_files;
mod source;
mod telemetry;

use self::check_result::CheckResult;
use super::{ConfigSources, exit, output};
use crate::{
    app,
    clock::SystemClock,
    config::{Config, Profile},
};
use riposte_core::ports::Clock;
use riposte_settings::{ConfigError, ConfigErrors};
use riposte_store::{SqlStore, StoreKind};
use std::{process::ExitCode, sync::Arc};

/// Comment ids count from 2026-01-01: with a clock before it, no id can be generated.
const FIRST_ID_TIME: i64 = 1_767_225_600_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Check the configuration of `riposte dev` instead
    #[arg(long)]
    dev: bool,
}

impl Args {
    pub(super) async fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        let profile = if self.dev { Profile::Dev } else { Profile::Serve };
        let config = match Config::load(&sources.inputs(profile)) {
            Ok(loaded) => loaded.config,
            Err(faults) => {
                println!("{}", CheckResult::fail("configuration", "cannot be used; the faults follow"));
                return Err(faults.into());
            }
        };
        let mut results = vec![CheckResult::ok("configuration", "holds")];
        if !self.dev
            && let Err(faults) = Config::load(&sources.production())
        {
            results.push(CheckResult::fail("serve", format!("refuses to start: {}", one_line(&faults))));
        }
        results.push(open_files::examine(&config));
        results.extend(admission(&config));
        results.extend([page_token_keys(&config), object_types(&config), clock()]);
        results.extend([audit::examine(&config.audit), telemetry::examine(&config).await]);
        results.extend(data_sources(&config).await?);
        results.extend(cache::examine(&config.cache, config.store.timeline).await);
        output::write(&results.iter().map(|result| format!("{result}\n")).collect::<String>())?;
        Ok(ExitCode::from(if results.iter().any(CheckResult::failed) { exit::ERROR } else { 0 }))
    }
}

fn admission(config: &Config) -> Vec<CheckResult> {
    match app::admission(config) {
        Ok(ungranted) => {
            let ungranted = ungranted.into_iter().map(|what| CheckResult::warn("callers", what));
            std::iter::once(admitted(config)).chain(ungranted).collect()
        }
        Err(error) => vec![CheckResult::fail("admission", format!("{error:#}"))],
    }
}

fn admitted(config: &Config) -> CheckResult {
    let (known, secure) = (config.auth.callers_file.is_some(), config.server.tls.cert_file.is_some());
    let callers = if known { "callers of auth.callers_file" } else { "every caller is admitted" };
    let how = if secure { "over TLS" } else { "over plaintext" };
    let summary = format!("{callers}, {how}");
    match (known, secure || config.server.plaintext) {
        (true, true) => CheckResult::ok("admission", summary),
        _ if config.auth.allow_insecure => {
            CheckResult::warn("admission", format!("{summary}: auth.allow_insecure accepts it"))
        }
        _ => CheckResult::fail(
            "admission",
            format!("{summary}: serve refuses to start; see auth.callers_file and server.tls"),
        ),
    }
}

fn page_token_keys(config: &Config) -> CheckResult {
    if let Err(faults) = config.page_tokens.ring() {
        return CheckResult::fail("page token keys", one_line(&faults));
    }
    match config.page_tokens.count() {
        0 => CheckResult::warn(
            "page token keys",
            "none: each process makes up its own, so a walk ends with the process it began at; give page_tokens.keys one \
             made by `openssl rand -base64 32`",
        ),
        1 => CheckResult::ok("page token keys", "1, which seals and opens"),
        count => CheckResult::ok("page token keys", format!("{count}: the first seals, all of them open")),
    }
}

/// Returns all errors in one line.
fn one_line(ConfigErrors(faults): &ConfigErrors) -> String {
    faults.iter().map(ConfigError::to_string).collect::<Vec<_>>().join("; ")
}

fn object_types(config: &Config) -> CheckResult {
    match (config.object_types.len(), config.open_object_types) {
        (0, false) => {
            CheckResult::warn("object types", "none is registered, so every write is refused: add [object_types.NAME]")
        }
        (count, false) => CheckResult::ok("object types", format!("{count} registered")),
        (count, true) => CheckResult::ok("object types", format!("{count} registered, all others allowed")),
    }
}

fn clock() -> CheckResult {
    if SystemClock.now().0 < FIRST_ID_TIME {
        CheckResult::fail("clock", "is before 2026, where comment ids begin: set the clock of this machine")
    } else {
        CheckResult::ok("clock", "is past the beginning of comment ids")
    }
}

/// Checks each data source. SQLite without a folder has nothing to check.
async fn data_sources(config: &Config) -> anyhow::Result<Vec<CheckResult>> {
    let labels = match (config.store.kind, &config.store.data_dir) {
        (StoreKind::Sqlite, None) => {
            return Ok(vec![CheckResult::ok("data", "SQLite in a temporary folder, made at the start")]);
        }
        (StoreKind::Sqlite, Some(folder)) if !folder.exists() => {
            return Ok(vec![CheckResult::ok("data", format!("{} will be made at the start", folder.display()))]);
        }
        (StoreKind::Sqlite, Some(folder)) => vec![format!("source 1 ({})", folder.display())],
        (StoreKind::Mysql, _) => {
            let label = |(place, source): (usize, &riposte_store::settings::SourceSettings)| {
                format!("source {} ({source})", place + 1)
            };
            config.store.sources.iter().enumerate().map(label).collect()
        }
    };
    let pools = &config.store.pools;
    let each = |pool: &riposte_store::settings::PoolSettings| u64::from(pool.connections) * pool.statements as u64;
    let statements = each(&pools.read) + each(&pools.write);
    let open = match config.store.to_open() {
        Ok(open) => open,
        Err(faults) => return Ok(vec![CheckResult::fail("data", one_line(&faults))]),
    };
    let store = SqlStore::open(&open, Arc::new(SystemClock))?;
    let (diagnoses, schemas) = (store.diagnose().await, store.schema().await);
    let mut positions = Vec::new();
    for source in 0..labels.len() {
        // A source that cannot be read has a line of its own.
        positions.extend(store.positions().all(source).await.unwrap_or_default());
    }
    store.close().await;
    let examined = labels.iter().zip(diagnoses.iter().zip(&schemas));
    let sources =
        examined.flat_map(|(label, (diagnosis, schema))| source::examine(label, diagnosis, schema, statements));
    Ok(sources.chain([consumers::examine(&positions, SystemClock.now())]).collect())
}
