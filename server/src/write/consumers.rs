//! The event consumers, one file each. The hub of the watches is one too; see
//! [`watch`](super::watch).

mod cache_repair;
mod member_history;
mod rank_index;
mod rebuild;
mod response_cache;

pub use cache_repair::CacheRepairConsumer;
pub use member_history::MemberHistoryConsumer;
pub use rank_index::RankIndexConsumer;
pub use rebuild::SourceSubjects;
pub use response_cache::ResponseCacheConsumer;
