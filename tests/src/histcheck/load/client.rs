//! One client, which sends one call after the other until it is stopped. A read, or a like of
//! another member, may run concurrently with a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::RngExt;
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::ground::Ground;
use super::planner::{Ask, Planner};
use super::{SUBJECTS, failed, send};
use crate::histcheck::fleet::{Doors, SERVERS};
use crate::histcheck::history::{Call, Nanos, Op, Recorder, RequestId};

/// Timeout of one attempt of a write.
const WRITE: Duration = Duration::from_secs(3);
/// Timeout of one attempt of a read; shorter, because no work is lost.
const READ: Duration = Duration::from_secs(1);
/// Period in which a client repeats the same call; longer than any fault lasts.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest delay of a concurrent read behind its call, so that it falls into the middle of the
/// commit.
const ASIDE: Duration = Duration::from_millis(50);
/// Longest delay of a rival like after the first like. Over a slow proxy the delay may end before
/// the first like is committed, or before its cache update has arrived.
const RIVAL: Duration = Duration::from_millis(250);
/// The longest pause before another attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// Acknowledged requests: the calls and their ids.
pub(crate) type Acknowledged = Vec<(Call, RequestId)>;

/// State shared by all clients of a run.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) doors: Arc<Doors>,
    pub(crate) roots: Ground,
    pub(crate) replies: Ground,
    pub(crate) recorder: Recorder,
    pub(crate) start: Instant,
    /// Number of calls that were answered.
    pub(crate) answered: AtomicU64,
    /// Number of calls that were cancelled on purpose.
    pub(crate) hurried: AtomicU64,
}

impl Environment {
    pub(crate) fn new(doors: Arc<Doors>, recorder: Recorder) -> Self {
        let (answered, hurried) = (AtomicU64::new(0), AtomicU64::new(0));
        let (roots, replies) = (Ground::new(SUBJECTS), Ground::new(SUBJECTS));
        Self { doors, roots, replies, recorder, start: Instant::now(), answered, hurried }
    }

    /// Returns the time since the start of the run.
    pub(crate) fn now(&self) -> Nanos {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// A client with its state.
#[derive(Debug)]
pub(crate) struct Client {
    number: u32,
    planner: Planner,
    ids: RequestIds,
}

impl Client {
    pub(crate) fn new(number: u32, seed: u64) -> Self {
        Self { number, planner: Planner::new(number, seed), ids: RequestIds::default() }
    }

    /// Works while `go` is true, until its sender is dropped, and completes the last operation.
    /// Returns acknowledged requests that may be repeated.
    ///
    /// # Errors
    /// Fails when the history cannot be written.
    pub(crate) async fn run(
        mut self,
        environment: Arc<Environment>,
        mut go: watch::Receiver<bool>,
    ) -> Result<Acknowledged> {
        while go.wait_for(|go| *go).await.is_ok() {
            let ask = self.planner.next(&environment.roots, &environment.replies, environment.now());
            self.ask(&environment, ask).await?;
        }
        Ok(self.planner.acknowledged())
    }

    /// Repeats a call until it is answered or the period ends. Some calls, chosen at random, are
    /// not repeated.
    async fn ask(&mut self, environment: &Environment, ask: Ask) -> Result<()> {
        let request = if ask.call.view().is_some() { (0, 0) } else { self.request(&ask)? };
        // Some calls are cancelled in the middle of their work, and some are never repeated, as by
        // real callers.
        let of = if matches!(ask.call, Call::Like { .. }) { 6 } else { 30 };
        let rng = self.planner.rng();
        let hurry = rng.random_ratio(1, of).then(|| Duration::from_micros(rng.random_range(500..40_000)));
        let patience = if rng.random_ratio(1, 10) { Duration::ZERO } else { PATIENCE };
        let usual = if ask.call.view().is_some() { READ } else { WRITE };
        let mut limit = hurry.unwrap_or(usual);
        environment.hurried.fetch_add(u64::from(hurry.is_some()), Ordering::Relaxed);
        let mut rival = ask.rival.clone().map(|call| anyhow::Ok((self.fresh()?, Ask::of(call)))).transpose()?;
        let begun = Instant::now();
        loop {
            let beside = self.planner.beside(&ask.call);
            let rng = self.planner.rng();
            let [here, there] = [(); 2].map(|()| rng.random_range(0..SERVERS));
            let here = ask.server.unwrap_or(here);
            let (aside, behind) = (ASIDE.mul_f64(rng.random()), RIVAL.mul_f64(rng.random()));
            let pause = PAUSE.mul_f64(rng.random());
            let look = async {
                let Some(look) = beside else { return Ok(None) };
                tokio::time::sleep(aside).await;
                self.attempt(environment, there, &look, (0, 0), READ).await.map(Some)
            };
            // The rival like is sent only once, whatever its result.
            let other = rival.take();
            let other = async {
                let Some((request, like)) = other else { return Ok(None) };
                tokio::time::sleep(behind).await;
                self.attempt(environment, (here + 1) % SERVERS, &like, request, WRITE).await.map(Some)
            };
            let told = self.attempt(environment, here, &ask, request, limit);
            let ((op, token, passing), _, other) = tokio::try_join!(told, look, other)?;
            if let Some((other, ..)) = other {
                self.planner.heed(&other);
            }
            let again = passing && request != (0, 0) && begun.elapsed() < patience;
            if !again {
                environment.answered.fetch_add(1, Ordering::Relaxed);
                Planner::teach(&op, &environment.roots, &environment.replies);
                self.planner.learn(ask, &op, token);
                return Ok(());
            }
            limit = usual;
            tokio::time::sleep(pause).await;
        }
    }

    /// Makes one attempt and records its operation. Returns the operation, the token of the next
    /// page, and true if the same call may succeed later.
    async fn attempt(
        &self,
        environment: &Environment,
        server: usize,
        ask: &Ask,
        request: RequestId,
        limit: Duration,
    ) -> Result<(Op, String, bool)> {
        let channel = environment.doors.channel(server);
        let begun = environment.now();
        let told = send(channel, &ask.call, request, &ask.token, limit).await;
        let ended = environment.now();
        let (outcome, token, passing) = match told {
            Ok((outcome, token)) => (outcome, token, false),
            Err(status) => {
                let (outcome, passing) = failed(status);
                (outcome, String::new(), passing)
            }
        };
        let (client, server, call) = (self.number, server as u8, ask.call.clone());
        let op = Op { client, server, begun, ended, request, call, outcome };
        environment.recorder.op(op.clone())?;
        Ok((op, token, passing))
    }

    fn request(&self, ask: &Ask) -> Result<RequestId> {
        if let Some(again) = ask.again {
            return Ok(again);
        }
        self.fresh()
    }

    fn fresh(&self) -> Result<RequestId> {
        let id = uuid::Uuid::parse_str(&self.ids.next()).context("the SDK makes UUIDs")?;
        Ok(id.as_u64_pair())
    }
}
