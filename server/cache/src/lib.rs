//! Copies of what is read often: in Redis, shared by all processes, or in the process.
//!
//! Both keep one protocol ([`Cache`]), by which every copy is right or absent once all is quiet, whatever is lost,
//! evicted, late or repeated. [`CachedReader`] answers the domain's reads from them, [`Hearer`] and [`CachedWriter`] bring
//! every commit to them, [`Mender`] brings what that missed.
//!
//! This crate must never decide anything of the domain, know SQL, an RPC or a status; no type of the Redis client leaves it.

mod audit;
mod config;
mod fallback;
mod flights;
mod hear;
mod memory;
mod mend;
mod owed;
mod places;
#[cfg(any(test, feature = "planted"))]
mod planted;
mod port;
mod rankings;
mod reader;
mod redis;
mod relayed;
mod room;
mod tally;
mod vigil;
mod writer;

pub use audit::Auditor;
pub use config::{Limits, RedisConfig};
pub use fallback::noting;
pub use flights::Flights;
pub use hear::Hearer;
pub use memory::Memory;
pub use mend::Mender;
pub use owed::Owed;
pub use port::{
    Away, Cache, Change, Choice, Committed, Cursor, Fill, Filled, Item, Kind, Likes, ListChange, ListName, Listed,
    Lookup, Member, Opened, PageAsk, PageHit, Part, Patch, Preview, Printed, Printer, Prints, Ticket,
};
pub use rankings::CachedRankings;
pub use reader::CachedReader;
pub use redis::{Redis, RedisHealth, Trips, fuzz, look};
pub use relayed::Relayed;
pub use room::{Room, Route};
pub use tally::{Tally, Told};
pub use vigil::{Care, Vigil};
pub use writer::CachedWriter;
