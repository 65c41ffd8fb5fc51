//! Import: items of another system, each with its own outcome.
//!
//! An item is identified by (source, external id) permanently, so a repeat finds the result of the
//! first run. The items are taken apart by subject: the subject and its comments form one run, its
//! likes another. All runs of a kind are submitted together, so that items of many subjects share
//! the transactions of the write path, however they are mixed.
//!
//! An export of this server that comes back names its comments by their ids. Those that still exist
//! are found by id, so an export adds what its server has lost, and nothing twice.

use std::collections::{BTreeMap, HashMap};

use futures::future::join_all;

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::origin::{EXPORT_SOURCE, ImportOrigin};
use crate::domain::request::{IdempotencyKey, RequestId, RequestIdentity};
use crate::domain::subject::SubjectKey;
use crate::write::command_output::{CommandOutput, Effect};
use crate::write::submit::Mutations;
use crate::write::verbs::{
    Batch, Command, ImportParent, ImportedComment, ImportedLike, ImportedSubject, LikeCommand, NewImport,
    import_fingerprint,
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
    /// The comment that the item created or names.
    pub comment: Option<CommentId>,
    /// The comment's floor; 0 for a subject.
    pub floor: i32,
    /// The subject's revision that contains it.
    pub revision: i64,
}

/// The maximum number of repeats of a run whose parents were not found.
const REPEATS: usize = 2;

/// The ids of comments by the name of the item; see [`item_name`].
type CommentsByName = HashMap<String, CommentId>;

impl Mutations {
    /// Imports items, those of one subject in their order, and likes last: they may name comments
    /// of the same call. Each item has its own outcome, in the order of `items`.
    ///
    /// # Errors
    /// The outer error is an error of the store. A repeat of the call completes the items that it
    /// left undone.
    pub async fn import(&self, caller: &Caller, items: &[ImportItem]) -> Result<Vec<Result<ImportOutcome>>> {
        let mut outcomes: Vec<Option<Result<ImportOutcome>>> = vec![None; items.len()];
        for likes in [false, true] {
            let mut by_subject: BTreeMap<&SubjectKey, Vec<(usize, &ImportItem)>> = BTreeMap::new();
            for (index, item) in items.iter().enumerate().filter(|(_, item)| item.kind.is_like() == likes) {
                by_subject.entry(&item.subject).or_default().push((index, item));
            }
            let (indexes, runs): (Vec<Vec<usize>>, Vec<Vec<&ImportItem>>) =
                by_subject.into_values().map(|run| run.into_iter().unzip::<_, _, Vec<_>, Vec<_>>()).unzip();
            // Every run is awaited to its end, also after the failure of another.
            let imported = join_all(runs.iter().map(|run| self.import_run(caller, run))).await;
            for (indexes, run) in indexes.into_iter().zip(imported) {
                for (index, outcome) in indexes.into_iter().zip(run?) {
                    outcomes[index] = Some(outcome);
                }
            }
        }
        let without_outcome = || Err(Error::internal("an item belongs to no run"));
        Ok(outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(without_outcome)).collect())
    }

    /// Imports one run. The run is repeated if another process has imported one of its parents
    /// meanwhile.
    async fn import_run(&self, caller: &Caller, run: &[&ImportItem]) -> Result<Vec<Result<ImportOutcome>>> {
        if let Err(error) = self.policy(caller, run[0].subject.object_type()) {
            return Ok(run.iter().map(|_| Err(error.clone())).collect());
        }
        let (mut outcomes, mut must_repeat) = self.import_once(run).await?;
        for _ in 0..REPEATS {
            if !must_repeat {
                break;
            }
            let again;
            (again, must_repeat) = self.import_once(run).await?;
            outcomes = outcomes.into_iter().zip(again).map(|(first, again)| first.or(again)).collect();
        }
        Ok(outcomes)
    }

    /// Makes one attempt. The second value is true if a parent was not found, because another
    /// process had already imported it under another id.
    async fn import_once(&self, run: &[&ImportItem]) -> Result<(Vec<Result<ImportOutcome>>, bool)> {
        let stored = self.stored_comments(run).await?;
        let own = self.own_comments(run).await?;
        let mut locations = self.locations(&stored).await?;
        for (name, location) in &own.locations {
            locations.entry(name.clone()).or_insert_with(|| location.clone());
        }
        let mut comments_of_run = RunComments { locations, created: CommentsByName::new() };
        let (mut comments, mut likes) = (Vec::new(), Vec::new());
        let mut outcomes: Vec<Option<Result<ImportOutcome>>> = Vec::with_capacity(run.len());
        for item in run {
            let accepted = match &item.kind {
                ImportKind::Subject(subject) => {
                    comments.push(self.import_subject(item, subject).await?);
                    Ok(None)
                }
                ImportKind::Comment(comment) => match own.outcome(item) {
                    Some(outcome) => Ok(Some(outcome)),
                    None => {
                        let command = self.import_comment(item, comment, &mut comments_of_run).await?;
                        command.map(|command| comments.push(command)).map(|()| None)
                    }
                },
                ImportKind::Like(like) => {
                    self.import_like(item, like, &comments_of_run).map(|command| likes.push(command)).map(|()| None)
                }
            };
            outcomes.push(accepted.transpose());
        }
        // The items of a run are of one batch type.
        let batch: Batch = if likes.is_empty() { comments.into() } else { likes.into() };
        let outputs = self.log.submit(batch).await?;
        let must_repeat = outputs.contains(&Err(Error::CommentNotFound));
        let mut outputs = outputs.into_iter();
        let mut next = || outputs.next().unwrap_or_else(|| Err(Error::internal("a result of the batch is missing")));
        let complete =
            |decided: Option<_>| decided.unwrap_or_else(|| next().map_or_else(accept_existing_subject, outcome));
        Ok((outcomes.into_iter().map(complete).collect(), must_repeat))
    }

    /// Returns the stored comments that this run names.
    async fn stored_comments(&self, run: &[&ImportItem]) -> Result<CommentsByName> {
        let mut names: Vec<(&str, &str)> = run.iter().flat_map(|item| item.names()).collect();
        if names.is_empty() {
            return Ok(CommentsByName::new());
        }
        names.sort_unstable();
        names.dedup();
        let keys: Vec<_> = names.iter().map(|(source, id)| IdempotencyKey::imported("comment", source, id)).collect();
        let found = self.reader.created_by(&run[0].subject, &keys).await?;
        let pairs = names.into_iter().zip(found);
        Ok(pairs.filter_map(|((source, id), comment)| comment.map(|c| (item_name(source, id), c))).collect())
    }

    /// Returns the comments of the subject that this run names by their ids, as an export does.
    async fn own_comments(&self, run: &[&ImportItem]) -> Result<OwnComments> {
        let subject = &run[0].subject;
        let named = run.iter().filter(|item| item.origin.source == EXPORT_SOURCE);
        let external_ids = named.flat_map(|item| item.names().into_iter().map(|(_, id)| id).chain(item.own_name()));
        let mut ids: Vec<_> = external_ids.filter_map(|id| comment_id(id, subject)).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(OwnComments::default());
        }
        let found = self.reader.locate(&ids).await?.into_iter().flatten().filter(|at| at.subject == *subject);
        let locations: HashMap<_, _> =
            found.map(|at| (item_name(EXPORT_SOURCE, &at.id.get().to_string()), at)).collect();
        if locations.is_empty() {
            return Ok(OwnComments::default());
        }
        let reader = self.reader.primary().unwrap_or(&*self.reader);
        let subjects = reader.subjects(std::slice::from_ref(subject)).await?;
        let revision = subjects.into_iter().flatten().next().map_or(0, |subject| subject.revision);
        Ok(OwnComments { locations, revision })
    }

    /// Returns the locations of stored comments.
    async fn locations(&self, stored: &CommentsByName) -> Result<HashMap<String, CommentLocation>> {
        if stored.is_empty() {
            return Ok(HashMap::new());
        }
        let (names, ids): (Vec<_>, Vec<_>) = stored.iter().map(|(name, id)| (name.clone(), *id)).unzip();
        let locations = self.reader.locate(&ids).await?;
        Ok(names.into_iter().zip(locations).filter_map(|(name, location)| Some((name, location?))).collect())
    }

    async fn import_subject(&self, item: &ImportItem, subject: &ImportedSubject) -> Result<Command> {
        let id = self.ids.subject(item.subject.partition()).await?;
        Ok(self.item_command(item, subject.verb(id, self.clock.now()).into()))
    }

    async fn import_comment(
        &self,
        item: &ImportItem,
        comment: &ImportedComment,
        comments: &mut RunComments,
    ) -> Result<Result<Command>> {
        let parent = match comment.parent.as_deref().map(|parent| comments.find(item, parent)).transpose() {
            Ok(parent) => parent,
            Err(error) => return Ok(Err(error)),
        };
        let id = self.ids.comment(item.subject.partition()).await?;
        comments.created.entry(item_name(&item.origin.source, &item.origin.external_id)).or_insert(id);
        let policy = self.policies.of(item.subject.object_type())?;
        let verb = comment.verb(NewImport { id, parent, origin: &item.origin, policy });
        Ok(Ok(self.item_command(item, verb.into())))
    }

    fn import_like(&self, item: &ImportItem, like: &ImportedLike, comments: &RunComments) -> Result<LikeCommand> {
        let target = comments.find(item, &like.comment)?;
        let verb = like.verb(target.id(), RequestId::from_bytes(item.key().0));
        Ok(self.item_command(item, verb.into()))
    }

    fn item_command<K>(&self, item: &ImportItem, verb: K) -> Command<K> {
        let request = RequestIdentity { key: item.key(), fingerprint: import_fingerprint() };
        // Imports notify no member.
        Command { subject: item.subject.clone(), verb, request, now: self.clock.now(), notify_thread: false }
    }
}

/// The comments that the items of a run name by their ids.
#[derive(Default)]
struct OwnComments {
    /// Their locations, by name.
    locations: HashMap<String, CommentLocation>,
    /// The revision of their subject.
    revision: i64,
}

impl OwnComments {
    /// Returns the outcome of an item that is such a comment.
    fn outcome(&self, item: &ImportItem) -> Option<ImportOutcome> {
        let at = self.locations.get(&item_name(&item.origin.source, &item.origin.external_id))?;
        Some(ImportOutcome { created: false, comment: Some(at.id), floor: at.floor, revision: self.revision })
    }
}

/// The comments that the items of a run may name.
struct RunComments {
    /// The locations of those that are stored, by name.
    locations: HashMap<String, CommentLocation>,
    /// The ids of those that earlier items of the run create, by name.
    created: CommentsByName,
}

impl RunComments {
    /// Returns the comment that an item names by its external id.
    fn find(&self, item: &ImportItem, external_id: &str) -> Result<ImportParent> {
        let name = item_name(&item.origin.source, external_id);
        let stored = self.locations.get(&name).cloned().map(ImportParent::Stored);
        let in_batch = || self.created.get(&name).copied().map(ImportParent::InBatch);
        stored.or_else(in_batch).ok_or(Error::CommentNotFound)
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

    /// Returns the external id of a comment.
    fn own_name(&self) -> Option<&str> {
        matches!(self.kind, ImportKind::Comment(_)).then_some(self.origin.external_id.as_str())
    }

    /// Returns the comments that the item names, as (source, external id).
    fn names(&self) -> Vec<(&str, &str)> {
        let source = self.origin.source.as_str();
        match &self.kind {
            ImportKind::Subject(_) => Vec::new(),
            ImportKind::Comment(comment) => comment.parent.iter().map(|parent| (source, parent.as_str())).collect(),
            ImportKind::Like(like) => vec![(source, like.comment.as_str())],
        }
    }
}

/// Returns the id that an external id of an export is; `None` for the id of no comment of this
/// subject.
fn comment_id(external_id: &str, subject: &SubjectKey) -> Option<CommentId> {
    let id = external_id.parse().ok().and_then(CommentId::new)?;
    let is_canonical = id.get().to_string() == external_id;
    (is_canonical && id.partition() == subject.partition()).then_some(id)
}

/// Returns the name of an item as one string. A source contains no NUL, so two different items
/// never have the same name.
fn item_name(source: &str, external_id: &str) -> String {
    format!("{source}\0{external_id}")
}

fn outcome(output: CommandOutput) -> Result<ImportOutcome> {
    let (comment, floor, created) = match &output.effect {
        Effect::Subject(_) => (None, 0, !output.replayed),
        Effect::Comment(view) => (Some(view.comment.reference.id), view.comment.reference.floor, !output.replayed),
        Effect::Like(like) => (None, 0, like.changed && !output.replayed),
        Effect::Edit(_) | Effect::Decision(_) => return Err(Error::internal("an import returned another effect")),
    };
    Ok(ImportOutcome { created, comment, floor, revision: output.revision })
}

/// Converts the error for a subject that exists already into an outcome: the import requests this
/// state.
fn accept_existing_subject(error: Error) -> Result<ImportOutcome> {
    if error == Error::SubjectAlreadyExists {
        return Ok(ImportOutcome { created: false, comment: None, floor: 0, revision: 0 });
    }
    Err(error)
}
