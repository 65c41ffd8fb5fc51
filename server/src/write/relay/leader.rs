//! Whoever leads a source numbers its events.

use std::time::Duration;

use riposte_core::ports::{Epoch, LeaseCandidate};
use riposte_core::rank::KEPT;
use riposte_core::{Millis, Result};
use tokio::time::Instant;

use super::{LeaderTerm, RelayPorts, lag};
use crate::write::backoff_log::BackoffLog;
use crate::write::notifier::{Notifier, OTHERS, QUICK};

/// How often the lead is taken or kept, and lag is measured.
const KEEP: Duration = Duration::from_secs(1);
/// Commits that are numbered in one transaction.
const CHUNK: usize = 200;
/// How often old events are looked for.
const SWEEP: Duration = Duration::from_secs(60);
/// How long events are kept.
const KEPT_MILLIS: i64 = 24 * 60 * 60 * 1_000;
/// Old commits whose events, and old rankings that are deleted in one transaction, and the most transactions of one sweep.
const SWEPT: (usize, usize) = (50, 400);

/// The numbering of one source.
#[derive(Debug)]
pub(super) struct Leader {
    ports: RelayPorts,
    bells: Notifier,
    source: usize,
    me: LeaseCandidate,
    /// When the lead was last asked for; `None` when it is to be asked for at once.
    asked: Option<Instant>,
    swept: Instant,
}

impl Leader {
    pub(super) fn new(ports: RelayPorts, bells: Notifier, source: usize) -> Self {
        let me =
            if ports.copies.are_shared() { LeaseCandidate::mending } else { LeaseCandidate::yielding }(rand::random());
        Self { ports, bells, source, me, asked: None, swept: Instant::now() }
    }

    /// Leads whenever it may, for ever. Who leads is told to the projectors by `term`.
    pub(super) async fn run(&mut self, term: &LeaderTerm) {
        let mut trouble = BackoffLog::of("relay", self.source);
        let mut commits = self.bells.commits(self.source);
        loop {
            match self.turn(term).await {
                Ok(()) => {
                    trouble.over();
                    if term.borrow().is_some() {
                        commits.rest(QUICK, OTHERS).await
                    } else {
                        tokio::time::sleep(KEEP).await
                    }
                }
                Err(error) => {
                    let rest = trouble.met(&error);
                    tokio::time::sleep(rest).await;
                }
            }
        }
    }

    async fn turn(&mut self, term: &LeaderTerm) -> Result<()> {
        if self.asked.is_none_or(|asked| asked.elapsed() >= KEEP) {
            let now = self.ports.clock.now();
            let epoch = self.ports.outbox.acquire_lease(self.source, self.me, now).await?;
            self.asked = Some(Instant::now());
            term.send_if_modified(|known| std::mem::replace(known, epoch) != epoch);
            lag::measure(&self.ports, self.source).await?;
        }
        let epoch = *term.borrow();
        let Some(epoch) = epoch else { return Ok(()) };
        let leads = self.assign_sequence(epoch).await? && self.sweep(epoch).await?;
        if !leads {
            // Another term has begun. Whether it is over again is asked at once.
            term.send_replace(None);
            self.asked = None;
        }
        Ok(())
    }

    /// Numbers what waits, for as long as the lead need not be kept; whether the term lasts.
    async fn assign_sequence(&self, epoch: Epoch) -> Result<bool> {
        let begin = Instant::now();
        loop {
            let Some(sequenced) = self.ports.outbox.assign_sequence(self.source, epoch, CHUNK).await? else {
                return Ok(false);
            };
            if sequenced > 0 {
                self.bells.sequenced(self.source);
            }
            if sequenced < CHUNK || begin.elapsed() >= KEEP {
                return Ok(true);
            }
        }
    }

    /// Deletes what is too old, now and then; whether the term lasts.
    async fn sweep(&mut self, epoch: Epoch) -> Result<bool> {
        if self.swept.elapsed() < SWEEP {
            return Ok(true);
        }
        self.swept = Instant::now();
        let before = Millis(self.ports.clock.now().0 - KEPT_MILLIS);
        let (chunk, rounds) = SWEPT;
        for _ in 0..rounds {
            let trimmed = self.ports.outbox.trim(self.source, epoch, before, chunk).await?;
            match trimmed {
                None => return Ok(false),
                Some(trimmed) if trimmed < chunk => break,
                Some(_) => {}
            }
        }
        self.sweep_rankings().await?;
        Ok(true)
    }

    /// Deletes rankings that no walk can need any more. Whoever leads does it, so that only one process does; that
    /// another one might too harms nobody.
    async fn sweep_rankings(&self) -> Result<()> {
        let kept = i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
        let before = Millis(self.ports.clock.now().0 - kept);
        let (chunk, rounds) = SWEPT;
        for _ in 0..rounds {
            if self.ports.rankings.trim(self.source, before, chunk).await? < chunk {
                break;
            }
        }
        Ok(())
    }

    /// Lets another process lead at once.
    pub(super) async fn release_lease(&self) {
        if let Err(error) = self.ports.outbox.release_lease(self.source, self.me).await {
            tracing::debug!(source = self.source + 1, %error, "the lead could not be given up; it will run out");
        }
    }
}
