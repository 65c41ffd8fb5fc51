//! The use cases as the RPC layer calls them, over the oracle, with ids, a clock and rankings that
//! the tests determine.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "use_cases/fakes.rs"]
mod fakes;
#[path = "use_cases/golden.rs"]
mod golden;
#[path = "use_cases/imports.rs"]
mod imports;
#[path = "use_cases/lists.rs"]
mod lists;
#[path = "use_cases/notices.rs"]
mod notices;
#[path = "use_cases/pages.rs"]
mod pages;
#[path = "use_cases/ports.rs"]
mod ports;
#[path = "use_cases/ranked.rs"]
mod ranked;
#[path = "use_cases/reads.rs"]
mod reads;
#[path = "use_cases/reviews.rs"]
mod reviews;
#[path = "use_cases/searches.rs"]
mod searches;
#[path = "use_cases/standings.rs"]
mod standings;
#[path = "use_cases/unpublished.rs"]
mod unpublished;
#[path = "use_cases/verbs.rs"]
mod verbs;

use std::sync::Arc;

use async_trait::async_trait;
use futures::FutureExt;
use riposte_conformance::model::Model;
use riposte_core::caller::{Caller, Grants, ObjectTypeScope, Role};
use riposte_core::location::CommentLocation;
use riposte_core::member_gate::MemberGate;
use riposte_core::object_type::{ModerationMode, ObjectType, Policies, Policy};
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::{CommentRows, ContentPolicy, IdSource, SubjectRows, Submission};
use riposte_core::read::ReadPorts;
use riposte_core::request::RequestId;
use riposte_core::subject::Metadata;
use riposte_core::submit::{WriteContext, WritePorts};
use riposte_core::verbs::{
    CreateReply, CreateRoot, DeleteActor, DeleteComment, HideComment, NewSubject, Ruling, WriteOutput,
};
use riposte_core::{
    ClientInfo, CommandLog, Comment, CommentId, CommentView, Comments, Content, Maintenance, MemberId, Mutations,
    Partition, Result, Subject, SubjectKey,
};

use fakes::{FixedRanking, FixedStandings, ManualClock, SequentialIds};

/// Returns the output of a future that never waits.
fn run<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("no port of the fixture waits")
}

/// The use cases over an oracle of its own. Subjects of `video` are created explicitly, those of
/// `wall` and `forum` with their first comment. Threads of `forum` have three levels, all others
/// two. The author of a root of `forum` is notified of its thread. New comments of `gate` wait for
/// review.
struct Fixture {
    model: Arc<Model>,
    ids: Arc<SequentialIds>,
    clock: Arc<ManualClock>,
    rankings: Arc<FixedRanking>,
    standings: Arc<FixedStandings>,
    comments: Comments,
    mutations: Mutations,
    maintenance: Maintenance,
}

fn policies() -> Arc<Policies> {
    let types = [("video", false, 2), ("wall", true, 2), ("forum", true, 3)];
    let policy = |auto_create, max_depth| {
        let notify_thread = max_depth == 3;
        Policy { auto_create, max_depth, notify_thread, ..Policy::default() }
    };
    let policies = types.map(|(name, auto_create, max_depth)| (name.to_owned(), policy(auto_create, max_depth)));
    let gate = Policy { moderation: ModerationMode::Pre, ..policy(true, 2) };
    Arc::new(Policies::closed(policies.into_iter().chain([("gate".to_owned(), gate)]).collect()))
}

fn mutations(
    model: &Arc<Model>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
    standings: &Arc<FixedStandings>,
    log: Arc<dyn CommandLog>,
) -> Mutations {
    let (clock, ids, content) = (Arc::clone(clock) as _, Arc::clone(ids) as _, Arc::new(AllowAll) as _);
    let members = MemberGate { standings: Arc::clone(standings) as _, accounts: None };
    Mutations::new(WritePorts { reader: Arc::clone(model) as _, log, clock, ids, content, members }, policies())
}

/// A policy that judges no text.
#[derive(Debug)]
struct AllowAll;

#[async_trait]
impl ContentPolicy for AllowAll {
    fn judges(&self, _: &ObjectType) -> bool {
        false
    }

    async fn judge(&self, _: Submission<'_>) -> Result<PolicyJudgement> {
        unreachable!("no text is judged")
    }
}

impl Fixture {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        let model = Arc::new(Model::new(Arc::clone(&clock) as _));
        let ids = Arc::new(SequentialIds::default());
        let rankings = Arc::new(FixedRanking::new(Arc::clone(&model)));
        let reads = ReadPorts {
            reader: Arc::clone(&model) as _,
            rankings: Arc::clone(&rankings) as _,
            clock: Arc::clone(&clock) as _,
        };
        let maintenance = Maintenance {
            reader: Arc::clone(&model) as _,
            clock: Arc::clone(&clock) as _,
            histories: Arc::clone(&model) as _,
            rank_indexes: Arc::clone(&model) as _,
            repairer: Arc::clone(&model) as _,
        };
        let comments = Comments::new(reads, policies());
        let standings = Arc::new(FixedStandings::default());
        let mutations = mutations(&model, &clock, &ids, &standings, Arc::clone(&model) as _);
        Self { model, ids, clock, rankings, standings, comments, mutations, maintenance }
    }

    /// Returns the use cases that write, over another log.
    fn mutations_over(&self, log: Arc<dyn CommandLog>) -> Mutations {
        mutations(&self.model, &self.clock, &self.ids, &self.standings, log)
    }

    /// Returns the use cases over cached data: the rows as they are now.
    fn over_cached_rows(&self) -> Comments {
        let reader = Arc::new(self.model.copied()) as _;
        let (rankings, clock) = (Arc::clone(&self.rankings) as _, Arc::clone(&self.clock) as _);
        Comments::new(ReadPorts { reader, rankings, clock }, policies())
    }

    fn create_subject(&self, object_id: &str) -> SubjectKey {
        let key = video(object_id);
        let new = NewSubject { owner: Some(member("owner")), metadata: Metadata::new() };
        run(self.mutations.submit(&write_context(), &key, new)).expect("a new subject");
        key
    }

    fn create_root(&self, subject: &SubjectKey) -> CommentId {
        let root = run(self.mutations.submit(&write_context(), subject, new_root("a root"))).expect("a new root");
        root.value.comment.reference.id
    }

    /// Creates a root together with its subject.
    fn create_root_on_wall(&self, object_id: &str) -> CommentId {
        self.create_root(&SubjectKey::stored("wall".to_owned(), object_id.to_owned()))
    }

    fn create_reply(&self, parent: CommentId) -> CommentId {
        let parent = self.location(parent);
        let reply = run(self.mutations.submit(&write_context(), &parent, new_reply("a reply"))).expect("a new reply");
        reply.value.comment.reference.id
    }

    fn location(&self, id: CommentId) -> CommentLocation {
        run(self.comments.locate(&unrestricted(), id)).expect("a comment that exists").0
    }

    fn delete(&self, id: CommentId) -> WriteOutput<CommentView> {
        let delete = DeleteComment { actor: moderator(), etag: String::new() };
        run(self.mutations.submit(&write_context(), &self.location(id), delete)).expect("not deleted yet")
    }

    fn hide(&self, id: CommentId) -> WriteOutput<CommentView> {
        run(self.mutations.submit(&write_context(), &self.location(id), HideComment { hidden: true, ruling: ruling() }))
            .expect("active")
    }

    fn subject_row(&self, subject: &SubjectKey) -> Subject {
        let found = run(self.model.subjects(std::slice::from_ref(subject))).expect("the oracle does not fail");
        found.into_iter().flatten().next().expect("a subject that exists")
    }

    fn comment_row(&self, id: CommentId) -> Comment {
        let found = run(self.model.comments(&[id])).expect("the oracle does not fail");
        found.into_iter().flatten().next().expect("a comment that exists").comment
    }

    fn new_id(&self, partition: Partition) -> CommentId {
        run(self.ids.comment(partition)).expect("ids do not run out")
    }
}

fn unrestricted() -> Caller {
    Caller::unrestricted("web")
}

/// Returns a caller that may use these object types only.
fn restricted_to<const N: usize>(types: [&str; N]) -> Caller {
    let types = types.map(|name| ObjectType::stored(name.to_owned()));
    Caller::new("tenant", Grants { roles: Role::ALL.into(), types: ObjectTypeScope::These(types.into()) })
}

/// Returns the context of the member ann, from the unrestricted caller.
fn write_context() -> WriteContext {
    WriteContext { caller: unrestricted(), member: Some(member("ann")), request_id: None }
}

/// Returns the same context with a fixed request id.
fn context_with_request_id(request: u8) -> WriteContext {
    WriteContext { request_id: Some(RequestId::from_bytes([request; 16])), ..write_context() }
}

fn video(object_id: &str) -> SubjectKey {
    SubjectKey::stored("video".to_owned(), object_id.to_owned())
}

fn member(name: &str) -> MemberId {
    MemberId::stored(name.to_owned())
}

/// Returns an order of the moderator "mod".
fn ruling() -> Ruling {
    Ruling::noted(member("mod"), "a note".to_owned())
}

/// Returns the capacity of the moderator "mod".
fn moderator() -> DeleteActor {
    DeleteActor::Moderator(Box::new(ruling()))
}

fn content(text: &str) -> Content {
    Content::stored(text.to_owned(), Vec::new(), Metadata::new())
}

fn new_root(text: &str) -> CreateRoot {
    let (member, client) = (member("ann"), ClientInfo::default());
    CreateRoot { member, content: content(text), client }
}

fn new_reply(text: &str) -> CreateReply {
    CreateReply { member: member("bob"), content: content(text), client: ClientInfo::default() }
}

fn text(view: &CommentView) -> Option<&str> {
    view.content.as_ref().map(Content::text)
}

/// Returns the error of a call that has to fail.
fn error_of<T: std::fmt::Debug>(result: Result<T>) -> riposte_core::Error {
    result.expect_err("has to fail")
}
