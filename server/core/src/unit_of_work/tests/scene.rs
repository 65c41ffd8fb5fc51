//! The rows of a few subjects between batches. A batch sees the rows that its commands ask for and no others, and what
//! its journal does not name is lost: so what a verb needs and what a change writes is held by every test.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::audit;
use super::verbs::create_subject;
use crate::change::ImportOrigin;
use crate::comment::{Comment, CommentView};
use crate::content::{ClientInfo, Content};
use crate::error::{Error, Result};
use crate::ids::{CommentId, SubjectId};
use crate::like::Like;
use crate::member::MemberId;
use crate::request::{Fingerprint, IdempotencyKey, RequestIdentity};
use crate::subject::{Metadata, Subject, SubjectKey};
use crate::time::Millis;
use crate::unit_of_work::{CommandOutput, ContentEdit, Effect, IdempotencyRecord, UnitOfWork};
use crate::verbs::{Command, CommandKind, CommentLocation};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub(super) subjects: BTreeMap<SubjectKey, Subject>,
    pub(super) comments: BTreeMap<CommentId, Comment>,
    pub(super) contents: BTreeMap<CommentId, Content>,
    pub(super) likes: BTreeMap<(CommentId, MemberId), Like>,
    pub(super) edits: Vec<ContentEdit>,
    pub(super) clients: BTreeMap<CommentId, ClientInfo>,
    pub(super) origins: BTreeMap<CommentId, ImportOrigin>,
    priors: BTreeMap<(SubjectId, IdempotencyKey), IdempotencyRecord>,
    numbers: i64,
}

impl Scene {
    /// One subject without comments, owned by "owner".
    pub(super) fn open() -> Self {
        let mut scene = Self::default();
        let id = scene.subject_id();
        scene.run(create_subject(id));
        scene
    }

    pub(super) fn subject(&self) -> &Subject {
        &self.subjects[&key()]
    }

    pub(super) fn row(&self, id: CommentId) -> &Comment {
        &self.comments[&id]
    }

    fn number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }

    pub(super) fn id(&mut self) -> CommentId {
        CommentId::new(self.number()).expect("positive")
    }

    pub(super) fn subject_id(&mut self) -> SubjectId {
        self.id().into()
    }

    /// A request that nobody made before, a second after the last one.
    pub(super) fn command(&mut self, verb: impl Into<CommandKind>) -> Command {
        self.command_on(&key(), verb)
    }

    pub(super) fn command_on(&mut self, subject: &SubjectKey, verb: impl Into<CommandKind>) -> Command {
        let number = self.number();
        let key = IdempotencyKey::imported("comment", "scene", &number.to_string());
        let request = RequestIdentity { key, print: Fingerprint(number) };
        Command { subject: subject.clone(), verb: verb.into(), request, now: Millis(number * 1_000) }
    }

    /// Does something that has to succeed.
    pub(super) fn run(&mut self, verb: impl Into<CommandKind>) -> CommandOutput {
        let command = self.command(verb);
        self.send(&command).unwrap_or_else(|refused| panic!("{}: {refused:?}", command.verb.name()))
    }

    pub(super) fn send(&mut self, command: &Command) -> Result<CommandOutput> {
        self.commit(std::slice::from_ref(command)).0.remove(0)
    }

    /// Runs one batch, and gives the world that it left behind.
    pub(super) fn commit(&mut self, batch: &[Command]) -> (Vec<Result<CommandOutput>>, UnitOfWork) {
        let mut world = self.load(batch);
        let answers = batch.iter().map(|command| run(&mut world, command)).collect();
        self.write(&world);
        audit(self);
        (answers, world)
    }

    fn load(&self, batch: &[Command]) -> UnitOfWork {
        let mut world = UnitOfWork::default();
        for command in batch {
            let Some(subject) = self.subjects.get(&command.subject) else { continue };
            world.load_subject(subject.clone());
            let needs = command.verb.needs();
            let prior = self.priors.get(&(subject.id, command.request.key));
            if let Some(prior) = prior {
                world.load_prior(subject.id, command.request.key, *prior);
            }
            let made = prior.and_then(|prior| prior.comment);
            for comment in needs.comments.iter().chain(&made).filter_map(|id| self.comments.get(id)) {
                world.load_comment(comment.clone());
            }
            for id in needs.content.into_iter().chain(made).filter(|id| self.contents.contains_key(id)) {
                world.load_content(id, self.contents[&id].clone());
            }
            if let Some(like) = needs.like.and_then(|like| self.likes.get(&like)) {
                world.load_like(like.clone());
            }
        }
        world
    }

    fn write(&mut self, world: &UnitOfWork) {
        let journal = world.journal();
        for key in &journal.new_subjects {
            assert!(self.subjects.insert(key.clone(), world.subjects[key].clone()).is_none(), "{key:?} is new");
        }
        for (key, before) in &journal.subjects {
            let now = world.subjects[key].clone();
            assert_eq!(now.revision, before.revision + 1, "one revision for each batch");
            assert_eq!(self.subjects.insert(key.clone(), now).as_ref(), Some(before));
        }
        for (id, request) in &journal.new_comments {
            let (comment, content) = (world.comments[id].clone(), world.contents[id].clone());
            let prior = IdempotencyRecord {
                verb: 0,
                print: request.print,
                comment: Some(*id),
                revision: comment.born_revision,
            };
            self.remember(comment.subject_id, request.key, prior);
            assert!(self.comments.insert(*id, comment).is_none(), "{id:?} is new");
            self.contents.insert(*id, content);
        }
        for (id, before) in &journal.comments {
            let now = world.comments[id].clone();
            assert!(now.revision > before.revision, "a row that changes says so: {now:?}");
            assert_eq!(self.comments.insert(*id, now).as_ref(), Some(before));
        }
        for id in &journal.contents {
            let now = world.contents[id].clone();
            assert!(self.contents.insert(*id, now).is_some(), "the content of {id:?} stands already");
        }
        for like in &journal.likes {
            self.likes.insert(like.clone(), world.likes[like].clone());
        }
        for (subject, key, prior) in &journal.requests {
            self.remember(*subject, *key, *prior);
        }
        self.edits.extend_from_slice(&journal.edits);
        self.clients.extend(journal.clients.clone());
        self.origins.extend(journal.origins.clone());
        self.holds(world);
    }

    fn remember(&mut self, subject: SubjectId, key: IdempotencyKey, prior: IdempotencyRecord) {
        assert!(self.priors.insert((subject, key), prior).is_none(), "{key:?} is remembered once");
    }

    /// Nothing has changed that the journal does not name.
    fn holds(&self, world: &UnitOfWork) {
        for (key, subject) in &world.subjects {
            assert_eq!(self.subjects.get(key), Some(subject));
        }
        for (id, comment) in &world.comments {
            assert_eq!(self.comments.get(id), Some(comment));
        }
        for (id, content) in &world.contents {
            assert_eq!(self.contents.get(id), Some(content));
        }
        for (key, like) in &world.likes {
            assert_eq!(self.likes.get(key), Some(like));
        }
    }

    /// A comment as the service names it; a stranger stands for itself.
    pub(super) fn target(&self, id: CommentId) -> CommentLocation {
        let Some(comment) = self.comments.get(&id) else {
            return CommentLocation { id, ancestor_ids: vec![id], parent: None };
        };
        let path: BTreeSet<_> = comment.path.ancestors().chain([comment.path.clone()]).collect();
        let mut above: Vec<_> = self.comments.values().filter(|c| path.contains(&c.path)).collect();
        above.sort_by_key(|comment| &comment.path);
        CommentLocation {
            id,
            ancestor_ids: above.iter().map(|comment| comment.id).collect(),
            parent: comment.parent_id,
        }
    }

    /// A new root by "author".
    pub(super) fn root(&mut self) -> CommentId {
        let verb = self.create();
        view(&self.run(verb)).comment.id
    }

    /// A new answer by "author".
    pub(super) fn reply(&mut self, parent: CommentId, max_depth: u8) -> CommentId {
        let verb = self.answer(parent, max_depth);
        view(&self.run(verb)).comment.id
    }
}

/// Runs one command; a refusal leaves no trace.
fn run(world: &mut UnitOfWork, command: &Command) -> Result<CommandOutput> {
    let before = format!("{world:?}");
    let answer = world.run(command);
    if let Err(refused) = &answer {
        assert!(!matches!(refused, Error::Internal(_)), "{}: {refused:?}", command.verb.name());
        assert_eq!(format!("{world:?}"), before, "after {refused:?}");
    }
    answer
}

/// The one subject of tests that need one.
pub(super) fn key() -> SubjectKey {
    key_named("1")
}

pub(super) fn key_named(id: &str) -> SubjectKey {
    SubjectKey::stored("video".to_owned(), id.to_owned())
}

pub(super) fn member(id: &str) -> MemberId {
    MemberId::stored(id.to_owned())
}

pub(super) fn text(text: &str) -> Content {
    Content::stored(text.to_owned(), Vec::new(), Metadata::new())
}

/// The comment that a receipt is about.
pub(super) fn view(receipt: &CommandOutput) -> &CommentView {
    match &receipt.effect {
        Effect::Comment(view) => view,
        Effect::Subject(_) | Effect::Like(_) => panic!("not about a comment: {receipt:?}"),
    }
}
