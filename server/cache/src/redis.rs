//! The cache in Redis, on one server or a cluster. Each operation is a function in `lua/`;
//! operations on several partitions run concurrently.

pub(crate) mod client;
mod decode;
mod dump;
mod encode;
mod endpoint;
pub mod fuzz;
mod observer;
mod page;
mod rendered;
mod stored;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fred::types::Value;
use futures::future::{join_all, try_join_all};
use riposte_core::comment::CommentView;
use riposte_core::ports::PageRenderer;
use riposte_core::{CommentId, LikeValue, Partition, Subject, SubjectId, SubjectKey};

use crate::config::{CacheLimits, RedisConfig};
use crate::port::{
    Cache, CacheFill, CachedPage, CachedPageQuery, CommittedState, EntryLookup, FillLease, FillOutcome, FillScope,
    LeaseOutcome, LikeCounts, RelayCursor, RenderedPages, SubjectMember, SubjectUpdate, Unavailable,
};
pub use client::REDIS_LIBRARY;
use client::RedisClient;
pub use dump::dump;
use encode::{bytes, number, text};
pub use observer::RedisObserver;
use rendered::RenderQueue;
use value::hex;

/// The time by which a subject entry outlives its parts.
const LONGER: Duration = Duration::from_secs(60);
/// The lifetime of the record of a key's subject id, which never changes.
const NAMED: Duration = Duration::from_secs(24 * 60 * 60);

/// The cache in Redis. See the module.
#[derive(Debug)]
pub struct RedisCache {
    client: Arc<RedisClient>,
    config: RedisConfig,
    trips: Option<Arc<dyn RedisObserver>>,
    /// The renderer of first pages; `None` caches no rendered pages.
    press: Option<RenderQueue>,
}

/// The state of a server, as `riposte doctor` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisHealth {
    /// The round trip of the smallest command.
    pub trip: Duration,
    /// `true` for a cluster.
    pub clustered: bool,
    /// The version that one of the servers reports.
    pub version: Option<String>,
    /// The eviction policy for full memory.
    pub eviction: Option<String>,
}

impl RedisCache {
    /// Checks that [`RedisCache::start`] can use an address, without a connection.
    ///
    /// # Errors
    /// A description, if the address is invalid; it never contains the address, or a part of it.
    pub fn judge(url: &str) -> Result<(), String> {
        client::parsed(url).map(drop)
    }

    /// Creates a cache on the server that `config` names, from within a tokio runtime. Connections
    /// are opened in the background, and again whenever the server has been unavailable.
    ///
    /// # Errors
    /// A description, if the address is invalid.
    pub fn start(config: RedisConfig) -> Result<Self, String> {
        let client = Arc::new(RedisClient::start(&config)?);
        Ok(Self { client, config, trips: None, press: None })
    }

    /// Returns the same cache with an observer of every round trip.
    #[must_use]
    pub fn observed(self, trips: Arc<dyn RedisObserver>) -> Self {
        Self { trips: Some(trips), ..self }
    }

    /// Returns the same cache with a renderer of first pages.
    #[must_use]
    pub fn printing(self, printer: Arc<dyn PageRenderer>) -> Self {
        Self { press: Some(RenderQueue::new(printer)), ..self }
    }

    /// Waits for a connection, and loads the functions.
    ///
    /// # Errors
    /// A description, if no connection was made in time.
    pub async fn ready(&self, within: Duration) -> Result<(), String> {
        self.client.connected(within).await?;
        self.client.load().await.map_err(|Unavailable| "the functions could not be loaded".to_owned())
    }

    /// Returns the server's report of its state.
    ///
    /// # Errors
    /// A description, if the server does not respond.
    pub async fn health(&self) -> Result<RedisHealth, String> {
        let (trip, info) = self.client.ask().await?;
        let of = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.map(|value| value.trim().to_owned())
        };
        let clustered = self.client.is_clustered();
        Ok(RedisHealth { trip, clustered, version: of("redis_version"), eviction: of("maxmemory_policy") })
    }

    /// Makes new connections use the user and password of this address from now on. Open
    /// connections stay open.
    ///
    /// # Errors
    /// A description without the address, if the address is invalid or names other servers; then
    /// nothing has changed.
    pub async fn exchange(&self, url: &str) -> Result<(), String> {
        self.client.exchange(url).await
    }

    /// Closes the connections.
    pub async fn shut(&self) {
        self.client.close().await;
    }

    fn limits(&self) -> &CacheLimits {
        &self.config.limits
    }

    async fn call(&self, function: &str, at: Partition, words: Vec<Value>) -> Result<Value, Unavailable> {
        self.within(function, at, words, self.config.budget).await
    }

    async fn within(
        &self,
        function: &str,
        at: Partition,
        words: Vec<Value>,
        budget: Duration,
    ) -> Result<Value, Unavailable> {
        let cursor = encode::cursor(at, self.config.timeline);
        observer::watched(self.trips.as_deref(), function, self.client.call(function, &cursor, words, budget)).await
    }

    /// Calls a function for the relay, for which no client waits.
    async fn aside(&self, function: &str, at: Partition, words: Vec<Value>) -> Result<Value, Unavailable> {
        let cursor = encode::cursor(at, self.config.timeline);
        observer::watched(self.trips.as_deref(), function, self.client.call_aside(function, &cursor, words)).await
    }

    /// Calls a function once for each partition of `items`, concurrently, and returns each result
    /// with the positions of its items.
    async fn each<T>(
        &self,
        function: &str,
        items: impl IntoIterator<Item = T>,
        at: impl Fn(&T) -> Partition,
        words: impl Fn(&[T]) -> Vec<Value>,
        budget: Duration,
    ) -> Result<Vec<(Vec<usize>, Value)>, Unavailable> {
        let mut by_partition: BTreeMap<Partition, (Vec<usize>, Vec<T>)> = BTreeMap::new();
        for (place, item) in items.into_iter().enumerate() {
            let (places, of) = by_partition.entry(at(&item)).or_default();
            places.push(place);
            of.push(item);
        }
        let calls = by_partition.into_iter().map(|(at, (places, of))| {
            let words = words(&of);
            async move { Ok((places, self.within(function, at, words, budget).await?)) }
        });
        try_join_all(calls).await
    }
}

/// A time to live, varied by up to a fifth, in milliseconds: data that was stored together does not
/// expire together.
fn jittered(ttl: Duration) -> Value {
    number(ttl.mul_f64(rand::random_range(0.8..1.2)).as_millis())
}

fn at_of(subject: SubjectId) -> Partition {
    CommentId::from(subject).partition()
}

#[async_trait]
impl Cache for RedisCache {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable> {
        let names = |keys: &[&SubjectKey]| keys.iter().map(|key| text(encode::name(key))).collect();
        let answers = self.each("subjects", keys, |key| key.partition(), names, self.config.budget).await?;
        let mut found: Vec<_> = keys.iter().map(|_| EntryLookup::Miss).collect();
        for (places, answer) in answers {
            for (place, value) in places.into_iter().zip(decode::list(&answer)) {
                found[place] = match decode::bytes(value) {
                    Some([]) => EntryLookup::Hit(None),
                    Some(_) => {
                        decode::subject(value).map_or(EntryLookup::Miss, |subject| EntryLookup::Hit(Some(subject)))
                    }
                    None => EntryLookup::Miss,
                };
            }
        }
        Ok(found)
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<EntryLookup<Option<CommentView>>>, Unavailable> {
        let spelled = |ids: &[CommentId]| ids.iter().map(|id| encode::id(*id)).collect();
        let asked = ids.iter().copied();
        let answers = self.each("comments", asked, |id| id.partition(), spelled, self.config.budget).await?;
        let mut found: Vec<_> = ids.iter().map(|_| EntryLookup::Miss).collect();
        for (places, answer) in answers {
            let [values, rows] = decode::list(&answer) else { continue };
            let rows: Vec<Option<Subject>> = decode::list(rows).iter().map(decode::subject).collect();
            for (place, value) in places.into_iter().zip(decode::list(values)) {
                let [row, copy] = decode::list(value) else { continue };
                let row = decode::integer(row).and_then(|row| rows.get(usize::try_from(row - 1).ok()?)?.as_ref());
                let Some((row, item)) = row.zip(decode::item(copy, Some(ids[place]))) else { continue };
                found[place] = EntryLookup::Hit(row.delete_time.is_none().then(|| item.view(row)));
            }
        }
        Ok(found)
    }

    async fn page(&self, ask: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        let (found, of) = self.put_together(ask, self.print_name(ask)).await?;
        if let (EntryLookup::Hit(Some(CachedPage::Roots(page))), Some(of)) = (&found, of) {
            self.keep(ask, page, of);
        }
        Ok(found)
    }

    async fn states(
        &self,
        who: &SubjectMember,
        ids: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable> {
        let words = vec![text(encode::name(&who.key)), text(encode::member(who)), encode::ids(ids)];
        let answer = self.call("states", who.key.partition(), words).await?;
        let found = decode::lookup(&answer, decode::states);
        // A value of another length is damaged.
        let whole = !matches!(&found, EntryLookup::Hit(Some(values)) if values.len() != ids.len());
        Ok(if whole { found } else { EntryLookup::Miss })
    }

    async fn open(&self, key: &SubjectKey, kind: FillScope, token: u64) -> Result<LeaseOutcome, Unavailable> {
        let words = vec![
            text(encode::name(key)),
            text(encode::kind(kind)),
            number(u8::from(kind == FillScope::Comments)),
            bytes(token.to_be_bytes()),
            number(self.limits().lease.as_millis()),
            number((self.limits().ttl + LONGER).as_millis()),
        ];
        let answer = self.call("open", key.partition(), words).await?;
        decode::opened(&answer, kind, token).ok_or(Unavailable)
    }

    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Unavailable> {
        let words = vec![text(encode::name(key)), text(hex(id.get())), jittered(NAMED)];
        self.call("name", key.partition(), words).await.map(drop)
    }

    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Unavailable> {
        let ttl = number(self.limits().negative_ttl.as_millis());
        let words = vec![text(encode::name(key)), bytes(token.to_be_bytes()), ttl];
        self.call("absent", key.partition(), words).await.map(drop)
    }

    async fn fill(&self, fill_lease: &FillLease, fill: &CacheFill) -> Result<FillOutcome, Unavailable> {
        let limits = self.limits();
        let mut words = vec![
            text(hex(fill_lease.subject.get())),
            text(encode::kind(fill_lease.kind)),
            bytes(fill_lease.token.to_be_bytes()),
            jittered(limits.ttl),
            number((limits.ttl.mul_f64(1.2) + LONGER).as_millis()),
            number(limits.window),
        ];
        words.extend(encode::fill(fill_lease, fill));
        Ok(decode::filled(&self.call("fill", at_of(fill_lease.subject), words).await?))
    }

    async fn close(&self, fill_lease: &FillLease) -> Result<(), Unavailable> {
        let words = vec![
            text(hex(fill_lease.subject.get())),
            text(encode::kind(fill_lease.kind)),
            bytes(fill_lease.token.to_be_bytes()),
        ];
        self.call("close", at_of(fill_lease.subject), words).await.map(drop)
    }

    async fn apply(&self, changes: &[SubjectUpdate]) -> Result<(), Unavailable> {
        let limits = self.limits();
        let words = |changes: &[&SubjectUpdate]| {
            let mut words = vec![jittered(limits.ttl), number(limits.window), number(changes.len())];
            for change in changes {
                let of = encode::change(change);
                words.extend([text(hex(change.subject.id.get())), number(of.len())]);
                words.extend(of);
            }
            words
        };
        let at = |change: &&SubjectUpdate| change.subject.key.partition();
        self.each("apply", changes, at, words, self.config.apply_budget).await.map(drop)
    }

    async fn like(&self, likes: &[LikeCounts]) -> Result<(), Unavailable> {
        let words = |likes: &[&LikeCounts]| likes.iter().flat_map(|likes| encode::likes(likes)).collect();
        self.each("like", likes, |likes| likes.id.partition(), words, self.config.apply_budget).await.map(drop)
    }

    async fn begin_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        self.members("doubt", members, token).await
    }

    async fn end_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        self.members("settle", members, token).await
    }

    async fn open_states(&self, who: &SubjectMember, token: u64) -> Result<bool, Unavailable> {
        let lease = number(self.limits().lease.as_millis());
        let words = vec![text(encode::member(who)), bytes(token.to_be_bytes()), lease];
        let answer = self.call("open_states", who.key.partition(), words).await?;
        Ok(decode::integer(&answer) == Some(1))
    }

    async fn fill_states(
        &self,
        who: &SubjectMember,
        token: u64,
        values: &[(CommentId, LikeValue)],
    ) -> Result<(), Unavailable> {
        let ttl = jittered(self.limits().like_states_ttl);
        let mut words = vec![text(encode::member(who)), bytes(token.to_be_bytes()), ttl];
        words.extend(values.iter().flat_map(|(id, value)| [encode::id(*id), number(value.code())]));
        self.call("fill_states", who.key.partition(), words).await.map(drop)
    }

    async fn exist(&self, who: &SubjectMember, ids: &[CommentId]) -> Result<(), Unavailable> {
        if ids.is_empty() {
            return Ok(());
        }
        let words = std::iter::once(text(encode::member(who))).chain(ids.iter().map(|id| encode::id(*id)));
        self.call("exist", who.key.partition(), words.collect()).await.map(drop)
    }

    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable> {
        let ask = |at: &Partition| self.aside("cursor", *at, Vec::new());
        let answers = join_all(partitions.iter().map(ask)).await;
        answers.into_iter().map(|answer| Ok(decode::integer(&answer?).map(RelayCursor))).collect()
    }

    async fn advance(
        &self,
        at: Partition,
        from: RelayCursor,
        to: RelayCursor,
        told: &CommittedState,
    ) -> Result<bool, Unavailable> {
        let mut words = vec![number(from.0), number(to.0), number(told.revisions.len())];
        words.extend(told.revisions.iter().flat_map(|(id, revision)| [text(hex(id.get())), number(revision)]));
        words.push(number(told.likes.len()));
        words.extend(told.likes.iter().flat_map(encode::likes));
        words.extend(told.likers.iter().map(|who| text(encode::member(who))));
        let answer = self.aside("advance", at, words).await?;
        Ok(decode::integer(&answer) == Some(1))
    }

    async fn renew(&self, at: Partition, cursor: RelayCursor, generation: u64) -> Result<(), Unavailable> {
        let words = vec![number(cursor.0), text(format!("{generation:x}"))];
        self.aside("renew", at, words).await.map(drop)
    }

    async fn forget(&self, key: &SubjectKey) -> Result<(), Unavailable> {
        self.call("forget", key.partition(), vec![text(encode::name(key))]).await.map(drop)
    }

    fn is_away(&self) -> bool {
        self.client.is_away()
    }

    fn rendered_pages(&self) -> Option<&dyn RenderedPages> {
        self.press.is_some().then_some(self)
    }
}

impl RedisCache {
    /// Returns a page built from its cached parts; and the version to which it belongs, if no
    /// rendered page with this name is stored and one may be.
    async fn put_together(
        &self,
        ask: &CachedPageQuery,
        name: Option<Value>,
    ) -> Result<(EntryLookup<Option<CachedPage>>, Option<Value>), Unavailable> {
        let words = encode::page(ask).into_iter().chain(name).collect();
        let answer = self.call("page", ask.key.partition(), words).await?;
        Ok(page::read(&answer, ask.root))
    }

    async fn members(&self, function: &str, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        let words = |members: &[&SubjectMember]| {
            let names = members.iter().map(|who| text(encode::member(who)));
            std::iter::once(bytes(token.to_be_bytes())).chain(names).collect()
        };
        self.each(function, members, |who| who.key.partition(), words, self.config.apply_budget).await.map(drop)
    }
}

#[cfg(test)]
mod golden;

#[cfg(test)]
mod tests {
    use riposte_core::{
        Comment, CommentCounts, CommentId, CommentRef, CommentState, Lifecycle, MemberId, Millis, Path, SubjectId,
    };

    /// A root with an id and a revision.
    pub(super) fn comment(id: i64, revision: i64) -> Comment {
        let number = CommentId::new(id).expect("positive");
        Comment {
            reference: CommentRef {
                id: number,
                subject_id: SubjectId::from(number),
                root_id: None,
                parent_id: None,
                path: Path::root(number),
                floor: 1,
                member: MemberId::stored("m".into()),
                born_revision: 1,
                create_time: Millis(5),
            },
            counts: CommentCounts { like_count: 2, dislike_count: 1, reply_count: 0, live_below: 0 },
            lifecycle: Lifecycle {
                state: CommentState::Active,
                prior_state: CommentState::Active,
                deleted_by: None,
                listed: true,
                revision,
                version: 1,
                update_time: Millis(6),
                edit_time: None,
                delete_time: None,
            },
            next_floor: 1,
        }
    }
}
