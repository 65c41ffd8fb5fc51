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
use rendered::PageStorage;
use value::hex;

/// The time by which a subject entry outlives its parts.
const ENTRY_EXTRA_TTL: Duration = Duration::from_secs(60);
/// The lifetime of the record of a key's subject id, which never changes.
const SUBJECT_ID_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// The cache in Redis. See the module.
#[derive(Debug)]
pub struct RedisCache {
    client: Arc<RedisClient>,
    config: RedisConfig,
    observer: Option<Arc<dyn RedisObserver>>,
    /// The storage of rendered first pages; `None` stores none.
    page_storage: Option<PageStorage>,
}

/// The state of a server, as `riposte doctor` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisHealth {
    /// The round-trip time of a PING.
    pub round_trip: Duration,
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
    pub fn check_url(url: &str) -> Result<(), String> {
        client::parse_url(url).map(drop)
    }

    /// Creates a cache on the server that `config` names, from within a tokio runtime. Connections
    /// are opened in the background, and again whenever the server has been unavailable.
    ///
    /// # Errors
    /// A description, if the address is invalid.
    pub fn start(config: RedisConfig) -> Result<Self, String> {
        let client = Arc::new(RedisClient::start(&config)?);
        Ok(Self { client, config, observer: None, page_storage: None })
    }

    /// Returns the same cache with an observer of every round trip.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn RedisObserver>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Returns the same cache with a renderer of first pages, which are then stored as well.
    #[must_use]
    pub fn with_renderer(self, renderer: Arc<dyn PageRenderer>) -> Self {
        Self { page_storage: Some(PageStorage::new(renderer)), ..self }
    }

    /// Waits for the connections, and loads the functions.
    ///
    /// # Errors
    /// A description, if the connections did not open in time or the functions were not loaded.
    pub async fn connect(&self, within: Duration) -> Result<(), String> {
        self.client.wait_connected(within).await?;
        self.client.load().await.map_err(|Unavailable| "the functions could not be loaded".to_owned())
    }

    /// Returns the server's report of its state.
    ///
    /// # Errors
    /// A description, if the server does not respond.
    pub async fn health(&self) -> Result<RedisHealth, String> {
        let (round_trip, info) = self.client.ping_and_info().await?;
        let field = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.map(|value| value.trim().to_owned())
        };
        let clustered = self.client.is_clustered();
        let (version, eviction) = (field("redis_version"), field("maxmemory_policy"));
        Ok(RedisHealth { round_trip, clustered, version, eviction })
    }

    /// Makes new connections use the user and password of this address from now on. Open
    /// connections stay open.
    ///
    /// # Errors
    /// A description without the address, if the address is invalid or names other servers; then
    /// nothing has changed.
    pub async fn replace_credentials(&self, url: &str) -> Result<(), String> {
        self.client.replace_credentials(url).await
    }

    /// Closes the connections.
    pub async fn disconnect(&self) {
        self.client.close().await;
    }

    fn limits(&self) -> &CacheLimits {
        &self.config.limits
    }

    async fn call(&self, function: &'static str, partition: Partition, args: Vec<Value>) -> Result<Value, Unavailable> {
        self.call_within(function, partition, args, self.config.budget).await
    }

    async fn call_within(
        &self,
        function: &'static str,
        partition: Partition,
        args: Vec<Value>,
        budget: Duration,
    ) -> Result<Value, Unavailable> {
        let cursor = encode::cursor(partition, self.config.timeline);
        let call = self.client.call(function, &cursor, args, budget);
        observer::observe(self.observer.as_deref(), function, call).await
    }

    /// Calls a function for the relay. No client waits for it, so it may take longer.
    async fn call_in_background(
        &self,
        function: &'static str,
        partition: Partition,
        args: Vec<Value>,
    ) -> Result<Value, Unavailable> {
        let cursor = encode::cursor(partition, self.config.timeline);
        let call = self.client.call_in_background(function, &cursor, args);
        observer::observe(self.observer.as_deref(), function, call).await
    }

    /// Calls a function once for each partition of `items`, concurrently. Returns each response
    /// with the indexes of its items.
    async fn call_each_partition<T>(
        &self,
        function: &'static str,
        items: impl IntoIterator<Item = T>,
        partition: impl Fn(&T) -> Partition,
        args: impl Fn(&[T]) -> Vec<Value>,
        budget: Duration,
    ) -> Result<Vec<(Vec<usize>, Value)>, Unavailable> {
        let mut by_partition: BTreeMap<Partition, (Vec<usize>, Vec<T>)> = BTreeMap::new();
        for (index, item) in items.into_iter().enumerate() {
            let (indexes, items) = by_partition.entry(partition(&item)).or_default();
            indexes.push(index);
            items.push(item);
        }
        let calls = by_partition.into_iter().map(|(partition, (indexes, items))| {
            let args = args(&items);
            async move { Ok((indexes, self.call_within(function, partition, args, budget).await?)) }
        });
        try_join_all(calls).await
    }
}

/// Returns a time to live in milliseconds, varied by up to a fifth, so that data that was stored
/// together does not expire together.
fn jittered(ttl: Duration) -> Value {
    number(ttl.mul_f64(rand::random_range(0.8..1.2)).as_millis())
}

fn partition_of(subject: SubjectId) -> Partition {
    CommentId::from(subject).partition()
}

#[async_trait]
impl Cache for RedisCache {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable> {
        let names = |keys: &[&SubjectKey]| keys.iter().map(|key| text(encode::name(key))).collect();
        let partition = |key: &&SubjectKey| key.partition();
        let responses = self.call_each_partition("subjects", keys, partition, names, self.config.budget).await?;
        let mut found: Vec<_> = keys.iter().map(|_| EntryLookup::Miss).collect();
        for (indexes, response) in responses {
            for (index, value) in indexes.into_iter().zip(decode::list(&response)) {
                found[index] = match decode::bytes(value) {
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
        let encoded = |ids: &[CommentId]| ids.iter().map(|id| encode::id(*id)).collect();
        let (items, partition) = (ids.iter().copied(), |id: &CommentId| id.partition());
        let responses = self.call_each_partition("comments", items, partition, encoded, self.config.budget).await?;
        let mut found: Vec<_> = ids.iter().map(|_| EntryLookup::Miss).collect();
        for (indexes, response) in responses {
            let [values, rows] = decode::list(&response) else { continue };
            let rows: Vec<Option<Subject>> = decode::list(rows).iter().map(decode::subject).collect();
            for (index, value) in indexes.into_iter().zip(decode::list(values)) {
                let [row, comment] = decode::list(value) else { continue };
                let row = decode::integer(row).and_then(|row| rows.get(usize::try_from(row - 1).ok()?)?.as_ref());
                let Some((row, comment)) = row.zip(decode::comment(comment, Some(ids[index]))) else { continue };
                found[index] = EntryLookup::Hit(row.delete_time.is_none().then(|| comment.view(row)));
            }
        }
        Ok(found)
    }

    async fn page(&self, query: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        let (found, version) = self.build_page(query, self.rendered_page_name(query)).await?;
        if let (EntryLookup::Hit(Some(CachedPage::Roots(page))), Some(version)) = (&found, version) {
            self.store_rendered(query, page, version);
        }
        Ok(found)
    }

    async fn states(
        &self,
        member: &SubjectMember,
        ids: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable> {
        let args = vec![text(encode::name(&member.key)), text(encode::member(member)), encode::ids(ids)];
        let response = self.call("states", member.key.partition(), args).await?;
        let found = decode::lookup(&response, decode::states);
        // A response of another length is damaged.
        let damaged = matches!(&found, EntryLookup::Hit(Some(values)) if values.len() != ids.len());
        Ok(if damaged { EntryLookup::Miss } else { found })
    }

    async fn open(&self, key: &SubjectKey, scope: FillScope, token: u64) -> Result<LeaseOutcome, Unavailable> {
        let args = vec![
            text(encode::name(key)),
            text(encode::scope(scope)),
            number(u8::from(scope == FillScope::Comments)),
            bytes(token.to_be_bytes()),
            number(self.limits().lease.as_millis()),
            number((self.limits().ttl + ENTRY_EXTRA_TTL).as_millis()),
        ];
        let response = self.call("open", key.partition(), args).await?;
        decode::lease_outcome(&response, scope, token).ok_or(Unavailable)
    }

    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Unavailable> {
        let args = vec![text(encode::name(key)), text(hex(id.get())), jittered(SUBJECT_ID_TTL)];
        self.call("name", key.partition(), args).await.map(drop)
    }

    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Unavailable> {
        let ttl = number(self.limits().negative_ttl.as_millis());
        let args = vec![text(encode::name(key)), bytes(token.to_be_bytes()), ttl];
        self.call("absent", key.partition(), args).await.map(drop)
    }

    async fn fill(&self, fill_lease: &FillLease, fill: &CacheFill) -> Result<FillOutcome, Unavailable> {
        let limits = self.limits();
        let mut args = vec![
            text(hex(fill_lease.subject.get())),
            text(encode::scope(fill_lease.scope)),
            bytes(fill_lease.token.to_be_bytes()),
            jittered(limits.ttl),
            number((limits.ttl.mul_f64(1.2) + ENTRY_EXTRA_TTL).as_millis()),
            number(limits.window),
        ];
        args.extend(encode::fill(fill_lease, fill));
        Ok(decode::fill_outcome(&self.call("fill", partition_of(fill_lease.subject), args).await?))
    }

    async fn close(&self, fill_lease: &FillLease) -> Result<(), Unavailable> {
        let args = vec![
            text(hex(fill_lease.subject.get())),
            text(encode::scope(fill_lease.scope)),
            bytes(fill_lease.token.to_be_bytes()),
        ];
        self.call("close", partition_of(fill_lease.subject), args).await.map(drop)
    }

    async fn apply(&self, changes: &[SubjectUpdate]) -> Result<(), Unavailable> {
        let limits = self.limits();
        let args = |changes: &[&SubjectUpdate]| {
            let mut args = vec![jittered(limits.ttl), number(limits.window), number(changes.len())];
            for change in changes {
                let encoded = encode::change(change);
                args.extend([text(hex(change.subject.id.get())), number(encoded.len())]);
                args.extend(encoded);
            }
            args
        };
        let partition = |change: &&SubjectUpdate| change.subject.key.partition();
        self.call_each_partition("apply", changes, partition, args, self.config.apply_budget).await.map(drop)
    }

    async fn like(&self, likes: &[LikeCounts]) -> Result<(), Unavailable> {
        let args = |likes: &[&LikeCounts]| likes.iter().flat_map(|likes| encode::likes(likes)).collect();
        let partition = |likes: &&LikeCounts| likes.id.partition();
        self.call_each_partition("like", likes, partition, args, self.config.apply_budget).await.map(drop)
    }

    async fn begin_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        self.call_for_members("doubt", members, token).await
    }

    async fn end_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        self.call_for_members("settle", members, token).await
    }

    async fn open_states(&self, member: &SubjectMember, token: u64) -> Result<bool, Unavailable> {
        let lease = number(self.limits().lease.as_millis());
        let args = vec![text(encode::member(member)), bytes(token.to_be_bytes()), lease];
        let response = self.call("open_states", member.key.partition(), args).await?;
        Ok(decode::integer(&response) == Some(1))
    }

    async fn fill_states(
        &self,
        member: &SubjectMember,
        token: u64,
        values: &[(CommentId, LikeValue)],
    ) -> Result<(), Unavailable> {
        let ttl = jittered(self.limits().like_states_ttl);
        let mut args = vec![text(encode::member(member)), bytes(token.to_be_bytes()), ttl];
        args.extend(values.iter().flat_map(|(id, value)| [encode::id(*id), number(value.code())]));
        self.call("fill_states", member.key.partition(), args).await.map(drop)
    }

    async fn record_existing(&self, member: &SubjectMember, ids: &[CommentId]) -> Result<(), Unavailable> {
        if ids.is_empty() {
            return Ok(());
        }
        let args = std::iter::once(text(encode::member(member))).chain(ids.iter().map(|id| encode::id(*id)));
        self.call("exist", member.key.partition(), args.collect()).await.map(drop)
    }

    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable> {
        let read = |partition: &Partition| self.call_in_background("cursor", *partition, Vec::new());
        let responses = join_all(partitions.iter().map(read)).await;
        responses.into_iter().map(|response| Ok(decode::integer(&response?).map(RelayCursor))).collect()
    }

    async fn advance(
        &self,
        partition: Partition,
        from: RelayCursor,
        to: RelayCursor,
        committed: &CommittedState,
    ) -> Result<bool, Unavailable> {
        let mut args = vec![number(from.0), number(to.0), number(committed.revisions.len())];
        args.extend(committed.revisions.iter().flat_map(|(id, revision)| [text(hex(id.get())), number(revision)]));
        args.push(number(committed.likes.len()));
        args.extend(committed.likes.iter().flat_map(encode::likes));
        args.push(number(committed.concealed.len()));
        args.extend(committed.concealed.iter().flat_map(encode::concealed));
        args.extend(committed.likers.iter().map(|member| text(encode::member(member))));
        let response = self.call_in_background("advance", partition, args).await?;
        Ok(decode::integer(&response) == Some(1))
    }

    async fn renew(&self, partition: Partition, at: RelayCursor, generation: u64) -> Result<(), Unavailable> {
        let args = vec![number(at.0), text(format!("{generation:x}"))];
        self.call_in_background("renew", partition, args).await.map(drop)
    }

    async fn invalidate_subject(&self, key: &SubjectKey) -> Result<(), Unavailable> {
        self.call("forget", key.partition(), vec![text(encode::name(key))]).await.map(drop)
    }

    fn is_unavailable(&self) -> bool {
        self.client.is_unavailable()
    }

    fn connection_changes(&self) -> u64 {
        self.client.connection_changes()
    }

    fn rendered_pages(&self) -> Option<&dyn RenderedPages> {
        self.page_storage.is_some().then_some(self)
    }
}

impl RedisCache {
    /// Returns a page built from its cached parts. Also returns the version to which the page
    /// belongs, if it should be stored as the rendered page `name`, which is not stored yet.
    async fn build_page(
        &self,
        query: &CachedPageQuery,
        name: Option<Value>,
    ) -> Result<(EntryLookup<Option<CachedPage>>, Option<Value>), Unavailable> {
        let args = encode::page(query).into_iter().chain(name).collect();
        let response = self.call("page", query.key.partition(), args).await?;
        Ok(page::decode(&response, query.root))
    }

    async fn call_for_members(
        &self,
        function: &'static str,
        members: &[SubjectMember],
        token: u64,
    ) -> Result<(), Unavailable> {
        let args = |members: &[&SubjectMember]| {
            let names = members.iter().map(|member| text(encode::member(member)));
            std::iter::once(bytes(token.to_be_bytes())).chain(names).collect()
        };
        let partition = |member: &&SubjectMember| member.key.partition();
        self.call_each_partition(function, members, partition, args, self.config.apply_budget).await.map(drop)
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
