//! One server of the MySQL family (RIPOSTE_TEST_MYSQL_1) with the tables of a new database: 8
//! subject tables and 32 tables of every other kind. Every phase is sent as text, however few
//! statements it has.

use std::sync::LazyLock;

use riposte_conformance::{conformance_cases, conformance_tests};
use riposte_store::config::TextMode;
use riposte_store::layout::LayoutConfig;

use crate::databases;
use crate::environment::{self, Environment};

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let mut config =
        databases::fresh(&["RIPOSTE_TEST_MYSQL_1"], LayoutConfig::mysql(1).new_counts(), "conformance_default")?;
    config.text = TextMode::Always;
    Some(Environment::on(config))
});

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
