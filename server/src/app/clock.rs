//! The machine's clock behind the port.

use std::time::{SystemTime, UNIX_EPOCH};

use riposte_core::Millis;
use riposte_core::ports::Clock;

/// The wall clock of this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is given")]
    fn now(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
