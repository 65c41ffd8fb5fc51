//! Two servers of the MySQL family with 50 tables of subjects and 200 of everything else, as in
//! production: RIPOSTE_TEST_MYSQL_1 and RIPOSTE_TEST_MYSQL_2 name them.

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
    environment::play(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
