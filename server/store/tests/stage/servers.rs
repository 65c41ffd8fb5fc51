//! Fresh databases on the servers that the environment names.

use riposte_store::StoreConfig;
use riposte_store::shard::Tables;
use sea_orm::{ConnectionTrait, Database};

use crate::stage::{Stage, runtime, told};

/// A stage on a fresh database of each of these servers; `None`, said loudly, where one is not there.
pub(crate) fn stage(servers: &[&str], tables: Tables) -> Option<Stage> {
    let mut urls = Vec::new();
    for name in servers {
        let Some(server) = told(name) else {
            eprintln!("SKIPPED, all of it: {name} names no server of the MySQL family");
            return None;
        };
        urls.push(server.trim_end_matches('/').to_owned());
    }
    let database = format!("conformance_{}", std::process::id());
    for (number, url) in urls.iter_mut().enumerate() {
        // Two of them may be one server.
        let database = format!("{database}_{}_{number}", servers.len());
        runtime().block_on(async {
            let connection = Box::pin(Database::connect(url.as_str())).await.expect("the test server is up");
            connection.execute_unprepared(&format!("CREATE DATABASE {database}")).await.expect("a fresh database");
            connection.close().await.expect("closed");
        });
        *url = format!("{url}/{database}");
    }
    Some(Stage::on(StoreConfig::mysql(&urls, tables)))
}
