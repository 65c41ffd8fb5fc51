//! Import: items of another system, in the order of the request, each with its own outcome.
//!
//! An item is identified by (source, external id) permanently, so a repeat finds the result of the
//! first run. Consecutive items of one subject form one batch.

use std::collections::HashMap;

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::origin::ImportOrigin;
use crate::domain::request::{IdempotencyKey, RequestId, RequestIdentity};
use crate::domain::subject::SubjectKey;
use crate::write::command_output::{CommandOutput, Effect};
use crate::write::submit::Mutations;
use crate::write::verbs::{
    Batch, Command, ImportParent, ImportedComment, ImportedLike, ImportedSubject, LikeCommand, NewImport, imported,
};

/// An item to import.
#[derive(Debug, Clone)]
pub struct ImportItem {
    /// The subject that it belongs to.
    pub subject: SubjectKey,
    /// The source and the external id.
    pub origin: ImportOrigin,
    /// The kind and the data of the item.
    pub kind: ImportKind,
}

/// The kinds of items.
#[derive(Debug, Clone)]
pub enum ImportKind {
    /// A subject.
    Subject(ImportedSubject),
    /// A comment, root or reply.
    Comment(Box<ImportedComment>),
    /// A like.
    Like(ImportedLike),
}

/// The outcome of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportOutcome {
    /// True if this call created it; false if it existed already.
    pub created: bool,
    /// The comment that the item is, or that it concerns.
    pub comment: Option<CommentId>,
    /// The comment's floor; 0 for a subject.
    pub floor: i32,
    /// The subject's revision that contains it.
    pub revision: i64,
}

/// The maximum number of repeats of a run whose parents were not found.
const REPEATS: usize = 2;

/// The comments of the external ids that one run knows.
type KnownComments = HashMap<String, CommentId>;

impl Mutations {
    /// Imports items in order. Each item has its own outcome.
    ///
    /// # Errors
    /// The outer error is an error of the store. A repeat of the call completes the items that it
    /// left undone.
    pub async fn import(&self, caller: &Caller, items: &[ImportItem]) -> Result<Vec<Result<ImportOutcome>>> {
        let mut outcomes = Vec::with_capacity(items.len());
        let runs = items.chunk_by(|a, b| a.subject == b.subject && a.kind.is_like() == b.kind.is_like());
        for run in runs {
            if let Err(refused) = self.policy(caller, run[0].subject.object_type()) {
                outcomes.extend(run.iter().map(|_| Err(refused.clone())));
                continue;
            }
            outcomes.extend(self.import_run(run).await?);
        }
        Ok(outcomes)
    }

    /// Imports one run. The run is repeated if another process has imported one of its parents
    /// meanwhile.
    async fn import_run(&self, run: &[ImportItem]) -> Result<Vec<Result<ImportOutcome>>> {
        let (mut outcomes, mut raced) = self.import_once(run).await?;
        for _ in 0..REPEATS {
            if !raced {
                break;
            }
            let again;
            (again, raced) = self.import_once(run).await?;
            outcomes = outcomes.into_iter().zip(again).map(|(first, again)| first.or(again)).collect();
        }
        Ok(outcomes)
    }

    /// Makes one attempt. Also returns true if a parent that the run was about to create already
    /// existed under another id.
    async fn import_once(&self, run: &[ImportItem]) -> Result<(Vec<Result<ImportOutcome>>, bool)> {
        let known = self.known(run).await?;
        let targets = self.targets(&known).await?;
        let mut known = RunComments { targets, fresh: KnownComments::new() };
        let (mut comments, mut likes) = (Vec::new(), Vec::new());
        let mut outcomes: Vec<Option<Result<ImportOutcome>>> = Vec::with_capacity(run.len());
        for item in run {
            let taken = match &item.kind {
                ImportKind::Subject(subject) => {
                    comments.push(self.import_subject(item, subject).await?);
                    Ok(())
                }
                ImportKind::Comment(comment) => {
                    let command = self.import_comment(item, comment, &mut known).await?;
                    command.map(|command| comments.push(command))
                }
                ImportKind::Like(like) => self.import_like(item, like, &known).map(|command| likes.push(command)),
            };
            outcomes.push(taken.err().map(Err));
        }
        // The items of a run are of one batch type.
        let batch: Batch = if likes.is_empty() { comments.into() } else { likes.into() };
        let outputs = self.log.submit(batch).await?;
        let raced = outputs.contains(&Err(Error::CommentNotFound));
        let mut outputs = outputs.into_iter();
        let mut next = || outputs.next().unwrap_or_else(|| Err(Error::internal("a result of the batch is missing")));
        let settle = |done: Option<_>| done.unwrap_or_else(|| next().map_or_else(present, settled));
        Ok((outcomes.into_iter().map(settle).collect(), raced))
    }

    /// Returns the comments that this run names and that the store contains.
    async fn known(&self, run: &[ImportItem]) -> Result<KnownComments> {
        let mut names: Vec<(&str, &str)> = run.iter().flat_map(ImportItem::names).collect();
        names.sort_unstable();
        names.dedup();
        let keys: Vec<_> = names.iter().map(|(source, id)| IdempotencyKey::imported("comment", source, id)).collect();
        let found = self.reader.created_by(&run[0].subject, &keys).await?;
        let pairs = names.into_iter().zip(found);
        Ok(pairs.filter_map(|((source, id), comment)| comment.map(|c| (name(source, id), c))).collect())
    }

    /// Returns the locations of known comments.
    async fn targets(&self, known: &KnownComments) -> Result<HashMap<String, CommentLocation>> {
        let (names, ids): (Vec<_>, Vec<_>) = known.iter().map(|(name, id)| (name.clone(), *id)).unzip();
        let location = self.reader.locate(&ids).await?;
        Ok(names.into_iter().zip(location).filter_map(|(name, at)| at.map(|at| (name, at))).collect())
    }

    async fn import_subject(&self, item: &ImportItem, subject: &ImportedSubject) -> Result<Command> {
        let id = self.ids.subject(item.subject.partition()).await?;
        Ok(self.item_command(item, subject.verb(id, self.clock.now()).into()))
    }

    async fn import_comment(
        &self,
        item: &ImportItem,
        comment: &ImportedComment,
        known: &mut RunComments,
    ) -> Result<Result<Command>> {
        let parent = match comment.parent.as_deref().map(|parent| known.find(item, parent)).transpose() {
            Ok(parent) => parent,
            Err(refused) => return Ok(Err(refused)),
        };
        let id = self.ids.comment(item.subject.partition()).await?;
        known.fresh.entry(name(&item.origin.source, &item.origin.external_id)).or_insert(id);
        let policy = self.policies.of(item.subject.object_type())?;
        let verb = comment.verb(NewImport { id, parent, origin: &item.origin, policy });
        Ok(Ok(self.item_command(item, verb.into())))
    }

    fn import_like(&self, item: &ImportItem, like: &ImportedLike, known: &RunComments) -> Result<LikeCommand> {
        let target = known.find(item, &like.comment)?;
        let verb = like.verb(target.id(), RequestId::from_bytes(item.key().0));
        Ok(self.item_command(item, verb.into()))
    }

    fn item_command<K>(&self, item: &ImportItem, verb: K) -> Command<K> {
        let request = RequestIdentity { key: item.key(), fingerprint: imported() };
        Command { subject: item.subject.clone(), verb, request, now: self.clock.now() }
    }
}

/// The comments that the items of a run may name.
struct RunComments {
    /// The locations of those that are stored, by name.
    targets: HashMap<String, CommentLocation>,
    /// Those that earlier items of the run create.
    fresh: KnownComments,
}

impl RunComments {
    /// Returns the comment that an item names by its external id.
    fn find(&self, item: &ImportItem, external_id: &str) -> Result<ImportParent> {
        let name = name(&item.origin.source, external_id);
        let stored = self.targets.get(&name).cloned().map(ImportParent::Stored);
        let unborn = || self.fresh.get(&name).copied().map(ImportParent::InBatch);
        stored.or_else(unborn).ok_or(Error::CommentNotFound)
    }
}

impl ImportKind {
    /// Returns true for a like. Likes have write queues of their own.
    fn is_like(&self) -> bool {
        matches!(self, Self::Like(_))
    }
}

impl ImportItem {
    fn key(&self) -> IdempotencyKey {
        let kind = match self.kind {
            ImportKind::Subject(_) => "subject",
            ImportKind::Comment(_) => "comment",
            ImportKind::Like(_) => "like",
        };
        IdempotencyKey::imported(kind, &self.origin.source, &self.origin.external_id)
    }

    /// Returns the comments that it names, as (source, external id).
    fn names(&self) -> Vec<(&str, &str)> {
        let source = self.origin.source.as_str();
        match &self.kind {
            ImportKind::Subject(_) => Vec::new(),
            ImportKind::Comment(comment) => comment.parent.iter().map(|parent| (source, parent.as_str())).collect(),
            ImportKind::Like(like) => vec![(source, like.comment.as_str())],
        }
    }
}

/// Returns one key for a pair. A source contains no NUL, so two different pairs never give the same
/// key.
fn name(source: &str, external_id: &str) -> String {
    format!("{source}\0{external_id}")
}

fn settled(output: CommandOutput) -> Result<ImportOutcome> {
    let (comment, floor, created) = match &output.effect {
        Effect::Subject(_) => (None, 0, !output.replayed),
        Effect::Comment(view) => (Some(view.comment.reference.id), view.comment.reference.floor, !output.replayed),
        Effect::Like(answer) => (None, 0, answer.changed && !output.replayed),
    };
    Ok(ImportOutcome { created, comment, floor, revision: output.revision })
}

/// Accepts an error for a subject that exists already: this is the state that the import requests.
fn present(error: Error) -> Result<ImportOutcome> {
    if error == Error::SubjectAlreadyExists {
        return Ok(ImportOutcome { created: false, comment: None, floor: 0, revision: 0 });
    }
    Err(error)
}
