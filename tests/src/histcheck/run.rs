//! One run: starts the service and a load, injects faults, waits for quiet, and checks the history.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures::future::try_join_all;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::RequestIds;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::check::STALE;
use super::fault::{Injection, Rig};
use super::history::{Alarm, Fault, Recorder};
use super::load::{Acknowledged, BURST, CLIENTS, Client, Environment, RIPE, Watcher};
use super::options::Options;
use super::summary::Recoveries;
use super::{check, end, environment, history, probe, report, summary};

/// The longest pause between two faults.
const CALM: Duration = Duration::from_secs(4);
/// Pause before the last reads; longer than any cached data may be stale.
const QUIET: Duration = Duration::from_nanos(STALE + 1_000_000_000);
/// Pause after a fault whose effect may linger: until contested likes have been read again.
const LINGER: Duration = Duration::from_nanos(RIPE + 1_000_000_000);
/// Runs the history check on the two database servers of the task runner that started this program.
///
/// # Errors
/// Fails when there are no databases, or when a process does not start again.
pub(super) async fn run(options: &Options) -> Result<bool> {
    println!("seed {}", options.seed);
    let path = options.folder.join("history.jsonl");
    let mut random = StdRng::seed_from_u64(options.seed);
    let recorder = Recorder::create(&path, options.seed, &options.again())?;
    let (burst, bursts) = watch::channel(false);
    let (errors, said) = mpsc::unbounded_channel();
    let (mut rig, databases) = environment::begin(burst, errors, options).await?;
    let environment = Arc::new(Environment::new(rig.fleet.doors(), recorder));
    let listens = tokio::spawn(listen(Arc::clone(&environment), said));
    let (go, goes) = watch::channel(true);
    let mut clients = start(&environment, 0..CLIENTS, options.seed, &goes);
    clients.extend(start(&environment, CLIENTS..CLIENTS + BURST, options.seed, &bursts));
    let (over, overs) = watch::channel(false);
    let watch = |watcher: Watcher| tokio::spawn(watcher.run(Arc::clone(&environment), overs.clone()));
    let watchers: Vec<_> = Watcher::all(options.seed).map(watch).collect();
    let mut recoveries = Recoveries::new();
    let storm = storm(&environment, &mut rig, options, &mut random, &mut recoveries).await;
    // A receiver treats the last value of a dropped sender as its current value.
    go.send_replace(false);
    drop(go);
    rig.calm();
    let calm = async {
        storm?;
        let mut acknowledged = Acknowledged::new();
        for client in try_join_all(clients).await? {
            acknowledged.extend(client?);
        }
        // The wait is the bound under test: cached data has this time to become current.
        tokio::time::sleep(QUIET).await;
        over.send_replace(true);
        for watcher in try_join_all(watchers).await? {
            watcher.context("watching what stands")?;
        }
        end::repeat(&environment, acknowledged, &mut random).await.context("repeating what was acknowledged")?;
        end::read(&environment, &rig, &databases, options.seed).await.context("reading what stands")?;
        rig.stop().await
    };
    let ended = calm.await;
    if ended.is_ok() {
        // All servers have stopped, so no further log line can come.
        listens.await??;
    }
    environment.recorder.flush()?;
    let (answered, hurried) =
        (environment.answered.load(Ordering::Relaxed), environment.hurried.load(Ordering::Relaxed));
    println!("{answered} calls brought to an end, {hurried} of them first cancelled in the middle");
    let sound = judge(&path, options, &recoveries)?;
    let kept = sound == options.mutant.is_empty();
    if !kept || ended.is_err() {
        // The next run overwrites its own file.
        let aside = options.folder.join(format!("history-{}.jsonl", options.seed));
        std::fs::rename(&path, &aside)?;
        println!("the history is kept: {}", aside.display());
    }
    ended.context("the run broke down; what was answered until then is judged above")?;
    Ok(kept)
}

/// Records the errors that the servers log, until all servers have ended.
async fn listen(environment: Arc<Environment>, mut said: mpsc::UnboundedReceiver<String>) -> Result<()> {
    while let Some(said) = said.recv().await {
        environment.recorder.alarm(Alarm { at: environment.now(), said })?;
    }
    Ok(())
}

fn start(
    environment: &Arc<Environment>,
    numbers: std::ops::Range<u32>,
    seed: u64,
    go: &watch::Receiver<bool>,
) -> Vec<JoinHandle<Result<Acknowledged>>> {
    let client = |number| tokio::spawn(Client::new(number, seed).run(Arc::clone(environment), go.clone()));
    numbers.map(client).collect()
}

/// Injects faults until the time is over, each after the service has recovered from the one before.
async fn storm(
    environment: &Environment,
    rig: &mut Rig,
    options: &Options,
    random: &mut StdRng,
    recoveries: &mut Recoveries,
) -> Result<()> {
    let ids = RequestIds::default();
    let mut injections = Injection::plan(&options.means, StdRng::seed_from_u64(random.random()));
    let begun = Instant::now();
    for round in 0.. {
        tokio::time::sleep(CALM.mul_f64(random.random())).await;
        if begun.elapsed() >= options.length {
            break;
        }
        rig.fleet.all_run()?;
        let injection = injections.next().context("an endless plan ended")?;
        let struck = environment.now();
        rig.suffer(injection, random).await?;
        let (kind, target) = (injection.kind.name(), injection.target());
        environment.recorder.fault(Fault {
            kind: kind.to_owned(),
            target: target.clone(),
            begun: struck,
            ended: environment.now(),
        })?;
        probe::probe(environment, &ids, round).await.with_context(|| format!("{kind} {target}"))?;
        let took = Duration::from_nanos(environment.now() - struck);
        recoveries.entry(kind).or_default().push(took.as_secs_f64());
        if injection.lingers() {
            tokio::time::sleep(LINGER.min(options.length.saturating_sub(begun.elapsed()))).await;
        }
    }
    rig.fleet.all_run()
}

/// Reads the history back, checks it and prints the result. Returns true if all promises were kept.
fn judge(path: &Path, options: &Options, recoveries: &Recoveries) -> Result<bool> {
    let history = history::read(path)?;
    let begun = Instant::now();
    let anomalies = check::check(&history);
    let took = begun.elapsed().as_secs_f64();
    report::print(&history, &anomalies, path);
    summary::print(recoveries);
    summary::write(&options.folder, options, &history, &anomalies, recoveries)?;
    println!("{}", report::outcomes(&history));
    println!(
        "{} operations, {} faults, {} anomalies; checked in {took:.1} s",
        history.ops.len(),
        history.faults.len(),
        anomalies.len()
    );
    Ok(anomalies.is_empty())
}
