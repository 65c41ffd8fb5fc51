//! A stand-in for AdminService that fulfils the contract of ImportComments, except that it breaks
//! some streams.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use futures::Stream;
use riposte_sdk::v1::admin_service_server::{AdminService, AdminServiceServer};
use riposte_sdk::v1::import_item::Kind;
use riposte_sdk::v1::*;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming};

/// A comment by subject and external id.
pub(super) type State = BTreeMap<(String, String), Stored>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) parent: String,
    pub(super) floor: i32,
    pub(super) orphan_of: String,
}

#[derive(Debug)]
pub(super) struct StandIn {
    address: SocketAddr,
    inner: Arc<Inner>,
    stop: Mutex<Option<oneshot::Sender<()>>>,
}

#[derive(Debug)]
struct Inner {
    state: Mutex<(State, HashSet<String>)>,
    items: watch::Sender<u64>,
    /// Positions, over all streams, of items that are applied and whose response is lost with the
    /// stream.
    breaks: Vec<u64>,
}

impl StandIn {
    pub(super) async fn start(breaks: &[u64]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner { state: Mutex::default(), items: watch::Sender::new(0), breaks: breaks.to_vec() });
        let (stop, stopped) = oneshot::channel();
        let serving = tonic::transport::Server::builder()
            .add_service(AdminServiceServer::new(Service(Arc::clone(&inner))))
            .serve_with_incoming_shutdown(TcpListenerStream::new(listener), async {
                let _ = stopped.await;
            });
        tokio::spawn(serving);
        Self { address, inner, stop: Mutex::new(Some(stop)) }
    }

    pub(super) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn stop(&self) {
        drop(self.stop.lock().unwrap().take());
    }

    /// Waits until `items` items have arrived.
    pub(super) async fn wait_until_received(&self, items: u64) {
        self.inner.items.subscribe().wait_for(|come| *come >= items).await.unwrap();
    }

    /// Returns all comments; floors count per subject, whatever the parent.
    pub(super) fn state(&self) -> State {
        self.inner.state.lock().unwrap().0.clone()
    }
}

impl Inner {
    fn respond(&self, item: ImportItem, index: i64) -> ImportCommentsResponse {
        let mut guard = self.state.lock().unwrap();
        let (comments, other_ids) = &mut *guard;
        let accepted = |outcome: ImportOutcome| (outcome, None);
        let missing = || {
            let error = ItemError { reason: "COMMENT_NOT_FOUND".to_owned(), ..ItemError::default() };
            (ImportOutcome::Rejected, Some(error))
        };
        let (outcome, error) = match item.kind.unwrap() {
            Kind::Subject(_) if other_ids.insert(item.external_id.clone()) => accepted(ImportOutcome::Created),
            Kind::Subject(_) => accepted(ImportOutcome::Unchanged),
            Kind::Comment(comment) => {
                let subject = comment.subject.unwrap().object_id;
                let parent = (subject.clone(), comment.parent_external_id);
                let name = (subject.clone(), item.external_id.clone());
                if comments.contains_key(&name) {
                    accepted(ImportOutcome::Unchanged)
                } else if !parent.1.is_empty() && !comments.contains_key(&parent) {
                    missing()
                } else {
                    let floor = 1 + i32::try_from(comments.keys().filter(|(key, _)| *key == subject).count()).unwrap();
                    let orphan_of = comment.content.unwrap().metadata.remove("orphan_of").unwrap_or_default();
                    comments.insert(name, Stored { parent: parent.1, floor, orphan_of });
                    accepted(ImportOutcome::Created)
                }
            }
            Kind::Like(like) => {
                let subject = like.subject.unwrap().object_id;
                let name = format!("{subject} {}", item.external_id);
                match comments.contains_key(&(subject, like.comment_external_id)) {
                    false => missing(),
                    true if other_ids.insert(name) => accepted(ImportOutcome::Created),
                    true => accepted(ImportOutcome::Unchanged),
                }
            }
        };
        let external_id = item.external_id;
        ImportCommentsResponse { index, external_id, outcome: outcome.into(), error, ..Default::default() }
    }
}

#[derive(Debug)]
struct Service(Arc<Inner>);

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl AdminService for Service {
    type ImportCommentsStream = ReceiverStream<Result<ImportCommentsResponse, Status>>;
    type ExportSubjectStream = Responses<ExportSubjectResponse>;
    type SetModerationStream = Responses<SetModerationResponse>;
    type VerifyCountsStream = Responses<VerifyCountsResponse>;
    type RepairCountsStream = Responses<RepairCountsResponse>;
    type RebuildMemberHistoryStream = Responses<RebuildMemberHistoryResponse>;
    type RebuildRanksStream = Responses<RebuildRanksResponse>;
    type RebuildCacheStream = Responses<RebuildCacheResponse>;

    async fn import_comments(
        &self,
        request: Request<Streaming<ImportCommentsRequest>>,
    ) -> Result<Response<Self::ImportCommentsStream>, Status> {
        let mut items = request.into_inner();
        let (responses, stream) = mpsc::channel(4);
        let state = Arc::clone(&self.0);
        tokio::spawn(async move {
            for index in 0.. {
                let Ok(Some(item)) = items.message().await else { return };
                let mut position = 0;
                state.items.send_modify(|items| {
                    position = *items;
                    *items += 1;
                });
                let response = state.respond(item.item.unwrap(), index);
                let broken = state.breaks.contains(&position);
                let response = if broken { Err(Status::unavailable("broken on purpose")) } else { Ok(response) };
                if responses.send(response).await.is_err() || broken {
                    return;
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn export_subject(
        &self,
        _: Request<ExportSubjectRequest>,
    ) -> Result<Response<Self::ExportSubjectStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_subjects(&self, _: Request<ListSubjectsRequest>) -> Result<Response<ListSubjectsResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn hide_comment(&self, _: Request<HideCommentRequest>) -> Result<Response<HideCommentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn unhide_comment(
        &self,
        _: Request<UnhideCommentRequest>,
    ) -> Result<Response<UnhideCommentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn delete_comment(
        &self,
        _: Request<AdminServiceDeleteCommentRequest>,
    ) -> Result<Response<AdminServiceDeleteCommentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn pin_comment(
        &self,
        _: Request<AdminServicePinCommentRequest>,
    ) -> Result<Response<AdminServicePinCommentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn unpin_comment(
        &self,
        _: Request<AdminServiceUnpinCommentRequest>,
    ) -> Result<Response<AdminServiceUnpinCommentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_client_info(
        &self,
        _: Request<GetClientInfoRequest>,
    ) -> Result<Response<GetClientInfoResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn set_moderation(
        &self,
        _: Request<SetModerationRequest>,
    ) -> Result<Response<Self::SetModerationStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn verify_counts(
        &self,
        _: Request<VerifyCountsRequest>,
    ) -> Result<Response<Self::VerifyCountsStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn repair_counts(
        &self,
        _: Request<RepairCountsRequest>,
    ) -> Result<Response<Self::RepairCountsStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn rebuild_member_history(
        &self,
        _: Request<RebuildMemberHistoryRequest>,
    ) -> Result<Response<Self::RebuildMemberHistoryStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn rebuild_ranks(
        &self,
        _: Request<RebuildRanksRequest>,
    ) -> Result<Response<Self::RebuildRanksStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn rebuild_cache(
        &self,
        _: Request<RebuildCacheRequest>,
    ) -> Result<Response<Self::RebuildCacheStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_hot_subjects(
        &self,
        _: Request<ListHotSubjectsRequest>,
    ) -> Result<Response<ListHotSubjectsResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}
