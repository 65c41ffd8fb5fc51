//! The store of Riposte behind the domain's ports: sharded tables on servers of the MySQL family,
//! or one SQLite file, with the same code. [`SqlStore::open`] returns a [`SqlStore`], and the rest
//! of the service uses its ports only.
//!
//! This crate must never know an RPC, a message of the public contract or a status. The internal
//! messages in which rows are encoded are private to the codecs of `sql/row`. SeaORM types and
//! driver text leave the crate only for the migrations.

pub mod config;
mod error;
mod error_log;
pub mod fuzz;
pub mod layout;
pub mod on_shard;
pub mod schema;
pub mod settings;
pub mod shard;
mod sql;
mod store;

pub use config::StoreConfig;
pub use error::operator_text;
pub use on_shard::OnShard;
pub use settings::{StoreKind, StoreSettings, TextForm};
pub use sql::{DataSource, DataSources, PoolState, SQLITE_FILE, TextQueries, TransactionObserver, is_address};
pub use store::{Diagnosis, SourceTransport, SqlStore};
