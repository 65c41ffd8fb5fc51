//! One client, which sends one call after the other until it is stopped. A read, or a like by
//! another member, may run concurrently with a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::RngExt;
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::known_comments::KnownComments;
use super::planner::{PlannedCall, Planner};
use super::{JudgedComments, OwnedSubjects, ReviewedComments, SUBJECTS, failure_outcome, send};
use crate::histcheck::fleet::{SERVERS, ServerChannels};
use crate::histcheck::history::{Call, Nanos, Op, Recorder, RequestId};

/// Timeout of one attempt of a write.
const WRITE: Duration = Duration::from_secs(3);
/// Timeout of one attempt of a read; shorter, because no work is lost.
const READ: Duration = Duration::from_secs(1);
/// Period in which a client retries a call; longer than any fault lasts.
const RETRY_PERIOD: Duration = Duration::from_secs(30);
/// Longest delay of a concurrent read after its call. Many reads then run in the middle of the
/// commit.
const CONCURRENT_READ_DELAY: Duration = Duration::from_millis(50);
/// Longest delay of a concurrent like after the first like. Over a slow proxy the delay may end
/// before the first like is committed, or before its cache update has arrived.
const CONCURRENT_LIKE_DELAY: Duration = Duration::from_millis(250);
/// The longest pause before another attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// Acknowledged requests: the calls and their ids.
pub(crate) type Acknowledged = Vec<(Call, RequestId)>;

/// State shared by all clients of a run.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) channels: Arc<ServerChannels>,
    pub(crate) roots: KnownComments,
    pub(crate) replies: KnownComments,
    /// The comments that wait for review, or waited.
    pub(crate) reviewed: ReviewedComments,
    /// The subjects with an owner.
    pub(crate) owned: OwnedSubjects,
    /// The comments that the policy judged.
    pub(crate) judged: JudgedComments,
    pub(crate) recorder: Recorder,
    pub(crate) start: Instant,
    /// Number of calls that clients have completed.
    pub(crate) completed: AtomicU64,
    /// Number of calls that were cancelled on purpose.
    pub(crate) cancelled: AtomicU64,
}

impl Environment {
    pub(crate) fn new(channels: Arc<ServerChannels>, recorder: Recorder, judged: JudgedComments) -> Self {
        let (completed, cancelled) = (AtomicU64::new(0), AtomicU64::new(0));
        let (roots, replies) = (KnownComments::new(SUBJECTS), KnownComments::new(SUBJECTS));
        let (reviewed, owned) = (ReviewedComments::default(), OwnedSubjects::default());
        let start = Instant::now();
        Self { channels, roots, replies, reviewed, owned, judged, recorder, start, completed, cancelled }
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

    /// Sends calls while `active` is true, until its sender is dropped, and completes the last one.
    /// Returns acknowledged requests that may be repeated.
    ///
    /// # Errors
    /// Fails when the history cannot be written.
    pub(crate) async fn run(
        mut self,
        environment: Arc<Environment>,
        mut active: watch::Receiver<bool>,
    ) -> Result<Acknowledged> {
        while active.wait_for(|active| *active).await.is_ok() {
            let planned = self.planner.next(&environment.roots, &environment.replies, environment.now());
            self.complete(&environment, planned).await?;
        }
        Ok(self.planner.acknowledged())
    }

    /// Retries a call until it has a result or the period ends. Some calls, chosen at random, are
    /// not retried.
    async fn complete(&mut self, environment: &Environment, planned: PlannedCall) -> Result<()> {
        let request = if planned.call.view().is_some() { (0, 0) } else { self.request(&planned)? };
        // Real callers cancel some calls in the middle of their work, and never retry some. So does
        // this client.
        let one_in = if matches!(planned.call, Call::Like { .. }) { 6 } else { 30 };
        let rng = self.planner.rng();
        let cancel_after = rng.random_ratio(1, one_in).then(|| Duration::from_micros(rng.random_range(500..40_000)));
        let retry_period = if rng.random_ratio(1, 10) { Duration::ZERO } else { RETRY_PERIOD };
        let timeout = if planned.call.view().is_some() { READ } else { WRITE };
        let mut limit = cancel_after.unwrap_or(timeout);
        environment.cancelled.fetch_add(u64::from(cancel_after.is_some()), Ordering::Relaxed);
        let mut concurrent_like = planned
            .concurrent_like
            .clone()
            .map(|call| anyhow::Ok((self.new_request()?, PlannedCall::of(call))))
            .transpose()?;
        let begun = Instant::now();
        loop {
            let concurrent_read = self.planner.concurrent_read(&planned.call);
            let rng = self.planner.rng();
            let [server, other_server] = [(); 2].map(|()| rng.random_range(0..SERVERS));
            let server = planned.server.unwrap_or(server);
            let (read_delay, like_delay) =
                (CONCURRENT_READ_DELAY.mul_f64(rng.random()), CONCURRENT_LIKE_DELAY.mul_f64(rng.random()));
            let pause = PAUSE.mul_f64(rng.random());
            let read = async {
                let Some(read) = concurrent_read else { return Ok(None) };
                tokio::time::sleep(read_delay).await;
                self.attempt(environment, other_server, &read, (0, 0), READ).await.map(Some)
            };
            // The concurrent like is sent only once, whatever its result.
            let second = concurrent_like.take();
            let like = async {
                let Some((request, like)) = second else { return Ok(None) };
                tokio::time::sleep(like_delay).await;
                self.attempt(environment, (server + 1) % SERVERS, &like, request, WRITE).await.map(Some)
            };
            let call = self.attempt(environment, server, &planned, request, limit);
            let ((op, token, retryable), _, like) = tokio::try_join!(call, read, like)?;
            if let Some((like, ..)) = like {
                self.planner.record_like(&like);
            }
            let retry = retryable && request != (0, 0) && begun.elapsed() < retry_period;
            if !retry {
                environment.completed.fetch_add(1, Ordering::Relaxed);
                Planner::publish(&op, &environment.roots, &environment.replies);
                self.planner.record(planned, &op, token);
                return Ok(());
            }
            limit = timeout;
            tokio::time::sleep(pause).await;
        }
    }

    /// Makes one attempt and records its operation. Returns the operation, the token of the next
    /// page, and true if the same call may succeed later.
    async fn attempt(
        &self,
        environment: &Environment,
        server: usize,
        planned: &PlannedCall,
        request: RequestId,
        limit: Duration,
    ) -> Result<(Op, String, bool)> {
        let ports = environment.channels.ports(server);
        let begun = environment.now();
        let result = send(ports, &planned.call, request, &planned.token, limit).await;
        let ended = environment.now();
        let (outcome, token, retryable) = match result {
            Ok((outcome, token)) => (outcome, token, false),
            Err(status) => {
                let (outcome, retryable) = failure_outcome(status);
                (outcome, String::new(), retryable)
            }
        };
        let (client, server, call) = (self.number, server as u8, planned.call.clone());
        let op = Op { client, server, begun, ended, request, call, outcome };
        environment.recorder.op(op.clone())?;
        Ok((op, token, retryable))
    }

    fn request(&self, planned: &PlannedCall) -> Result<RequestId> {
        if let Some(repeated) = planned.repeated {
            return Ok(repeated);
        }
        self.new_request()
    }

    fn new_request(&self) -> Result<RequestId> {
        let id = uuid::Uuid::parse_str(&self.ids.next()).context("the SDK makes UUIDs")?;
        Ok(id.as_u64_pair())
    }
}
