//! Copies in Redis, one server or a cluster: each operation is a function of `library.lua`, and what lies in several
//! partitions is asked side by side.

mod answers;
mod client;
pub mod fuzz;
mod look;
mod message;
mod page;
mod place;
mod print;
mod trips;
mod value;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fred::types::Value;
use futures::future::{join_all, try_join_all};
use riposte_core::comment::CommentView;
use riposte_core::{CommentId, LikeValue, Partition, Subject, SubjectId, SubjectKey};

use crate::config::{Limits, RedisConfig};
use crate::port::{
    Away, Cache, Change, Committed, Cursor, Fill, Filled, Kind, Likes, Lookup, Member, Opened, PageAsk, PageHit,
    Printer, Prints, Ticket,
};
use client::Client;
pub use look::look;
use print::Press;
pub use trips::Trips;
use value::hex;
use words::{bytes, number, text};

/// How much longer a block is kept than what belongs to it.
const LONGER: Duration = Duration::from_secs(60);
/// How long it is remembered which subject bears a key, which never changes.
const NAMED: Duration = Duration::from_secs(24 * 60 * 60);

/// See the module.
#[derive(Debug)]
pub struct Redis {
    client: Arc<Client>,
    config: RedisConfig,
    trips: Option<Arc<dyn Trips>>,
    /// `None` keeps no prints.
    press: Option<Press>,
}

/// What `riposte doctor` shows of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisHealth {
    /// The round trip of the smallest question.
    pub trip: Duration,
    /// Whether it is a cluster.
    pub clustered: bool,
    /// The version that one of the servers tells.
    pub version: Option<String>,
    /// What happens when its memory is full.
    pub eviction: Option<String>,
}

impl Redis {
    /// Whether [`Redis::start`] can use an address. Nothing is asked.
    ///
    /// # Errors
    /// In words, when it makes no sense; never the address, or a part of it.
    pub fn judge(url: &str) -> Result<(), String> {
        client::parsed(url).map(drop)
    }

    /// Copies in the server that `config` names, from within a tokio runtime. It is connected to in the background, and again whenever it has
    /// been away.
    ///
    /// # Errors
    /// In words, when the address makes no sense.
    pub fn start(config: RedisConfig) -> Result<Self, String> {
        let client = Arc::new(Client::start(&config)?);
        Ok(Self { client, config, trips: None, press: None })
    }

    /// The same, with somebody who is told of every trip.
    #[must_use]
    pub fn observed(self, trips: Arc<dyn Trips>) -> Self {
        Self { trips: Some(trips), ..self }
    }

    /// The same, with somebody who prints first pages.
    #[must_use]
    pub fn printing(self, printer: Arc<dyn Printer>) -> Self {
        Self { press: Some(Press::new(printer)), ..self }
    }

    /// Waits for a connection, and brings the functions.
    ///
    /// # Errors
    /// In words, when there was none in time.
    pub async fn ready(&self, within: Duration) -> Result<(), String> {
        self.client.connected(within).await?;
        self.client.load().await.map_err(|Away| "the functions could not be loaded".to_owned())
    }

    /// What the server says of itself.
    ///
    /// # Errors
    /// In words, when it does not answer.
    pub async fn health(&self) -> Result<RedisHealth, String> {
        let (trip, info) = self.client.ask().await?;
        let of = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.map(|value| value.trim().to_owned())
        };
        let clustered = self.client.is_clustered();
        Ok(RedisHealth { trip, clustered, version: of("redis_version"), eviction: of("maxmemory_policy") })
    }

    /// From now on connections are made with the user and password of this address. Those that are open live on.
    ///
    /// # Errors
    /// In words, without the address, when it makes no sense or leads elsewhere; then nothing has changed.
    pub async fn exchange(&self, url: &str) -> Result<(), String> {
        self.client.exchange(url).await
    }

    /// Ends the connections.
    pub async fn shut(&self) {
        self.client.close().await;
    }

    fn limits(&self) -> &Limits {
        &self.config.limits
    }

    async fn call(&self, function: &str, at: Partition, words: Vec<Value>) -> Result<Value, Away> {
        self.within(function, at, words, self.config.budget).await
    }

    async fn within(&self, function: &str, at: Partition, words: Vec<Value>, budget: Duration) -> Result<Value, Away> {
        let cursor = words::cursor(at, self.config.timeline);
        trips::watched(self.trips.as_deref(), function, self.client.call(function, &cursor, words, budget)).await
    }

    /// Calls a function for the relay, whom nobody waits for.
    async fn aside(&self, function: &str, at: Partition, words: Vec<Value>) -> Result<Value, Away> {
        let cursor = words::cursor(at, self.config.timeline);
        trips::watched(self.trips.as_deref(), function, self.client.call_aside(function, &cursor, words)).await
    }

    /// Calls a function once for each partition of `items`, side by side, and answers with their places.
    async fn each<T>(
        &self,
        function: &str,
        items: impl IntoIterator<Item = T>,
        at: impl Fn(&T) -> Partition,
        words: impl Fn(&[T]) -> Vec<Value>,
        budget: Duration,
    ) -> Result<Vec<(Vec<usize>, Value)>, Away> {
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

/// A time to live, a fifth more or less, in milliseconds: what was kept together is not lost together.
fn jittered(ttl: Duration) -> Value {
    number(ttl.mul_f64(rand::random_range(0.8..1.2)).as_millis())
}

fn at_of(subject: SubjectId) -> Partition {
    CommentId::from(subject).partition()
}

#[async_trait]
impl Cache for Redis {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Lookup<Option<Subject>>>, Away> {
        let names = |keys: &[&SubjectKey]| keys.iter().map(|key| text(words::name(key))).collect();
        let answers = self.each("subjects", keys, |key| key.partition(), names, self.config.budget).await?;
        let mut found: Vec<_> = keys.iter().map(|_| Lookup::Miss).collect();
        for (places, answer) in answers {
            for (place, value) in places.into_iter().zip(answers::list(&answer)) {
                found[place] = match answers::bytes(value) {
                    Some([]) => Lookup::Hit(None),
                    Some(_) => answers::subject(value).map_or(Lookup::Miss, |subject| Lookup::Hit(Some(subject))),
                    None => Lookup::Miss,
                };
            }
        }
        Ok(found)
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Lookup<Option<CommentView>>>, Away> {
        let spelled = |ids: &[CommentId]| ids.iter().map(|id| words::id(*id)).collect();
        let asked = ids.iter().copied();
        let answers = self.each("comments", asked, |id| id.partition(), spelled, self.config.budget).await?;
        let mut found: Vec<_> = ids.iter().map(|_| Lookup::Miss).collect();
        for (places, answer) in answers {
            let [values, rows] = answers::list(&answer) else { continue };
            let rows: Vec<Option<Subject>> = answers::list(rows).iter().map(answers::subject).collect();
            for (place, value) in places.into_iter().zip(answers::list(values)) {
                let [row, copy] = answers::list(value) else { continue };
                let row = answers::integer(row).and_then(|row| rows.get(usize::try_from(row - 1).ok()?)?.as_ref());
                let Some((row, item)) = row.zip(answers::item(copy, Some(ids[place]))) else { continue };
                found[place] = Lookup::Hit(row.delete_time.is_none().then(|| item.view(row)));
            }
        }
        Ok(found)
    }

    async fn page(&self, ask: &PageAsk) -> Result<Lookup<Option<PageHit>>, Away> {
        let (found, of) = self.put_together(ask, self.print_name(ask)).await?;
        if let (Lookup::Hit(Some(hit)), Some(of)) = (&found, of) {
            self.keep(ask, hit, of);
        }
        Ok(found)
    }

    async fn states(&self, who: &Member, ids: &[CommentId]) -> Result<Lookup<Option<Vec<Option<LikeValue>>>>, Away> {
        let words = vec![text(words::name(&who.key)), text(words::member(who)), words::ids(ids)];
        let answer = self.call("states", who.key.partition(), words).await?;
        let found = answers::lookup(&answer, answers::states);
        // One that is of another length is damaged.
        let whole = !matches!(&found, Lookup::Hit(Some(values)) if values.len() != ids.len());
        Ok(if whole { found } else { Lookup::Miss })
    }

    async fn open(&self, key: &SubjectKey, kind: Kind, token: u64) -> Result<Opened, Away> {
        let words = vec![
            text(words::name(key)),
            text(words::kind(kind)),
            number(u8::from(kind == Kind::Comments)),
            bytes(token.to_be_bytes()),
            number(self.limits().lease.as_millis()),
            number((self.limits().ttl + LONGER).as_millis()),
        ];
        let answer = self.call("open", key.partition(), words).await?;
        answers::opened(&answer, kind, token).ok_or(Away)
    }

    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Away> {
        let words = vec![text(words::name(key)), text(hex(id.get())), jittered(NAMED)];
        self.call("name", key.partition(), words).await.map(drop)
    }

    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Away> {
        let ttl = number(self.limits().negative_ttl.as_millis());
        let words = vec![text(words::name(key)), bytes(token.to_be_bytes()), ttl];
        self.call("absent", key.partition(), words).await.map(drop)
    }

    async fn fill(&self, ticket: &Ticket, fill: &Fill) -> Result<Filled, Away> {
        let limits = self.limits();
        let mut words = vec![
            text(hex(ticket.subject.get())),
            text(words::kind(ticket.kind)),
            bytes(ticket.token.to_be_bytes()),
            jittered(limits.ttl),
            number((limits.ttl.mul_f64(1.2) + LONGER).as_millis()),
            number(limits.window),
        ];
        words.extend(words::fill(ticket, fill));
        Ok(answers::filled(&self.call("fill", at_of(ticket.subject), words).await?))
    }

    async fn close(&self, ticket: &Ticket) -> Result<(), Away> {
        let words =
            vec![text(hex(ticket.subject.get())), text(words::kind(ticket.kind)), bytes(ticket.token.to_be_bytes())];
        self.call("close", at_of(ticket.subject), words).await.map(drop)
    }

    async fn apply(&self, changes: &[Change]) -> Result<(), Away> {
        let limits = self.limits();
        let words = |changes: &[&Change]| {
            let mut words = vec![jittered(limits.ttl), number(limits.window), number(changes.len())];
            for change in changes {
                let of = words::change(change);
                words.extend([text(hex(change.subject.id.get())), number(of.len())]);
                words.extend(of);
            }
            words
        };
        let at = |change: &&Change| change.subject.key.partition();
        self.each("apply", changes, at, words, self.config.apply_budget).await.map(drop)
    }

    async fn like(&self, likes: &[Likes]) -> Result<(), Away> {
        let words = |likes: &[&Likes]| likes.iter().flat_map(|likes| words::likes(likes)).collect();
        self.each("like", likes, |likes| likes.id.partition(), words, self.config.apply_budget).await.map(drop)
    }

    async fn doubt(&self, members: &[Member], token: u64) -> Result<(), Away> {
        self.members("doubt", members, token).await
    }

    async fn settle(&self, members: &[Member], token: u64) -> Result<(), Away> {
        self.members("settle", members, token).await
    }

    async fn open_states(&self, who: &Member, token: u64) -> Result<bool, Away> {
        let lease = number(self.limits().lease.as_millis());
        let words = vec![text(words::member(who)), bytes(token.to_be_bytes()), lease];
        let answer = self.call("open_states", who.key.partition(), words).await?;
        Ok(answers::integer(&answer) == Some(1))
    }

    async fn fill_states(&self, who: &Member, token: u64, values: &[(CommentId, LikeValue)]) -> Result<(), Away> {
        let ttl = jittered(self.limits().states_ttl);
        let mut words = vec![text(words::member(who)), bytes(token.to_be_bytes()), ttl];
        words.extend(values.iter().flat_map(|(id, value)| [words::id(*id), number(value.code())]));
        self.call("fill_states", who.key.partition(), words).await.map(drop)
    }

    async fn exist(&self, who: &Member, ids: &[CommentId]) -> Result<(), Away> {
        if ids.is_empty() {
            return Ok(());
        }
        let words = std::iter::once(text(words::member(who))).chain(ids.iter().map(|id| words::id(*id)));
        self.call("exist", who.key.partition(), words.collect()).await.map(drop)
    }

    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<Cursor>>, Away> {
        let ask = |at: &Partition| self.aside("cursor", *at, Vec::new());
        let answers = join_all(partitions.iter().map(ask)).await;
        answers.into_iter().map(|answer| Ok(answers::integer(&answer?).map(Cursor))).collect()
    }

    async fn advance(&self, at: Partition, from: Cursor, to: Cursor, told: &Committed) -> Result<bool, Away> {
        let mut words = vec![number(from.0), number(to.0), number(told.revisions.len())];
        words.extend(told.revisions.iter().flat_map(|(id, revision)| [text(hex(id.get())), number(revision)]));
        words.push(number(told.likes.len()));
        words.extend(told.likes.iter().flat_map(words::likes));
        words.extend(told.likers.iter().map(|who| text(words::member(who))));
        let answer = self.aside("advance", at, words).await?;
        Ok(answers::integer(&answer) == Some(1))
    }

    async fn renew(&self, at: Partition, cursor: Cursor, generation: u64) -> Result<(), Away> {
        let words = vec![number(cursor.0), text(format!("{generation:x}"))];
        self.aside("renew", at, words).await.map(drop)
    }

    async fn forget(&self, key: &SubjectKey) -> Result<(), Away> {
        self.call("forget", key.partition(), vec![text(words::name(key))]).await.map(drop)
    }

    fn is_away(&self) -> bool {
        self.client.is_away()
    }

    fn prints(&self) -> Option<&dyn Prints> {
        self.press.is_some().then_some(self)
    }
}

impl Redis {
    /// A page of its copies; and what it is of, where no print under this name is kept and one may be.
    async fn put_together(
        &self,
        ask: &PageAsk,
        name: Option<Value>,
    ) -> Result<(Lookup<Option<PageHit>>, Option<Value>), Away> {
        let words = words::page(ask).into_iter().chain(name).collect();
        let answer = self.call("page", ask.key.partition(), words).await?;
        Ok(page::read(&answer, ask.root))
    }

    async fn members(&self, function: &str, members: &[Member], token: u64) -> Result<(), Away> {
        let words = |members: &[&Member]| {
            let names = members.iter().map(|who| text(words::member(who)));
            std::iter::once(bytes(token.to_be_bytes())).chain(names).collect()
        };
        self.each(function, members, |who| who.key.partition(), words, self.config.apply_budget).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::{Comment, CommentId, CommentState, MemberId, Millis, Path, SubjectId};

    /// A root with an id and a revision.
    pub(super) fn comment(id: i64, revision: i64) -> Comment {
        let number = CommentId::new(id).expect("positive");
        Comment {
            id: number,
            subject_id: SubjectId::from(number),
            root_id: None,
            parent_id: None,
            path: Path::root(number),
            floor: 1,
            next_floor: 1,
            member: MemberId::stored("m".into()),
            state: CommentState::Active,
            prior_state: CommentState::Active,
            deleted_by: None,
            like_count: 2,
            dislike_count: 1,
            reply_count: 0,
            live_below: 0,
            listed: true,
            revision,
            version: 1,
            born_revision: 1,
            create_time: Millis(5),
            update_time: Millis(6),
            edit_time: None,
            delete_time: None,
        }
    }
}
