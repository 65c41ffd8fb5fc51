//! Imports comments from other systems, and exports comments, as an ordinary client of
//! AdminService.
//!
//! An import passes through these modules: the reader of a format converts a file into `record`s,
//! which have the same form for all formats; `check` applies the rules that need no database;
//! `spool` collects them by subject, in temporary files if they are many; `ordering` puts the
//! records of each subject into an order that the server accepts (parents first, then by time);
//! `send` streams them to the server. `rejects` writes the records that cannot be imported, as
//! lines that are themselves valid input. An export writes the format of `jsonl` only. [`import`]
//! and [`export`] run a complete import or export.
//!
//! This crate must never depend on a crate of the server, and uses only the public contract.

pub mod export;
pub mod fuzz;
pub mod import;

mod addresses;
mod batch;
mod blank;
mod check;
mod commento;
mod console;
mod counted;
mod csv;
mod csv_input;
mod detect;
mod disqus;
mod dry_run;
mod error;
mod excerpt;
mod format;
mod group;
mod held;
mod html;
mod input;
mod interrupt;
mod isso;
mod json;
mod json_lists;
mod json_object;
mod json_record;
mod jsonl;
mod map;
mod mapped;
mod marks;
mod member_ids;
mod mysql_text;
mod names;
mod not_utf8;
mod ordering;
mod output;
mod page;
mod progress;
mod proto;
mod read;
mod read_notes;
mod read_settings;
mod record;
mod rejects;
mod resume;
mod seen;
mod send;
mod sender;
mod shared;
mod spool;
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
pub use format::ImportFormat;
pub use ordering::Orphans;
pub use page::SubjectBy;
pub use read::ReadRequest;
pub use votes::VotePolicy;
