//! The façade over the oracle: the use cases as the RPC layer calls them, with given ids, a given
//! clock and given rankings.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "facade/given.rs"]
mod given;
#[path = "facade/golden.rs"]
mod golden;
#[path = "facade/imports.rs"]
mod imports;
#[path = "facade/lists.rs"]
mod lists;
#[path = "facade/pages.rs"]
mod pages;
#[path = "facade/ports.rs"]
mod ports;
#[path = "facade/ranked.rs"]
mod ranked;
#[path = "facade/reads.rs"]
mod reads;
#[path = "facade/verbs.rs"]
mod verbs;

use std::sync::Arc;

use futures::FutureExt;
use riposte_conformance::model::Model;
use riposte_core::caller::{Caller, Grants, ObjectTypeScope, Role};
use riposte_core::location::CommentLocation;
use riposte_core::object_type::{ObjectType, Policies, Policy};
use riposte_core::ports::{CommentRows, IdSource, SubjectRows};
use riposte_core::read::ReadPorts;
use riposte_core::request::RequestId;
use riposte_core::subject::Metadata;
use riposte_core::submit::{WriteContext, WritePorts};
use riposte_core::verbs::{CreateReply, CreateRoot, DeleteActor, DeleteComment, HideComment, NewSubject, WriteOutput};
use riposte_core::{
    ClientInfo, Comment, CommentId, CommentView, Comments, Content, Maintenance, MemberId, Mutations, Partition,
    Result, Subject, SubjectKey,
};

use given::{GivenClock, GivenIds, GivenRanking};

/// Returns the output of a future that never waits.
fn run<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("no port of the fixture waits")
}

/// The façade over an oracle of its own. Subjects of `video` are created explicitly, those of
/// `wall` and of `forum` with their first comment. Threads of `forum` have three levels, others
/// two.
struct Fixture {
    model: Arc<Model>,
    ids: Arc<GivenIds>,
    clock: Arc<GivenClock>,
    rankings: Arc<GivenRanking>,
    comments: Comments,
    mutations: Mutations,
    maintenance: Maintenance,
}

fn policies() -> Arc<Policies> {
    let types = [("video", false, 2), ("wall", true, 2), ("forum", true, 3)];
    let policy = |auto_create, max_depth| Policy { auto_create, max_depth, ..Policy::default() };
    let policies = types.map(|(name, auto_create, max_depth)| (name.to_owned(), policy(auto_create, max_depth)));
    Arc::new(Policies::closed(policies.into()))
}

impl Fixture {
    fn new() -> Self {
        let clock = Arc::new(GivenClock::default());
        let model = Arc::new(Model::new(Arc::clone(&clock) as _));
        let ids = Arc::new(GivenIds::default());
        let rankings = Arc::new(GivenRanking::new(Arc::clone(&model)));
        let reads = ReadPorts {
            reader: Arc::clone(&model) as _,
            rankings: Arc::clone(&rankings) as _,
            clock: Arc::clone(&clock) as _,
        };
        let writes = WritePorts {
            reader: Arc::clone(&model) as _,
            log: Arc::clone(&model) as _,
            clock: Arc::clone(&clock) as _,
            ids: Arc::clone(&ids) as _,
        };
        let maintenance = Maintenance {
            reader: Arc::clone(&model) as _,
            clock: Arc::clone(&clock) as _,
            histories: Arc::clone(&model) as _,
            boards: Arc::clone(&model) as _,
            repairer: Arc::clone(&model) as _,
        };
        let (comments, mutations) = (Comments::new(reads, policies()), Mutations::new(writes, policies()));
        Self { model, ids, clock, rankings, comments, mutations, maintenance }
    }

    /// Returns the façade of a process that reads cached data: the rows in their present state.
    fn behind(&self) -> Comments {
        let reader = Arc::new(self.model.copied()) as _;
        let (rankings, clock) = (Arc::clone(&self.rankings) as _, Arc::clone(&self.clock) as _);
        Comments::new(ReadPorts { reader, rankings, clock }, policies())
    }

    fn subject(&self, object_id: &str) -> SubjectKey {
        let key = video(object_id);
        let new = NewSubject { owner: Some(member("owner")), metadata: Metadata::new() };
        run(self.mutations.submit(&asked(), &key, new)).expect("a new subject");
        key
    }

    fn root(&self, subject: &SubjectKey) -> CommentId {
        let root = run(self.mutations.submit(&asked(), subject, new_root("a root"))).expect("a new root");
        root.value.comment.reference.id
    }

    /// Creates a root together with its subject.
    fn root_on_wall(&self, object_id: &str) -> CommentId {
        self.root(&SubjectKey::stored("wall".to_owned(), object_id.to_owned()))
    }

    fn reply(&self, parent: CommentId) -> CommentId {
        let parent = self.at(parent);
        let reply = run(self.mutations.submit(&asked(), &parent, new_reply("a reply"))).expect("a new reply");
        reply.value.comment.reference.id
    }

    fn at(&self, id: CommentId) -> CommentLocation {
        run(self.comments.locate(&everybody(), id)).expect("a comment that stands").0
    }

    fn delete(&self, id: CommentId) -> WriteOutput<CommentView> {
        let delete = DeleteComment { actor: DeleteActor::Moderator, etag: String::new() };
        run(self.mutations.submit(&asked(), &self.at(id), delete)).expect("not deleted yet")
    }

    fn hide(&self, id: CommentId) -> WriteOutput<CommentView> {
        run(self.mutations.submit(&asked(), &self.at(id), HideComment { hidden: true })).expect("active")
    }

    fn row(&self, subject: &SubjectKey) -> Subject {
        let found = run(self.model.subjects(std::slice::from_ref(subject))).expect("the oracle has no faults");
        found.into_iter().flatten().next().expect("a subject that exists")
    }

    fn comment_row(&self, id: CommentId) -> Comment {
        let found = run(self.model.comments(&[id])).expect("the oracle has no faults");
        found.into_iter().flatten().next().expect("a comment that exists").comment
    }

    fn new_id(&self, partition: Partition) -> CommentId {
        run(self.ids.comment(partition)).expect("ids do not run out")
    }
}

fn everybody() -> Caller {
    Caller::unrestricted("web")
}

/// Returns a caller that may use only these types.
fn only<const N: usize>(types: [&str; N]) -> Caller {
    let types = types.map(|name| ObjectType::stored(name.to_owned()));
    Caller::new("tenant", Grants { roles: Role::ALL.into(), types: ObjectTypeScope::These(types.into()) })
}

/// Returns the context of the member ann, from the unrestricted caller.
fn asked() -> WriteContext {
    WriteContext { caller: everybody(), member: Some(member("ann")), request_id: None }
}

/// Returns the same context with a fixed request id.
fn asked_as(request: u8) -> WriteContext {
    WriteContext { request_id: Some(RequestId::from_bytes([request; 16])), ..asked() }
}

fn video(object_id: &str) -> SubjectKey {
    SubjectKey::stored("video".to_owned(), object_id.to_owned())
}

fn member(name: &str) -> MemberId {
    MemberId::stored(name.to_owned())
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

/// Returns the error of a refused call.
fn refused<T: std::fmt::Debug>(answer: Result<T>) -> riposte_core::Error {
    answer.expect_err("has to be refused")
}
