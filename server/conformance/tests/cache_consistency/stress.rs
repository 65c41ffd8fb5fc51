//! Random writers and readers of a few subjects, with faults of the cache while they run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rand::seq::IndexedRandom;
use riposte_cache::{Cache, CacheRepair};
use riposte_conformance::stores::{self, by_moderator, ruling};
use riposte_core::content::ClientInfo;
use riposte_core::event::commits;
use riposte_core::ids::PARTITIONS;
use riposte_core::object_type::ModerationMode;
use riposte_core::page::{ListOrder, PageQuery, PageStart};
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::CachedPages;
use riposte_core::ports::{CommentRows, LeaseCandidate, LikeRows, ListRows, PositionMove, RANK_INDEX};
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{
    BatchVerb, Command, CommandKind, Create, Delete, DeleteActor, Edit, Hide, Reply, SetLike, Undelete, Unhide,
};
use riposte_core::{
    CommentId, CommentLocation, Content, Error, LikeValue, MemberId, Millis, Partition, Result, SubjectId, SubjectKey,
};
use riposte_store::SqlStore;

use crate::process::CachedProcess;

/// The holder of the relay lease.
const LEADER: LeaseCandidate = LeaseCandidate::repairing([7; 16]);

/// The processes, subjects and faults of a stress test.
#[derive(Clone)]
pub(crate) struct Stress {
    pub(crate) processes: Vec<CachedProcess>,
    pub(crate) keys: Vec<SubjectKey>,
    ids: Arc<Mutex<BTreeMap<SubjectKey, Vec<CommentId>>>>,
    /// Evicts the cached data of one subject.
    pub(crate) evict: Option<Arc<dyn Fn(SubjectId) + Send + Sync>>,
    /// Empties the cache.
    pub(crate) clear: Option<Arc<dyn Fn() + Send + Sync>>,
    requests: Arc<AtomicU64>,
}

impl Stress {
    pub(crate) fn new(processes: Vec<CachedProcess>, subjects: usize) -> Self {
        let key = |n: usize| SubjectKey::stored("stress".to_owned(), n.to_string());
        let keys = (0..subjects).map(key).collect();
        let (ids, requests) = (Arc::default(), Arc::new(AtomicU64::new(rand::random_range(0..1 << 60))));
        Self { processes, keys, ids, evict: None, clear: None, requests }
    }

    /// Returns the same subjects, with other processes in place of the old ones.
    pub(crate) fn with_processes(&self, processes: Vec<CachedProcess>) -> Self {
        Self { processes, ..self.clone() }
    }

    pub(crate) fn members(&self) -> Vec<MemberId> {
        (0..4).map(|n| MemberId::stored(format!("m{n}"))).collect()
    }

    pub(crate) fn comment_ids(&self, key: &SubjectKey) -> Vec<CommentId> {
        self.ids.lock().expect("not poisoned").get(key).cloned().unwrap_or_default()
    }

    fn random_id(&self, key: &SubjectKey) -> Option<CommentId> {
        self.comment_ids(key).choose(&mut rand::rng()).copied()
    }

    fn random_member(&self) -> MemberId {
        self.members().choose(&mut rand::rng()).cloned().expect("not empty")
    }

    /// Runs a command that creates the comment `id`.
    async fn create(&self, process: usize, key: &SubjectKey, id: CommentId, verb: impl Into<CommandKind>) {
        if self.send(process, key, verb.into()).await {
            self.ids.lock().expect("not poisoned").entry(key.clone()).or_default().push(id);
        }
    }

    /// Runs a command. Returns `true` if it is known to have succeeded.
    pub(crate) async fn send(&self, process: usize, key: &SubjectKey, verb: impl BatchVerb) -> bool {
        let verb = verb.into_type();
        let number = self.requests.fetch_add(1, Ordering::Relaxed).to_string();
        let request = RequestIdentity {
            key: IdempotencyKey::imported("comment", "stress", &number),
            fingerprint: Fingerprint::of(&[number.as_bytes()]),
        };
        let now = Millis(1_800_000_000_000);
        let command = Command { subject: key.clone(), verb, request, now, notify_thread: false };
        match self.processes[process].writer.commit(&vec![command].into()).await {
            Ok(mut results) => results.remove(0).is_ok(),
            // On a busy machine the outcome may be unknown; the cache must converge all the same.
            Err(Error::ShardUnavailable | Error::ShardCircuitOpen { .. } | Error::Overloaded { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }

    fn content(&self) -> Content {
        Content::stored(format!("{}", rand::random::<u32>()), Vec::new(), Metadata::new())
    }

    /// Returns a new id, or `None` if the machine is too busy to assign one.
    async fn new_id(&self, process: usize, key: &SubjectKey) -> Option<CommentId> {
        match self.processes[process].store.ids().comment(key.partition()).await {
            Ok(id) => Some(id),
            Err(Error::ShardUnavailable | Error::ShardCircuitOpen { .. } | Error::Overloaded { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) async fn create_root(&self, process: usize, subject: usize) {
        let key = &self.keys[subject];
        let Some(id) = self.new_id(process, key).await else { return };
        let create = Create {
            id,
            member: self.random_member(),
            content: self.content(),
            client: ClientInfo::default(),
            auto_create: Some(SubjectId::from(id)),
            moderation: ModerationMode::Post,
            judged: PolicyJudgement::default(),
        };
        self.create(process, key, id, create).await;
    }

    /// Runs a random command on a comment.
    async fn run_random_command(&self, process: usize, key: &SubjectKey, id: CommentId) {
        let store = &self.processes[process].store;
        let Some(target) = store.reader().locate(&[id]).await.expect("read").remove(0) else { return };
        match rand::random_range(0..10) {
            0..3 => drop(self.reply(process, key, id).await),
            3 => self.change_state(process, key, target).await,
            4 => {
                let member = target.member.clone();
                let edit = Edit::allowed(target, member, self.content());
                self.send(process, key, edit).await;
            }
            _ => {
                let values = [LikeValue::Like, LikeValue::Dislike, LikeValue::None];
                let value = values.choose(&mut rand::rng()).copied().expect("not empty");
                let operation = RequestId::from_bytes(store.ids().request());
                self.send(process, key, SetLike { comment_id: id, member: self.random_member(), value, operation })
                    .await;
            }
        }
    }

    /// Runs the writes of one process.
    pub(crate) async fn write(self, process: usize, steps: usize) {
        for _ in 0..steps {
            let subject = rand::random_range(0..self.keys.len());
            let key = self.keys[subject].clone();
            match self.random_id(&key) {
                Some(id) if rand::random_bool(0.8) => self.run_random_command(process, &key, id).await,
                Some(_) | None => self.create_root(process, subject).await,
            }
        }
    }

    async fn read(self, process: usize) {
        let reader = self.processes[process].reader.clone();
        loop {
            // The reference model returns without waiting, and a task that never waits cannot be
            // stopped.
            tokio::task::yield_now().await;
            let key = self.keys.choose(&mut rand::rng()).expect("not empty");
            let order = if rand::random() { ListOrder::Newest } else { ListOrder::Oldest };
            let floor = rand::random_range(1..100);
            let start = if rand::random_bool(0.7) { PageStart::Beginning } else { PageStart::After(floor) };
            let query = PageQuery { order, start, limit: rand::random_range(1..30) };
            let previews = rand::random_range(0..4);
            if reader.rendered_page(key, order, query.limit, previews).await.is_none() {
                reader.roots(key, query, previews).await.expect("read");
            }
            reader.roots_at(key, &[floor, floor / 2 + 1, floor + 7], rand::random_range(0..4)).await.expect("read");
            if let Some(id) = self.random_id(key) {
                reader.comments(&[id]).await.expect("read");
                reader
                    .replies(key, id, PageQuery { order: ListOrder::Oldest, start: PageStart::Beginning, limit: 5 })
                    .await
                    .expect("read");
                reader.like_states(key, &self.random_member(), &[id]).await.expect("read");
            }
        }
    }

    /// Runs one round of a relay: assigns sequence numbers, applies some events to the rank index,
    /// and reports all to the cache. Returns `true` if there was nothing to do.
    pub(crate) async fn run_relay_once(&self, repair: &mut RepairRun) -> bool {
        let progress = async {
            let head = self.processes[0].store.outbox().head(0).await?;
            Ok(self.assign_sequence().await? == head && self.update_rank_index(rand::random_range(1..20)).await? == 0)
        };
        let idle = match progress.await {
            Ok(idle) => idle,
            // On a busy machine the round is repeated.
            Err(Error::ShardUnavailable | Error::ShardCircuitOpen { .. } | Error::Overloaded { .. }) => false,
            Err(error) => panic!("{error}"),
        };
        repair.run_once().await == Ok(false) && idle
    }

    /// Applies at most `limit` events to the rank index. Returns their number.
    pub(crate) async fn update_rank_index(&self, limit: usize) -> Result<usize> {
        let CachedProcess { store, .. } = &self.processes[0];
        let (outbox, (rank_index, _)) = (store.outbox(), store.ranks(stores::ranking_config()));
        let from = store.positions().all(0).await?.iter().find(|of| of.name == RANK_INDEX).map_or(0, |of| of.number);
        let events = outbox.read(0, from, limit).await?;
        let Some(last) = events.last() else { return Ok(0) };
        rank_index.apply(0, &events).await?;
        let epoch =
            outbox.acquire_lease(0, LEADER, store.clock().now()).await?.expect("no other process holds the lease");
        let to = PositionMove { name: RANK_INDEX, from, to: last.number };
        assert!(store.positions().advance(0, epoch, to).await?);
        Ok(events.len())
    }

    /// Assigns sequence numbers to all events. Returns the last number.
    pub(crate) async fn assign_sequence(&self) -> Result<i64> {
        let CachedProcess { store, .. } = &self.processes[0];
        let outbox = store.outbox();
        let epoch =
            outbox.acquire_lease(0, LEADER, store.clock().now()).await?.expect("no other process holds the lease");
        while outbox.assign_sequence(0, epoch, 500).await?.expect("a valid epoch") > 0 {}
        outbox.head(0).await
    }

    /// Replies to a comment. Returns the id, or `None` if the machine is too busy to assign one.
    pub(crate) async fn reply(&self, process: usize, key: &SubjectKey, parent: CommentId) -> Option<CommentId> {
        let store = &self.processes[process].store;
        let parent = store.reader().locate(&[parent]).await.expect("read").remove(0).expect("exists");
        let id = self.new_id(process, key).await?;
        let reply = Reply {
            id,
            parent,
            member: self.random_member(),
            content: self.content(),
            client: ClientInfo::default(),
            max_depth: 3,
            moderation: ModerationMode::Post,
            judged: PolicyJudgement::default(),
        };
        self.create(process, key, id, reply).await;
        Some(id)
    }

    pub(crate) async fn delete(&self, process: usize, key: &SubjectKey, id: CommentId) {
        let target =
            self.processes[process].store.reader().locate(&[id]).await.expect("read").remove(0).expect("exists");
        self.delete_at(process, key, target).await;
    }

    async fn delete_at(&self, process: usize, key: &SubjectKey, target: CommentLocation) {
        self.send(process, key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    }

    /// Deletes or hides a comment, or shows it again; it may be in another state.
    async fn change_state(&self, process: usize, key: &SubjectKey, target: CommentLocation) {
        let member = target.member.clone();
        match rand::random_range(0..4) {
            0 => self.delete_at(process, key, target).await,
            1 => drop(self.send(process, key, Hide { target, ruling: ruling() }).await),
            2 => drop(self.send(process, key, Unhide { target, ruling: ruling() }).await),
            _ => {
                let delete =
                    Delete { target: target.clone(), actor: DeleteActor::Author(member.clone()), etag: String::new() };
                self.send(process, key, delete).await;
                self.send(process, key, Undelete { target, member }).await;
            }
        }
    }

    /// Adds likes of the first `members` members to a comment.
    pub(crate) async fn like(&self, process: usize, key: &SubjectKey, id: CommentId, members: usize) {
        for member in self.members().into_iter().take(members) {
            self.set_like(process, key, id, member, LikeValue::Like).await;
        }
    }

    /// Sets the like value of one member.
    pub(crate) async fn set_like(
        &self,
        process: usize,
        key: &SubjectKey,
        id: CommentId,
        member: MemberId,
        value: LikeValue,
    ) {
        let operation = RequestId::from_bytes(self.processes[process].store.ids().request());
        self.send(process, key, SetLike { comment_id: id, member, value, operation }).await;
    }

    /// Runs writes, reads and evictions concurrently, and waits until the relay is idle.
    pub(crate) async fn run(&self, cache: &Arc<dyn Cache>, steps: usize) {
        let first = &self.processes[0];
        let all = (0..PARTITIONS).map(Partition::number).collect();
        let stats = first.reader.stats().clone();
        let (store, rows) = (first.store.clone(), first.store.reader());
        let cache_repair = CacheRepair::new(Arc::clone(cache), store.outbox(), rows, stats, 0, all);
        let mut repair = RepairRun::new(cache_repair, store);
        self.run_relay_once(&mut repair).await;
        let writers: Vec<_> =
            (0..4).map(|n| tokio::spawn(self.clone().write(n % self.processes.len(), steps))).collect();
        let readers: Vec<_> = (0..4).map(|n| tokio::spawn(self.clone().read(n % self.processes.len()))).collect();
        let mut round = 0_u32;
        while writers.iter().any(|writer| !writer.is_finished()) {
            self.run_relay_once(&mut repair).await;
            round += 1;
            if let Some(evict) = self.evict.as_ref().filter(|_| round.is_multiple_of(3)) {
                let key = self.keys.choose(&mut rand::rng()).expect("not empty");
                let found = first.store.reader().subjects(std::slice::from_ref(key)).await.expect("read").remove(0);
                found.into_iter().for_each(|subject| evict(subject.id));
            }
            if let Some(clear) = self.clear.as_ref().filter(|_| round.is_multiple_of(25)) {
                clear();
            }
            tokio::task::yield_now().await;
        }
        for writer in writers {
            writer.await.expect("no panic");
        }
        while !self.run_relay_once(&mut repair).await {}
        readers.iter().for_each(tokio::task::JoinHandle::abort);
        for reader in readers {
            let outcome = reader.await;
            assert!(outcome.is_err_and(|error| error.is_cancelled()), "a reader panicked");
        }
    }
}

/// The cache repair, run as the loop of the event consumers runs it: after the rank index, and from
/// the cursors again after an error.
pub(crate) struct RepairRun {
    repair: CacheRepair,
    store: SqlStore,
    /// The sequence number of the last reported event; `None` if the cursors must be read.
    at: Option<i64>,
}

impl RepairRun {
    pub(crate) fn new(repair: CacheRepair, store: SqlStore) -> Self {
        Self { repair, store, at: None }
    }

    /// Reports some events to the cache. Returns `true` if there may be more.
    pub(crate) async fn run_once(&mut self) -> Result<bool> {
        const CHUNK: usize = 100;
        let at = match self.at.take() {
            Some(at) => at,
            None => self.repair.start().await?,
        };
        let events = self.store.outbox().read(0, at, CHUNK).await?;
        if events.first().is_some_and(|first| first.number > at + 1) {
            self.repair.renew_all().await?;
            return Ok(true);
        }
        let positions = self.store.positions().all(0).await?;
        let ranked = positions.iter().find(|of| of.name == RANK_INDEX).map_or(0, |of| of.number);
        let ready = &events[..events.partition_point(|of| of.number <= ranked)];
        let to = if ready.is_empty() {
            self.repair.check_cursors().await?;
            at
        } else {
            self.repair.apply(ready).await?
        };
        self.at = Some(to);
        Ok(commits(&events) == CHUNK && !ready.is_empty())
    }
}

/// Empties a server, as an operator may do.
pub(crate) fn flush(url: &str) {
    use std::io::{Read, Write};
    let address = url.trim_start_matches("redis://").trim_end_matches('/');
    let mut line = std::net::TcpStream::connect(address).expect("the server is up");
    line.write_all(b"FLUSHALL\r\n").expect("sent");
    let mut response = [0; 5];
    line.read_exact(&mut response).expect("answered");
    assert_eq!(&response, b"+OK\r\n");
}
