//! Hot subjects: the read and write rates of each subject, and a response cache with the first
//! pages of subjects under load.
//!
//! Each process counts separately. Memory is bounded for every load: the counters keep the busiest
//! keys, and the cached pages are limited in number and in bytes. A page is at most [`MAX_AGE`]
//! old, counted from the start of the read that produced it. Events that report changes only
//! shorten that time, so correctness does not depend on them.

mod consumer;
mod counting_log;
mod entry;
mod frequency;
mod pages;
mod rates;
mod settings;

pub use consumer::ResponseCacheConsumer;
pub use counting_log::CountingLog;
pub use entry::MAX_AGE;
pub use pages::{CachedResponse, PageBytes, ResponseCache, ResponseCacheLimits};
pub use rates::{HotSubject, SubjectRates};
pub use settings::ResponseCacheSettings;
