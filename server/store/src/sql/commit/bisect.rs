//! The division of a batch that cannot be committed as one, so that one command or one subject does
//! not block the others.

use std::collections::BTreeMap;

use riposte_core::{Command, CommandOutput, Error, Result};

use super::{BatchFailure, BatchOutputs, CommitBatch, CommitType};
use crate::error::{ErrorClass, StoreError};

/// Commands that are committed together, and their positions in the batch.
struct BatchPart<K> {
    places: Vec<usize>,
    commands: Vec<Command<K>>,
    /// True if a COMMIT that included them was sent without a response.
    unknown: bool,
}

impl<K: CommitType> CommitBatch<K> {
    /// Commits all commands, in one transaction if possible.
    pub(super) async fn run(self) -> std::result::Result<BatchOutputs, StoreError> {
        let mut outputs: Vec<Option<Result<CommandOutput>>> = vec![None; self.commands.len()];
        match self.commit_with_retry(&self.commands, false).await {
            Ok(all) => return Ok(all),
            Err(failure) => {
                let batch = BatchPart {
                    places: (0..self.commands.len()).collect(),
                    commands: self.commands.clone(),
                    unknown: false,
                };
                let mut waiting = batch.divided(&failure).ok_or_else(|| failure.into_fault())?;
                while let Some(part) = waiting.pop() {
                    match self.commit_with_retry(&part.commands, part.unknown).await {
                        Ok(some) => part.put(&mut outputs, some),
                        Err(failure) => match part.divided(&failure) {
                            Some(parts) => waiting.extend(parts),
                            None => {
                                let fault = failure.into_fault();
                                self.sources.runner().log_fault(self.source, &fault);
                                let error = Error::from(fault);
                                part.put(&mut outputs, vec![Err(error); part.places.len()]);
                            }
                        },
                    }
                }
            }
        }
        let lost = || Err(Error::internal("a command of a divided batch has no result"));
        Ok(outputs.into_iter().map(|output| output.unwrap_or_else(lost)).collect())
    }
}

impl<K: CommitType> BatchPart<K> {
    /// Returns the parts to try instead, the last one first. If a command makes the others fail,
    /// the parts are halves, until that command is alone. If another transaction holds a subject,
    /// each subject is a part. `None` if a division does not help.
    fn divided(&self, failure: &BatchFailure) -> Option<Vec<Self>> {
        let meaning = failure.fault.meaning();
        let groups: Vec<Vec<usize>> = match meaning {
            ErrorClass::Fatal | ErrorClass::Duplicate if self.places.len() > 1 => {
                let half = self.places.len() / 2;
                vec![(half..self.places.len()).collect(), (0..half).collect()]
            }
            ErrorClass::Locked => {
                let mut subjects: BTreeMap<_, Vec<usize>> = BTreeMap::new();
                for (n, command) in self.commands.iter().enumerate() {
                    subjects.entry(&command.subject).or_default().push(n);
                }
                subjects.into_values().rev().collect()
            }
            ErrorClass::Fatal
            | ErrorClass::Duplicate
            | ErrorClass::Conflict
            | ErrorClass::Lost
            | ErrorClass::Unreachable => {
                return None;
            }
        };
        if groups.len() < 2 {
            return None;
        }
        tracing::warn!(error = ?failure.fault, commands = self.places.len(), "a batch failed and is bisected");
        let part = |group: Vec<usize>| Self {
            places: group.iter().map(|n| self.places[*n]).collect(),
            commands: group.iter().map(|n| self.commands[*n].clone()).collect(),
            unknown: self.unknown || failure.outcome_unknown,
        };
        Some(groups.into_iter().map(part).collect())
    }

    fn put(&self, outputs: &mut [Option<Result<CommandOutput>>], of: BatchOutputs) {
        for (place, output) in self.places.iter().zip(of) {
            outputs[*place] = Some(output);
        }
    }
}

impl BatchFailure {
    /// Returns the error to report. After a COMMIT without a response the commands may have taken
    /// effect, so the error must not claim that they did not, whatever the last failure was.
    fn into_fault(self) -> StoreError {
        if self.outcome_unknown { Error::ShardUnavailable.into() } else { self.fault }
    }
}
