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

use super::check::{Checked, MAX_AGE};
use super::fault::{Deployment, Injection};
use super::history::{Alarm, FeedReaderKind, InjectedFault, Recorder};
use super::load::{
    Acknowledged, BURST, CLIENTS, Client, Environment, FeedReader, FilteredClient, HeldTexts, JudgedComments,
    Newcomers, OWNERS, OwnerClient, PolicyClient, REREAD_DELAY, REVIEWERS, Reviewer, Watcher,
};
use super::options::Options;
use super::summary::Recoveries;
use super::{check, end, environment, history, positions, probe, report, summary, topic};

/// The longest pause between two faults.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Pause before the last reads; longer than any cached data may be stale.
const STALENESS_WAIT: Duration = Duration::from_nanos(MAX_AGE + 1_000_000_000);
/// Pause after a fault whose effect may linger: until the comments of concurrent likes have been
/// read again.
const LINGERING_WAIT: Duration = Duration::from_nanos(REREAD_DELAY + 1_000_000_000);

/// Runs the history check on the two database servers of the task runner that started this program.
///
/// # Errors
/// Fails when there are no databases, or when a process does not start again.
pub(super) async fn run(options: &Options) -> Result<bool> {
    println!("seed {}", options.seed);
    let path = options.folder.join("history.jsonl");
    let mut random = StdRng::seed_from_u64(options.seed);
    let recorder = Recorder::create(&path, options.seed, &options.repeat_command())?;
    let (burst, burst_rx) = watch::channel(false);
    let (errors, errors_rx) = mpsc::unbounded_channel();
    let (mut deployment, databases, filters) = environment::start(burst, errors, options).await?;
    let judged = JudgedComments::new(environment::word_list(options)?);
    let environment = Arc::new(Environment::new(deployment.fleet.channels(), recorder, judged));
    let log_reader = tokio::spawn(record_errors(Arc::clone(&environment), errors_rx));
    let (over, over_rx) = watch::channel(false);
    positions::begun(&databases).await?;
    if deployment.brokers().is_some() {
        topic::begun(&databases).await?;
    }
    // Every reader of the feed begins before the first write.
    let (mut followers, late) = follow_feed(&environment, options.seed, &over_rx).await?;
    let (active, active_rx) = watch::channel(true);
    let mut clients = start(&environment, 0..CLIENTS, options.seed, &active_rx);
    clients.extend(start(&environment, CLIENTS..CLIENTS + BURST, options.seed, &burst_rx));
    let filters = Arc::new(filters);
    let mut special = start_special(&environment, options.seed, &active_rx);
    let filtered = FilteredClient::new(Arc::clone(&filters), options.seed);
    special.push(tokio::spawn(filtered.run(Arc::clone(&environment), active_rx.clone())));
    let watch = |watcher: Watcher| tokio::spawn(watcher.run(Arc::clone(&environment), over_rx.clone()));
    followers.extend(Watcher::all(options.seed).map(watch));
    let mut recoveries = Recoveries::new();
    let injected = inject_faults(&environment, &mut deployment, options, &mut random, &mut recoveries).await;
    // A receiver keeps the last value of a dropped sender as its current value.
    active.send_replace(false);
    drop(active);
    deployment.end_bursts();
    let finish = async {
        injected?;
        let mut acknowledged = Acknowledged::new();
        for client in try_join_all(clients).await? {
            acknowledged.extend(client?);
        }
        for client in try_join_all(special).await? {
            client?;
        }
        // The wait is the bound under test: cached data has this time to become current.
        tokio::time::sleep(STALENESS_WAIT).await;
        end::drained(&deployment).await.context("reading what an outage of the filter held")?;
        over.send_replace(true);
        for follower in try_join_all(followers).await? {
            follower.context("receiving the last changes and events")?;
        }
        end::repeat(&environment, acknowledged, &mut random).await.context("repeating acknowledged requests")?;
        end::read(&environment, &deployment, &databases, options.seed).await.context("reading all data")?;
        if let Some(brokers) = deployment.brokers() {
            topic::read(&environment, &databases, &brokers).await.context("reading the topic")?;
        }
        end::feed::read(&environment, &databases, late).await.context("reading the feed without old events")?;
        deployment.stop().await
    };
    let ended = finish.await;
    filters.questions().try_for_each(|question| environment.recorder.question(question))?;
    drop(filters);
    if ended.is_ok() {
        // All servers have stopped, so no further log line can come.
        log_reader.await??;
    }
    environment.recorder.flush()?;
    let (completed, cancelled) =
        (environment.completed.load(Ordering::Relaxed), environment.cancelled.load(Ordering::Relaxed));
    println!("{completed} calls completed, {cancelled} of them after a cancelled attempt");
    let sound = check_history(&path, options, &recoveries)?;
    let succeeded = sound == options.mutant.is_empty();
    if !succeeded || ended.is_err() {
        // The next run overwrites its own file.
        let copy = options.folder.join(format!("history-{}.jsonl", options.seed));
        std::fs::rename(&path, &copy)?;
        println!("the history is stored in {}", copy.display());
    }
    ended.context("the run was aborted; the report above covers the history until then")?;
    Ok(succeeded)
}

/// Records the errors that the servers log, until all servers have ended.
async fn record_errors(environment: Arc<Environment>, mut errors: mpsc::UnboundedReceiver<String>) -> Result<()> {
    while let Some(line) = errors.recv().await {
        environment.recorder.alarm(Alarm { at: environment.now(), line })?;
    }
    Ok(())
}

/// Starts the readers of the feed that follow the run, and returns them with the one that waits for
/// its end.
async fn follow_feed(
    environment: &Arc<Environment>,
    seed: u64,
    over: &watch::Receiver<bool>,
) -> Result<(Vec<JoinHandle<Result<()>>>, FeedReader)> {
    let reader = |kind| FeedReader::begin(environment, kind, seed);
    let following = [reader(FeedReaderKind::Public).await?, reader(FeedReaderKind::Moderation).await?];
    let late = reader(FeedReaderKind::Late).await?;
    let follow = |reader: FeedReader| tokio::spawn(reader.run(Arc::clone(environment), over.clone()));
    Ok((following.into_iter().map(follow).collect(), late))
}

/// Starts the clients of comments that wait, of subjects with an owner, and of judged comments, and
/// the moderators of what an outage held.
fn start_special(
    environment: &Arc<Environment>,
    seed: u64,
    active: &watch::Receiver<bool>,
) -> Vec<JoinHandle<Result<()>>> {
    let shared = || (Arc::clone(environment), active.clone());
    let reviewer = |number| {
        let (environment, active) = shared();
        tokio::spawn(Reviewer::new(number, seed).run(environment, active))
    };
    let owner = |number| {
        let (environment, active) = shared();
        tokio::spawn(OwnerClient::new(number, seed).run(environment, active))
    };
    let judged = |client: PolicyClient| {
        let (environment, active) = shared();
        tokio::spawn(client.run(environment, active))
    };
    let newcomer = |client: Newcomers| {
        let (environment, active) = shared();
        tokio::spawn(client.run(environment, active))
    };
    let moderator = |client: HeldTexts| {
        let (environment, active) = shared();
        tokio::spawn(client.run(environment, active))
    };
    let reviewers = (0..REVIEWERS).map(reviewer);
    let of_policy = PolicyClient::all(seed).map(judged).chain(Newcomers::all(seed).map(newcomer));
    let of_policy = of_policy.chain(HeldTexts::all(seed).map(moderator));
    reviewers.chain((0..OWNERS).map(owner)).chain(of_policy).collect()
}

fn start(
    environment: &Arc<Environment>,
    numbers: std::ops::Range<u32>,
    seed: u64,
    active: &watch::Receiver<bool>,
) -> Vec<JoinHandle<Result<Acknowledged>>> {
    let client = |number| tokio::spawn(Client::new(number, seed).run(Arc::clone(environment), active.clone()));
    numbers.map(client).collect()
}

/// Injects faults until the time is over, each after the service has recovered from the one before.
async fn inject_faults(
    environment: &Environment,
    deployment: &mut Deployment,
    options: &Options,
    random: &mut StdRng,
    recoveries: &mut Recoveries,
) -> Result<()> {
    let ids = RequestIds::default();
    let mut injections = Injection::plan(&options.means, StdRng::seed_from_u64(random.random()));
    let begun = Instant::now();
    for round in 0.. {
        tokio::time::sleep(LONGEST_PAUSE.mul_f64(random.random())).await;
        if begun.elapsed() >= options.length {
            break;
        }
        deployment.fleet.all_run()?;
        let injection = injections.next().context("an endless plan ended")?;
        let injected_at = environment.now();
        deployment.inject(injection, random).await?;
        let (kind, target) = (injection.kind.name(), injection.target());
        environment.recorder.fault(InjectedFault {
            kind: kind.to_owned(),
            target: target.clone(),
            begun: injected_at,
            ended: environment.now(),
        })?;
        probe::probe(environment, &ids, round).await.with_context(|| format!("{kind} {target}"))?;
        let took = Duration::from_nanos(environment.now() - injected_at);
        recoveries.entry(kind).or_default().push(took.as_secs_f64());
        if injection.lingers() {
            tokio::time::sleep(LINGERING_WAIT.min(options.length.saturating_sub(begun.elapsed()))).await;
        }
    }
    deployment.fleet.all_run()
}

/// Reads the history back, checks it and shows the result. Returns true if it breaks no promise.
fn check_history(path: &Path, options: &Options, recoveries: &Recoveries) -> Result<bool> {
    let history = history::read(path)?;
    let begun = Instant::now();
    let Checked { anomalies, cases } = check::check(&history);
    let took = begun.elapsed().as_secs_f64();
    report::show(&history, &anomalies, path);
    summary::show(recoveries);
    summary::write(&options.folder, options, &history, &anomalies, recoveries)?;
    println!("{}", report::outcomes(&history));
    println!("cases by rule: {cases:?}");
    println!(
        "{} operations, {} faults, {} anomalies; checked in {took:.1} s",
        history.ops.len(),
        history.faults.len(),
        anomalies.len()
    );
    Ok(anomalies.is_empty())
}
