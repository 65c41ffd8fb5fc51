//! One client: sends one call after the other until it is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::call::Ask;
use super::fleet::Doors;
use super::ground::Ground;
use super::history::Op;
use super::planner::Planner;

/// Period in which a client repeats the same call; longer than any kill takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// State shared by all clients of a run.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) doors: Arc<Doors>,
    pub(super) ground: Ground,
    pub(super) start: Instant,
    /// Number of operations acknowledged so far.
    pub(super) acknowledged: AtomicU64,
}

/// A client with its state.
#[derive(Debug)]
pub(super) struct Worker {
    client: usize,
    planner: Planner,
    ids: RequestIds,
}

impl Worker {
    pub(super) fn new(client: usize, seed: u64) -> Self {
        Self { client, planner: Planner::new(client, seed), ids: RequestIds::default() }
    }

    /// Works until `stop` is set, and completes the last operation. Returns itself and its
    /// operations.
    pub(super) async fn run(mut self, stage: Arc<Stage>, stop: watch::Receiver<bool>) -> (Self, Vec<Op>) {
        let mut history = Vec::new();
        while !*stop.borrow() {
            let act = self.planner.next(&stage.ground);
            let rng = self.planner.rng();
            let hurry = rng.random_ratio(1, 20).then(|| Duration::from_millis(rng.random_range(1..40)));
            // Some clients never repeat a call; its result may then stay unknown.
            let patience = if rng.random_ratio(1, 10) { Duration::ZERO } else { PATIENCE };
            let ask = Ask { client: self.client, act, request_id: self.ids.next(), door: None, hurry, patience };
            let op = ask.run(&stage.doors, stage.start).await;
            if op.answer().is_some() {
                stage.acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            stage.ground.learn(&op);
            self.planner.learn(&op);
            history.push(op);
        }
        (self, history)
    }
}
