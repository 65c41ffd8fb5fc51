//! The suite on SQLite, as `riposte dev` runs it: one table of each kind in one file.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "stage/stage.rs"]
mod stage;

use std::path::Path;
use std::sync::LazyLock;

use riposte_store::config::Kind;
use riposte_store::{StoreConfig, conformance_cases, conformance_tests};
use stage::Stage;

static STAGE: LazyLock<Stage> = LazyLock::new(|| {
    let mut config = StoreConfig::sqlite(Some(folder()));
    if let Kind::Sqlite { durable, .. } = &mut config.kind {
        // Nothing here asks what a power cut leaves.
        *durable = false;
    }
    Stage::on(config)
});

/// A folder of this process's own, beside which those of processes that ended are taken away.
fn folder() -> std::path::PathBuf {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
    std::fs::create_dir_all(&all).expect("a folder for tests");
    for entry in std::fs::read_dir(&all).expect("readable").flatten() {
        if !Path::new("/proc").join(entry.file_name()).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    all.join(std::process::id().to_string())
}

fn run(category: &str, name: &str) {
    STAGE.play(category, name);
}

conformance_cases!(conformance_tests);
