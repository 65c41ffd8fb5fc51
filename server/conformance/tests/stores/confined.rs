//! A confined store: the Vitess keyspace that RIPOSTE_TEST_VITESS names, or else a server of the
//! MySQL family (RIPOSTE_TEST_MYSQL_1) that is used as Vitess is.

use std::sync::LazyLock;

use riposte_conformance::{conformance_cases, conformance_tests};
use riposte_store::StoreConfig;
use riposte_store::config::DatabaseKind;
use riposte_store::shard::TableCounts;

use crate::databases;
use crate::environment::{self, Environment};
use crate::servers::env_var;

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    if let Some(keyspace) = env_var("RIPOSTE_TEST_VITESS") {
        return Some(Environment::on(StoreConfig::vitess(keyspace)));
    }
    let tables = TableCounts { subject: 1, index: 1 };
    let mysql = databases::fresh(&["RIPOSTE_TEST_MYSQL_1"], tables, "confined")?;
    let DatabaseKind::MySql(urls) = &mysql.kind else { return None };
    Some(Environment::on(StoreConfig::vitess(urls.first()?.clone())))
});

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
