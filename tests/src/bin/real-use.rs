//! Writes the table of docs/real-use.md to standard output: real discussions, imported, walked and
//! voted on, with the times.
//!
//! `cargo build --release --bin riposte && cargo run --release -p riposte-tests --bin real-use`,
//! with the variables that `cargo xtask servers` reports for the rows on MariaDB.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use riposte_tests::real::madrid::{Madrid, OBJECT_TYPE, Orphans};
use riposte_tests::real::{self, Storage, polis::Polis};
use riposte_tests::thread_tree::verify;

const CLIENTS: usize = 16;

#[tokio::main]
async fn main() -> Result<()> {
    let data = real::data().context("no real data")?;
    println!("Seen on {}:\n", machine()?);
    println!("| what | store | number | seconds | per second |\n|---|---|---:|---:|---:|");
    let sqlite = Storage::sqlite()?;
    all(&sqlite, "SQLite (`dev --data`)", &data).await?;
    if let Some(mariadb) = Storage::mariadb().await? {
        all(&mariadb, "two MariaDB servers, 50/200/200 tables", &data).await?;
    }
    Ok(())
}

async fn all(storage: &Storage, store: &str, data: &Path) -> Result<()> {
    let madrid = Madrid::read(data, Orphans::Reject)?;
    let polis = Polis::read(&data.join("polis-votes/vtaiwan.uberx"))?;
    let row = |what: &str, number: usize, took: Duration| {
        let (seconds, rate) = (took.as_secs_f64(), number as f64 / took.as_secs_f64());
        println!("| {what} | {store} | {number} | {seconds:.1} | {rate:.0} |");
    };
    let server = storage.start().await?;
    let scratch = tempfile::tempdir()?;
    let votes = madrid.comments().map(|node| node.likes.unsigned_abs() + node.dislikes.unsigned_abs()).sum::<u32>();
    let items = madrid.proposals.len() + madrid.comments().count() + usize::try_from(votes)?;
    for what in ["Decide Madrid: import, all new", "Decide Madrid: import again, nothing changes"] {
        row(what, items, import(&server, data, scratch.path()).await?);
    }
    let begin = Instant::now();
    real::compare(&server, OBJECT_TYPE, storage.levels(), &madrid.trees).await?;
    row(
        "Decide Madrid: every comment listed, exported and compared with the file",
        madrid.comments().count(),
        begin.elapsed(),
    );
    let begin = Instant::now();
    verify(&server, OBJECT_TYPE).await?;
    row("Decide Madrid: VerifyCounts of every subject", madrid.comments().count(), begin.elapsed());
    let begin = Instant::now();
    real::export(&server, OBJECT_TYPE, &scratch.path().join("export.jsonl")).await?;
    row("Decide Madrid: `riposte export`", items, begin.elapsed());
    let ids = polis.import(&server, "uberx").await?;
    let begin = Instant::now();
    polis.replay(&server, "uberx", &ids, CLIENTS).await?;
    row(&format!("vTaiwan: every vote cast by SetLike, {CLIENTS} clients at once"), polis.total(), begin.elapsed());
    polis.compare(&server, "uberx", &ids).await
}

async fn import(server: &riposte_tests::Server, data: &Path, scratch: &Path) -> Result<Duration> {
    let file = data.join("decide-madrid/comments.csv.gz");
    let map = real::workspace().join("docs/import/decide-madrid.toml");
    let (file, map) = (file.to_str().context("a path")?, map.to_str().context("a path")?);
    // Some comments are rejected by rule: exit code 6.
    Ok(real::import(server, &[file, "--format", "csv", "--map", map], scratch).await?.ended(6)?.took)
}

/// Returns the machine and the date.
fn machine() -> Result<String> {
    let day = std::process::Command::new("date").args(["-u", "+%Y-%m-%d"]).output()?;
    let cpu = std::fs::read_to_string("/proc/cpuinfo")?;
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism()?;
    let model = model.trim_start_matches([' ', '\t', ':']);
    Ok(format!("{}, {cores} cores of {model}", String::from_utf8_lossy(&day.stdout).trim()))
}
