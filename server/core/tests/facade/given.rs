//! The ports that a test determines: ids, the time, and the ranking snapshot of a list.

use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use riposte_conformance::model::Model;
use riposte_core::ids::{IdGenerator, IdLease, IdTick};
use riposte_core::page::ListOrder;
use riposte_core::ports::{Clock, IdSource, Rankings};
use riposte_core::rank::{RankedList, Ranking};
use riposte_core::{CommentId, Error, Millis, Partition, Result};

/// A clock that stands still until it is set.
#[derive(Debug, Default)]
pub(crate) struct GivenClock(AtomicI64);

impl GivenClock {
    pub(crate) fn set(&self, now: i64) {
        self.0.store(now, Ordering::Relaxed);
    }
}

impl Clock for GivenClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::Relaxed))
    }
}

/// Ids that ascend in the order in which they are requested, whatever their partition.
#[derive(Debug, Default)]
pub(crate) struct GivenIds(AtomicI64);

#[async_trait]
impl IdSource for GivenIds {
    async fn comment(&self, partition: Partition) -> Result<CommentId> {
        let tick = IdTick(1 + self.0.fetch_add(1, Ordering::Relaxed));
        let lease = IdLease { worker: 0, from: tick, until: IdTick::MAX };
        IdGenerator::new(lease).mint(partition, tick).map_err(|_| Error::internal("ids do not run out"))
    }

    fn request(&self) -> [u8; 16] {
        (u128::MAX - self.0.fetch_add(1, Ordering::Relaxed) as u128).to_be_bytes()
    }
}

/// The ranking snapshot of every walk, and its bound; no list has one until a test gives it. The
/// rest of a list comes from the oracle.
#[derive(Debug)]
pub(crate) struct GivenRanking {
    model: Arc<Model>,
    given: Mutex<Option<(Ranking, i32)>>,
}

impl GivenRanking {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        Self { model, given: Mutex::default() }
    }

    /// Sets the ranking snapshot and the bound of walks that begin from now on.
    pub(crate) fn set(&self, ranking: Ranking, bound: i32) {
        *self.given.lock().expect("no test panics with it") = Some((ranking, bound));
    }
}

#[async_trait]
impl Rankings for GivenRanking {
    async fn current(&self, _: &RankedList, _: Millis) -> Result<Option<(Ranking, i32)>> {
        Ok(self.given.lock().expect("no test panics with it").clone())
    }

    async fn frozen(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        let last = self.current(list, Millis(0)).await?;
        Ok(last.map(|(ranking, _)| ranking).filter(|ranking| ranking.epoch == epoch))
    }

    async fn others(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        self.model.others(list, ranking, floors, order, limit).await
    }

    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize> {
        self.model.trim(source, before, limit).await
    }
}
