//! Concurrency primitives that the crates of the server share. Each file contains one primitive. A
//! primitive knows neither comments nor databases: its caller supplies the keys, the work and the
//! errors. [`BackoffLog`] logs a text of its own about a loop that its caller names.
//!
//! This crate must never depend on another crate of the workspace, do I/O, or start a task but for
//! work that a caller supplies: a load of [`SingleFlight`] that has started runs to its end, even
//! if no caller waits for it any more.

mod adaptive_interval;
mod backoff_log;
mod batcher;
mod breaker;
mod byte_budget;
mod fallback;
mod flag;
mod keyed_lock;
mod keyed_quota;
mod single_flight;
mod throttled_log;

pub use adaptive_interval::{AdaptiveInterval, PollBounds};
pub use backoff_log::{BackoffLog, RetryWaits};
pub use batcher::{BatchWorker, BatchedRequest, Batcher};
pub use breaker::CircuitBreaker;
pub use byte_budget::ByteBudget;
pub use fallback::{fell_back, record_fallback, track_fallback};
pub use flag::until_set;
pub use keyed_lock::{KeyLock, KeyedLock};
pub use keyed_quota::{KeyedQuota, QuotaPermit};
pub use single_flight::{LoadAborted, SingleFlight};
pub use throttled_log::ThrottledLog;
