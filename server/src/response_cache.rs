//! Hot subjects: how often each subject is read and written, and the first pages of those under load, kept ready to be
//! sent.
//!
//! A process counts for itself. Memory is bounded whatever is asked: the counters keep their busiest keys, the pages have
//! a number and a size. A page is at most [`MAX_AGE`] old, counted from the start of the reading that made it, so the
//! events that tell of changes only make it younger: nothing rests on them.

mod counting_log;
mod entry;
mod frequency;
mod pages;
mod rates;

pub use counting_log::CountingLog;
pub use entry::MAX_AGE;
pub use pages::{CachedResponse, PageBytes, ResponseCache, ResponseCacheLimits};
pub use rates::{HotSubject, SubjectRates};
