//! One store for all cases of a backend: opened and migrated once, in a runtime that lives as long
//! as the test binary.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use riposte_conformance::stores::{self, Backend, Process, StepClock, WalkSettings};
use riposte_core::ports::Clock;
use riposte_store::config::DatabaseKind;
use riposte_store::shard::TableCounts;
use riposte_store::{SqlStore, StoreConfig};
use tokio::runtime::Runtime;

use crate::servers::{env_var, runtime};

/// The runtime and the backend of the cases.
#[derive(Debug)]
pub(crate) struct Environment {
    runtime: Runtime,
    backend: Backend,
}

impl Environment {
    /// Returns the environment of a backend whose tasks run in `runtime`.
    pub(crate) fn new(runtime: Runtime, backend: Backend) -> Self {
        Self { runtime, backend }
    }

    /// Migrates a fresh database to the current schema, and returns the environment on it.
    pub(crate) fn on(config: StoreConfig) -> Self {
        let (runtime, walk) = (runtime(), walk(config.layout.new_counts()));
        let confined = matches!(config.kind, DatabaseKind::Vitess(_));
        let first = runtime.block_on(async {
            let store = open(&config, StepClock::at(StepClock::START));
            riposte_migrations::up(&store, |_| ()).await.expect("migrated");
            process(&store)
        });
        let start = move |clock| {
            let another = process(&open(&config, clock));
            Box::pin(std::future::ready(another)) as futures::future::BoxFuture<'static, Process>
        };
        Self::new(runtime, Backend { confined, ..Backend::new(first, Arc::new(start), walk) })
    }
}

/// Runs a case, or reports that it is skipped where the backend is not available.
pub(crate) fn run_case(environment: Option<&Environment>, category: &str, name: &str) {
    match environment {
        Some(environment) => environment.runtime.block_on(stores::run(category, name, environment.backend.clone())),
        None => eprintln!("SKIPPED {category}::{name}"),
    }
}

/// Returns a folder of this process for rows that all cases share, and removes the folders of
/// processes that have ended.
pub(crate) fn folder(name: &str) -> PathBuf {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stores");
    let own = all.join(std::process::id().to_string()).join(name);
    std::fs::create_dir_all(&own).expect("a folder for tests");
    for entry in std::fs::read_dir(&all).expect("readable").flatten() {
        if !Path::new("/proc").join(entry.file_name()).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    own
}

fn open(config: &StoreConfig, clock: Arc<dyn Clock>) -> SqlStore {
    SqlStore::open(config, clock).expect("the configuration is sound")
}

fn process(store: &SqlStore) -> Process {
    let (rank_index, rankings) = store.ranks(stores::ranking_config());
    Process {
        reader: store.reader(),
        writer: store.writer(),
        ids: store.ids(),
        outbox: store.outbox(),
        positions: store.positions(),
        histories: store.histories(),
        rank_indexes: rank_index,
        rankings,
        repairer: store.repairer(),
        reviews: store.reviews(),
        reports: store.reports(),
        standings: store.standings(),
    }
}

/// Returns the random walk that RIPOSTE_SEED and RIPOSTE_STEPS determine, with defaults where they
/// are not set.
pub(crate) fn walk(tables: TableCounts) -> WalkSettings {
    let number = |name| env_var(name).map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")));
    let WalkSettings { seed, steps } = WalkSettings::default();
    // With many tables a step takes many statements, most of which a connection must prepare first.
    let steps = if tables.index > 1 { steps / 16 } else { steps };
    WalkSettings {
        seed: number("RIPOSTE_SEED").or(seed),
        steps: number("RIPOSTE_STEPS").map_or(steps, |n: u64| n as usize),
    }
}
