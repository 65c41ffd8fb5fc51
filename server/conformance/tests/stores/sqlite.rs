//! SQLite, as `riposte dev` runs it: one table of each kind in one file.

use std::sync::LazyLock;

use riposte_conformance::{conformance_cases, conformance_tests};

use crate::process;
use crate::stage::{self, Stage};

static STAGE: LazyLock<Option<Stage>> = LazyLock::new(|| {
    let config = process::sqlite_in(&stage::folder("sqlite"));
    Some(Stage::on(config))
});

fn run(category: &str, name: &str) {
    stage::play(STAGE.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
