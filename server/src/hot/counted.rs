//! The road of writes, with the writes of each subject counted.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::ports::Log;
use riposte_core::world::Receipt;
use riposte_core::{Command, Result};

use super::Rates;

/// Counts what is submitted and hands it on.
#[derive(Debug)]
pub struct Counted {
    /// Where the commands go.
    pub log: Arc<dyn Log>,
    /// Where they are counted.
    pub rates: Rates,
}

#[async_trait]
impl Log for Counted {
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<Receipt>>> {
        // Commands of one call mostly are of one subject.
        for same in commands.chunk_by(|a, b| a.subject == b.subject) {
            self.rates.wrote(&same[0].subject, same.len() as u64);
        }
        self.log.submit(commands).await
    }
}
