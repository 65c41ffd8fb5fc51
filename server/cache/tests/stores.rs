//! The suite of the stores over cached reads, every case unchanged: SQLite with the cache in the process; MariaDB
//! (RIPOSTE_TEST_MYSQL_1) with Redis (RIPOSTE_TEST_REDIS); SQLite with a cluster (RIPOSTE_TEST_REDIS_CLUSTER).

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "stage/servers.rs"]
mod servers;
#[path = "stage/store.rs"]
mod store;

use std::sync::{Arc, LazyLock};

use riposte_cache::{Cache, Limits, Memory};
use riposte_store::conformance::{self, Backend};
use tokio::runtime::Runtime;

/// Where the cases of a backend are played.
struct Stage {
    runtime: Runtime,
    backend: Backend,
    _folder: Option<tempfile::TempDir>,
}

impl Stage {
    fn play(&self, category: &str, name: &str) {
        self.runtime.block_on(conformance::run(category, name, self.backend.clone()));
    }
}

mod memory {
    use riposte_store::{conformance_cases, conformance_tests};

    use super::{Arc, LazyLock, Limits, Memory, Stage, servers, store};

    static STAGE: LazyLock<Stage> = LazyLock::new(|| {
        let runtime = servers::runtime();
        let (backend, folder) = runtime.block_on(async {
            let (config, folder) = store::sqlite().await;
            let cache = Arc::new(Memory::new(Limits::default()));
            store::warm(&*cache).await;
            (store::backend(config, cache), folder)
        });
        Stage { runtime, backend, _folder: Some(folder) }
    });

    fn run(category: &str, name: &str) {
        STAGE.play(category, name);
    }

    conformance_cases!(conformance_tests);
}

mod redis {
    use riposte_store::shard::Tables;
    use riposte_store::{StoreConfig, conformance_cases, conformance_tests};
    use sea_orm::{ConnectionTrait, Database};

    use super::{Arc, Cache, LazyLock, Limits, Stage, servers, store};

    static STAGE: LazyLock<Option<Stage>> = LazyLock::new(|| {
        let (Some(mysql), Some(redis)) = (servers::told("RIPOSTE_TEST_MYSQL_1"), servers::told("RIPOSTE_TEST_REDIS"))
        else {
            eprintln!("SKIPPED, all of it: RIPOSTE_TEST_MYSQL_1 and RIPOSTE_TEST_REDIS name no servers");
            return None;
        };
        let runtime = servers::runtime();
        let backend = runtime.block_on(async {
            let database = format!("cached_{}", std::process::id());
            let server = mysql.trim_end_matches('/');
            let connection = Box::pin(Database::connect(server)).await.expect("the test server is up");
            connection.execute_unprepared(&format!("CREATE DATABASE {database}")).await.expect("a fresh database");
            connection.close().await.expect("closed");
            let config = StoreConfig::mysql(&[format!("{server}/{database}")], Tables { subject: 1, index: 1 });
            store::migrate(&config).await;
            let cache: Arc<dyn Cache> = Arc::new(servers::redis(&redis, Limits::default()).await);
            store::warm(&*cache).await;
            store::backend(config, cache)
        });
        Some(Stage { runtime, backend, _folder: None })
    });

    fn run(category: &str, name: &str) {
        match &*STAGE {
            Some(stage) => stage.play(category, name),
            None => eprintln!("SKIPPED {category}::{name}"),
        }
    }

    conformance_cases!(conformance_tests);
}

mod cluster {
    use riposte_store::{conformance_cases, conformance_tests};

    use super::{Arc, Cache, LazyLock, Limits, Stage, servers, store};

    static STAGE: LazyLock<Option<Stage>> = LazyLock::new(|| {
        let Some(redis) = servers::told("RIPOSTE_TEST_REDIS_CLUSTER") else {
            eprintln!("SKIPPED, all of it: RIPOSTE_TEST_REDIS_CLUSTER names no cluster");
            return None;
        };
        let runtime = servers::runtime();
        let (backend, folder) = runtime.block_on(async {
            let (config, folder) = store::sqlite().await;
            let cache: Arc<dyn Cache> = Arc::new(servers::redis(&redis, Limits::default()).await);
            store::warm(&*cache).await;
            (store::backend(config, cache), folder)
        });
        Some(Stage { runtime, backend, _folder: Some(folder) })
    });

    fn run(category: &str, name: &str) {
        match &*STAGE {
            Some(stage) => stage.play(category, name),
            None => eprintln!("SKIPPED {category}::{name}"),
        }
    }

    conformance_cases!(conformance_tests);
}
