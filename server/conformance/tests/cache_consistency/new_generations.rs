//! New generations of partitions whose cursor a starting relay cannot use. Texts that were hidden
//! since the cursor leave Redis nevertheless.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use riposte_cache::{Cache, CacheLimits, CacheRepair, RelayCursor};
use riposte_conformance::stores::ruling;
use riposte_core::event::{Event, SequencedEvent};
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::{EventLog, OutboxState};
use riposte_core::verbs::Hide;
use riposte_core::{CommentId, CommentState, Error, Partition, Result, SubjectId};
use riposte_test_support::redis::{Program, Server};

use super::hidden_texts::{import, keys_with, locate, read_all};
use super::stuck::StuckCache;
use super::{Fixture, fixture_on, rendered_pages, servers, unreported_writer};

/// A greater number of events than a starting relay reads from its cursor on.
const FAR: i64 = 30_000;

/// Event logs whose sequence numbers begin after `skipped`: the earlier events were trimmed.
#[derive(Debug)]
struct TrimmedLog {
    inner: Arc<dyn EventLog>,
    skipped: i64,
    /// `true` while events cannot be read.
    is_unavailable: bool,
}

#[async_trait]
impl EventLog for TrimmedLog {
    fn sources(&self) -> usize {
        self.inner.sources()
    }

    async fn read(&self, source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>> {
        if self.is_unavailable {
            return Err(Error::ShardUnavailable);
        }
        let events = self.inner.read(source, (after - self.skipped).max(0), limit).await?;
        let moved = |SequencedEvent { number, event }| SequencedEvent { number: number + self.skipped, event };
        Ok(events.into_iter().map(moved).collect())
    }

    async fn head(&self, source: usize) -> Result<i64> {
        Ok(self.inner.head(source).await? + self.skipped)
    }

    async fn state(&self, source: usize) -> Result<OutboxState> {
        let state = self.inner.state(source).await?;
        Ok(OutboxState { head: state.head + self.skipped, ..state })
    }

    async fn of_subject(&self, at: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        self.inner.of_subject(at, id, after, limit).await
    }
}

/// The findings of a starting relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The cursor was evicted.
    NoCursor,
    /// The cursor was evicted, and a relay ended while it began a new generation.
    Interrupted,
    /// The cursor is too far behind the events.
    FarBehind,
    /// The cursor is beyond the last event: the database is an older copy.
    Beyond,
    /// The cursor could not be advanced several times.
    Stuck,
    /// Events that follow the cursor were trimmed.
    Gap,
}

#[test]
fn a_text_that_was_hidden_before_a_new_generation_leaves_redis() {
    let Some(program) = Program::find() else { return };
    let server = Server::start(&program).expect("the server starts");
    servers::run_test(async {
        for found in [Found::NoCursor, Found::Interrupted, Found::FarBehind, Found::Beyond, Found::Stuck, Found::Gap] {
            server.ask(&["FLUSHALL"]).expect("emptied");
            check(&server, found).await;
        }
    });
}

async fn check(server: &Server, found: Found) {
    let redis = Arc::new(servers::redis(&server.url(), CacheLimits::default()).await);
    let Fixture { config, process, stress, .. } = &fixture_on(Arc::clone(&redis) as _).await;
    let (key, store) = (&stress.keys[0], &process.store);
    let repair_of = |cache: Arc<dyn Cache>, skipped: i64, is_unavailable: bool| {
        let outbox = Arc::new(TrimmedLog { inner: store.outbox(), skipped, is_unavailable });
        let all = (0..PARTITIONS).map(Partition::number).collect();
        CacheRepair::new(cache, outbox, store.reader(), process.reader.stats().clone(), 0, all)
    };
    let repair = |cache, skipped| repair_of(cache, skipped, false);
    let mut before = repair(Arc::clone(&redis) as _, 0);
    before.start().await.expect("started");
    let id: CommentId = import(stress, "canary", CommentState::Active, None).await;
    read_all(process, key, &[id]).await;
    rendered_pages::wait_until_stored(server).await;
    stress.assign_sequence().await.expect("sequence numbers");
    before.apply(&store.outbox().read(0, 0, 100).await.expect("read")).await.expect("reported");
    let unreported = unreported_writer(config);
    assert!(unreported.send(0, key, Hide { target: locate(process, id).await, ruling: ruling() }).await);
    let head = stress.assign_sequence().await.expect("sequence numbers");
    assert!(!keys_with(server, "canary").is_empty(), "{found:?}: the hide was not reported");

    let (at, mut after) = (key.partition(), head);
    match found {
        Found::NoCursor | Found::Interrupted => {
            let cursors = "for _, key in ipairs(redis.call('KEYS', '*:cur')) do redis.call('DEL', key) end return 0";
            server.ask(&["EVAL", cursors, "0"]).expect("evicted");
            if found == Found::Interrupted {
                let ended = repair_of(Arc::clone(&redis) as _, 0, true).start().await;
                assert_eq!(ended, Err(Error::ShardUnavailable));
            }
            let mut next = repair(Arc::clone(&redis) as _, 0);
            let from = next.start().await.expect("started");
            next.apply(&store.outbox().read(0, from, 100).await.expect("read")).await.expect("reported");
        }
        Found::FarBehind => {
            after += FAR;
            repair(Arc::clone(&redis) as _, FAR).start().await.expect("started");
        }
        Found::Beyond => {
            redis.renew(at, RelayCursor(head + 1), 7).await.expect("available");
            repair(Arc::clone(&redis) as _, 0).start().await.expect("started");
        }
        Found::Stuck => {
            let cache = Arc::new(StuckCache::new(Arc::clone(&redis) as _, at));
            let mut stuck = repair(Arc::clone(&cache) as _, 0);
            while cache.renewals.load(Ordering::SeqCst) == 0 {
                let from = stuck.start().await.expect("started");
                let events = store.outbox().read(0, from, 100).await.expect("read");
                stuck.apply(&events).await.err();
            }
        }
        Found::Gap => before.renew_all().await.expect("renewed"),
    }
    assert_eq!(keys_with(server, "canary"), [""; 0], "{found:?}");
    assert_eq!(redis.cursors(&[at]).await.expect("available"), [Some(RelayCursor(after))], "{found:?}");
    redis.disconnect().await;
}
