//! The direct road: each submission is a batch of its own.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::ports::{Log, Writer};
use riposte_core::world::Receipt;
use riposte_core::{Command, Error, Result};
use tokio::sync::Semaphore;

/// Submissions that may wait or run at once in this process; more are refused without effect.
const QUEUE: usize = 8_192;

/// One queue serves all data sources, so a source that hangs can hold its places until its time-outs.
///
/// Commits each submission in a task of its own, which a client that goes away does not cancel.
#[derive(Debug)]
pub struct Direct {
    writer: Arc<dyn Writer>,
    queue: Arc<Semaphore>,
    slots: Arc<Semaphore>,
}

impl Direct {
    /// A road to `writer` for at most `concurrency` batches at a time: as many as it has connections to write with.
    #[must_use]
    pub fn new(writer: Arc<dyn Writer>, concurrency: usize) -> Self {
        Self { writer, queue: Arc::new(Semaphore::new(QUEUE)), slots: Arc::new(Semaphore::new(concurrency.max(1))) }
    }
}

#[async_trait]
impl Log for Direct {
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<Receipt>>> {
        if commands.is_empty() {
            return Ok(Vec::new());
        }
        let full = |_| Error::Overloaded { after: Duration::from_millis(100) };
        let place = Arc::clone(&self.queue).try_acquire_owned().map_err(full)?;
        let (writer, slots) = (Arc::clone(&self.writer), Arc::clone(&self.slots));
        let work = tokio::spawn(async move {
            let _place = place;
            let _slot = slots.acquire_owned().await.map_err(Error::internal)?;
            writer.commit(&commands).await
        });
        work.await.map_err(|died| Error::internal(format!("a commit died: {died}")))?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use riposte_core::cmd::UndeleteSubject;
    use riposte_core::ports::{Log, Writer};
    use riposte_core::request::{Print, Request, RequestKey};
    use riposte_core::{Command, Error, Millis, Receipt, Result, SubjectKey};
    use tokio::sync::Semaphore;

    use super::{Direct, QUEUE};

    /// A writer that commits nothing until it may, and counts what it was given.
    #[derive(Debug)]
    struct Held {
        gate: Semaphore,
        committed: AtomicUsize,
    }

    #[async_trait]
    impl Writer for Held {
        async fn commit(&self, batch: &[Command]) -> Result<Vec<Result<Receipt>>> {
            let _open = self.gate.acquire().await;
            self.committed.fetch_add(batch.len(), Ordering::SeqCst);
            Ok(batch.iter().map(|_| Err(Error::SubjectNotFound)).collect())
        }
    }

    fn command() -> Command {
        Command {
            subject: SubjectKey::stored("article".into(), "1".into()),
            verb: UndeleteSubject.into(),
            request: Request { key: RequestKey([0; 16]), print: Print(0) },
            now: Millis(0),
        }
    }

    #[tokio::test]
    async fn a_full_queue_refuses_without_effect_and_what_was_taken_is_done_though_its_callers_left() {
        let writer = Arc::new(Held { gate: Semaphore::new(0), committed: AtomicUsize::new(0) });
        let log = Arc::new(Direct::new(Arc::clone(&writer) as _, 4));
        let callers: Vec<_> = (0..QUEUE)
            .map(|_| {
                let log = Arc::clone(&log);
                tokio::spawn(async move { log.submit(vec![command()]).await })
            })
            .collect();
        while log.queue.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(log.submit(vec![command()]).await, Err(Error::Overloaded { .. })));
        for caller in callers {
            caller.abort();
        }
        writer.gate.add_permits(QUEUE);
        while log.queue.available_permits() < QUEUE {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            writer.committed.load(Ordering::SeqCst),
            QUEUE,
            "the refused one had an effect, or a taken one none"
        );
    }
}
