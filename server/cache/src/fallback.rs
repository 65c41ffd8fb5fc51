//! Whether the copies could be asked, of one piece of work: a cache that is slow once is not away, and yet the rows answered.

use std::cell::Cell;

tokio::task_local! {
    static FELL_BACK: Cell<bool>;
}

/// Does `work`, within which [`CachedReader::is_degraded`](crate::CachedReader::is_degraded) also tells of its own reads
/// that the copies could not be asked for.
pub async fn noting<F: Future>(work: F) -> F::Output {
    FELL_BACK.scope(Cell::new(false), work).await
}

/// A read of this piece of work goes to the rows, since the copies cannot be asked.
pub(crate) fn note() {
    // Nobody asks where no such work was begun.
    let _ = FELL_BACK.try_with(|fell_back| fell_back.set(true));
}

/// Whether one did.
pub(crate) fn is_noted() -> bool {
    FELL_BACK.try_with(Cell::get).unwrap_or(false)
}
