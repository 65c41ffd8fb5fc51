//! Notifications between the tasks from a commit to a watcher, and the last observed state of each
//! outbox. A task that misses a notification finds its work in the next observation.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::outbox_observation::OutboxObservation;

/// The minimum interval between runs of tasks that watchers wait for. Events that arrive within it
/// are handled together.
pub(super) const POLL_MIN: Duration = Duration::from_millis(50);

/// The notification channels of all data sources. Cloning is cheap, and clones share the channels.
#[derive(Debug, Clone)]
pub struct Notifier {
    committed: Arc<[watch::Sender<()>]>,
    sequenced: Arc<[watch::Sender<()>]>,
    observed: Arc<[watch::Sender<Option<OutboxObservation>>]>,
}

/// A subscription to one channel.
#[derive(Debug)]
pub(super) struct Notified(watch::Receiver<()>);

impl Notifier {
    /// Creates the channels of `sources` data sources.
    #[must_use]
    pub fn new(sources: usize) -> Self {
        let channels = || (0..sources).map(|_| watch::Sender::new(())).collect();
        let observed = (0..sources).map(|_| watch::Sender::new(None)).collect();
        Self { committed: channels(), sequenced: channels(), observed }
    }

    /// Reports that a batch was committed to a source.
    pub(super) fn committed(&self, source: usize) {
        self.committed.get(source).into_iter().for_each(notify);
    }

    /// Reports that events of a source received sequence numbers.
    pub(super) fn sequenced(&self, source: usize) {
        self.sequenced.get(source).into_iter().for_each(notify);
    }

    /// Passes on the state that a poll of a source's outbox found.
    pub(super) fn observed(&self, source: usize, observation: OutboxObservation) {
        if let Some(channel) = self.observed.get(source) {
            channel.send_replace(Some(observation));
        }
    }

    /// Subscribes to the observed states of a source's outbox, which is numbered from 0. The value
    /// is `None` before the first poll.
    #[must_use]
    pub fn observations(&self, source: usize) -> watch::Receiver<Option<OutboxObservation>> {
        // A subscription without a channel never receives a state.
        self.observed.get(source).map_or_else(|| watch::Sender::new(None).subscribe(), watch::Sender::subscribe)
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
    /// Waits until a notification has arrived since the last wait or call.
    pub(super) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    fn of(channels: &[watch::Sender<()>], source: usize) -> Self {
        // A subscription without a channel receives no notification.
        Self(channels.get(source).map_or_else(|| watch::Sender::new(()).subscribe(), watch::Sender::subscribe))
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::{Notified, Notifier};

    fn is_notified(notified: &mut Notified) -> bool {
        notified.changed().now_or_never().is_some()
    }

    #[tokio::test]
    async fn a_notification_reaches_only_its_own_channel_once_even_if_it_came_before_the_wait() {
        let notifier = Notifier::new(2);
        let (mut commits, mut numbers, mut other) = (notifier.commits(0), notifier.numbers(0), notifier.numbers(1));
        notifier.committed(0);
        assert_eq!([&mut commits, &mut numbers, &mut other].map(is_notified), [true, false, false]);
        notifier.sequenced(0);
        assert_eq!([&mut commits, &mut numbers, &mut other].map(is_notified), [false, true, false]);
        assert!(!is_notified(&mut numbers));
        notifier.sequenced(7);
        assert!(!is_notified(&mut notifier.numbers(7)));
    }
}
