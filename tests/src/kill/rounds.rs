//! The rounds: start the load, kill, restart, continue, stop, repeat; and the check at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::{join_all, try_join_all};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::call::Ask;
use super::check::{self, Fault};
use super::databases::Databases;
use super::fleet::{Fleet, SERVERS};
use super::ground::{Ground, HOT};
use super::history::{Act, Op};
use super::replay;
use super::report::{self, Round};
use super::seen::Seen;
use super::strike::Strike;
use super::worker::{Stage, Worker};

/// Number of concurrent clients.
const CLIENTS: usize = 24;
/// Number of acknowledged operations of a round before the kill, and after all processes run again.
const BEFORE: u64 = 100;
const AFTER: u64 = 200;
/// Time limit of every wait of a round.
const WITHIN: Duration = Duration::from_secs(90);

/// A run.
#[derive(Debug)]
pub(super) struct Rounds {
    fleet: Fleet,
    databases: Databases,
    stage: Arc<Stage>,
    workers: Vec<Worker>,
    /// Request ids of the probes, which show that all servers serve again.
    ids: RequestIds,
    rng: StdRng,
    history: Vec<Op>,
    faults: Vec<Fault>,
    replayed: usize,
}

impl Rounds {
    pub(super) fn new(fleet: Fleet, databases: Databases, seed: u64) -> Self {
        let (doors, start) = (fleet.doors(), Instant::now());
        let stage = Stage { doors, ground: Ground::new(), start, acknowledged: AtomicU64::new(0) };
        Self {
            fleet,
            databases,
            stage: Arc::new(stage),
            workers: (0..CLIENTS).map(|client| Worker::new(client, seed)).collect(),
            ids: RequestIds::default(),
            rng: StdRng::seed_from_u64(seed),
            history: Vec::new(),
            faults: Vec::new(),
            replayed: 0,
        }
    }

    /// Runs all rounds and checks the result. Returns true if nothing was lost or doubled.
    pub(super) async fn run(mut self, rounds: u32) -> Result<bool> {
        report::head();
        for (number, strike) in (1..).zip(Strike::plan(rounds, &mut self.rng)) {
            self.round(number, &strike).await.with_context(|| format!("round {number}, {}", strike.name()))?;
        }
        let seen = Seen::read(self.fleet.any()?).await.context("reading what stands")?;
        self.faults.extend(check::faults(&self.history, &seen));
        report::conclusion(&self.history, self.replayed, seen.rows.len(), seen.likes.len(), &self.faults);
        self.fleet.stop().await?;
        Ok(self.faults.is_empty())
    }

    async fn round(&mut self, number: u32, strike: &Strike) -> Result<()> {
        let latest = self.history.len();
        let (stop, stopped) = watch::channel(false);
        let workers = std::mem::take(&mut self.workers);
        let load: Vec<_> = workers
            .into_iter()
            .map(|worker| tokio::spawn(worker.run(Arc::clone(&self.stage), stopped.clone())))
            .collect();
        self.acknowledged(BEFORE).await.context("before the kill")?;
        // The time of the kill is the only wait here without a condition.
        tokio::time::sleep(Duration::from_millis(self.rng.random_range(0..1000))).await;
        let killed = Instant::now();
        self.strike(strike).await?;
        let serving = self.probe(number).await?;
        let serving_again = killed.elapsed();
        self.acknowledged(AFTER).await.context("after all serve again")?;
        stop.send(true)?;
        for done in join_all(load).await {
            let (worker, history) = done?;
            self.workers.push(worker);
            self.history.extend(history);
        }
        self.history.extend(serving);
        let (replayed, faults) = replay::replay(&self.stage, &self.history, latest, &mut self.rng).await;
        self.replayed += replayed;
        self.faults.extend(faults);
        let history = &self.history[latest..];
        Round { number, killed: strike.name(), history, replayed, serving: serving_again }.print();
        Ok(())
    }

    /// Kills all victims at once, and starts each again as soon as it has ended.
    async fn strike(&mut self, strike: &Strike) -> Result<()> {
        let servers = async {
            for number in &strike.servers {
                self.fleet.kill(*number).await?;
            }
            self.fleet.replace().await
        };
        let databases = async {
            self.databases.kill(&strike.databases).await?;
            self.databases.start(&strike.databases).await
        };
        tokio::try_join!(servers, databases).map(|_| ())
    }

    /// Waits until the load has `more` further acknowledgements.
    async fn acknowledged(&self, more: u64) -> Result<()> {
        let count = || self.stage.acknowledged.load(Ordering::Relaxed);
        let goal = count() + more;
        let reached = async {
            while count() < goal {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(WITHIN, reached).await.with_context(|| format!("fewer than {more} acknowledgements"))
    }

    /// Writes a root on every hot subject through every server, and repeats it until it is
    /// acknowledged.
    async fn probe(&self, round: u32) -> Result<Vec<Op>> {
        let place = |n: usize| (n / HOT, n % HOT);
        let probes = (0..SERVERS * HOT).map(|n| async move {
            let (door, subject) = place(n);
            let (member, text) = ("probe".to_owned(), format!("probe{round}.{n}"));
            let act = Act::Root { subject, member, text };
            let request_id = self.ids.next();
            // A client may have one request in flight, so each probe counts as a client of its own.
            let ask = Ask { client: CLIENTS + n, act, request_id, door: Some(door), hurry: None, patience: WITHIN };
            let op = ask.run(&self.stage.doors, self.stage.start).await;
            ensure!(op.answer().is_some(), "server {} does not serve again: {op}", door + 1);
            Ok(op)
        });
        try_join_all(probes).await
    }
}
