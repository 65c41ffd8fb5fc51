//! AdminService: what operators and moderators do, on its own port.

mod cache;
mod counts;
mod export;
mod hot;
mod import;
mod items;
mod list;
mod moderate;
mod rebuild;
mod rounds;

use std::pin::Pin;

use riposte_sdk::v1;
use riposte_sdk::v1::admin_service_server::AdminService;
use tonic::codegen::tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use super::Services;
use super::call::{opened, serve};
use counts::{Repair, Verify};
use rebuild::{History, Ranks};
use rounds::Named;

/// The handlers of AdminService.
#[derive(Debug, Clone)]
pub(super) struct Admin(pub(super) Services);

/// A stream of answers.
type Answers<A> = Pin<Box<dyn Stream<Item = Result<A, Status>> + Send>>;

#[tonic::async_trait]
impl AdminService for Admin {
    type ImportCommentsStream = Answers<v1::ImportCommentsResponse>;
    type ExportSubjectStream = Answers<v1::ExportSubjectResponse>;
    type VerifyCountsStream = Answers<v1::VerifyCountsResponse>;
    type RepairCountsStream = Answers<v1::RepairCountsResponse>;
    type RebuildMemberHistoryStream = Answers<v1::RebuildMemberHistoryResponse>;
    type RebuildRanksStream = Answers<v1::RebuildRanksResponse>;
    type RebuildCacheStream = Answers<v1::RebuildCacheResponse>;

    async fn import_comments(
        &self,
        request: Request<Streaming<v1::ImportCommentsRequest>>,
    ) -> Result<Response<Self::ImportCommentsStream>, Status> {
        let (call, items) = opened(request)?;
        Ok(Response::new(import::run(self.0.clone(), call, items)))
    }

    async fn export_subject(
        &self,
        request: Request<v1::ExportSubjectRequest>,
    ) -> Result<Response<Self::ExportSubjectStream>, Status> {
        let (call, request) = opened(request)?;
        export::run(self.0.clone(), call, request).await.map(Response::new)
    }

    async fn list_subjects(
        &self,
        request: Request<v1::ListSubjectsRequest>,
    ) -> Result<Response<v1::ListSubjectsResponse>, Status> {
        serve(request, |caller, request| list::list(&self.0, caller, request)).await
    }

    async fn hide_comment(
        &self,
        request: Request<v1::HideCommentRequest>,
    ) -> Result<Response<v1::HideCommentResponse>, Status> {
        serve(request, |caller, request| moderate::hide(&self.0, caller, request)).await
    }

    async fn unhide_comment(
        &self,
        request: Request<v1::UnhideCommentRequest>,
    ) -> Result<Response<v1::UnhideCommentResponse>, Status> {
        serve(request, |caller, request| moderate::unhide(&self.0, caller, request)).await
    }

    async fn delete_comment(
        &self,
        request: Request<v1::AdminServiceDeleteCommentRequest>,
    ) -> Result<Response<v1::AdminServiceDeleteCommentResponse>, Status> {
        serve(request, |caller, request| moderate::delete(&self.0, caller, request)).await
    }

    async fn verify_counts(
        &self,
        request: Request<v1::VerifyCountsRequest>,
    ) -> Result<Response<Self::VerifyCountsStream>, Status> {
        let (call, request) = opened(request)?;
        let v1::VerifyCountsRequest { scope, resume_token } = request;
        let named = Named { method: "VerifyCounts", scope, resume_token };
        rounds::run(self.0.clone(), call, named, Verify::default()).await.map(Response::new)
    }

    async fn repair_counts(
        &self,
        request: Request<v1::RepairCountsRequest>,
    ) -> Result<Response<Self::RepairCountsStream>, Status> {
        let (call, request) = opened(request)?;
        let v1::RepairCountsRequest { scope, resume_token, request_id: _ } = request;
        let named = Named { method: "RepairCounts", scope, resume_token };
        rounds::run(self.0.clone(), call, named, Repair::default()).await.map(Response::new)
    }

    async fn rebuild_member_history(
        &self,
        request: Request<v1::RebuildMemberHistoryRequest>,
    ) -> Result<Response<Self::RebuildMemberHistoryStream>, Status> {
        let (call, request) = opened(request)?;
        let v1::RebuildMemberHistoryRequest { scope, resume_token, request_id: _ } = request;
        let named = Named { method: "RebuildMemberHistory", scope, resume_token };
        rounds::run(self.0.clone(), call, named, History::default()).await.map(Response::new)
    }

    async fn rebuild_ranks(
        &self,
        request: Request<v1::RebuildRanksRequest>,
    ) -> Result<Response<Self::RebuildRanksStream>, Status> {
        let (call, request) = opened(request)?;
        let v1::RebuildRanksRequest { scope, resume_token, request_id: _ } = request;
        let named = Named { method: "RebuildRanks", scope, resume_token };
        rounds::run(self.0.clone(), call, named, Ranks::default()).await.map(Response::new)
    }

    async fn rebuild_cache(
        &self,
        request: Request<v1::RebuildCacheRequest>,
    ) -> Result<Response<Self::RebuildCacheStream>, Status> {
        let (call, request) = opened(request)?;
        let v1::RebuildCacheRequest { scope, request_id: _ } = request;
        let named = Named { method: "RebuildCache", scope, resume_token: String::new() };
        rounds::run(self.0.clone(), call, named, cache::Rebuild::default()).await.map(Response::new)
    }

    async fn list_hot_subjects(
        &self,
        request: Request<v1::ListHotSubjectsRequest>,
    ) -> Result<Response<v1::ListHotSubjectsResponse>, Status> {
        serve(request, |caller, request| hot::list(&self.0, caller, request)).await
    }
}
