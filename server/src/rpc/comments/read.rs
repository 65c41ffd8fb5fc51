//! GetComment and BatchGetComments.

use prost::Message;
use riposte_core::{Caller, Error};
use riposte_sdk::v1;

use super::CommentHandlers;
use crate::rpc::parse::Violations;
use crate::rpc::rpc_error::RpcError;
use crate::rpc::{convert, error_metadata, parse};

impl CommentHandlers {
    pub(super) async fn get(
        &self,
        caller: Caller,
        request: v1::GetCommentRequest,
    ) -> Result<v1::GetCommentResponse, RpcError> {
        let mut v = Violations::default();
        let id = v.take(parse::comment_id("id", request.id));
        let viewer = v.take(parse::optional_member("viewer_member_id", &request.viewer_member_id));
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let (id, viewer, min_revision) = v.all((id, viewer, min_revision))?;
        let view = self.0.answering(request.fresh).comment(&caller, id, viewer.as_ref(), min_revision).await?;
        Ok(v1::GetCommentResponse { comment: Some(convert::comment(view)), degraded: self.0.degraded() })
    }

    pub(super) async fn batch_get(
        &self,
        caller: Caller,
        request: v1::BatchGetCommentsRequest,
    ) -> Result<v1::BatchGetCommentsResponse, RpcError> {
        let mut v = Violations::default();
        let ids = v.take(parse::comment_ids("ids", &request.ids));
        let (ids,) = v.all((ids,))?;
        let found = self.0.answering(request.fresh).comments(&caller, &ids, None).await?;
        let (mut comments, mut missing) = (Vec::with_capacity(found.len()), Vec::new());
        for (id, view) in ids.into_iter().zip(found) {
            match view {
                Some(view) => comments.push(convert::comment(view)),
                None if request.allow_missing => missing.push(id.get()),
                None => return Err(RpcError::about(Error::CommentNotFound, error_metadata::comment(id.get()))),
            }
        }
        let answer = v1::BatchGetCommentsResponse { comments, missing, degraded: self.0.degraded() };
        // The gRPC library would refuse the response with an error of its own: a batch is bounded
        // by count, and 200 long comments are large.
        let limit = self.0.limits.max_response;
        if answer.encoded_len() > limit { Err(Error::MessageTooLarge { limit }.into()) } else { Ok(answer) }
    }
}
