//! Notifications between the tasks from a commit to a watcher. Without a notification a task
//! still runs, up to a second later.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// The minimum interval between runs of tasks that watchers wait for. Events that arrive within it
/// are handled together.
pub(super) const POLL_MIN: Duration = Duration::from_millis(50);
/// The maximum interval between runs where other processes cause the awaited events: they send no
/// notification to this process.
pub(super) const POLL_OTHERS: Duration = Duration::from_millis(100);
/// The maximum interval between runs where this process causes all awaited events.
pub(super) const POLL_OWN: Duration = Duration::from_secs(1);

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
        let channels = || (0..sources).map(|_| watch::Sender::new(())).collect();
        Self { committed: channels(), sequenced: channels() }
    }

    /// Reports that a batch was committed to a source.
    pub(super) fn committed(&self, source: usize) {
        self.committed.get(source).into_iter().for_each(notify);
    }

    /// Reports that events of a source received sequence numbers.
    pub(super) fn sequenced(&self, source: usize) {
        self.sequenced.get(source).into_iter().for_each(notify);
    }

    /// Subscribes to the commits of a source, which is numbered from 0.
    pub(super) fn commits(&self, source: usize) -> Notified {
        Notified::of(&self.committed, source)
    }

    /// Subscribes to the sequence numbers of a source, which is numbered from 0.
    pub(super) fn numbers(&self, source: usize) -> Notified {
        Notified::of(&self.sequenced, source)
    }
}

fn notify(channel: &watch::Sender<()>) {
    channel.send_replace(());
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

    fn of(channels: &[watch::Sender<()>], source: usize) -> Self {
        // A subscription without a channel receives no notification and still wakes at its timeout.
        Self(channels.get(source).map_or_else(|| watch::Sender::new(()).subscribe(), watch::Sender::subscribe))
    }

    /// Waits between two runs: for `min`, and then until a notification has arrived since the last
    /// wait, but not longer than `max` in all.
    pub(super) async fn wait(&mut self, min: Duration, max: Duration) {
        sleep(min).await;
        let _ = timeout(max.saturating_sub(min), self.changed()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{Notified, Notifier, POLL_MIN, POLL_OTHERS};

    /// Returns true if the wait of the first ends before that of the second.
    async fn earlier(first: &mut Notified, second: &mut Notified) -> bool {
        tokio::select! {
            biased;
            () = first.wait(POLL_MIN, POLL_OTHERS) => true,
            () = second.wait(POLL_MIN, POLL_OTHERS) => false,
        }
    }

    #[tokio::test]
    async fn a_notification_ends_only_the_wait_of_its_own_channel_even_if_it_came_before_the_wait() {
        let notifier = Notifier::new(2);
        let (mut commits, mut numbers) = (notifier.commits(0), notifier.numbers(0));
        notifier.committed(0);
        assert!(earlier(&mut commits, &mut numbers).await);
        notifier.sequenced(0);
        assert!(earlier(&mut numbers, &mut commits).await);
        let mut other = notifier.numbers(1);
        notifier.sequenced(0);
        assert!(earlier(&mut numbers, &mut other).await);
        notifier.numbers(7).wait(POLL_MIN, POLL_OTHERS).await;
    }
}
