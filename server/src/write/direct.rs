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
