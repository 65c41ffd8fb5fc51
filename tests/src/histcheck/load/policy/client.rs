//! One client of the load of comments that the policy judges.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::POLICY_CLIENTS;
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{
    Call, Op, Outcome, PolicyCall, PolicyResponse, RequestId, SetStanding, StandingEnd, WORD_COUNT, word_list,
};
use crate::histcheck::load::{Environment, failure_outcome, send};
use crate::histcheck::names::{JUDGED, JUDGED_MEMBERS};

/// The client number of the first one.
pub(super) const FIRST_CLIENT: u32 = 700_000;
/// Number of subjects.
const SUBJECTS: u32 = 6;
/// Number of members of each client.
const MEMBERS: u32 = 6;
/// Timeouts of one attempt of a write and of a read.
const WRITE: Duration = Duration::from_secs(3);
const READ: Duration = Duration::from_secs(2);
/// Period in which a client retries a write; longer than any fault lasts.
pub(super) const RETRY_PERIOD: Duration = Duration::from_secs(60);
/// The longest pause before another attempt.
const PAUSE: Duration = Duration::from_millis(100);
/// The shortest time between two versions of the word list, and the longest time that it grows by.
const LIST_PERIOD: Duration = Duration::from_secs(12);
const LIST_VARIATION: Duration = Duration::from_secs(12);
/// The same for the standings that a client sets. A standing lasts for a while, so that it is in
/// force at all servers.
const STANDING_PERIOD: Duration = Duration::from_secs(5);
const STANDING_VARIATION: Duration = Duration::from_secs(5);
/// The shortest time for which a standing with an end lasts, and the longest time that it grows by.
const SHORTEST: Duration = Duration::from_secs(3);
const MORE: Duration = Duration::from_secs(5);
/// The number of acknowledged creates that a client may repeat.
const REPEATABLE: usize = 400;

/// A comment of the run: its subject, its id and its author.
pub(crate) type JudgedComment = (u32, i64, u32);

/// The comments that were written, and the file of the word list.
#[derive(Debug)]
pub(crate) struct JudgedComments {
    comments: Mutex<Vec<JudgedComment>>,
    list: PathBuf,
}

impl JudgedComments {
    /// Creates an empty collection, with the file of the word list.
    pub(crate) fn new(list: PathBuf) -> Self {
        Self { comments: Mutex::default(), list }
    }

    /// Returns all comments.
    pub(crate) fn all(&self) -> Vec<JudgedComment> {
        self.comments.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, comment: JudgedComment) {
        self.comments.lock().unwrap_or_else(PoisonError::into_inner).push(comment);
    }

    fn any(&self, rng: &mut StdRng) -> Option<JudgedComment> {
        let comments = self.comments.lock().unwrap_or_else(PoisonError::into_inner);
        if comments.is_empty() {
            return None;
        }
        // Most reads are of comments that were written a short time ago.
        let first = if rng.random_ratio(3, 4) { comments.len().saturating_sub(30) } else { 0 };
        Some(comments[rng.random_range(first..comments.len())])
    }
}

/// Writes a version of the word list to its file, at once as a whole.
///
/// # Errors
/// Fails when the file cannot be written.
pub(crate) fn write_list(file: &Path, version: u32) -> Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, word_list(version)).with_context(|| new.display().to_string())?;
    std::fs::rename(&new, file).with_context(|| file.display().to_string())
}

/// A client with its state.
#[derive(Debug)]
pub(crate) struct PolicyClient {
    number: u32,
    rng: StdRng,
    ids: RequestIds,
    texts: u64,
    /// Acknowledged creates with their request ids.
    written: Vec<(Call, RequestId)>,
    /// The time and the number of the next version of the list, for the client that changes it.
    next_list: Option<(Instant, u32)>,
    next_standing: Instant,
}

impl PolicyClient {
    /// Creates the client of this number, from 0. The first one changes the word list.
    pub(crate) fn new(number: u32, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ u64::from(number + 773).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let next_list = (number == 0).then(|| (Instant::now() + LIST_PERIOD, 1));
        let (ids, written, next_standing) = (RequestIds::default(), Vec::new(), Instant::now() + STANDING_PERIOD);
        Self { number, rng, ids, texts: 0, written, next_list, next_standing }
    }

    /// Returns all clients.
    pub(crate) fn all(seed: u64) -> impl Iterator<Item = Self> {
        (0..POLICY_CLIENTS).map(move |number| Self::new(number, seed))
    }

    /// Sends calls while `active` is true, until its sender is dropped, and completes the last one.
    ///
    /// # Errors
    /// Fails when the history or the word list cannot be written.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut active: watch::Receiver<bool>) -> Result<()> {
        while active.wait_for(|active| *active).await.is_ok() {
            self.change_list(&environment)?;
            let (call, request) = self.next(&environment)?;
            let is_new = !self.written.iter().any(|(_, written)| *written == request);
            let op = complete(&environment, (self.number, &mut self.rng), (call, request), RETRY_PERIOD).await?;
            environment.completed.fetch_add(1, Ordering::Relaxed);
            if is_new {
                self.record(&environment, op);
            }
        }
        Ok(())
    }

    /// Puts the next version of the word list in place, if it is time.
    fn change_list(&mut self, environment: &Environment) -> Result<()> {
        let Some((at, version)) = self.next_list.filter(|(at, _)| *at <= Instant::now()) else { return Ok(()) };
        let begun = environment.now();
        write_list(&environment.judged.list, version)?;
        let call = Call::Policy { subject: JUDGED, call: PolicyCall::SetList { version } };
        let outcome = Outcome::Policy(PolicyResponse::Set);
        let (client, ended) = (FIRST_CLIENT, environment.now());
        environment.recorder.op(Op { client, server: 0, begun, ended, request: (0, 0), call, outcome })?;
        let until = at.max(Instant::now()) + LIST_PERIOD + LIST_VARIATION.mul_f64(self.rng.random());
        self.next_list = Some((until, version + 1));
        Ok(())
    }

    /// Returns the next call, with its request id.
    fn next(&mut self, environment: &Environment) -> Result<(Call, RequestId)> {
        let member = JUDGED_MEMBERS + self.number * MEMBERS + self.rng.random_range(0..MEMBERS);
        let subject = JUDGED + self.rng.random_range(0..SUBJECTS);
        let known = environment.judged.any(&mut self.rng);
        let sets_standing = self.next_standing <= Instant::now();
        let (subject, call) = match (self.rng.random_range(0..100), known) {
            _now if sets_standing => {
                self.next_standing = Instant::now() + STANDING_PERIOD + STANDING_VARIATION.mul_f64(self.rng.random());
                let standing = self.standing();
                let end = self.rng.random_ratio(1, 2).then(|| self.end(environment));
                (subject, PolicyCall::SetStanding { member, standing, end })
            }
            (0..20, _) if !self.written.is_empty() => {
                return Ok(self.written[self.rng.random_range(0..self.written.len())].clone());
            }
            (20..48, Some((subject, comment, author))) => {
                (subject, PolicyCall::Get { comment, author, by_author: self.rng.random_ratio(1, 3) })
            }
            _create => {
                self.texts += 1;
                // No other client has texts of these numbers.
                let text = text_of(self.number, self.texts);
                (subject, PolicyCall::Create { member, text, word: self.rng.random_range(0..WORD_COUNT) })
            }
        };
        let request = if call.writes() { new_request(&self.ids)? } else { (0, 0) };
        Ok((Call::Policy { subject, call }, request))
    }

    /// Returns a standing, in half of the cases the one without effect.
    fn standing(&mut self) -> SetStanding {
        if self.rng.random_ratio(1, 2) {
            SetStanding::Normal
        } else {
            SetStanding::ALL[self.rng.random_range(1..SetStanding::ALL.len())]
        }
    }

    /// Returns an end of a standing that begins now.
    #[expect(clippy::disallowed_methods, reason = "a standing ends by the wall clock")]
    fn end(&mut self, environment: &Environment) -> StandingEnd {
        let lasts = SHORTEST + MORE.mul_f64(self.rng.random());
        let until = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + lasts;
        StandingEnd { at: environment.now() + lasts.as_nanos() as u64, unix_ms: until.as_millis() as i64 }
    }

    /// Keeps a create that was acknowledged.
    fn record(&mut self, environment: &Environment, op: Op) {
        let Outcome::Policy(PolicyResponse::Written(written)) = op.outcome else { return };
        let Call::Policy { subject, call: PolicyCall::Create { member, .. } } = op.call else { return };
        environment.judged.add((subject, written.id, member));
        if self.written.len() == REPEATABLE {
            let at = self.rng.random_range(0..REPEATABLE);
            self.written.swap_remove(at);
        }
        self.written.push((op.call, op.request));
    }
}

/// Returns the number of a text of a client, which no other one has.
pub(super) fn text_of(client: u32, number: u64) -> u64 {
    1 << 60 | u64::from(client + 1) << 48 | number
}

/// Returns a new id of a request.
///
/// # Errors
/// Fails when the SDK makes an id of another form.
pub(super) fn new_request(ids: &RequestIds) -> Result<RequestId> {
    Ok(uuid::Uuid::parse_str(&ids.next()).context("the SDK makes UUIDs")?.as_u64_pair())
}

/// Sends a call of a client; a write until it has a response or the period ends. Returns the last
/// attempt.
///
/// # Errors
/// Fails when the history cannot be written.
pub(super) async fn complete(
    environment: &Environment,
    (client, rng): (u32, &mut StdRng),
    (call, request): (Call, RequestId),
    period: Duration,
) -> Result<Op> {
    let writes = request != (0, 0);
    let (begun, limit) = (Instant::now(), if writes { WRITE } else { READ });
    loop {
        let server = rng.random_range(0..SERVERS);
        let sent = environment.now();
        let result = send(environment.channels.ports(server), &call, request, "", limit).await;
        let ended = environment.now();
        let (outcome, retryable) = match result {
            Ok((outcome, _)) => (outcome, false),
            Err(status) => failure_outcome(status),
        };
        let (client, server, call) = (FIRST_CLIENT + client, server as u8, call.clone());
        let op = Op { client, server, begun: sent, ended, request, call, outcome };
        environment.recorder.op(op.clone())?;
        if !retryable || !writes || begun.elapsed() >= period {
            return Ok(op);
        }
        tokio::time::sleep(PAUSE.mul_f64(rng.random())).await;
    }
}
