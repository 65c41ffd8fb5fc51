//! Brings an event consumer up to date, event by event: at least once, and idempotent.

use std::time::Duration;

use riposte_core::Result;
use riposte_core::event::{SequencedEvent, commits};
use riposte_core::ports::{Epoch, Projection};
use riposte_sync::BackoffLog;
use tokio::sync::watch;

use super::RelayPorts;
use crate::write::notifier::{CALM, Notified, Notifier, OURS, SLOW};

/// The number of commits whose events are applied at a time. Each may name hundreds of comments.
const CHUNK: usize = 50;

/// One event consumer of one source.
#[derive(Debug)]
pub(super) struct Projector {
    ports: RelayPorts,
    bells: Notifier,
    source: usize,
    projection: Projection,
}

impl Projector {
    pub(super) fn new(ports: RelayPorts, bells: Notifier, source: usize, projection: Projection) -> Self {
        Self { ports, bells, source, projection }
    }

    /// Applies sequenced events while this process holds the lease, forever.
    pub(super) async fn run(self, mut term: watch::Receiver<Option<Epoch>>, mut numbers: Notified) {
        let mut trouble = BackoffLog::of(trouble(self.projection), self.source);
        // The consumer's position; `None` when another process may have moved it.
        let mut at: Option<i64> = None;
        loop {
            let led = term.wait_for(Option::is_some).await.ok().and_then(|term| *term);
            // The leader has ended, so no epoch can follow.
            let Some(epoch) = led else { return };
            match self.turn(epoch, &mut at).await {
                Ok(more) => {
                    trouble.over();
                    if !more {
                        // The lease holder assigns the sequence numbers, and that is this process.
                        numbers.rest(pace(self.projection), OURS).await;
                    }
                }
                Err(error) => {
                    at = None;
                    tokio::time::sleep(trouble.met(&error)).await;
                }
            }
        }
    }

    /// Applies some events. Returns true if more may be available.
    async fn turn(&self, epoch: Epoch, at: &mut Option<i64>) -> Result<bool> {
        let outbox = &self.ports.outbox;
        let from = match *at {
            Some(at) => at,
            None => outbox.position(self.source, self.projection).await?,
        };
        *at = Some(from);
        let events = outbox.read(self.source, from, CHUNK).await?;
        let Some(last) = events.last() else { return Ok(false) };
        let (to, full) = (last.number, commits(&events) == CHUNK);
        self.apply(&events).await?;
        // The position covers only events that are surely applied. Until it is written, another
        // leader applies the same events again.
        let advanced = outbox.advance(self.source, epoch, self.projection, from, to).await?;
        *at = advanced.then_some(to);
        if self.projection == Projection::Boards {
            self.bells.ranked(self.source);
        }
        Ok(full && advanced)
    }

    async fn apply(&self, events: &[SequencedEvent]) -> Result<()> {
        match self.projection {
            Projection::History => self.ports.histories.apply(self.source, events).await,
            Projection::Boards => self.ports.boards.apply(self.source, events).await,
        }
    }
}

/// Returns the minimum interval between runs. A vote moves two or three rows of the rank index; if
/// a comment receives many votes within an interval, these rows move once.
const fn pace(projection: Projection) -> Duration {
    match projection {
        Projection::History => CALM,
        Projection::Boards => SLOW,
    }
}

/// Returns the name of the consumer in log messages.
const fn trouble(projection: Projection) -> &'static str {
    match projection {
        Projection::History => "event consumer member_history",
        Projection::Boards => "event consumer rank_index",
    }
}
