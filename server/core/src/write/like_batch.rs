//! The decision of a command about a like on the locked rows of its batch.
//!
//! A like has no idempotency record: its row stores its last operation. A batch of likes reads its
//! subjects without a lock and does not change them.

use crate::domain::error::Result;
use crate::write::command_output::{CommandOutput, Effect};
use crate::write::unit_of_work::UnitOfWork;
use crate::write::verbs::LikeCommand;

impl UnitOfWork {
    /// Decides one command about a like and applies it.
    ///
    /// # Errors
    /// As those of [`UnitOfWork::run`].
    pub fn run_like(&mut self, command: &LikeCommand) -> Result<CommandOutput> {
        let rules = command.verb.rules();
        rules.check(self, command)?;
        let row = rules.row(self, command);
        // Only a repeat writes no row.
        let replayed = row.is_none();
        if let Some(like) = row {
            self.set_like(like, &command.subject)?;
        }
        let revision = self.subject(&command.subject).map_or(0, |s| s.revision);
        let effect = Effect::Like(rules.set().output(self)?);
        Ok(CommandOutput { revision, effect, replayed })
    }
}
