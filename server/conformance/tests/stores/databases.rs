//! Fresh databases on the servers that the environment names.

use riposte_store::StoreConfig;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Database};

use crate::servers::{env_var, run_test};

/// Creates a fresh database, whose name begins with `name`, on each of these servers. Returns
/// `None`, with a message, where a server is not available.
pub(crate) fn fresh(servers: &[&str], tables: TableCounts, name: &str) -> Option<StoreConfig> {
    let mut urls = Vec::new();
    for server in servers {
        let Some(url) = env_var(server) else {
            eprintln!("SKIPPED, all of it: {server} names no server of the MySQL family");
            return None;
        };
        urls.push(url.trim_end_matches('/').to_owned());
    }
    for (number, url) in urls.iter_mut().enumerate() {
        // Two of the variables may name the same server.
        let database = format!("{name}_{}_{}_{number}", std::process::id(), servers.len());
        run_test(async {
            let connection = Box::pin(Database::connect(url.as_str())).await.expect("the test server is up");
            connection.execute_unprepared(&format!("CREATE DATABASE {database}")).await.expect("a fresh database");
            connection.close().await.expect("closed");
        });
        *url = format!("{url}/{database}");
    }
    Some(StoreConfig::mysql(&urls, tables))
}
