//! The event consumers of the derived rows, one file each. Other consumers are the hub of the
//! watches, in [`watch`](super::watch), and those that repair or invalidate a cache, which are in
//! the module of the cache.

mod member_history;
mod rank_index;
mod rebuild;
mod review;

pub use member_history::MemberHistoryConsumer;
pub use rank_index::RankIndexConsumer;
pub use rebuild::SourceSubjects;
pub use review::ReviewConsumer;
