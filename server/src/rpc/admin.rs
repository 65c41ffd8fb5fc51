//! AdminService: actions of operators and moderators, on its own port. Every call is recorded
//! (module `audit`), including reads: after an incident, the record shows which data was read and
//! by which caller.

mod audit;
mod cache;
mod counts;
mod export;
mod hot;
mod import;
mod items;
mod list;
mod moderate;
mod rebuild;
mod subject_sweep;

use std::pin::Pin;

use riposte_sdk::v1;
use riposte_sdk::v1::admin_service_server::AdminService;
use tonic::codegen::tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use super::Services;
use audit::{answered, imported, streamed};
use counts::{RepairCounts, VerifyCounts};
use rebuild::{RebuildHistory, RebuildRanks};
use subject_sweep::SweepScope;

/// The handlers of AdminService.
#[derive(Debug, Clone)]
pub(super) struct AdminHandlers(pub(super) Services);

/// A stream of responses.
type ResponseStream<A> = Pin<Box<dyn Stream<Item = Result<A, Status>> + Send>>;

#[tonic::async_trait]
impl AdminService for AdminHandlers {
    type ImportCommentsStream = ResponseStream<v1::ImportCommentsResponse>;
    type ExportSubjectStream = ResponseStream<v1::ExportSubjectResponse>;
    type VerifyCountsStream = ResponseStream<v1::VerifyCountsResponse>;
    type RepairCountsStream = ResponseStream<v1::RepairCountsResponse>;
    type RebuildMemberHistoryStream = ResponseStream<v1::RebuildMemberHistoryResponse>;
    type RebuildRanksStream = ResponseStream<v1::RebuildRanksResponse>;
    type RebuildCacheStream = ResponseStream<v1::RebuildCacheResponse>;

    async fn import_comments(
        &self,
        request: Request<Streaming<v1::ImportCommentsRequest>>,
    ) -> Result<Response<Self::ImportCommentsStream>, Status> {
        imported(&self.0, request)
    }

    async fn export_subject(
        &self,
        request: Request<v1::ExportSubjectRequest>,
    ) -> Result<Response<Self::ExportSubjectStream>, Status> {
        let run = |call, request| export::run(self.0.clone(), call, request);
        streamed(&self.0, "AdminService/ExportSubject", request, run).await
    }

    async fn list_subjects(
        &self,
        request: Request<v1::ListSubjectsRequest>,
    ) -> Result<Response<v1::ListSubjectsResponse>, Status> {
        answered(&self.0, "AdminService/ListSubjects", request, list::list).await
    }

    async fn hide_comment(
        &self,
        request: Request<v1::HideCommentRequest>,
    ) -> Result<Response<v1::HideCommentResponse>, Status> {
        answered(&self.0, "AdminService/HideComment", request, moderate::hide).await
    }

    async fn unhide_comment(
        &self,
        request: Request<v1::UnhideCommentRequest>,
    ) -> Result<Response<v1::UnhideCommentResponse>, Status> {
        answered(&self.0, "AdminService/UnhideComment", request, moderate::unhide).await
    }

    async fn delete_comment(
        &self,
        request: Request<v1::AdminServiceDeleteCommentRequest>,
    ) -> Result<Response<v1::AdminServiceDeleteCommentResponse>, Status> {
        answered(&self.0, "AdminService/DeleteComment", request, moderate::delete).await
    }

    async fn verify_counts(
        &self,
        request: Request<v1::VerifyCountsRequest>,
    ) -> Result<Response<Self::VerifyCountsStream>, Status> {
        let run = |call, v1::VerifyCountsRequest { scope, resume_token }| {
            subject_sweep::run(
                self.0.clone(),
                call,
                SweepScope { method: "VerifyCounts", scope, resume_token },
                VerifyCounts::default(),
            )
        };
        streamed(&self.0, "AdminService/VerifyCounts", request, run).await
    }

    async fn repair_counts(
        &self,
        request: Request<v1::RepairCountsRequest>,
    ) -> Result<Response<Self::RepairCountsStream>, Status> {
        let run = |call, v1::RepairCountsRequest { scope, resume_token, request_id: _ }| {
            subject_sweep::run(
                self.0.clone(),
                call,
                SweepScope { method: "RepairCounts", scope, resume_token },
                RepairCounts::default(),
            )
        };
        streamed(&self.0, "AdminService/RepairCounts", request, run).await
    }

    async fn rebuild_member_history(
        &self,
        request: Request<v1::RebuildMemberHistoryRequest>,
    ) -> Result<Response<Self::RebuildMemberHistoryStream>, Status> {
        let run = |call, v1::RebuildMemberHistoryRequest { scope, resume_token, request_id: _ }| {
            subject_sweep::run(
                self.0.clone(),
                call,
                SweepScope { method: "RebuildMemberHistory", scope, resume_token },
                RebuildHistory::default(),
            )
        };
        streamed(&self.0, "AdminService/RebuildMemberHistory", request, run).await
    }

    async fn rebuild_ranks(
        &self,
        request: Request<v1::RebuildRanksRequest>,
    ) -> Result<Response<Self::RebuildRanksStream>, Status> {
        let run = |call, v1::RebuildRanksRequest { scope, resume_token, request_id: _ }| {
            subject_sweep::run(
                self.0.clone(),
                call,
                SweepScope { method: "RebuildRanks", scope, resume_token },
                RebuildRanks::default(),
            )
        };
        streamed(&self.0, "AdminService/RebuildRanks", request, run).await
    }

    async fn rebuild_cache(
        &self,
        request: Request<v1::RebuildCacheRequest>,
    ) -> Result<Response<Self::RebuildCacheStream>, Status> {
        let run = |call, v1::RebuildCacheRequest { scope, request_id: _ }| {
            let named = SweepScope { method: "RebuildCache", scope, resume_token: String::new() };
            subject_sweep::run(self.0.clone(), call, named, cache::RebuildCache::default())
        };
        streamed(&self.0, "AdminService/RebuildCache", request, run).await
    }

    async fn list_hot_subjects(
        &self,
        request: Request<v1::ListHotSubjectsRequest>,
    ) -> Result<Response<v1::ListHotSubjectsResponse>, Status> {
        answered(&self.0, "AdminService/ListHotSubjects", request, hot::list).await
    }
}
