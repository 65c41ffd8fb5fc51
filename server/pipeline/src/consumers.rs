//! The event consumers of the derived rows, one file each. The hub of the watches is one too; see
//! [`watch`](super::watch). The consumers that invalidate a cache are beside their caches.

mod member_history;
mod rank_index;
mod rebuild;

pub use member_history::MemberHistoryConsumer;
pub use rank_index::RankIndexConsumer;
pub use rebuild::SourceSubjects;
