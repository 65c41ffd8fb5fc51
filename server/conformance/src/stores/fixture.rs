//! The isolated data of one case on a backend: subjects and idempotency keys that no other case
//! uses, and a time that only the commands of this case advance.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use riposte_core::comment::CommentView;
use riposte_core::content::ClientInfo;
use riposte_core::object_type::ModerationMode;
use riposte_core::page::{ListOrder, Page, PageQuery, PageStart, ReplyPage, RootPage};
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{BatchType, BatchVerb, Create, CreateSubject, DeleteActor, Reply, Ruling};
use riposte_core::{
    Command, CommandOutput, CommentId, CommentLocation, Content, Effect, Error, MemberId, Millis, Result, Subject,
    SubjectKey, SubjectState,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::model::count_audit::audit_counts;

use super::backend::{Backend, Process, StepClock};

/// The subjects, idempotency keys and time of one case.
#[derive(Debug)]
pub(super) struct Fixture {
    pub(super) process: Process,
    name: String,
    time: AtomicI64,
    requests: AtomicU64,
}

/// The type of the subjects of most cases.
pub(super) const OBJECT_TYPE: &str = "suite";

impl Fixture {
    /// Returns the fixture of the case called `name`.
    pub(super) fn new(backend: &Backend, name: &str) -> Arc<Self> {
        Self::of_process(backend.process.clone(), name)
    }

    pub(super) fn of_process(process: Process, name: &str) -> Arc<Self> {
        let (time, requests) = (AtomicI64::new(StepClock::START.0), AtomicU64::new(0));
        Arc::new(Self { process, name: format!("{:016x}", xxh3_64(name.as_bytes())), time, requests })
    }

    /// Returns the subject of cases that need only one.
    pub(super) fn key(&self) -> SubjectKey {
        self.key_named("")
    }

    pub(super) fn key_named(&self, name: impl Display) -> SubjectKey {
        self.key_of(OBJECT_TYPE, name)
    }

    /// Returns a subject of an object type.
    pub(super) fn key_of(&self, object_type: &str, name: impl Display) -> SubjectKey {
        SubjectKey::stored(object_type.to_owned(), format!("{}-{name}", self.name))
    }

    /// Returns an object type that no other case uses.
    pub(super) fn object_type(&self, name: &str) -> String {
        format!("k{}_{name}", self.name)
    }

    /// Returns another subject in the partition of `key`.
    pub(super) fn neighbour(&self, key: &SubjectKey) -> SubjectKey {
        let mut others = (0..).map(|n| self.key_named(format_args!("n{n}")));
        others.find(|other| other != key && other.partition() == key.partition()).unwrap_or_else(|| key.clone())
    }

    /// Returns a request with an unused idempotency key.
    pub(super) fn request(&self) -> RequestIdentity {
        let number = self.requests.fetch_add(1, Ordering::Relaxed).to_string();
        RequestIdentity {
            key: IdempotencyKey::imported("comment", &self.name, &number),
            fingerprint: Fingerprint::of(&[number.as_bytes()]),
        }
    }

    /// Returns a new request for `verb`, one second after the last one.
    pub(super) fn command<V: BatchVerb>(&self, key: &SubjectKey, verb: V) -> Command<V::Type> {
        let now = Millis(self.time.fetch_add(1_000, Ordering::Relaxed));
        let (verb, request) = (verb.into_type(), self.request());
        Command { subject: key.clone(), verb, request, now, notify_thread: false }
    }

    /// Commits a batch and returns the result of each command.
    pub(super) async fn commit<K: BatchType>(&self, batch: &[Command<K>]) -> Vec<Result<CommandOutput>> {
        let results = self.process.writer.commit(&batch.to_vec().into()).await.expect("the batch is committed");
        assert_eq!(results.len(), batch.len(), "one result per command");
        results
    }

    /// Commits a single command.
    pub(super) async fn send<K: BatchType>(&self, command: &Command<K>) -> Result<CommandOutput> {
        self.commit(std::slice::from_ref(command)).await.remove(0)
    }

    /// Runs a command that must succeed.
    pub(super) async fn run(&self, key: &SubjectKey, verb: impl BatchVerb) -> CommandOutput {
        let command = self.command(key, verb);
        self.send(&command).await.unwrap_or_else(|error| panic!("{:?}: {error:?}", command.verb))
    }

    /// Runs a command that must be refused, and returns the error.
    pub(super) async fn rejection(&self, key: &SubjectKey, verb: impl BatchVerb) -> Error {
        let command = self.command(key, verb);
        self.send(&command).await.expect_err(&format!("{:?}", command.verb))
    }

    /// Creates the subject, with "owner" as its owner.
    pub(super) async fn open(&self, key: &SubjectKey) -> Subject {
        let verb = CreateSubject {
            id: self.process.ids.subject(key.partition()).await.expect("an id"),
            owner: Some(member("owner")),
            state: SubjectState::Active,
            metadata: Metadata::new(),
            create_time: StepClock::START,
        };
        self.run(key, verb).await;
        self.subject(key).await
    }

    /// Returns the verb that creates a root by `author`, and the subject if it is absent.
    pub(super) async fn root_verb(&self, key: &SubjectKey, author: &str) -> Create {
        Create {
            id: self.id(key).await,
            member: member(author),
            content: text(&format!("a root by {author}")),
            client: ClientInfo::default(),
            auto_create: Some(self.process.ids.subject(key.partition()).await.expect("an id")),
            moderation: ModerationMode::Post,
            judged: PolicyJudgement::default(),
        }
    }

    /// Returns the verb that creates a reply to `parent` under a depth limit.
    pub(super) async fn reply_verb(&self, key: &SubjectKey, parent: CommentId, max_depth: u8) -> Reply {
        Reply {
            id: self.id(key).await,
            parent: self.target(parent).await,
            member: member("replier"),
            content: text(&format!("a reply to {}", parent.get())),
            client: ClientInfo::default(),
            max_depth,
            moderation: ModerationMode::Post,
            judged: PolicyJudgement::default(),
        }
    }

    /// Creates a root.
    pub(super) async fn root(&self, key: &SubjectKey) -> CommentView {
        let verb = self.root_verb(key, "author").await;
        comment(&self.run(key, verb).await)
    }

    /// Creates a reply.
    pub(super) async fn reply(&self, key: &SubjectKey, parent: CommentId, max_depth: u8) -> CommentView {
        let verb = self.reply_verb(key, parent, max_depth).await;
        comment(&self.run(key, verb).await)
    }

    /// Returns a new comment id.
    pub(super) async fn id(&self, key: &SubjectKey) -> CommentId {
        self.process.ids.comment(key.partition()).await.expect("an id")
    }

    /// Returns the location of a comment, by which commands name it.
    pub(super) async fn target(&self, id: CommentId) -> CommentLocation {
        self.process.reader.locate(&[id]).await.expect("located").remove(0).expect("the comment exists")
    }

    pub(super) async fn view(&self, id: CommentId) -> CommentView {
        self.process.reader.comments(&[id]).await.expect("read").remove(0).expect("the comment exists")
    }

    pub(super) async fn subject(&self, key: &SubjectKey) -> Subject {
        let found = self.process.reader.subjects(std::slice::from_ref(key)).await.expect("read").remove(0);
        found.expect("the subject exists")
    }

    pub(super) async fn roots(&self, key: &SubjectKey, window: PageQuery) -> RootPage {
        self.process.reader.roots(key, window, 3).await.expect("read").expect("the subject exists")
    }

    pub(super) async fn replies(&self, key: &SubjectKey, root: CommentId, window: PageQuery) -> ReplyPage {
        self.process.reader.replies(key, root, window).await.expect("read").expect("the root exists")
    }

    /// Checks that counts, floors and paths match the rows, by the check of the backend and by a
    /// recount of its export. Returns the number of comments.
    pub(super) async fn check_counts(&self, key: &SubjectKey) -> usize {
        let reader = self.process.reader.as_ref();
        let report = reader.verify(key).await.expect("verified");
        assert_eq!(report.drifts, Vec::new(), "{key:?}");
        let rows = audit_counts(reader, key).await.expect("exported");
        assert_eq!(report.comments, rows as i64, "the number of verified comments of {key:?}");
        rows
    }

    /// Returns the floors of the first hundred listed roots.
    pub(super) async fn floors(&self, key: &SubjectKey) -> Vec<i32> {
        floors(&self.roots(key, first(100)).await.threads.map(|thread| thread.root))
    }
}

pub(super) fn member(id: &str) -> MemberId {
    MemberId::stored(id.to_owned())
}

/// Returns an order of the moderator "mod".
pub fn ruling() -> Ruling {
    Ruling::noted(member("mod"), "a note".to_owned())
}

/// Returns the capacity of the moderator "mod".
pub fn by_moderator() -> DeleteActor {
    DeleteActor::Moderator(Box::new(ruling()))
}

pub(super) fn text(text: &str) -> Content {
    Content::stored(text.to_owned(), Vec::new(), Metadata::new())
}

/// Returns the comment of a command's output.
pub(super) fn comment(output: &CommandOutput) -> CommentView {
    match &output.effect {
        Effect::Comment(view) => (**view).clone(),
        Effect::Edit(edited) => edited.view.clone(),
        Effect::Subject(_) | Effect::Like(_) | Effect::Decision(_) => panic!("the output has no comment: {output:?}"),
    }
}

/// Returns the query for the oldest `limit` comments.
pub(super) fn first(limit: usize) -> PageQuery {
    PageQuery { order: ListOrder::Oldest, start: PageStart::Beginning, limit }
}

pub(super) fn floors(page: &Page<CommentView>) -> Vec<i32> {
    page.items.iter().map(|view| view.comment.reference.floor).collect()
}
