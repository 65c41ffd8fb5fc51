//! Log messages about a failing data source. Every failed call would log the same message, so each
//! message is logged at most once a second, with the number of suppressed messages.

use std::time::Instant;

use riposte_sync::ThrottledLog;

use crate::error::{ErrorClass, StoreError};

/// The throttled messages of one source.
#[derive(Debug)]
pub(crate) struct StoreErrorLog {
    source: usize,
    begin: Instant,
    no_response: ThrottledLog,
    unreachable: ThrottledLog,
    retries_exhausted: ThrottledLog,
}

impl StoreErrorLog {
    /// Creates the log of a source, counted from 0, without earlier messages.
    pub(crate) fn new(source: usize) -> Self {
        let [no_response, unreachable, retries_exhausted] = [(); 3].map(|()| ThrottledLog::default());
        Self { source, begin: Instant::now(), no_response, unreachable, retries_exhausted }
    }

    /// Logs the details of a fault that the caller of the failed call does not receive.
    pub(crate) fn log(&self, fault: &StoreError) {
        let (source, now) = (self.source + 1, self.begin.elapsed());
        match fault {
            StoreError::NoResponse => {
                if let Some(suppressed) = self.no_response.pass(now) {
                    tracing::warn!(source, suppressed, "a data source did not respond in time");
                }
            }
            StoreError::Db(error) => match fault.class() {
                ErrorClass::Lost | ErrorClass::Unreachable => {
                    if let Some(suppressed) = self.unreachable.pass(now) {
                        tracing::warn!(source, suppressed, %error, "a data source is unreachable or read-only");
                    }
                }
                ErrorClass::Conflict | ErrorClass::SecondShard | ErrorClass::Locked => {
                    if let Some(suppressed) = self.retries_exhausted.pass(now) {
                        tracing::warn!(source, suppressed, %error, "a transaction failed after its retries");
                    }
                }
                // Internal errors are logged where they become a status.
                ErrorClass::Duplicate | ErrorClass::Fatal => {}
            },
            // `Unavailable` was logged when the source became unavailable; a domain error concerns
            // the caller only.
            StoreError::Unavailable | StoreError::GateUnknown | StoreError::Domain(_) => {}
        }
    }
}
