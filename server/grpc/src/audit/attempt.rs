//! Calls that end before their handler has started: rejected or cancelled in the middleware.
//!
//! Every client that reaches the port can make any number of them, so their records are bounded:
//! for each caller, and for all unknown callers together, [`MAX_RECORDS`] in a [`WINDOW`], followed
//! by one record with the number of omitted ones.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use riposte_core::Caller;
use tokio::time::Instant;
use tonic::Status;

use super::record::{self, CallOutcome};
use super::{AuditLog, RejectedCall};

/// The maximum number of records of one caller in one window, enough for the attempts of a person.
const MAX_RECORDS: u32 = 10;
/// The length of a window. With it, the records of one caller take at most about 30 MB a day.
const WINDOW: Duration = Duration::from_secs(10);

/// A flag in the extensions of a request that the handler has started; from then on the handler
/// writes the records.
#[derive(Debug, Clone, Default)]
pub struct HandlerStarted(Arc<AtomicBool>);

impl HandlerStarted {
    /// Marks the handler as started.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// An audited call before it reaches its handler. If the attempt is dropped before the
/// handler has started, it leaves a record of the rejection.
#[derive(Debug)]
pub struct CallAttempt {
    audit: AuditLog,
    method: String,
    call_id: String,
    caller: Option<Arc<str>>,
    handler_started: HandlerStarted,
    is_completed: bool,
}

impl CallAttempt {
    /// Creates an attempt to call `Service/Method` by an unknown caller.
    #[must_use]
    pub fn new(audit: &AuditLog, method: &str, call_id: &str) -> Self {
        let (method, call_id) = (method.to_owned(), call_id.to_owned());
        Self {
            audit: audit.clone(),
            method,
            call_id,
            caller: None,
            handler_started: HandlerStarted::default(),
            is_completed: false,
        }
    }

    /// Sets the caller.
    pub fn set_caller(&mut self, caller: &Caller) {
        self.caller = Some(caller.shared_name());
    }

    /// Returns the flag that the handler sets.
    #[must_use]
    pub fn handler_started(&self) -> HandlerStarted {
        self.handler_started.clone()
    }

    /// Ends the attempt with its response, recorded if it is a rejection. The call does not wait
    /// for the record.
    pub fn complete(mut self, rejection: Option<&Status>) {
        self.is_completed = true;
        if let Some(status) = rejection {
            self.record(&CallOutcome::of_error(status));
        }
    }

    fn record(&self, outcome: &CallOutcome) {
        if self.handler_started.is_set() {
            return;
        }
        match self.audit.windows.count(self.caller.as_ref(), Instant::now()) {
            RejectionRecord::Own => {
                let call =
                    RejectedCall { caller: self.caller.as_deref(), method: &self.method, call_id: &self.call_id };
                self.audit.enqueue(record::rejection(self.audit.clock.now(), &call, outcome));
            }
            RejectionRecord::FirstLeftOut(ends) => self.record_left_out_at(ends),
            RejectionRecord::LeftOut => {}
        }
    }

    /// Records the number of omitted records at the end of the window.
    fn record_left_out_at(&self, ends: Instant) {
        // Without a runtime the process is ending, and the flush records the omitted ones.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (audit, caller) = (self.audit.clone(), self.caller.clone());
        runtime.spawn(async move {
            tokio::time::sleep_until(ends).await;
            let left_out = audit.windows.take(caller.as_ref());
            audit.record_left_out(caller.as_deref(), left_out);
        });
    }
}

impl Drop for CallAttempt {
    fn drop(&mut self) {
        if !self.is_completed {
            self.record(&CallOutcome::cancelled());
        }
    }
}

/// The treatment of a rejection.
#[derive(Debug, PartialEq, Eq)]
enum RejectionRecord {
    /// It gets a record of its own.
    Own,
    /// It is the first without a record before this end of the window.
    FirstLeftOut(Instant),
    /// It gets no record either.
    LeftOut,
}

/// The recent rejections by caller. Callers come from a file, and all unknown callers count as one.
#[derive(Debug, Default)]
pub(super) struct RateWindows(Mutex<HashMap<Option<Arc<str>>, RateWindow>>);

#[derive(Debug)]
struct RateWindow {
    ends: Instant,
    records: u32,
    left_out: u64,
}

impl RateWindows {
    fn count(&self, caller: Option<&Arc<str>>, now: Instant) -> RejectionRecord {
        let mut windows = self.lock();
        if windows.get(&caller.cloned()).is_none_or(|window| window.ends <= now) {
            // Omitted records of an older window that are not recorded yet are counted in the next
            // one.
            let left_out = windows.remove(&caller.cloned()).map_or(0, |window| window.left_out);
            windows.retain(|_, window| now < window.ends || window.left_out > 0);
            windows.insert(caller.cloned(), RateWindow { ends: now + WINDOW, records: 0, left_out });
        }
        let Some(window) = windows.get_mut(&caller.cloned()) else { return RejectionRecord::LeftOut };
        if window.records < MAX_RECORDS {
            window.records += 1;
            return RejectionRecord::Own;
        }
        window.left_out += 1;
        if window.left_out == 1 { RejectionRecord::FirstLeftOut(window.ends) } else { RejectionRecord::LeftOut }
    }

    /// Takes the number of omitted records of a caller that is not recorded yet, and resets it. The
    /// code that takes the number records it.
    fn take(&self, caller: Option<&Arc<str>>) -> u64 {
        self.lock().get_mut(&caller.cloned()).map_or(0, |window| std::mem::take(&mut window.left_out))
    }

    /// Takes the numbers of omitted records of all callers, and resets them.
    pub(super) fn take_all(&self) -> Vec<(Option<Arc<str>>, u64)> {
        let mut windows = self.lock();
        windows.iter_mut().map(|(caller, window)| (caller.clone(), std::mem::take(&mut window.left_out))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Option<Arc<str>>, RateWindow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::time::Instant;

    use super::{MAX_RECORDS, RateWindows, RejectionRecord, WINDOW};

    #[test]
    fn each_caller_has_a_limit_of_records_in_a_window_and_the_omitted_ones_are_reported_once() {
        let (windows, begin) = (RateWindows::default(), Instant::now());
        let web = Arc::<str>::from("web");
        for caller in [None, Some(&web)] {
            for _ in 0..MAX_RECORDS {
                assert_eq!(windows.count(caller, begin), RejectionRecord::Own);
            }
            assert_eq!(windows.count(caller, begin), RejectionRecord::FirstLeftOut(begin + WINDOW));
            assert_eq!(windows.count(caller, begin), RejectionRecord::LeftOut);
        }
        assert_eq!((windows.take(None), windows.take(None)), (2, 0));
        let later = begin + WINDOW;
        assert_eq!(windows.count(Some(&web), later), RejectionRecord::Own, "a window of its own");
        assert_eq!(windows.take(Some(&web)), 2, "the number of omitted records is not lost");
        windows.count(Some(&web), later + WINDOW);
        assert_eq!(windows.take_all().len(), 1, "a caller without a rejection in a window is removed");
    }
}
