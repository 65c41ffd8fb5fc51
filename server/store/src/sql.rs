//! The store on SQL: one code for MySQL and SQLite.

mod chunks;
mod commit;
pub(crate) mod entity;
mod ids;
mod pool;
mod read;
mod row;
mod task;

pub(crate) use commit::SqlWriter;
pub(crate) use ids::SqlIds;
pub use pool::{Source, Sources};
pub(crate) use read::SqlReader;
pub(crate) use row::bytes;
