mod golden;
mod imports;
mod lists;
mod ports;
mod ranked;
mod reads;
pub(crate) mod store;
mod verbs;

use std::sync::Arc;

use crate::domain::caller::{Caller, Grants, ObjectTypeScope, Role};
use crate::domain::location::CommentLocation;
use crate::domain::object_type::{ObjectType, Policies, Policy};
use crate::domain::request::RequestId;
use crate::domain::subject::Metadata;
use crate::read::ReadPorts;
use crate::write::submit::{WriteContext, WritePorts};
use crate::write::verbs::{CreateReply, CreateRoot, DeleteActor, DeleteComment, HideComment, NewSubject, WriteOutput};
use crate::{
    ClientInfo, CommentId, CommentView, Comments, Content, Maintenance, MemberId, Mutations, Result, Subject,
    SubjectKey,
};
use store::{Store, run};

/// The façade over a store of its own. Subjects of `video` are created explicitly, those of `wall`
/// with their first comment.
pub(crate) struct Fixture {
    pub(crate) store: Arc<Store>,
    pub(crate) comments: Comments,
    pub(crate) mutations: Mutations,
    pub(crate) maintenance: Maintenance,
}

fn policies() -> Arc<Policies> {
    let types = [("video", false), ("wall", true)];
    let policies = types.map(|(name, auto_create)| (name.to_owned(), Policy { auto_create, ..Policy::default() }));
    Arc::new(Policies::closed(policies.into()))
}

fn over(reader: Arc<Store>, store: &Arc<Store>) -> Comments {
    let ports = ReadPorts { reader, rankings: Arc::clone(store) as _, clock: Arc::clone(store) as _ };
    Comments::new(ports, policies())
}

fn writes(store: &Arc<Store>) -> Mutations {
    let ports = WritePorts {
        reader: Arc::clone(store) as _,
        log: Arc::clone(store) as _,
        clock: Arc::clone(store) as _,
        ids: Arc::clone(store) as _,
    };
    Mutations::new(ports, policies())
}

fn maintenance(store: &Arc<Store>) -> Maintenance {
    Maintenance {
        reader: Arc::clone(store) as _,
        clock: Arc::clone(store) as _,
        histories: Arc::clone(store) as _,
        boards: Arc::clone(store) as _,
        repairer: Arc::clone(store) as _,
    }
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let store = Arc::new(Store::default());
        Self {
            comments: over(Arc::clone(&store), &store),
            mutations: writes(&store),
            maintenance: maintenance(&store),
            store,
        }
    }

    /// Returns the façade of a process that reads cached data: the rows in their present state.
    fn behind(&self) -> Comments {
        over(Arc::new(self.store.copies()), &self.store)
    }

    pub(crate) fn subject(&self, object_id: &str) -> SubjectKey {
        let key = video(object_id);
        let new = NewSubject { owner: Some(member("owner")), metadata: Metadata::new() };
        run(self.mutations.submit(&asked(), &key, new)).expect("a new subject");
        key
    }

    pub(crate) fn root(&self, subject: &SubjectKey) -> CommentId {
        run(self.mutations.submit(&asked(), subject, new_root("a root")))
            .expect("a new root")
            .value
            .comment
            .reference
            .id
    }

    /// Creates a root together with its subject.
    pub(crate) fn root_on_wall(&self, object_id: &str) -> CommentId {
        self.root(&SubjectKey::stored("wall".to_owned(), object_id.to_owned()))
    }

    pub(crate) fn reply(&self, parent: CommentId) -> CommentId {
        let parent = self.at(parent);
        run(self.mutations.submit(&asked(), &parent, new_reply("a reply")))
            .expect("a new reply")
            .value
            .comment
            .reference
            .id
    }

    pub(crate) fn at(&self, id: CommentId) -> CommentLocation {
        run(self.comments.locate(&everybody(), id)).expect("a comment that stands").0
    }

    fn delete(&self, id: CommentId) -> WriteOutput<CommentView> {
        run(self.mutations.submit(
            &asked(),
            &self.at(id),
            DeleteComment { actor: DeleteActor::Moderator, etag: String::new() },
        ))
        .expect("not deleted yet")
    }

    pub(crate) fn hide(&self, id: CommentId) -> WriteOutput<CommentView> {
        run(self.mutations.submit(&asked(), &self.at(id), HideComment { hidden: true })).expect("active")
    }

    fn row(&self, subject: &SubjectKey) -> Subject {
        self.store.rows().subjects[subject].clone()
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
fn refused<T: std::fmt::Debug>(answer: Result<T>) -> crate::Error {
    answer.expect_err("has to be refused")
}
