//! A store in memory for tests of batches. A batch sees only the rows that its commands name in
//! their lock sets, and only the rows in its write set are stored. So every test also checks the
//! lock set of the verb and the completeness of the write set.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::audit;
use super::verbs::create_subject;
use crate::domain::comment::{Comment, CommentView};
use crate::domain::content::{ClientInfo, Content};
use crate::domain::decision::Decision;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::like::Like;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::origin::ImportOrigin;
use crate::domain::path::Path;
use crate::domain::proposal::{Proposal, ProposalState};
use crate::domain::request::{Fingerprint, IdempotencyKey, IdempotencyRecord, RequestIdentity};
use crate::domain::review::Review;
use crate::domain::subject::{Metadata, Subject, SubjectKey};
use crate::domain::time::Millis;
use crate::write::unit_of_work::{ModerationGate, PublicTexts, UnitOfWork};
use crate::write::verbs::{Batch, BatchType, BatchVerb, Command, LikeCommand};
use crate::write::write_set::{ContentEdit, WithheldContent};
use crate::{CommandOutput, Effect};

/// The stored rows, and the counter from which ids and times are derived.
#[derive(Debug, Default)]
pub(super) struct Fixture {
    pub(super) subjects: BTreeMap<SubjectKey, Subject>,
    pub(super) comments: BTreeMap<CommentId, Comment>,
    pub(super) contents: BTreeMap<CommentId, Content>,
    pub(super) likes: BTreeMap<(CommentId, MemberId), Like>,
    pub(super) edits: Vec<ContentEdit>,
    pub(super) clients: BTreeMap<CommentId, ClientInfo>,
    pub(super) origins: BTreeMap<CommentId, ImportOrigin>,
    pub(super) reviews: BTreeMap<CommentId, Review>,
    pub(super) decisions: Vec<Decision>,
    pub(super) proposals: BTreeMap<(CommentId, i32), Proposal>,
    pub(super) withheld: Vec<WithheldContent>,
    pub(super) gate: ModerationGate,
    pub(super) notify_thread: bool,
    records: BTreeMap<(SubjectId, IdempotencyKey), IdempotencyRecord>,
    last_number: i64,
}

impl Fixture {
    /// Creates one subject without comments, owned by "owner".
    pub(super) fn open() -> Self {
        let mut fixture = Self::default();
        let id = fixture.subject_id();
        fixture.run(create_subject(id));
        fixture
    }

    pub(super) fn subject(&self) -> &Subject {
        &self.subjects[&key()]
    }

    pub(super) fn row(&self, id: CommentId) -> &Comment {
        &self.comments[&id]
    }

    fn number(&mut self) -> i64 {
        self.last_number += 1;
        self.last_number
    }

    pub(super) fn id(&mut self) -> CommentId {
        CommentId::new(self.number()).expect("positive")
    }

    pub(super) fn subject_id(&mut self) -> SubjectId {
        self.id().into()
    }

    /// Returns a new command. Its time is at least one second after that of the last command.
    pub(super) fn command<V: BatchVerb>(&mut self, verb: V) -> Command<V::Type> {
        self.command_on(&key(), verb)
    }

    pub(super) fn command_on<V: BatchVerb>(&mut self, subject: &SubjectKey, verb: V) -> Command<V::Type> {
        let number = self.number();
        let key = IdempotencyKey::imported("comment", "fixture", &number.to_string());
        let request = RequestIdentity { key, fingerprint: Fingerprint(number) };
        let (verb, now) = (verb.into_type(), Millis(number * 1_000));
        Command { subject: subject.clone(), verb, request, now, notify_thread: self.notify_thread }
    }

    /// Runs a verb that must succeed.
    pub(super) fn run<V: BatchVerb>(&mut self, verb: V) -> CommandOutput {
        let command = self.command(verb);
        self.run_command(&command).unwrap_or_else(|rejection| panic!("{:?}: {rejection:?}", command.verb))
    }

    pub(super) fn run_command<K: BatchType>(&mut self, command: &Command<K>) -> Result<CommandOutput> {
        self.commit(std::slice::from_ref(command)).0.remove(0)
    }

    /// Runs and stores one batch; returns its outputs and its unit of work.
    pub(super) fn commit<K: BatchType>(&mut self, batch: &[Command<K>]) -> (Vec<Result<CommandOutput>>, UnitOfWork) {
        let (outputs, unit) = match Batch::from(batch.to_vec()) {
            Batch::Comments(commands) => run_all(self.load(&commands), &commands, UnitOfWork::run),
            Batch::Likes(commands) => run_all(self.load_likes(&commands), &commands, UnitOfWork::run_like),
        };
        self.write(&unit);
        audit(self);
        (outputs, unit)
    }

    fn load_likes(&self, batch: &[LikeCommand]) -> UnitOfWork {
        let mut unit = UnitOfWork::default();
        for command in batch {
            let set = command.verb.set();
            self.subjects.get(&command.subject).into_iter().for_each(|subject| unit.load_subject(subject.clone()));
            self.comments.get(&set.comment_id).into_iter().for_each(|comment| unit.load_comment(comment.clone()));
            let like = self.likes.get(&(set.comment_id, set.member.clone()));
            like.into_iter().for_each(|like| unit.load_like(like.clone()));
        }
        self.load_unknown_reviews(&mut unit);
        unit
    }

    fn load(&self, batch: &[Command]) -> UnitOfWork {
        let mut unit = UnitOfWork::default();
        unit.set_gate(self.gate);
        for command in batch {
            if command.verb.lock_set().database_time {
                unit.load_database_time(command.now);
            }
            let Some(subject) = self.subjects.get(&command.subject) else { continue };
            unit.load_subject(subject.clone());
            let lock_set = command.verb.lock_set();
            let record = self.records.get(&(subject.id, command.request.key));
            if let Some(record) = record {
                unit.load_record(subject.id, command.request.key, *record);
            }
            let created = record.and_then(|record| record.comment);
            for comment in lock_set.comments.iter().chain(&created).filter_map(|id| self.comments.get(id)) {
                unit.load_comment(comment.clone());
            }
            for id in lock_set.content.into_iter().chain(created).filter(|id| self.contents.contains_key(id)) {
                unit.load_content(id, self.contents[&id].clone());
            }
            let review = lock_set.review.and_then(|id| self.reviews.get(&id));
            review.into_iter().for_each(|review| unit.load_review(review.clone()));
            let judged = self.decisions.iter().filter(|decision| Some(decision.id.comment) == lock_set.decisions);
            judged.for_each(|decision| unit.load_decision(decision.clone()));
            let of = |proposal: &&Proposal| Some(proposal.comment_id) == lock_set.proposal;
            let waiting = self.proposals.values().filter(of).filter(|p| p.state == ProposalState::Waiting);
            waiting.for_each(|proposal| unit.load_proposal(proposal.clone()));
        }
        if unit.lacks_database_time() {
            unit.load_database_time(batch.first().map_or(Millis(0), |command| command.now));
        }
        self.load_unknown_reviews(&mut unit);
        for id in unit.unknown_public_texts(batch) {
            unit.load_public_texts(id, self.public_texts(id));
        }
        unit
    }

    fn public_texts(&self, id: CommentId) -> PublicTexts {
        let withheld = self.withheld.iter().filter(|withheld| withheld.once_public).map(|withheld| &withheld.edit);
        let former = self.edits.iter().chain(withheld).filter(|edit| edit.comment_id == id);
        let mentions = former.flat_map(|edit| edit.content.mentions()).cloned().collect();
        PublicTexts { mentions, is_imported: self.origins.contains_key(&id) }
    }

    fn load_unknown_reviews(&self, unit: &mut UnitOfWork) {
        let unknown: Vec<CommentId> = unit.unknown_reviews().collect();
        unknown.iter().filter_map(|id| self.reviews.get(id)).for_each(|review| unit.load_review(review.clone()));
    }

    fn write(&mut self, unit: &UnitOfWork) {
        let write_set = unit.write_set();
        for id in write_set.new_reviews.iter().chain(&write_set.reviews) {
            let before = self.reviews.insert(*id, unit.review(*id).expect("a review").clone());
            assert_eq!(before.is_none(), write_set.new_reviews.contains(id), "{id:?}");
        }
        self.decisions.extend(write_set.decisions.iter().cloned());
        for (id, number) in &write_set.new_proposals {
            let proposal = unit.proposal(*id, *number).expect("a proposal").clone();
            assert!(self.proposals.insert((*id, *number), proposal).is_none(), "{id:?} has {number} already");
        }
        for (key, state) in &write_set.proposal_states {
            self.proposals.get_mut(key).expect("a proposal").state = *state;
        }
        self.withheld.extend_from_slice(&write_set.withheld);
        for key in &write_set.new_subjects {
            assert!(self.subjects.insert(key.clone(), unit.subjects[key].clone()).is_none(), "{key:?} is new");
        }
        for (key, before) in &write_set.subjects {
            let now = unit.subjects[key].clone();
            assert_eq!(now.revision, before.revision + 1, "one revision for each batch");
            assert_eq!(self.subjects.insert(key.clone(), now).as_ref(), Some(before));
        }
        for (id, request) in &write_set.new_comments {
            let (comment, content) = (unit.comments[id].clone(), unit.contents[id].clone());
            let record = IdempotencyRecord {
                verb: 0,
                fingerprint: request.fingerprint,
                comment: Some(*id),
                revision: comment.reference.born_revision,
            };
            self.insert_record(comment.reference.subject_id, request.key, record);
            assert!(self.comments.insert(*id, comment).is_none(), "{id:?} is new");
            self.contents.insert(*id, content);
        }
        for (id, before) in &write_set.comments {
            let now = unit.comments[id].clone();
            // A reply that no reader sees takes a floor and leaves the revision of its root.
            let is_unseen = Comment { next_floor: before.next_floor, ..now.clone() } == *before;
            let is_new = now.lifecycle.revision > before.lifecycle.revision;
            assert!(is_new || is_unseen, "a changed row has a new revision: {now:?}");
            assert_eq!(self.comments.insert(*id, now).as_ref(), Some(before));
        }
        for id in &write_set.contents {
            let now = unit.contents[id].clone();
            assert!(self.contents.insert(*id, now).is_some(), "the content of {id:?} exists already");
        }
        for like in &write_set.likes {
            self.likes.insert(like.clone(), unit.likes[like].clone());
        }
        for (subject, key, record) in &write_set.requests {
            self.insert_record(*subject, *key, *record);
        }
        self.edits.extend_from_slice(&write_set.edits);
        self.clients.extend(write_set.clients.clone());
        self.origins.extend(write_set.origins.clone());
        self.check_stored(unit);
    }

    fn insert_record(&mut self, subject: SubjectId, key: IdempotencyKey, record: IdempotencyRecord) {
        assert!(self.records.insert((subject, key), record).is_none(), "{key:?} is recorded once");
    }

    /// Checks that the stored rows equal those of the unit of work, so no change is missing in the
    /// write set.
    fn check_stored(&self, unit: &UnitOfWork) {
        for (key, subject) in &unit.subjects {
            assert_eq!(self.subjects.get(key), Some(subject));
        }
        for (id, comment) in &unit.comments {
            assert_eq!(self.comments.get(id), Some(comment));
        }
        for (id, content) in &unit.contents {
            assert_eq!(self.contents.get(id), Some(content));
        }
        for (key, like) in &unit.likes {
            assert_eq!(self.likes.get(key), Some(like));
        }
    }

    /// Returns the location of a comment. The path of an unknown comment has only its own id.
    pub(super) fn target(&self, id: CommentId) -> CommentLocation {
        let Some(comment) = self.comments.get(&id) else {
            return CommentLocation {
                id,
                subject: key(),
                path: Path::root(id),
                floor: 0,
                ancestor_ids: vec![id],
                parent_id: None,
                member: member("author"),
            };
        };
        let path: BTreeSet<_> = comment.reference.path.ancestors().chain([comment.reference.path.clone()]).collect();
        let mut above: Vec<_> = self.comments.values().filter(|c| path.contains(&c.reference.path)).collect();
        above.sort_by_key(|comment| &comment.reference.path);
        CommentLocation {
            id,
            subject: key(),
            path: comment.reference.path.clone(),
            floor: comment.reference.floor,
            ancestor_ids: above.iter().map(|comment| comment.reference.id).collect(),
            parent_id: comment.reference.parent_id,
            member: comment.reference.member.clone(),
        }
    }

    /// Creates a root by "author".
    pub(super) fn root(&mut self) -> CommentId {
        let verb = self.create();
        view(&self.run(verb)).comment.reference.id
    }

    /// Creates a reply by "author".
    pub(super) fn reply(&mut self, parent: CommentId, max_depth: u8) -> CommentId {
        let verb = self.reply_to(parent, max_depth);
        view(&self.run(verb)).comment.reference.id
    }
}

/// Returns a unit of work as text without the field that a command sets if it is refused for lack
/// of the gate.
fn without_lacks_gate(unit: &UnitOfWork) -> String {
    format!("{unit:?}").replace("lacks_gate: true, ", "").replace("lacks_gate: false, ", "")
}

/// Runs the commands of a batch, and checks that a rejected command does not change the unit of
/// work.
fn run_all<K: BatchType>(
    mut unit: UnitOfWork,
    commands: &[Command<K>],
    run: fn(&mut UnitOfWork, &Command<K>) -> Result<CommandOutput>,
) -> (Vec<Result<CommandOutput>>, UnitOfWork) {
    let mut outputs = Vec::new();
    for command in commands {
        let before = without_lacks_gate(&unit);
        let output = run(&mut unit, command);
        if let Err(rejection) = &output {
            assert!(!matches!(rejection, Error::Internal(_)), "{:?}: {rejection:?}", command.verb);
            assert_eq!(without_lacks_gate(&unit), before, "after {rejection:?}");
        }
        outputs.push(output);
    }
    (outputs, unit)
}

/// The subject of tests that need only one.
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

/// Returns the comment of an output.
pub(super) fn view(output: &CommandOutput) -> &CommentView {
    match &output.effect {
        Effect::Comment(view) => view,
        Effect::Edit(edited) => &edited.view,
        Effect::Subject(_) | Effect::Like(_) | Effect::Decision(_) => panic!("not about a comment: {output:?}"),
    }
}
