//! One client of the load of subjects with an owner.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::RngExt;
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::planner::OwnedPlanner;
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, Op};
use crate::histcheck::load::{Environment, failure_outcome, send};

/// The client number of the first one.
const FIRST_OWNER: u32 = 500_000;
/// Timeouts of one attempt of a write and of a read.
const WRITE: Duration = Duration::from_secs(3);
const READ: Duration = Duration::from_secs(2);
/// Period in which a client retries a write; longer than any fault lasts.
const RETRY_PERIOD: Duration = Duration::from_secs(60);
/// The longest pause before another attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// A client with its state.
#[derive(Debug)]
pub(crate) struct OwnerClient {
    number: u32,
    planner: OwnedPlanner,
    ids: RequestIds,
}

impl OwnerClient {
    /// Creates the client of this number, from 0.
    pub(crate) fn new(number: u32, seed: u64) -> Self {
        let planner = OwnedPlanner::new(number, seed);
        Self { number: FIRST_OWNER + number, planner, ids: RequestIds::default() }
    }

    /// Sends calls while `active` is true, until its sender is dropped, and completes the last one.
    ///
    /// # Errors
    /// Fails when the history cannot be written.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut active: watch::Receiver<bool>) -> Result<()> {
        while active.wait_for(|active| *active).await.is_ok() {
            let (subject, owned) = self.planner.next(&environment.owned);
            let op = self.complete(&environment, Call::Owned { subject, call: owned }).await?;
            environment.completed.fetch_add(1, Ordering::Relaxed);
            OwnedPlanner::record(&op, (subject, owned), &environment.owned);
        }
        Ok(())
    }

    /// Sends a call; a write until it has a response or the period ends. Returns the last attempt.
    async fn complete(&mut self, environment: &Environment, call: Call) -> Result<Op> {
        let writes = call.view().is_none();
        let request = if writes {
            uuid::Uuid::parse_str(&self.ids.next()).context("the SDK makes UUIDs")?.as_u64_pair()
        } else {
            (0, 0)
        };
        let (begun, limit) = (Instant::now(), if writes { WRITE } else { READ });
        loop {
            let server = self.planner.rng().random_range(0..SERVERS);
            let sent = environment.now();
            let result = send(environment.channels.ports(server), &call, request, "", limit).await;
            let ended = environment.now();
            let (outcome, retryable) = match result {
                Ok((outcome, _)) => (outcome, false),
                Err(status) => failure_outcome(status),
            };
            let (client, server, call) = (self.number, server as u8, call.clone());
            let op = Op { client, server, begun: sent, ended, request, call, outcome };
            environment.recorder.op(op.clone())?;
            if !retryable || !writes || begun.elapsed() > RETRY_PERIOD {
                return Ok(op);
            }
            let pause = PAUSE.mul_f64(self.planner.rng().random());
            tokio::time::sleep(pause).await;
        }
    }
}
