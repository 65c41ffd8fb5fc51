//! The store on SQL: one code for MySQL and SQLite.

mod among;
mod chunks;
mod commit;
mod deal;
mod desk;
pub(crate) mod entity;
mod histories;
mod identities;
mod ids;
mod outbox;
mod pool;
mod ranks;
mod read;
mod repair;
mod retry;
mod row;
mod task;
mod transact;

pub(crate) use commit::SqlWriter;
pub use desk::Observer;
pub(crate) use histories::SqlHistories;
pub(crate) use ids::SqlIds;
pub(crate) use outbox::SqlOutbox;
pub use pool::{PoolState, Source, Sources, is_address};
pub(crate) use ranks::SqlRanks;
pub(crate) use read::SqlReader;
pub(crate) use repair::SqlRepairer;
pub(crate) use row::bytes;
