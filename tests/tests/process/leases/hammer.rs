//! A load that creates comments on one server at full speed, to collect their ids.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use riposte_sdk::Client;
use riposte_sdk::v1::{Comment, ErrorReason};
use riposte_tests::{Say, Server, real};
use tokio::task::JoinHandle;
use tonic::Code;

/// The number of concurrent callers.
const CALLERS: usize = 8;
/// The number of subjects, which are the same for every load, so that all processes generate ids in
/// the same partitions. It exceeds the number of callers, because a process that stalls within a
/// transaction keeps the subject of each caller locked.
const SUBJECTS: usize = 24;
/// The time limit of every wait.
const WITHIN: Duration = Duration::from_secs(45);
/// The epoch of ids: 2026-01-01T00:00:00Z in milliseconds since 1970.
const EPOCH: i64 = 1_767_225_600_000;

/// A returned id. From the highest bit: 0 · 39 bits of 4 ms ticks · 10 partition · 6 worker · 8
/// sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewComment {
    pub(super) id: i64,
    /// The creation time of the comment, by the server's clock, in ms since 1970.
    pub(super) created: i64,
    /// The arrival time of the response, by the clock of this test, in ms since 1970.
    responded: i64,
}

impl NewComment {
    /// Returns `true` if the server's clock was more than five seconds behind when the id was
    /// generated.
    pub(super) fn is_of_the_past(&self) -> bool {
        self.responded - self.created > 5_000
    }

    pub(super) fn tick(&self) -> i64 {
        self.id >> 24
    }

    /// Returns the time in the id, in ms since 1970.
    pub(super) fn time(&self) -> i64 {
        EPOCH + self.tick() * 4
    }

    pub(super) fn partition(&self) -> i64 {
        self.id >> 14 & 1023
    }

    pub(super) fn worker(&self) -> i64 {
        self.id >> 8 & 63
    }
}

/// Callers of one server, until they are stopped.
#[derive(Debug)]
pub(super) struct Hammer {
    shared: Arc<Shared>,
    callers: Vec<JoinHandle<Result<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    comments: Mutex<Vec<NewComment>>,
    stop: AtomicBool,
}

impl Hammer {
    /// Starts the callers.
    pub(super) fn on(server: &Server) -> Result<Self> {
        let (client, shared) = (server.client()?, Arc::new(Shared::default()));
        let caller = |n: usize| tokio::spawn(call(client.clone(), n, Arc::clone(&shared)));
        Ok(Self { callers: (0..CALLERS).map(caller).collect(), shared })
    }

    /// Returns the ids so far, in the order of the responses.
    pub(super) fn so_far(&self) -> Vec<NewComment> {
        self.shared.comments.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until the ids satisfy the condition.
    pub(super) async fn until(&self, fit: impl Fn(&[NewComment]) -> bool) -> Result<()> {
        let fits = async {
            while !fit(&self.so_far()) {
                if self.callers.iter().any(JoinHandle::is_finished) {
                    bail!("a caller has given up");
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(())
        };
        tokio::time::timeout(WITHIN, fits).await.with_context(|| format!("{} answers", self.so_far().len()))?
    }

    /// Stops the callers and returns all ids.
    pub(super) async fn stop(self) -> Result<Vec<NewComment>> {
        self.shared.stop.store(true, Ordering::Relaxed);
        for caller in self.callers {
            caller.await??;
        }
        Ok(std::mem::take(&mut self.shared.comments.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Creates comment after comment, on one subject after the other. A server may report that it has
/// no worker number or no time; it must not fail otherwise.
async fn call(client: Client, first: usize, shared: Arc<Shared>) -> Result<()> {
    for subject in (first..).step_by(CALLERS) {
        if shared.stop.load(Ordering::Relaxed) {
            break;
        }
        let key = real::key("article", &format!("hammered-{}", subject % SUBJECTS));
        match (Say { client: client.clone(), key }).comment("m", "hammered").await {
            Ok(Comment { id, create_time, .. }) => {
                let time = create_time.context("no time")?;
                let created = time.seconds * 1000 + i64::from(time.nanos) / 1_000_000;
                let responded = UNIX_EPOCH.elapsed()?.as_millis().try_into()?;
                shared.comments.lock().unwrap_or_else(PoisonError::into_inner).push(NewComment {
                    id,
                    created,
                    responded,
                });
            }
            Err(status) => {
                let error = riposte_sdk::Error::from(status);
                let late = error.code() == Code::DeadlineExceeded;
                // A process that stalls for long loses its connections, so the error carries no
                // reason.
                let lost = error.code() == Code::Unavailable && error.reason_name().is_empty();
                let honest = late || lost || error.reason() == ErrorReason::Overloaded;
                ensure!(honest, "no honest refusal: {error}");
            }
        }
    }
    Ok(())
}
