//! AdminService: what operators and moderators do, on its own port. Every call is recorded (`audited`), also one that only looks: at
//! what, and by whom, is asked after something has become known.

mod audited;
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
use audited::{answered, imported, streamed};
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
            rounds::run(self.0.clone(), call, Named { method: "VerifyCounts", scope, resume_token }, Verify::default())
        };
        streamed(&self.0, "AdminService/VerifyCounts", request, run).await
    }

    async fn repair_counts(
        &self,
        request: Request<v1::RepairCountsRequest>,
    ) -> Result<Response<Self::RepairCountsStream>, Status> {
        let run = |call, v1::RepairCountsRequest { scope, resume_token, request_id: _ }| {
            rounds::run(self.0.clone(), call, Named { method: "RepairCounts", scope, resume_token }, Repair::default())
        };
        streamed(&self.0, "AdminService/RepairCounts", request, run).await
    }

    async fn rebuild_member_history(
        &self,
        request: Request<v1::RebuildMemberHistoryRequest>,
    ) -> Result<Response<Self::RebuildMemberHistoryStream>, Status> {
        let run = |call, v1::RebuildMemberHistoryRequest { scope, resume_token, request_id: _ }| {
            rounds::run(
                self.0.clone(),
                call,
                Named { method: "RebuildMemberHistory", scope, resume_token },
                History::default(),
            )
        };
        streamed(&self.0, "AdminService/RebuildMemberHistory", request, run).await
    }

    async fn rebuild_ranks(
        &self,
        request: Request<v1::RebuildRanksRequest>,
    ) -> Result<Response<Self::RebuildRanksStream>, Status> {
        let run = |call, v1::RebuildRanksRequest { scope, resume_token, request_id: _ }| {
            rounds::run(self.0.clone(), call, Named { method: "RebuildRanks", scope, resume_token }, Ranks::default())
        };
        streamed(&self.0, "AdminService/RebuildRanks", request, run).await
    }

    async fn rebuild_cache(
        &self,
        request: Request<v1::RebuildCacheRequest>,
    ) -> Result<Response<Self::RebuildCacheStream>, Status> {
        let run = |call, v1::RebuildCacheRequest { scope, request_id: _ }| {
            let named = Named { method: "RebuildCache", scope, resume_token: String::new() };
            rounds::run(self.0.clone(), call, named, cache::Rebuild::default())
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
