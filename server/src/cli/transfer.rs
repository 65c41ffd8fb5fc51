//! Import of comments from other systems and their export, as an ordinary client of AdminService.
//!
//! A format reads its file into neutral [`record`]s, [`group`] collects them by subject,
//! [`ordering`] puts each subject into an order that the server accepts (parents first, then by
//! time) and [`send`] streams them. [`rejects`] writes the records that cannot be imported, as
//! lines that are themselves valid input. The export uses [`jsonl`] alone.

pub(crate) mod commento;
pub(crate) mod csv;
pub(crate) mod disqus;
pub(crate) mod export;
pub(crate) mod fuzz;
pub(crate) mod group;
pub(crate) mod html;
pub(crate) mod input;
pub(crate) mod interrupt;
pub(crate) mod isso;
pub(crate) mod jsonl;
pub(crate) mod map;
pub(crate) mod member_ids;
pub(crate) mod ordering;
pub(crate) mod output;
pub(crate) mod page;
pub(crate) mod progress;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rejects;
pub(crate) mod resume;
pub(crate) mod send;
pub(crate) mod sender;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod template;
pub(crate) mod throttle;
pub(crate) mod time;
pub(crate) mod totals;
pub(crate) mod votes;
pub(crate) mod wire;
pub(crate) mod wordpress;
pub(crate) mod xml;
