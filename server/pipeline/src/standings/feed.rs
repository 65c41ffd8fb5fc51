//! Reads the standings into memory: all of them first, and then those that changed.

mod window;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use riposte_core::ports::{Clock, MemberStandings, StandingCursor, StandingSelection};
use riposte_core::standing::StandingChange;
use riposte_core::{Error, Millis, Result};
use riposte_sync::BackoffLog;
use riposte_telemetry::Metrics;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::StandingTable;
use window::LateWindow;

/// The most standings that a process loads.
const LOADED_MAX: usize = 200_000;
/// The standings of one read.
const PAGE: usize = 2_000;
/// The time between two reads. A standing is in force two seconds after it was set; the rest is for
/// the read itself.
const INTERVAL: Duration = Duration::from_millis(1_500);
const _: () = assert!(INTERVAL.as_millis() < 2_000, "a standing is in force two seconds after it was set");
/// The time by which a standing may become visible later than another one that was set after it:
/// more than the time limit of any transaction.
const LATE_MAX_MILLIS: i64 = 60_000;
/// The time between two reports of the age while a read waits.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The reason for which the standings are not in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandingLoadError {
    /// There are more than a process loads.
    TooMany,
    /// The rows could not be read.
    Failed(Error),
}

impl fmt::Display for StandingLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => write!(
                f,
                "more than {LOADED_MAX} members have a standing: set those that are not needed any more to NORMAL"
            ),
            Self::Failed(error) => write!(f, "the standings of members cannot be read: {}", error.log_text()),
        }
    }
}

/// The task that keeps the standings in memory. A clone shares its state.
#[derive(Debug, Clone)]
pub struct StandingFeed {
    rows: Arc<dyn MemberStandings>,
    table: StandingTable,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
    interval: Duration,
    progress: Arc<Mutex<Progress>>,
}

/// The progress of the reads.
#[derive(Debug)]
struct Progress {
    /// The time of the newest standing that was read.
    newest: Millis,
    /// The standings that were read, of those times at which others may still become visible.
    window: LateWindow,
    /// The last read that succeeded.
    read: Instant,
}

impl StandingFeed {
    /// Creates a feed of `table`, which is empty until [`Self::load`].
    #[must_use]
    pub fn new(rows: Arc<dyn MemberStandings>, table: StandingTable, clock: Arc<dyn Clock>, metrics: Metrics) -> Self {
        let progress =
            Arc::new(Mutex::new(Progress { newest: Millis(0), window: LateWindow::default(), read: Instant::now() }));
        Self { rows, table, clock, metrics, interval: INTERVAL, progress }
    }

    /// Reads all standings into memory.
    ///
    /// # Errors
    /// The reason for which they are not there. A later call begins anew.
    pub async fn load(&self) -> std::result::Result<(), StandingLoadError> {
        let mut after = StandingCursor::after(Millis(i64::MIN));
        let mut progress = self.progress.lock().await;
        self.table.clear();
        progress.window = LateWindow::default();
        loop {
            let page = self.rows.changes(StandingSelection::Notable, &after, PAGE).await;
            let page = page.map_err(StandingLoadError::Failed)?;
            self.table.apply(&page, self.clock.now());
            if self.table.count() > LOADED_MAX {
                return Err(StandingLoadError::TooMany);
            }
            let Some(last) = page.last() else { break };
            (progress.newest, after) = (last.changed, StandingCursor::of(last));
            if page.len() < PAGE {
                break;
            }
        }
        progress.read = Instant::now();
        self.report(progress.read);
        Ok(())
    }

    /// Reads changes until the task is ended. While the rows cannot be read, all standings stay as
    /// they are.
    pub async fn run(self) {
        let mut log = BackoffLog::new("read of the standings", 0);
        loop {
            let wait = match self.poll().await {
                Ok(()) => {
                    log.succeeded();
                    self.interval
                }
                Err(error) => log.failed(&error.log_text()).min(self.interval),
            };
            tokio::select! {
                () = sleep(wait) => {}
                () = self.table.0.set.notified() => {}
            }
        }
    }

    /// Reads the changes since the last read, and reports the age of the standings meanwhile.
    async fn poll(&self) -> Result<()> {
        let mut progress = self.progress.lock().await;
        let read = progress.read;
        let begun = Instant::now();
        let Progress { newest, window, .. } = &mut *progress;
        {
            let changes = self.changes(newest, window);
            tokio::pin!(changes);
            loop {
                self.report(read);
                tokio::select! {
                    done = &mut changes => break done?,
                    () = sleep(REPORT_INTERVAL) => {}
                }
            }
        }
        window.read_at(begun, *newest);
        progress.read = Instant::now();
        self.report(progress.read);
        Ok(())
    }

    /// Applies the changes since the standing of the time `newest`, and those before it that have
    /// become visible since.
    async fn changes(&self, newest: &mut Millis, window: &mut LateWindow) -> Result<()> {
        let before = *newest;
        let start = window.start(before, self.clock.now());
        if window.is_known() {
            self.changes_after(before, newest, window).await?;
            // A count is cheaper than the rows of many standings that were set at once.
            if self.rows.changed_between(start, before).await? == window.count_until(before) {
                return Ok(());
            }
        }
        window.clear();
        self.changes_after(start, newest, window).await
    }

    /// Applies the changes after a time.
    async fn changes_after(&self, after: Millis, newest: &mut Millis, window: &mut LateWindow) -> Result<()> {
        let mut after = StandingCursor::after(after);
        loop {
            let page: Vec<StandingChange> = self.rows.changes(StandingSelection::All, &after, PAGE).await?;
            self.table.apply(&page, self.clock.now());
            window.add(page.iter().map(|change| (self.table.key(&change.of.object_type, &change.of.member), change)));
            let Some(last) = page.last() else { return Ok(()) };
            (*newest, after) = ((*newest).max(last.changed), StandingCursor::of(last));
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }

    fn report(&self, read: Instant) {
        self.metrics.standings(self.table.count(), read.elapsed());
    }
}

#[cfg(test)]
mod tests;
