//! One store for all cases of a test binary: opened and migrated once, in a runtime that lives as long as the binary.

use std::sync::Arc;

use riposte_core::ports::Clock;
use riposte_store::conformance::{self, Backend, Process, StepClock, Walk};
use riposte_store::shard::Tables;
use riposte_store::{Store, StoreConfig};
use tokio::runtime::Runtime;

/// Where the cases of a binary are played.
#[derive(Debug)]
pub(crate) struct Stage {
    runtime: Runtime,
    backend: Backend,
}

impl Stage {
    /// A stage on a fresh database, which is brought to the present schema.
    pub(crate) fn on(config: StoreConfig) -> Self {
        let (runtime, walk) = (runtime(), walk(config.tables));
        let migrated = runtime.block_on(async {
            let store = open(&config, StepClock::at(StepClock::START));
            riposte_migrations::up(&store, |_| ()).await.expect("migrated");
            process(&store)
        });
        let start = move |clock| {
            let another = process(&open(&config, clock));
            Box::pin(std::future::ready(another)) as futures::future::BoxFuture<'static, Process>
        };
        Self { runtime, backend: Backend::new(migrated, Arc::new(start), walk) }
    }

    pub(crate) fn play(&self, category: &str, name: &str) {
        self.runtime.block_on(conformance::run(category, name, self.backend.clone()));
    }
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

fn open(config: &StoreConfig, clock: Arc<dyn Clock>) -> Store {
    Store::open(config, clock).expect("the configuration is sound")
}

fn process(store: &Store) -> Process {
    let (boards, rankings) = store.ranks(conformance::rules());
    Process {
        reader: store.reader(),
        writer: store.writer(),
        ids: store.ids(),
        outbox: store.outbox(),
        histories: store.histories(),
        boards,
        rankings,
        repairer: store.repairer(),
    }
}

/// `RIPOSTE_SEED` and `RIPOSTE_STEPS`, where they are set.
pub(crate) fn walk(tables: Tables) -> Walk {
    let number = |name| told(name).map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")));
    let Walk { seed, steps } = Walk::default();
    // Over many tables a step is many statements, most of them new to their connection.
    let steps = if tables.index > 1 { steps / 16 } else { steps };
    Walk { seed: number("RIPOSTE_SEED").or(seed), steps: number("RIPOSTE_STEPS").map_or(steps, |n: u64| n as usize) }
}

/// What the environment says under a name; nothing said is nothing.
#[expect(clippy::disallowed_methods, reason = "a test run is told by its environment what to play, and where")]
pub(crate) fn told(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
