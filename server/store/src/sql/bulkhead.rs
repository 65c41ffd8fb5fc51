//! Bounds writes that wait in no write queue, so that a flood of them leaves connections to the
//! committers and places of the admission to other calls.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::{Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::pool::DataSources;

/// The part of the write connections of a data source that these writes use at a time, at least
/// one connection.
const PART: usize = 4;
/// The number of writes that wait for these connections. Further ones are refused.
const WAITING: usize = 64;
/// The time after which a write that was refused is sent again.
const RETRY: Duration = Duration::from_secs(1);

/// The bound of one kind of writes, for each data source.
#[derive(Debug)]
pub(super) struct Bulkhead(Vec<SourceBound>);

#[derive(Debug)]
struct SourceBound {
    /// One permit for each write, waiting or running.
    places: Arc<Semaphore>,
    /// One permit for each running write.
    running: Arc<Semaphore>,
}

/// The permits of a write, which it holds until it ends.
#[derive(Debug)]
pub(super) struct BulkheadPermit {
    _place: OwnedSemaphorePermit,
    _running: OwnedSemaphorePermit,
}

impl Bulkhead {
    /// Creates the bounds that fit the write pools of `sources`.
    pub(super) fn new(sources: &DataSources) -> Self {
        Self(sources.all().iter().map(|source| SourceBound::new(source.write_connections())).collect())
    }

    /// Waits until a write on a data source, counted from 0, may run.
    ///
    /// # Errors
    /// [`Error::Overloaded`] at once if too many wait already.
    pub(super) async fn enter(&self, source: usize) -> Result<BulkheadPermit> {
        let SourceBound { places, running } = &self.0[source];
        let overloaded = || Error::Overloaded { after: RETRY };
        let place = Arc::clone(places).try_acquire_owned().map_err(|_| overloaded())?;
        // The semaphore is never closed.
        let running = Arc::clone(running).acquire_owned().await.map_err(|_| overloaded())?;
        Ok(BulkheadPermit { _place: place, _running: running })
    }
}

impl SourceBound {
    fn new(connections: usize) -> Self {
        let running = (connections / PART).max(1);
        Self { places: Arc::new(Semaphore::new(running + WAITING)), running: Arc::new(Semaphore::new(running)) }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use riposte_core::Error;

    use super::{Bulkhead, RETRY, SourceBound, WAITING};

    #[test]
    fn a_quarter_of_the_connections_runs_and_a_bounded_number_waits() {
        let bulkhead = Bulkhead(vec![SourceBound::new(8), SourceBound::new(1)]);
        for (source, running) in [(0, 2), (1, 1)] {
            let mut entered: Vec<_> =
                (0..running).map(|_| bulkhead.enter(source).now_or_never().expect("free").expect("entered")).collect();
            let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(bulkhead.enter(source))).collect();
            assert!(waiting.iter_mut().all(|enter| enter.now_or_never().is_none()), "all of them wait");
            let refused = bulkhead.enter(source).now_or_never().expect("at once");
            assert_eq!(refused.err(), Some(Error::Overloaded { after: RETRY }));
            entered.pop();
            entered.push(waiting[0].as_mut().now_or_never().expect("it runs").expect("entered"));
            assert!(waiting[1].as_mut().now_or_never().is_none(), "one took the place of one");
            // Callers that no longer wait leave their places.
            drop(waiting);
            assert!(bulkhead.enter(source).now_or_never().is_none(), "it waits");
        }
    }
}
