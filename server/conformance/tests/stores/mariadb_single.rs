//! One server of the MySQL family (RIPOSTE_TEST_MYSQL_1) with one table of each kind.

use std::sync::LazyLock;

use riposte_conformance::{conformance_cases, conformance_tests};
use riposte_store::shard::TableCounts;

use crate::databases;
use crate::environment::{self, Environment};

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let config = databases::fresh(&["RIPOSTE_TEST_MYSQL_1"], TableCounts { subject: 1, index: 1 }, "conformance")?;
    Some(Environment::on(config))
});

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
