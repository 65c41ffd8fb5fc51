//! Two servers of the MySQL family (RIPOSTE_TEST_MYSQL_1 and RIPOSTE_TEST_MYSQL_2) with 50 subject
//! tables and 200 tables of every other kind, the reference layout.

use std::sync::LazyLock;

use riposte_conformance::{conformance_cases, conformance_tests};
use riposte_store::shard::TableCounts;

use crate::databases;
use crate::environment::{self, Environment};

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let config = databases::fresh(
        &["RIPOSTE_TEST_MYSQL_1", "RIPOSTE_TEST_MYSQL_2"],
        TableCounts { subject: 50, index: 200 },
        "conformance",
    )?;
    Some(Environment::on(config))
});

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
