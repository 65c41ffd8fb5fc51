//! SQLite, as `riposte dev` runs it: one table of each kind in one file.

use std::sync::LazyLock;

use riposte_conformance::{conformance_cases, conformance_tests};

use crate::environment::{self, Environment};
use crate::process;

static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let config = process::sqlite_config(&environment::folder("sqlite"));
    Some(Environment::on(config))
});

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
