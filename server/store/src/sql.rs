//! The store on SQL, with the same code for MySQL and SQLite.

mod chunks;
mod commit;
mod database_time;
pub(crate) mod entity;
mod grouping;
mod histories;
mod ids;
mod keys_join;
mod moderation_gate;
mod outbox;
mod phase;
mod pool;
mod ranks;
mod read;
mod repair;
mod retry;
mod reviews;
mod row;
mod subject_id_cache;
mod task;
mod transact;
mod transaction_runner;

pub(crate) use commit::SqlWriter;
pub(crate) use histories::SqlHistories;
pub(crate) use ids::{SqlIds, holders};
pub(crate) use moderation_gate::ModerationGates;
pub(crate) use outbox::SqlOutbox;
pub use phase::statement_text;
pub use pool::{DataSource, DataSources, PoolState, SQLITE_FILE, TextQueries, is_address};
pub(crate) use ranks::SqlRanks;
pub(crate) use read::SqlReader;
pub(crate) use repair::SqlCountRepair;
pub(crate) use reviews::SqlReviews;
pub(crate) use row::bytes;
pub use transaction_runner::TransactionObserver;
