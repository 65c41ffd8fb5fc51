//! Ports that a test controls: ids, the time, and the ranking snapshot of a list.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use riposte_conformance::model::Model;
use riposte_core::ids::{IdGenerator, IdLease, IdTick};
use riposte_core::page::ListOrder;
use riposte_core::ports::{Clock, IdSource, RankingSnapshots, Standings};
use riposte_core::rank::{RankedList, Ranking};
use riposte_core::standing::StandingInForce;
use riposte_core::{CommentId, Error, MemberId, Millis, ObjectType, Partition, Result};

/// A clock that does not move until it is set.
#[derive(Debug, Default)]
pub(crate) struct ManualClock(AtomicI64);

impl ManualClock {
    pub(crate) fn set(&self, now: i64) {
        self.0.store(now, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::Relaxed))
    }
}

/// Ids that ascend in the order in which they are requested, whatever their partition.
#[derive(Debug, Default)]
pub(crate) struct SequentialIds(AtomicI64);

#[async_trait]
impl IdSource for SequentialIds {
    async fn comment(&self, partition: Partition) -> Result<CommentId> {
        let tick = IdTick(1 + self.0.fetch_add(1, Ordering::Relaxed));
        let lease = IdLease { worker: 0, from: tick, until: IdTick::MAX };
        IdGenerator::new(lease).generate(partition, tick).map_err(|_| Error::internal("ids do not run out"))
    }

    fn request(&self) -> [u8; 16] {
        (u128::MAX - self.0.fetch_add(1, Ordering::Relaxed) as u128).to_be_bytes()
    }
}

/// Rankings with one snapshot and bound for every list, once a test has set them. The unranked
/// comments of a list come from the oracle.
#[derive(Debug)]
pub(crate) struct FixedRanking {
    model: Arc<Model>,
    snapshot: Mutex<Option<(Ranking, i32)>>,
}

impl FixedRanking {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        Self { model, snapshot: Mutex::default() }
    }

    /// Sets the ranking snapshot and the bound of walks that begin from now on.
    pub(crate) fn set(&self, ranking: Ranking, bound: i32) {
        *self.snapshot.lock().expect("not poisoned") = Some((ranking, bound));
    }
}

#[async_trait]
impl RankingSnapshots for FixedRanking {
    async fn current(&self, _: &RankedList, _: Millis) -> Result<Option<(Ranking, i32)>> {
        Ok(self.snapshot.lock().expect("not poisoned").clone())
    }

    async fn snapshot(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        let last = self.current(list, Millis(0)).await?;
        Ok(last.map(|(ranking, _)| ranking).filter(|ranking| ranking.epoch == epoch))
    }

    async fn unranked(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        self.model.unranked(list, ranking, floors, order, limit).await
    }

    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize> {
        self.model.trim(source, before, limit).await
    }
}

/// The standings of members that a test sets. All of them are under every object type.
#[derive(Debug, Default)]
pub(crate) struct FixedStandings(Mutex<HashMap<MemberId, StandingInForce>>);

impl FixedStandings {
    pub(crate) fn set(&self, member: &MemberId, in_force: StandingInForce) {
        self.0.lock().expect("not poisoned").insert(member.clone(), in_force);
    }
}

impl Standings for FixedStandings {
    fn of(&self, _: &ObjectType, member: &MemberId, now: Millis) -> Option<StandingInForce> {
        self.0.lock().expect("not poisoned").get(member).map(|in_force| in_force.at(now))
    }

    fn was_set(&self) {}
}
