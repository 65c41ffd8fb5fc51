//! Commits: one batch, one transaction, retried inside, and divided only where one command spoils it for the others.

mod counted;
mod divide;
mod flush;
mod load;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::Event;
use riposte_core::ports::{Ids, Witness, Writer};
use riposte_core::world::{Changed, Effect};
use riposte_core::{Command, CommentId, Error, Millis, Receipt, Result, SubjectKey};

use super::ids::SqlIds;
use super::pool::{SourceTx, Sources};
use super::retry::Patience;
use super::task;
use crate::error::Fault;

/// What each command of a batch answers, in order.
type Answers = Vec<Result<Receipt>>;

/// Commits batches to the tables of one data source.
#[derive(Debug)]
pub(crate) struct SqlWriter {
    sources: Arc<Sources>,
    ids: Arc<SqlIds>,
    witness: Option<Arc<dyn Witness>>,
}

impl SqlWriter {
    pub(crate) fn new(sources: Arc<Sources>, ids: Arc<SqlIds>, witness: Option<Arc<dyn Witness>>) -> Self {
        Self { sources, ids, witness }
    }
}

#[async_trait]
impl Writer for SqlWriter {
    async fn commit(&self, batch: &[Command]) -> Result<Answers> {
        let Some(first) = batch.first() else { return Ok(Vec::new()) };
        let source = |command: &Command| self.sources.map().source(command.subject.partition());
        if batch.iter().any(|command| source(command) != source(first)) {
            return Err(Error::internal("a batch spans data sources"));
        }
        let (kind, name) =
            if only_likes(batch) { (Kind::Likes, "commit likes") } else { (Kind::Comments, "commit comments") };
        let (sources, ids) = (Arc::clone(&self.sources), Arc::clone(&self.ids));
        let (source, witness) = (source(first), self.witness.clone());
        let batch = Batch { sources, ids, witness, source, kind, commands: batch.to_vec() };
        task::run(self.sources.runtime(), name, async move { batch.run().await }).await
    }
}

/// What a batch is made of. Likes lock comments but not their subject, so that they never wait for new comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comments,
    Likes,
}

fn only_likes(commands: &[Command]) -> bool {
    commands.iter().all(|command| command.verb.as_like().is_some())
}

/// Commands of one data source on their way into it.
struct Batch {
    sources: Arc<Sources>,
    ids: Arc<SqlIds>,
    witness: Option<Arc<dyn Witness>>,
    source: usize,
    kind: Kind,
    commands: Vec<Command>,
}

/// Why a transaction ended without an answer.
struct Failure {
    fault: Fault,
    /// Whether COMMIT was sent: the effects may stand all the same.
    outcome_unknown: bool,
}

impl<F: Into<Fault>> From<F> for Failure {
    fn from(fault: F) -> Self {
        Self { fault: fault.into(), outcome_unknown: false }
    }
}

impl Batch {
    /// Commits some commands in one transaction, again and again where that helps. `unknown` says whether an earlier
    /// COMMIT of them was sent and not answered.
    async fn settle(&self, commands: &[Command], mut unknown: bool) -> std::result::Result<Answers, Failure> {
        let mut patience = Patience::default();
        let ids = self.event_ids(commands).await?;
        loop {
            match self.transact(commands, &ids).await {
                Ok(mut answers) => {
                    if unknown {
                        claim(commands, &mut answers);
                    }
                    return Ok(answers);
                }
                Err(failure) => {
                    unknown |= failure.outcome_unknown;
                    if !patience.again(failure.fault.meaning(), unknown).await {
                        return Err(Failure { outcome_unknown: unknown, ..failure });
                    }
                    tracing::debug!(fault = ?failure.fault, unknown, "a transaction is tried again");
                }
            }
        }
    }

    /// One id for each subject's event. They are minted before a connection is taken, since minting may need one.
    async fn event_ids(&self, commands: &[Command]) -> std::result::Result<EventIds, Fault> {
        let mut ids = EventIds::new();
        for command in commands {
            if !ids.contains_key(&command.subject) {
                ids.insert(command.subject.clone(), self.ids.comment(command.subject.partition()).await?);
            }
        }
        Ok(ids)
    }

    /// One transaction: lock and load, decide, write.
    async fn transact(&self, commands: &[Command], ids: &EventIds) -> std::result::Result<Answers, Failure> {
        let tx = self.sources.begin_write(self.source).await?;
        match self.decide(&tx, commands, ids).await {
            Ok((answers, changed)) => match tx.commit().await {
                Ok(()) => {
                    if let Some(witness) = &self.witness {
                        witness.committed(changed).await;
                    }
                    Ok(answers)
                }
                Err(error) => Err(Failure { fault: error.into(), outcome_unknown: true }),
            },
            Err(fault) => {
                tx.rollback().await;
                Err(fault.into())
            }
        }
    }
}

/// Ids kept for the events of a transaction.
type EventIds = BTreeMap<SubjectKey, CommentId>;

impl Batch {
    /// Decides every command on locked rows and writes what follows. What changed is told only where somebody listens.
    async fn decide(
        &self,
        tx: &SourceTx,
        commands: &[Command],
        ids: &EventIds,
    ) -> std::result::Result<(Answers, Vec<Changed>), Fault> {
        let mut world = load::world(tx, self.kind, commands).await?;
        let mut answers = Vec::with_capacity(commands.len());
        for command in commands {
            let answer = world.run(command);
            if let Err(fault @ Error::Internal(_)) = answer {
                return Err(fault.into()); // the world may be half-changed: nothing of it may be written
            }
            answers.push(answer);
        }
        let now = commands.first().map_or(Millis(0), |command| command.now);
        let told = world.events()?.into_iter().map(|(subject, revision, changes)| {
            let (partition, changes) = (subject.key.partition(), changes.clone());
            let event = Event { partition, subject: subject.id, revision, changes, time: now };
            let id = ids.get(&subject.key).ok_or_else(|| Error::internal("an event has no id"))?;
            Ok((*id, event))
        });
        flush::journal(tx, &world, &told.collect::<Result<Vec<_>>>()?).await?;
        let changed = if self.witness.is_some() { world.changed() } else { Vec::new() };
        Ok((answers, changed))
    }
}

/// After a commit whose outcome was lost, the repeat finds the batch's own comments and takes them for an earlier
/// request's. A comment that bears the very id that a command brought is no repeat to its caller.
fn claim(commands: &[Command], answers: &mut Answers) {
    for (command, answer) in commands.iter().zip(answers) {
        if let Ok(Receipt { effect: Effect::Comment(view), replayed, .. }) = answer
            && command.verb.creates_comment()
            && command.verb.comment_id() == Some(view.comment.id)
        {
            *replayed = false;
        }
    }
}
