//! One client of the load of comments that wait: an author, a reader and a moderator.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::RngExt;
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::FIRST_REVIEWER;
use super::call::failure;
use super::planner::{PlannedReview, ReviewPlanner};
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, Op, RequestId};
use crate::histcheck::load::{Environment, send};

/// Timeouts of one attempt of a write and of a read.
const WRITE: Duration = Duration::from_secs(3);
const READ: Duration = Duration::from_secs(2);
/// Period in which a client retries a write; longer than any fault lasts.
const RETRY_PERIOD: Duration = Duration::from_secs(60);
/// The longest pause before another attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// A client with its state.
#[derive(Debug)]
pub(crate) struct Reviewer {
    number: u32,
    planner: ReviewPlanner,
    ids: RequestIds,
}

impl Reviewer {
    /// Creates the client of this number, from 0.
    pub(crate) fn new(number: u32, seed: u64) -> Self {
        let planner = ReviewPlanner::new(number, seed);
        Self { number: FIRST_REVIEWER + number, planner, ids: RequestIds::default() }
    }

    /// Sends calls while `active` is true, until its sender is dropped, and completes the last one.
    ///
    /// # Errors
    /// Fails when the history cannot be written.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut active: watch::Receiver<bool>) -> Result<()> {
        while active.wait_for(|active| *active).await.is_ok() {
            let planned = self.planner.next(&environment.reviewed);
            self.complete(&environment, &planned).await?;
        }
        Ok(())
    }

    /// Sends a call; a write until it has a response or the period ends.
    async fn complete(&mut self, environment: &Environment, planned: &PlannedReview) -> Result<()> {
        let writes = planned.call.writes();
        let request = match planned.repeated {
            Some(repeated) => repeated,
            None if writes => self.request()?,
            None => (0, 0),
        };
        let begun = Instant::now();
        // Some attempts are cancelled in the middle of their work.
        let cancelled = self.planner.rng().random_ratio(1, 30);
        let mut limit = if cancelled {
            Duration::from_millis(10)
        } else if writes {
            WRITE
        } else {
            READ
        };
        loop {
            let server = self.planner.rng().random_range(0..SERVERS);
            let (op, retryable) = self.attempt(environment, server, planned, request, limit).await?;
            if !retryable || !writes || begun.elapsed() > RETRY_PERIOD {
                environment.completed.fetch_add(1, Ordering::Relaxed);
                self.planner.record(planned, &op, &environment.reviewed);
                return Ok(());
            }
            limit = WRITE;
            let pause = PAUSE.mul_f64(self.planner.rng().random());
            tokio::time::sleep(pause).await;
        }
    }

    /// Makes one attempt and records its operation. Returns true if the same call may succeed
    /// later.
    async fn attempt(
        &self,
        environment: &Environment,
        server: usize,
        planned: &PlannedReview,
        request: RequestId,
        limit: Duration,
    ) -> Result<(Op, bool)> {
        let call = Call::Review { subject: planned.subject, call: planned.call.clone() };
        let begun = environment.now();
        let result = send(environment.channels.ports(server), &call, request, "", limit).await;
        let ended = environment.now();
        let (outcome, retryable) = match result {
            Ok((outcome, _)) => (outcome, false),
            Err(status) => failure(status),
        };
        let op = Op { client: self.number, server: server as u8, begun, ended, request, call, outcome };
        environment.recorder.op(op.clone())?;
        Ok((op, retryable))
    }

    fn request(&self) -> Result<RequestId> {
        Ok(uuid::Uuid::parse_str(&self.ids.next()).context("the SDK makes UUIDs")?.as_u64_pair())
    }
}
