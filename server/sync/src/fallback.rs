//! Records, for each task, whether a read could not use the cache. The state of the cache's circuit
//! breaker does not show this: after a single slow call the breaker stays closed, although the
//! database served that read.

use std::cell::Cell;

tokio::task_local! {
    static FELL_BACK: Cell<bool>;
}

/// Runs `work` with a flag of its own, which is unset at first. Within `work`, [`fell_back`]
/// returns whether [`record_fallback`] was called; a task that `work` spawns does not see the flag.
pub async fn track_fallback<F: Future>(work: F) -> F::Output {
    FELL_BACK.scope(Cell::new(false), work).await
}

/// Records that a read of this task goes to the database, because the cache cannot be read. Outside
/// of [`track_fallback`] this has no effect.
pub fn record_fallback() {
    let _ = FELL_BACK.try_with(|fell_back| fell_back.set(true));
}

/// Returns whether [`record_fallback`] was called in this task; `false` outside of
/// [`track_fallback`].
#[must_use]
pub fn fell_back() -> bool {
    FELL_BACK.try_with(Cell::get).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::{fell_back, record_fallback, track_fallback};

    #[tokio::test]
    async fn every_scope_has_a_flag_of_its_own() {
        record_fallback();
        assert!(!fell_back(), "there is no flag");
        let seen = track_fallback(async {
            let before = fell_back();
            record_fallback();
            let inner = track_fallback(async { fell_back() }).await;
            (before, inner, fell_back())
        });
        assert_eq!(seen.await, (false, false, true));
        assert!(!track_fallback(async { fell_back() }).await, "the next flag is unset again");
    }
}
