//! The state that the two fakes of one process share: the script, and the calls so far.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use riposte_sdk::filter::v1::CheckContentsRequest;
use tonic::Status;

use crate::script::{CallFault, CallScript, Script};

/// The state of both services. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Served(Arc<State>);

#[derive(Debug)]
pub(crate) struct State {
    script: Mutex<Script>,
    filter_requests: Mutex<Vec<CheckContentsRequest>>,
    allowed_comments: Mutex<BTreeSet<i64>>,
    tokens: Mutex<Vec<String>>,
    pub(crate) filter_calls: CallCounter,
    pub(crate) account_calls: CallCounter,
}

/// The calls of one service.
#[derive(Debug, Default)]
pub(crate) struct CallCounter(AtomicU32);

impl std::ops::Deref for Served {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl Served {
    pub(crate) fn new(script: Script) -> Self {
        Self(Arc::new(State {
            script: Mutex::new(script),
            filter_requests: Mutex::default(),
            allowed_comments: Mutex::default(),
            tokens: Mutex::default(),
            filter_calls: CallCounter::default(),
            account_calls: CallCounter::default(),
        }))
    }
}

impl State {
    pub(crate) fn script(&self) -> Script {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_script(&self, script: Script) {
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) = script;
    }

    pub(crate) fn tokens(&self) -> MutexGuard<'_, Vec<String>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn filter_requests(&self) -> MutexGuard<'_, Vec<CheckContentsRequest>> {
        self.filter_requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn allowed_comments(&self) -> MutexGuard<'_, BTreeSet<i64>> {
        self.allowed_comments.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallCounter {
    /// Returns the number of calls so far.
    pub(crate) fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts a call and waits as the script says. Returns the fault of its response.
    ///
    /// # Errors
    /// The status with which the script lets the call fail.
    pub(crate) async fn begin(&self, script: &CallScript) -> Result<Option<CallFault>, Status> {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::time::sleep(script.wait()).await;
        match script.fault_of(number) {
            Some(CallFault::Never) => std::future::pending().await,
            Some(CallFault::Unavailable) => Err(Status::unavailable("as the script says")),
            Some(CallFault::ResourceExhausted) => Err(Status::resource_exhausted("as the script says")),
            Some(CallFault::Internal) => Err(Status::internal("as the script says")),
            fault => Ok(fault),
        }
    }
}
