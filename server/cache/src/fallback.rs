//! Records, per task, whether a read fell back to the rows. A single slow call does not mark the
//! cache as unavailable, and yet the rows served that read.

use std::cell::Cell;

tokio::task_local! {
    static FELL_BACK: Cell<bool>;
}

/// Runs `work`. Within it [`CachedReader::is_degraded`](crate::CachedReader::is_degraded) also
/// reports that one of its own reads could not use the cache.
pub async fn noting<F: Future>(work: F) -> F::Output {
    FELL_BACK.scope(Cell::new(false), work).await
}

/// Records that a read of this task goes to the rows, because the cache cannot be read.
pub(crate) fn note() {
    // Outside of `noting` no caller reads the flag.
    let _ = FELL_BACK.try_with(|fell_back| fell_back.set(true));
}

/// Returns whether a read of this task fell back.
pub(crate) fn is_noted() -> bool {
    FELL_BACK.try_with(Cell::get).unwrap_or(false)
}
