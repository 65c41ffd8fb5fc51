//! ReplyService.

mod create;
mod list;
mod thread;

use riposte_sdk::v1;
use riposte_sdk::v1::reply_service_server::ReplyService;
use tonic::{Request, Response, Status};

use super::Services;
use super::call::serve;

/// The handlers of ReplyService.
#[derive(Debug)]
pub(super) struct ReplyHandlers(pub(super) Services);

#[tonic::async_trait]
impl ReplyService for ReplyHandlers {
    async fn create_reply(
        &self,
        request: Request<v1::CreateReplyRequest>,
    ) -> Result<Response<v1::CreateReplyResponse>, Status> {
        serve(request, |caller, request| self.create(caller, request)).await
    }

    async fn list_replies(
        &self,
        request: Request<v1::ListRepliesRequest>,
    ) -> Result<Response<v1::ListRepliesResponse>, Status> {
        serve(request, |caller, request| self.list(caller, request)).await
    }

    async fn get_thread(
        &self,
        request: Request<v1::GetThreadRequest>,
    ) -> Result<Response<v1::GetThreadResponse>, Status> {
        serve(request, |caller, request| self.thread(caller, request)).await
    }

    async fn list_conversation(
        &self,
        request: Request<v1::ListConversationRequest>,
    ) -> Result<Response<v1::ListConversationResponse>, Status> {
        serve(request, |caller, request| self.conversation(caller, request)).await
    }
}
