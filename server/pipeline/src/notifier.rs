//! Notifications between the tasks from a commit to a watcher. Without them everything still
//! happens, a tenth of a second later.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// The minimum interval between runs of tasks that watchers wait for. Events that arrive within it
/// are handled together.
pub(super) const QUICK: Duration = Duration::from_millis(50);
/// The maximum interval between runs where other processes cause the awaited events: they send no
/// notification to this process.
pub(super) const OTHERS: Duration = Duration::from_millis(100);
/// The maximum interval between runs where this process causes all awaited events.
pub(super) const OURS: Duration = Duration::from_secs(1);

/// The notification channels of all data sources. Cloning is cheap, and clones share the channels.
#[derive(Debug, Clone)]
pub struct Notifier {
    committed: Arc<[watch::Sender<()>]>,
    sequenced: Arc<[watch::Sender<()>]>,
}

/// A subscription to one channel.
#[derive(Debug)]
pub(super) struct Notified(watch::Receiver<()>);

impl Notifier {
    /// Creates the channels of `sources` data sources.
    #[must_use]
    pub fn new(sources: usize) -> Self {
        let bells = || (0..sources).map(|_| watch::Sender::new(())).collect();
        Self { committed: bells(), sequenced: bells() }
    }

    /// Reports that a batch was committed to a source.
    pub(super) fn committed(&self, source: usize) {
        self.committed.get(source).into_iter().for_each(ring);
    }

    /// Reports that events of a source received sequence numbers.
    pub(super) fn sequenced(&self, source: usize) {
        self.sequenced.get(source).into_iter().for_each(ring);
    }

    /// Subscribes to the commits of a source, counted from 0.
    pub(super) fn commits(&self, source: usize) -> Notified {
        Notified::of(&self.committed, source)
    }

    /// Subscribes to the sequence numbers of a source, counted from 0.
    pub(super) fn numbers(&self, source: usize) -> Notified {
        Notified::of(&self.sequenced, source)
    }
}

fn ring(bell: &watch::Sender<()>) {
    bell.send_replace(());
}

impl From<watch::Receiver<()>> for Notified {
    fn from(channel: watch::Receiver<()>) -> Self {
        Self(channel)
    }
}

impl Notified {
    /// Returns true if a notification has arrived since the last wait or call.
    pub(super) fn take(&mut self) -> bool {
        let arrived = self.0.has_changed().unwrap_or(false);
        self.0.mark_unchanged();
        arrived
    }

    /// Waits until a notification has arrived since the last wait or call.
    pub(super) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    fn of(bells: &[watch::Sender<()>], source: usize) -> Self {
        // A subscription without a channel receives no notification and still wakes at its timeout.
        Self(bells.get(source).map_or_else(|| watch::Sender::new(()).subscribe(), watch::Sender::subscribe))
    }

    /// Waits between two runs: for `pace`, then until a notification has arrived since the last
    /// wait, for at most `longest`.
    pub(super) async fn rest(&mut self, pace: Duration, longest: Duration) {
        sleep(pace).await;
        let _ = timeout(longest.saturating_sub(pace), self.changed()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{Notified, Notifier, OTHERS, QUICK};

    /// Returns true if the wait of the first ends before that of the second.
    async fn earlier(first: &mut Notified, second: &mut Notified) -> bool {
        tokio::select! {
            biased;
            () = first.rest(QUICK, OTHERS) => true,
            () = second.rest(QUICK, OTHERS) => false,
        }
    }

    #[tokio::test]
    async fn a_bell_ends_the_rest_also_when_it_rang_before_and_only_its_own() {
        let bells = Notifier::new(2);
        let (mut commits, mut numbers) = (bells.commits(0), bells.numbers(0));
        bells.committed(0);
        assert!(earlier(&mut commits, &mut numbers).await);
        bells.sequenced(0);
        assert!(earlier(&mut numbers, &mut commits).await);
        let mut other = bells.numbers(1);
        bells.sequenced(0);
        assert!(earlier(&mut numbers, &mut other).await);
        bells.numbers(7).rest(QUICK, OTHERS).await;
    }
}
