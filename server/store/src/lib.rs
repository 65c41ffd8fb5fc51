//! The stores of Riposte behind the domain's ports: sharded tables on the MySQL family, or one SQLite file, by the same
//! code. [`SqlStore::open`] gives a [`SqlStore`], whose ports are all that the rest of the service sees.
//!
//! This crate must never know an RPC, a proto message or a status, and no SeaORM type or driver text leaves it but to
//! the migrations.

pub mod config;
mod error;
pub mod on_shard;
pub mod schema;
pub mod shard;
mod sql;
mod store;
mod throttled_log;

pub use config::StoreConfig;
pub use on_shard::OnShard;
pub use sql::{DataSource, DataSources, PoolState, TransactionObserver, is_address};
pub use store::{Diagnosis, SqlStore};
