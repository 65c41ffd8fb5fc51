//! Creates at a steady rate while a list of 60,000 entries is compiled again and again, beside the
//! same creates without that, alternately. The times are written to standard error.
//!
//! A measurement sets `RIPOSTE_TEST_LIST_LOAD=RATE,SECONDS,PAIRS`: the creates per second, the
//! seconds of each phase, and the number of pairs of phases (docs/benchmarks/policy.md).

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::CommentState;
use riposte_tests::mysql::{Databases, servers};
use riposte_tests::{Say, Server, until};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::filter_load::percentile;
use super::metrics::ask;

const TYPE: &str = "load_listed";
const SUBJECTS: usize = 16;
const ENTRIES: usize = 60_000;
/// The time between two changes of the list.
const CHANGES: Duration = Duration::from_secs(5);
/// The part of the creates whose text has an entry of all versions of the list.
const LISTED: usize = 10;
const VERSION: &str = "riposte_policy_list_version{list=\"load\"}";

/// Writes a version of the list: words that no text has, one that all versions have, and one of
/// this version.
fn write_list(file: &Path, version: usize) -> Result<()> {
    let mut list = format!("unspeakable\nversion{version}\n");
    for entry in 2..ENTRIES {
        // Most published words are Latin, some Han.
        if entry.is_multiple_of(4) {
            let character = |n: usize| char::from_u32(0x4e00 + (n % 0x5000) as u32).unwrap_or('一');
            let _ = writeln!(list, "{}{}{}", character(entry), character(entry / 7), character(entry / 31));
        } else {
            let _ = writeln!(list, "word{entry}x{}", entry * 7_919 % 104_729);
        }
    }
    Ok(std::fs::write(file, list)?)
}

/// The prepared file of a version.
fn prepared(file: &Path, version: usize) -> PathBuf {
    file.with_extension(version.to_string())
}

/// Returns the version that the server has compiled.
async fn version(target: &str) -> Result<String> {
    let metrics = ask(target, "GET", "/metrics").await?;
    let line = metrics.lines().find(|line| line.starts_with(VERSION)).context("no version")?;
    Ok(line.to_owned())
}

struct Load {
    server: Server,
    says: Arc<Vec<Say>>,
    rate: u32,
    sent: usize,
    /// The number of versions of the list.
    versions: usize,
}

impl Load {
    /// Creates comments for a while, and returns the times since each was due. The list changes
    /// meanwhile, if there is a file.
    async fn run(&mut self, phase: Duration, list: Option<&Path>) -> Result<Vec<Duration>> {
        let mut ticks = interval(Duration::from_secs(1) / self.rate);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let (start, mut tasks, mut changed) = (Instant::now(), JoinSet::new(), None::<Instant>);
        while start.elapsed() < phase {
            let due = ticks.tick().await.into_std();
            if let Some(list) = list.filter(|_| changed.is_none_or(|changed| changed.elapsed() >= CHANGES)) {
                self.versions += 1;
                std::fs::rename(prepared(list, self.versions), list)?;
                changed = Some(Instant::now());
            }
            let (number, says) = (self.sent, Arc::clone(&self.says));
            self.sent += 1;
            tasks.spawn(async move {
                let is_listed = number.is_multiple_of(LISTED);
                let text = if is_listed { "an unspeakable text" } else { "a text of some length, with a few words" };
                let comment = says[number % SUBJECTS].comment(&format!("m{number}"), text).await?;
                let expected = if is_listed { CommentState::Rejected } else { CommentState::Active };
                ensure!(comment.state() == expected, "{comment:?}");
                Ok(due.elapsed())
            });
        }
        let mut times = Vec::new();
        while let Some(done) = tasks.join_next().await {
            times.push(done??);
        }
        Ok(times)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_text_is_judged_while_a_great_list_is_compiled_under_load() -> Result<()> {
    let given = std::env::var_os("RIPOSTE_TEST_LIST_LOAD").and_then(|given| given.into_string().ok());
    let text = given.as_deref().unwrap_or("50,2,1");
    let numbers: Vec<u32> = text.split(',').map(str::parse).collect::<Result<_, _>>().context("RATE,SECONDS,PAIRS")?;
    let [rate, seconds, pairs] = numbers[..] else { anyhow::bail!("RATE,SECONDS,PAIRS") };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("list.txt");
    write_list(&file, 0)?;
    let list =
        format!("policy.lists=[{{name=\"load\", file={file:?}, object_types=[\"{TYPE}\"], outcome=\"reject\"}}]");
    let sets = ["--set", &list, "--set", "auth.reload_interval=1s"];
    let server = match servers().filter(|_| given.is_some()) {
        Some(servers) => Server::serve_with(&Databases::on(&servers, sets).await?.arguments).await?,
        None => Server::dev_with(None, &sets).await?,
    };
    let client = server.client()?;
    let says = Arc::new((0..SUBJECTS).map(|_| Say::on(&client, TYPE)).collect());
    let mut load = Load { server, says, rate, sent: 0, versions: 0 };
    let phase = Duration::from_secs(seconds.into());
    load.run(phase / 2, None).await?;
    eprintln!("| pair | changes | p50 ms | p99 ms | p50 ms, none | p99 ms, none | p99 ratio |");
    eprintln!("|--:|--:|--:|--:|--:|--:|--:|");
    let (mut all, mut all_quiet) = (Vec::new(), Vec::new());
    for pair in 1..=pairs {
        let mut quiet = load.run(phase, None).await?;
        let (before, versions) = (version(load.server.metrics_target()).await?, load.versions);
        // Written before the phase: its creates are to wait for the server alone.
        for next in 0..=phase.as_secs() / CHANGES.as_secs() {
            let next = versions + 1 + next as usize;
            write_list(&prepared(&file, next), next)?;
        }
        let mut changing = load.run(phase, Some(&file)).await?;
        let target = load.server.metrics_target().to_owned();
        until("the list is compiled", || async { Ok(version(&target).await? != before) }).await?;
        show(&pair.to_string(), load.versions - versions, &mut changing, &mut quiet);
        all.append(&mut changing);
        all_quiet.append(&mut quiet);
    }
    show("all", load.versions, &mut all, &mut all_quiet);
    load.server.stop().await?;
    Ok(())
}

fn show(pair: &str, changes: usize, changing: &mut [Duration], quiet: &mut [Duration]) {
    let [p50, p99] = [0.5, 0.99].map(|of| percentile(changing, of));
    let [quiet_p50, quiet_p99] = [0.5, 0.99].map(|of| percentile(quiet, of));
    let ratio = p99 / quiet_p99;
    eprintln!("| {pair} | {changes} | {p50:.1} | {p99:.1} | {quiet_p50:.1} | {quiet_p99:.1} | {ratio:.2} × |");
}
