//! The suite on two servers of the MySQL family with 50 tables of subjects and 200 of all else, as in production:
//! RIPOSTE_TEST_MYSQL_1 and RIPOSTE_TEST_MYSQL_2 name them.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "stage/servers.rs"]
mod servers;
#[path = "stage/stage.rs"]
mod stage;

use std::sync::LazyLock;

use riposte_store::shard::Tables;
use riposte_store::{conformance_cases, conformance_tests};
use stage::Stage;

static STAGE: LazyLock<Option<Stage>> = LazyLock::new(|| {
    servers::stage(&["RIPOSTE_TEST_MYSQL_1", "RIPOSTE_TEST_MYSQL_2"], Tables { subject: 50, index: 200 })
});

fn run(category: &str, name: &str) {
    match &*STAGE {
        Some(stage) => stage.play(category, name),
        None => eprintln!("SKIPPED {category}::{name}"),
    }
}

conformance_cases!(conformance_tests);
