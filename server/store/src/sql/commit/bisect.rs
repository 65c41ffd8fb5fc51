//! The division of a batch that cannot be committed as one, so that one command or one subject does
//! not block the others.

use std::collections::BTreeMap;

use riposte_core::{Command, CommandOutput, Error, Result};

use super::{BatchFailure, BatchOutputs, CommitBatch, CommitType, LockWait};
use crate::error::{ErrorClass, StoreError};

/// Commands that are committed together, and their positions in the batch.
struct BatchPart<K> {
    positions: Vec<usize>,
    commands: Vec<Command<K>>,
    /// True if a COMMIT that included them was sent without a response.
    outcome_unknown: bool,
}

impl<K: CommitType> CommitBatch<'_, K> {
    /// Commits all commands, in one transaction if possible. `outcome_unknown` is true if an
    /// earlier COMMIT of them was sent without a response.
    pub(super) async fn run(self, outcome_unknown: bool) -> std::result::Result<BatchOutputs, StoreError> {
        let mut outputs: Vec<Option<Result<CommandOutput>>> = vec![None; self.commands.len()];
        match self.commit_with_retry(&self.commands, outcome_unknown, LockWait::Bounded).await {
            Ok(outputs) => return Ok(outputs),
            Err(failure) => {
                let batch = BatchPart {
                    positions: (0..self.commands.len()).collect(),
                    commands: self.commands.to_vec(),
                    outcome_unknown,
                };
                let mut pending = batch.split(&failure).ok_or_else(|| failure.into_store_error())?;
                while let Some(part) = pending.pop() {
                    match self.commit_with_retry(&part.commands, part.outcome_unknown, LockWait::Bounded).await {
                        Ok(part_outputs) => part.store_outputs(&mut outputs, part_outputs),
                        Err(failure) => match part.split(&failure) {
                            Some(parts) => pending.extend(parts),
                            None => {
                                let fault = failure.into_store_error();
                                self.sources.runner().log_fault(self.source, &fault);
                                let error = Error::from(fault);
                                part.store_outputs(&mut outputs, vec![Err(error); part.positions.len()]);
                            }
                        },
                    }
                }
            }
        }
        let missing = || Err(Error::internal("a command of a divided batch has no result"));
        Ok(outputs.into_iter().map(|output| output.unwrap_or_else(missing)).collect())
    }
}

impl<K: CommitType> BatchPart<K> {
    /// Returns the parts to try instead, in reverse order. If a command makes the others fail,
    /// the parts are halves, until that command is alone. If another transaction has locked a
    /// subject, each subject is a part. `None` if a division does not help.
    fn split(&self, failure: &BatchFailure) -> Option<Vec<Self>> {
        let class = failure.fault.class();
        let groups: Vec<Vec<usize>> = match class {
            ErrorClass::Fatal | ErrorClass::Duplicate if self.positions.len() > 1 => {
                let half = self.positions.len() / 2;
                vec![(half..self.positions.len()).collect(), (0..half).collect()]
            }
            ErrorClass::Locked => {
                let mut subjects: BTreeMap<_, Vec<usize>> = BTreeMap::new();
                for (index, command) in self.commands.iter().enumerate() {
                    subjects.entry(&command.subject).or_default().push(index);
                }
                subjects.into_values().rev().collect()
            }
            ErrorClass::Fatal
            | ErrorClass::Duplicate
            | ErrorClass::Conflict
            | ErrorClass::SecondShard
            | ErrorClass::Lost
            | ErrorClass::Unreachable => {
                return None;
            }
        };
        if groups.len() < 2 {
            return None;
        }
        tracing::warn!(error = %failure.fault, commands = self.positions.len(), "a batch failed and is bisected");
        let part = |group: Vec<usize>| Self {
            positions: group.iter().map(|index| self.positions[*index]).collect(),
            commands: group.iter().map(|index| self.commands[*index].clone()).collect(),
            outcome_unknown: self.outcome_unknown || failure.outcome_unknown,
        };
        Some(groups.into_iter().map(part).collect())
    }

    fn store_outputs(&self, outputs: &mut [Option<Result<CommandOutput>>], part_outputs: BatchOutputs) {
        for (position, output) in self.positions.iter().zip(part_outputs) {
            outputs[*position] = Some(output);
        }
    }
}

impl BatchFailure {
    /// Returns the error to report. After a COMMIT without a response the commands may have taken
    /// effect, so the error must not say that they failed, whatever the last failure was.
    pub(super) fn into_store_error(self) -> StoreError {
        if self.outcome_unknown { Error::ShardUnavailable.into() } else { self.fault }
    }
}
