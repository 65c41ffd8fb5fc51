//! Who wakes whom between a commit and a watcher: without them everything still happens, a tenth of a second later.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// A turn begins at most this often, however much is going on: what comes meanwhile is done together. What watchers wait
/// for is quick.
pub(super) const QUICK: Duration = Duration::from_millis(50);
/// What nobody waits for is done in fewer and larger pieces: each costs a commit of its own.
pub(super) const CALM: Duration = Duration::from_millis(250);
/// What is done again with each change of a row waits for more of them. Nobody sees the difference: rankings are frozen for
/// longer.
pub(super) const SLOW: Duration = Duration::from_millis(500);
/// A turn begins at least this often where other processes do what it waits for, and ring no bell here.
pub(super) const OTHERS: Duration = Duration::from_millis(100);
/// A turn begins at least this often where this process does all that it waits for.
pub(super) const OURS: Duration = Duration::from_secs(1);

/// The bells of all data sources. Cloning is cheap, and clones are the same bells.
#[derive(Debug, Clone)]
pub struct Notifier {
    committed: Arc<[watch::Sender<()>]>,
    sequenced: Arc<[watch::Sender<()>]>,
    ranked: Arc<[watch::Sender<()>]>,
}

/// Hears one bell.
#[derive(Debug)]
pub(super) struct Notified(watch::Receiver<()>);

impl Notifier {
    /// Silent bells for so many sources.
    #[must_use]
    pub fn new(sources: usize) -> Self {
        let bells = || (0..sources).map(|_| watch::Sender::new(())).collect();
        Self { committed: bells(), sequenced: bells(), ranked: bells() }
    }

    /// A batch was committed to a source.
    pub(super) fn committed(&self, source: usize) {
        self.committed.get(source).into_iter().for_each(ring);
    }

    /// Events of a source were numbered.
    pub(super) fn sequenced(&self, source: usize) {
        self.sequenced.get(source).into_iter().for_each(ring);
    }

    /// The boards of a source hold what was numbered.
    pub(super) fn ranked(&self, source: usize) {
        self.ranked.get(source).into_iter().for_each(ring);
    }

    /// Hears the commits of a source, from 0 on.
    pub(super) fn commits(&self, source: usize) -> Notified {
        Notified::of(&self.committed, source)
    }

    /// Hears the numbers of a source, from 0 on.
    pub(super) fn numbers(&self, source: usize) -> Notified {
        Notified::of(&self.sequenced, source)
    }

    /// Hears the boards of a source, from 0 on.
    pub(super) fn boards(&self, source: usize) -> Notified {
        Notified::of(&self.ranked, source)
    }
}

fn ring(bell: &watch::Sender<()>) {
    bell.send_replace(());
}

impl Notified {
    fn of(bells: &[watch::Sender<()>], source: usize) -> Self {
        // An ear without a bell hears nothing and still wakes when it is time.
        Self(bells.get(source).map_or_else(|| watch::Sender::new(()).subscribe(), watch::Sender::subscribe))
    }

    /// Rests between two turns: for `pace`, then until the bell has rung since the last rest, `longest` at most.
    pub(super) async fn rest(&mut self, pace: Duration, longest: Duration) {
        sleep(pace).await;
        let rung = async {
            if self.0.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let _ = timeout(longest.saturating_sub(pace), rung).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{Notified, Notifier, OTHERS, QUICK};

    /// Whether the rest of the first is over before that of the second.
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
