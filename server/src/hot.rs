//! Hot subjects: how often each subject is read and written, and the first pages of those under load, kept ready to be
//! sent.
//!
//! A process counts for itself. Memory is bounded whatever is asked: the counters keep their busiest keys, the pages have
//! a number and a size. A page is at most [`MAX_AGE`] old, counted from the start of the reading that made it, so the
//! events that tell of changes only make it younger: nothing rests on them.

mod counted;
mod pages;
mod rates;
mod slot;
mod summary;

pub use counted::Counted;
pub use pages::{Filled, HotLimits, Pages, Spot};
pub use rates::{Rates, Warm};
pub use slot::MAX_AGE;
