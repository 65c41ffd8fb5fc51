//! Import of comments from other systems and their export, as an ordinary client of AdminService.
//!
//! A format reads its file into neutral `record`s, `group` collects them by subject,
//! `ordering` puts each subject into an order that the server accepts (parents first, then by
//! time) and `send` streams them. `rejects` writes the records that cannot be imported, as
//! lines that are themselves valid input. The export uses `jsonl` alone. [`import`] and
//! [`export`] run the whole of each.
//!
//! This crate must never depend on a crate of the server, nor use anything but the public contract.

pub mod export;
pub mod fuzz;
pub mod import;

mod commento;
mod csv;
mod disqus;
mod dry_run;
mod error;
mod group;
mod html;
mod input;
mod interrupt;
mod isso;
mod jsonl;
mod map;
mod member_ids;
mod ordering;
mod output;
mod page;
mod progress;
mod proto;
mod read;
mod read_settings;
mod record;
mod rejects;
mod resume;
mod send;
mod sender;
mod shared;
mod summary;
mod table;
mod template;
mod throttle;
mod time;
mod totals;
mod votes;
mod wordpress;
mod xml;

pub use error::TransferError;
pub use ordering::Orphans;
pub use read::{ImportFormat, ReadRequest};
pub use read_settings::SubjectBy;
pub use votes::VotePolicy;
