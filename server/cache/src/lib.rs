//! The cache of frequently read data, either in Redis and shared by all processes, or in the
//! process.
//!
//! Both implementations follow one protocol ([`Cache`]). Once no writes are running, each cached
//! value is correct or absent, even if messages or entries were lost, evicted, late or repeated.
//! [`CachedReader`] serves the domain's reads from the cache, [`CacheUpdater`] and [`CachedWriter`]
//! apply every commit to it, and [`CacheRepair`] applies the commits that those two missed.
//!
//! This crate must never make a decision of the domain, and must never know SQL, an RPC or a
//! status; no type of the Redis client leaves it.

mod audit;
mod config;
mod floor_index;
mod invalid_partitions;
mod memory;
mod port;
mod ranking_cache;
mod read_limit;
mod reader;
mod redis;
mod relay_state;
mod repair;
mod repair_consumer;
mod settings;
mod source_partitions;
mod staleness;
mod stats;
mod updater;
mod writer;

pub use audit::CacheAuditor;
pub use config::{CacheLimits, RedisConfig};
pub use invalid_partitions::InvalidPartitions;
pub use memory::MemoryCache;
pub use port::{
    Cache, CacheFill, CachedCandidates, CachedComment, CachedPage, CachedPageQuery, CommentUpdate, CommittedState,
    ConcealedComment, EntryLookup, FillLease, FillOutcome, FillScope, LeaseOutcome, LikeCounts, ListName, ListPart,
    ListRange, ListUpdate, RelayCursor, RenderedPages, SubjectMember, SubjectUpdate, Unavailable,
};
pub use ranking_cache::RankingCache;
pub use read_limit::{DbReadLimit, SourceRoute};
pub use reader::CachedReader;
pub use redis::{REDIS_LIBRARY, RedisCache, RedisHealth, RedisObserver, dump, fuzz};
pub use relay_state::RelayState;
pub use repair::CacheRepair;
pub use repair_consumer::CacheRepairConsumer;
pub use settings::{CacheKind, CacheSettings};
pub use source_partitions::SourcePartitions;
pub use staleness::{EventsEnd, StalenessChange, StalenessMonitor};
pub use stats::{CacheEvent, CacheStats};
pub use updater::CacheUpdater;
pub use writer::CachedWriter;
