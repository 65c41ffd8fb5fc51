//! CommentService: one file per group of verbs.

mod create;
mod delete;
mod history;
mod list;
mod pin;
mod read;
mod revisions;
mod update;

use riposte_sdk::v1;
use riposte_sdk::v1::comment_service_server::CommentService;
use tonic::{Request, Response, Status};

use super::Services;
use super::call::serve;

/// The handlers of CommentService.
#[derive(Debug)]
pub(super) struct CommentHandlers(pub(super) Services);

#[tonic::async_trait]
impl CommentService for CommentHandlers {
    async fn create_comment(
        &self,
        request: Request<v1::CreateCommentRequest>,
    ) -> Result<Response<v1::CreateCommentResponse>, Status> {
        serve(request, |caller, request| self.create(caller, request)).await
    }

    async fn get_comment(
        &self,
        request: Request<v1::GetCommentRequest>,
    ) -> Result<Response<v1::GetCommentResponse>, Status> {
        serve(request, |caller, request| self.get(caller, request)).await
    }

    async fn batch_get_comments(
        &self,
        request: Request<v1::BatchGetCommentsRequest>,
    ) -> Result<Response<v1::BatchGetCommentsResponse>, Status> {
        serve(request, |caller, request| self.batch_get(caller, request)).await
    }

    async fn list_comments(
        &self,
        request: Request<v1::ListCommentsRequest>,
    ) -> Result<Response<v1::ListCommentsResponse>, Status> {
        serve(request, |caller, request| self.list(caller, request)).await
    }

    async fn update_comment(
        &self,
        request: Request<v1::UpdateCommentRequest>,
    ) -> Result<Response<v1::UpdateCommentResponse>, Status> {
        serve(request, |caller, request| self.update(caller, request)).await
    }

    async fn list_comment_revisions(
        &self,
        request: Request<v1::ListCommentRevisionsRequest>,
    ) -> Result<Response<v1::ListCommentRevisionsResponse>, Status> {
        serve(request, |caller, request| self.revisions(caller, request)).await
    }

    async fn delete_comment(
        &self,
        request: Request<v1::DeleteCommentRequest>,
    ) -> Result<Response<v1::DeleteCommentResponse>, Status> {
        serve(request, |caller, request| self.delete(caller, request)).await
    }

    async fn undelete_comment(
        &self,
        request: Request<v1::UndeleteCommentRequest>,
    ) -> Result<Response<v1::UndeleteCommentResponse>, Status> {
        serve(request, |caller, request| self.undelete(caller, request)).await
    }

    async fn pin_comment(
        &self,
        request: Request<v1::PinCommentRequest>,
    ) -> Result<Response<v1::PinCommentResponse>, Status> {
        serve(request, |caller, request| self.pin(caller, request)).await
    }

    async fn unpin_comment(
        &self,
        request: Request<v1::UnpinCommentRequest>,
    ) -> Result<Response<v1::UnpinCommentResponse>, Status> {
        serve(request, |caller, request| self.unpin(caller, request)).await
    }

    async fn list_member_comments(
        &self,
        request: Request<v1::ListMemberCommentsRequest>,
    ) -> Result<Response<v1::ListMemberCommentsResponse>, Status> {
        serve(request, |caller, request| self.history(caller, request)).await
    }
}
