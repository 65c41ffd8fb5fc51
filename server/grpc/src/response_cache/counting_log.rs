//! A command log that counts the writes of each subject.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::CommandLog;
use riposte_core::CommandOutput;
use riposte_core::{Command, Result};

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
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<CommandOutput>>> {
        // The commands of one call usually belong to one subject.
        for same in commands.chunk_by(|a, b| a.subject == b.subject) {
            self.rates.wrote(&same[0].subject, same.len() as u64);
        }
        self.log.submit(commands).await
    }
}
