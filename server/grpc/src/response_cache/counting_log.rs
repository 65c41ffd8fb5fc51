//! A command log that counts the writes of each subject.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::CommandLog;
use riposte_core::CommandOutput;
use riposte_core::{Batch, Command, Result};

use super::SubjectRates;

/// Counts submitted commands and passes them on.
#[derive(Debug)]
pub struct CountingLog {
    /// The log that executes the commands.
    pub log: Arc<dyn CommandLog>,
    /// The counters.
    pub rates: SubjectRates,
}

#[async_trait]
impl CommandLog for CountingLog {
    async fn submit(&self, batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        match &batch {
            Batch::Comments(commands) => self.count(commands),
            Batch::Likes(commands) => self.count(commands),
        }
        self.log.submit(batch).await
    }
}

impl CountingLog {
    /// Counts the commands of one call, which usually belong to one subject.
    fn count<K>(&self, commands: &[Command<K>]) {
        for of_subject in commands.chunk_by(|a, b| a.subject == b.subject) {
            self.rates.add_writes(&of_subject[0].subject, of_subject.len() as u64);
        }
    }
}
