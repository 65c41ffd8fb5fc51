//! The commits of a confined store: each partition of a batch is a transaction of its own. The
//! write queues fill a batch from one partition there, so a batch of several is the exception.

use std::collections::BTreeMap;

use riposte_core::{Command, Error, Result};

use super::{BatchOutputs, CommitType, SqlWriter, UnheldOutputs};

impl SqlWriter {
    /// Commits the commands, in one transaction if the store allows it.
    pub(super) async fn commit_partitions<K: CommitType>(&self, commands: &[Command<K>]) -> Result<BatchOutputs> {
        let Some(groups) = self.groups(commands) else { return self.commit_all(commands).await };
        let mut outputs = vec![Err(Error::internal("a command of a batch has no result")); commands.len()];
        for group in groups {
            let committed = self.commit_all(&part(commands, &group)).await;
            match committed {
                Ok(committed) => group.iter().zip(committed).for_each(|(position, output)| outputs[*position] = output),
                Err(error) => group.iter().for_each(|position| outputs[*position] = Err(error.clone())),
            }
        }
        Ok(outputs)
    }

    /// As [`Self::commit_partitions`], but leaves out the subjects that other transactions hold.
    pub(super) async fn commit_unheld_partitions<K: CommitType>(
        &self,
        commands: &[Command<K>],
    ) -> Result<UnheldOutputs> {
        let Some(groups) = self.groups(commands) else { return self.commit_unheld(commands).await };
        let mut outputs: UnheldOutputs = vec![None; commands.len()];
        for group in groups {
            let committed = self.commit_unheld(&part(commands, &group)).await;
            match committed {
                Ok(committed) => group.iter().zip(committed).for_each(|(position, output)| outputs[*position] = output),
                Err(error) => group.iter().for_each(|position| outputs[*position] = Some(Err(error.clone()))),
            }
        }
        Ok(outputs)
    }

    /// Returns the positions of the commands of each partition; `None` if one transaction may cover
    /// them all.
    fn groups<K>(&self, commands: &[Command<K>]) -> Option<Vec<Vec<usize>>> {
        if !self.sources.is_confined() {
            return None;
        }
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (position, command) in commands.iter().enumerate() {
            groups.entry(command.subject.partition()).or_default().push(position);
        }
        (groups.len() > 1).then(|| groups.into_values().collect())
    }
}

fn part<K: CommitType>(commands: &[Command<K>], group: &[usize]) -> Vec<Command<K>> {
    group.iter().map(|position| commands[*position].clone()).collect()
}
