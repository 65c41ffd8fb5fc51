//! Every mutating call, sent to one server and repeated at another.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::import_item::Kind;
use riposte_sdk::v1::{
    AdminServiceDeleteCommentRequest, Comment, CreateCommentRequest, CreateReplyRequest, CreateSubjectRequest,
    DeleteCommentRequest, DeleteSubjectRequest, ErrorReason, GetSubjectRequest, HideCommentRequest,
    ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, LikeValue, PinCommentRequest, SetLikeRequest,
    Subject, SubjectKey, UndeleteCommentRequest, UndeleteSubjectRequest, UnhideCommentRequest, UnpinCommentRequest,
    UpdateCommentRequest, UpdateSubjectRequest,
};
use riposte_sdk::{Client, Connection};
use riposte_tests::{Server, real, say::content};
use tonic::Status;

/// Clients of one server.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) client: Client,
    pub(super) admin: AdminServiceClient<Connection>,
    /// `true` for a version before reasons were part of what a request id stands for.
    before_reasons: bool,
}

/// A mutating request with its request id. An import has none: an external id names each item.
#[derive(Debug, Clone)]
enum Call {
    CreateSubject(CreateSubjectRequest),
    UpdateSubject(UpdateSubjectRequest),
    DeleteSubject(DeleteSubjectRequest),
    UndeleteSubject(UndeleteSubjectRequest),
    CreateComment(CreateCommentRequest),
    CreateReply(CreateReplyRequest),
    UpdateComment(UpdateCommentRequest),
    DeleteComment(DeleteCommentRequest),
    UndeleteComment(UndeleteCommentRequest),
    PinComment(PinCommentRequest),
    UnpinComment(UnpinCommentRequest),
    HideComment(HideCommentRequest),
    UnhideComment(UnhideCommentRequest),
    ModeratorDelete(AdminServiceDeleteCommentRequest),
    SetLike(SetLikeRequest),
    Import(ImportItem),
}

/// The part of a response that every repeat returns unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CallOutput {
    id: i64,
    floor: i32,
    revision: i64,
}

/// The calls that were made on one subject, with their first responses.
#[derive(Debug)]
pub(super) struct CallLog {
    key: SubjectKey,
    made: Vec<(Call, CallOutput)>,
}

impl Peer {
    pub(super) fn of(server: &Server) -> Result<Self> {
        Ok(Self { client: server.client()?, admin: server.admin()?, before_reasons: false })
    }

    /// Returns clients of a server of a version that does not know a repeat of what a moderator
    /// ordered at this version: it refuses that one, and makes no change.
    pub(super) fn before_reasons(server: &Server) -> Result<Self> {
        Ok(Self { before_reasons: true, ..Self::of(server)? })
    }

    async fn subject(&self, key: &SubjectKey) -> Result<Subject> {
        let request = GetSubjectRequest { key: Some(key.clone()), fresh: true, ..GetSubjectRequest::default() };
        let found = self.client.subjects().get_subject(request).await?.into_inner().subject;
        found.context("no subject")
    }
}

impl CallOutput {
    fn of(comment: Option<Comment>, revision: i64) -> Result<Self> {
        let comment = comment.context("no comment in the answer")?;
        Ok(Self { id: comment.id, floor: comment.floor, revision })
    }

    fn of_subject(revision: i64) -> Self {
        Self { id: 0, floor: 0, revision }
    }
}

/// Sends `$request` by `$client.$method` and returns the body of the response.
macro_rules! body {
    ($client:expr, $method:ident, $request:expr) => {
        $client.$method($request.clone()).await?.into_inner()
    };
}

/// Sends a request like `body!`, and returns the comment and the revision of the response.
macro_rules! commented {
    ($client:expr, $method:ident, $request:expr) => {{
        let body = body!($client, $method, $request);
        CallOutput::of(body.comment, body.subject_revision)
    }};
}

impl Call {
    /// Returns `true` for the order of a moderator that has a reason.
    fn has_reason(&self) -> bool {
        matches!(self, Self::HideComment(_) | Self::UnhideComment(_) | Self::ModeratorDelete(_))
    }

    async fn send(&self, peer: &Peer) -> Result<CallOutput> {
        let Peer { client, admin, .. } = peer;
        let (mut subjects, mut comments, mut admin) = (client.subjects(), client.comments(), admin.clone());
        let of_subject = |revision| Ok(CallOutput::of_subject(revision));
        match self {
            Self::CreateSubject(call) => of_subject(body!(subjects, create_subject, call).subject_revision),
            Self::UpdateSubject(call) => of_subject(body!(subjects, update_subject, call).subject_revision),
            Self::DeleteSubject(call) => of_subject(body!(subjects, delete_subject, call).subject_revision),
            Self::UndeleteSubject(call) => of_subject(body!(subjects, undelete_subject, call).subject_revision),
            Self::CreateComment(call) => commented!(comments, create_comment, call),
            Self::CreateReply(call) => {
                let body = body!(client.replies(), create_reply, call);
                CallOutput::of(body.reply, body.subject_revision)
            }
            Self::UpdateComment(call) => commented!(comments, update_comment, call),
            Self::DeleteComment(call) => commented!(comments, delete_comment, call),
            Self::UndeleteComment(call) => commented!(comments, undelete_comment, call),
            Self::PinComment(call) => commented!(comments, pin_comment, call),
            Self::UnpinComment(call) => commented!(comments, unpin_comment, call),
            Self::HideComment(call) => commented!(admin, hide_comment, call),
            Self::UnhideComment(call) => commented!(admin, unhide_comment, call),
            Self::ModeratorDelete(call) => commented!(admin, delete_comment, call),
            Self::SetLike(call) => {
                let body = body!(client.likes(), set_like, call);
                ensure!(body.value == call.value && body.like_count == 1, "{body:?}");
                Ok(CallOutput { id: call.comment_id, floor: 0, revision: body.comment_revision })
            }
            Self::Import(item) => import(peer, item).await,
        }
    }
}

/// Imports one item, which is created or found.
async fn import(peer: &Peer, item: &ImportItem) -> Result<CallOutput> {
    let request = ImportCommentsRequest { item: Some(item.clone()) };
    let mut responses = peer.admin.clone().import_comments(futures::stream::iter([request])).await?.into_inner();
    let response = responses.message().await?.context("no answer to an item")?;
    let outcomes = [ImportOutcome::Created, ImportOutcome::Unchanged];
    ensure!(outcomes.contains(&response.outcome()), "{response:?}");
    // An item that was found carries the current revision.
    Ok(CallOutput { id: response.comment_id, floor: response.floor, revision: 0 })
}

impl CallLog {
    /// Makes every mutating call once at `first` and repeats it at `other`, on a subject of its
    /// own.
    pub(super) async fn make(first: &Peer, other: &Peer) -> Result<Self> {
        let key = real::key("article", &uuid::Uuid::now_v7().to_string());
        let mut calls = Self { key: key.clone(), made: Vec::new() };
        let (key, request_id) = (Some(key), request_id());
        let owner_id = "owner".to_owned();
        let call = CreateSubjectRequest { key, owner_id, request_id, ..CreateSubjectRequest::default() };
        calls.twice(first, other, Call::CreateSubject(call)).await?;
        let metadata = [("colour".to_owned(), "green".to_owned())].into();
        let subject = Some(Subject { key: Some(calls.key.clone()), metadata, ..Subject::default() });
        let call = UpdateSubjectRequest { subject, request_id: self::request_id(), ..UpdateSubjectRequest::default() };
        calls.twice(first, other, Call::UpdateSubject(call)).await?;
        for call in calls.on_comments(first, other).await? {
            calls.twice(first, other, call).await?;
        }
        for call in calls.on_the_subject() {
            calls.twice(first, other, call).await?;
        }
        Ok(calls)
    }

    /// Sends all calls once more; each returns its first response, and nothing changes.
    pub(super) async fn repeat(&self, peer: &Peer) -> Result<()> {
        let stood = peer.subject(&self.key).await?;
        for (call, response) in &self.made {
            same(call, response, peer).await?;
        }
        let stands = peer.subject(&self.key).await?;
        ensure!(stands == stood && stands.delete_time.is_none(), "{stands:?} after {stood:?}");
        Ok(())
    }

    async fn twice(&mut self, first: &Peer, other: &Peer, call: Call) -> Result<CallOutput> {
        let response = call.send(first).await.with_context(|| format!("{call:?}"))?;
        same(&call, &response, other).await?;
        self.made.push((call, response.clone()));
        Ok(response)
    }

    fn root(&self) -> Call {
        Call::CreateComment(CreateCommentRequest {
            subject: Some(self.key.clone()),
            member_id: "m".to_owned(),
            content: content("a root"),
            request_id: request_id(),
            ..CreateCommentRequest::default()
        })
    }

    /// Writes a thread, and returns the calls that change it, in their order.
    async fn on_comments(&mut self, first: &Peer, other: &Peer) -> Result<Vec<Call>> {
        let id = self.twice(first, other, self.root()).await?.id;
        let liked = self.twice(first, other, self.root()).await?.id;
        let doomed = self.twice(first, other, self.root()).await?.id;
        let (m, owner, moderator_id) = ("m".to_owned(), "owner".to_owned(), "moderator".to_owned());
        let reply = CreateReplyRequest {
            parent_id: id,
            member_id: m.clone(),
            content: content("a reply"),
            request_id: request_id(),
            ..CreateReplyRequest::default()
        };
        let reply = self.twice(first, other, Call::CreateReply(reply)).await?.id;
        let (edited, reason) = (content("edited"), "a reason".to_owned());
        let delete = DeleteCommentRequest { id: reply, member_id: m.clone(), ..DeleteCommentRequest::default() };
        let edit =
            UpdateCommentRequest { id, member_id: m.clone(), content: edited, ..UpdateCommentRequest::default() };
        let like = SetLikeRequest { comment_id: liked, member_id: m.clone(), ..SetLikeRequest::default() };
        let (id_of_hide, etag) = (request_id(), String::new());
        let hide = HideCommentRequest { id: reply, moderator_id, reason, request_id: id_of_hide, etag };
        let HideCommentRequest { moderator_id, reason, etag, .. } = hide.clone();
        let unhide = UnhideCommentRequest { id: reply, moderator_id, reason, request_id: request_id(), etag };
        let HideCommentRequest { moderator_id, reason, etag, .. } = hide.clone();
        let request_id_of_doom = request_id();
        let doom =
            AdminServiceDeleteCommentRequest { id: doomed, moderator_id, reason, request_id: request_id_of_doom, etag };
        Ok(vec![
            Call::SetLike(SetLikeRequest { value: LikeValue::Like.into(), request_id: request_id(), ..like }),
            Call::UpdateComment(UpdateCommentRequest { request_id: request_id(), ..edit }),
            Call::PinComment(PinCommentRequest { id, member_id: owner.clone(), request_id: request_id() }),
            Call::UnpinComment(UnpinCommentRequest { id, member_id: owner, request_id: request_id() }),
            Call::HideComment(hide),
            Call::UnhideComment(unhide),
            Call::DeleteComment(DeleteCommentRequest { request_id: request_id(), ..delete }),
            Call::UndeleteComment(UndeleteCommentRequest { id: reply, member_id: m, request_id: request_id() }),
            Call::ModeratorDelete(doom),
        ])
    }

    /// The calls that change the subject as a whole, in their order.
    fn on_the_subject(&self) -> [Call; 3] {
        let comment = ImportedComment {
            subject: Some(self.key.clone()),
            member_id: "m".to_owned(),
            content: content("imported"),
            ..ImportedComment::default()
        };
        let (kind, external_id) = (Some(Kind::Comment(comment)), self.key.object_id.clone());
        let (key, deleted, undeleted) = (Some(self.key.clone()), request_id(), request_id());
        let delete = DeleteSubjectRequest { key: key.clone(), request_id: deleted, ..DeleteSubjectRequest::default() };
        [
            Call::Import(ImportItem { source: "old".to_owned(), external_id, kind }),
            Call::DeleteSubject(delete),
            Call::UndeleteSubject(UndeleteSubjectRequest { key, request_id: undeleted }),
        ]
    }
}

/// Repeats a call; fails unless the response is the first one.
async fn same(call: &Call, first: &CallOutput, peer: &Peer) -> Result<()> {
    let again = call.send(peer).await;
    if let Err(error) = &again
        && peer.before_reasons
        && call.has_reason()
        && let Some(status) = error.downcast_ref::<Status>()
        && riposte_sdk::Error::from(status.clone()).reason() == ErrorReason::RequestIdReused
    {
        return Ok(());
    }
    let again = again.with_context(|| format!("the repeat of {call:?}"))?;
    ensure!(again == *first, "{again:?} instead of {first:?} by the repeat of {call:?}");
    Ok(())
}

fn request_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
