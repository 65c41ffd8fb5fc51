//! The road of writes, with the writes of each subject counted.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::ports::CommandLog;
use riposte_core::unit_of_work::CommandOutput;
use riposte_core::{Command, Result};

use super::SubjectRates;

/// Counts what is submitted and hands it on.
#[derive(Debug)]
pub struct CountingLog {
    /// Where the commands go.
    pub log: Arc<dyn CommandLog>,
    /// Where they are counted.
    pub rates: SubjectRates,
}

#[async_trait]
impl CommandLog for CountingLog {
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<CommandOutput>>> {
        // Commands of one call mostly are of one subject.
        for same in commands.chunk_by(|a, b| a.subject == b.subject) {
            self.rates.wrote(&same[0].subject, same.len() as u64);
        }
        self.log.submit(commands).await
    }
}
