//! LikeService.

mod member;

use riposte_core::Caller;
use riposte_core::comments::SetLikeRequest;
use riposte_core::page::LikerCursor;
use riposte_sdk::v1;
use riposte_sdk::v1::like_service_server::LikeService;
use tonic::{Request, Response, Status};

use super::call::serve;
use super::error_metadata::under;
use super::page_token::{TokenContext, TokenCursor};
use super::parse::Violations;
use super::rpc_error::RpcError;
use super::{Services, convert, parse};

/// The handlers of LikeService.
#[derive(Debug)]
pub(super) struct LikeHandlers(pub(super) Services);

impl LikeHandlers {
    async fn set(&self, caller: Caller, request: v1::SetLikeRequest) -> Result<v1::SetLikeResponse, RpcError> {
        let mut v = Violations::default();
        let target = v.comment(&self.0.comments, &caller, "comment_id", request.comment_id).await?;
        let member = v.take(parse::member("member_id", &request.member_id));
        let value = v.take(parse::like_value(request.value));
        let request_id = v.take(parse::request_id(&request.request_id));
        let ((at, _), member, value, request_id) = v.all((target, member, value, request_id))?;
        let asked = self.0.asked(caller, &member, request_id, at.subject.object_type())?;
        let set = self.0.comments.set_like(&asked, &at, SetLikeRequest { member, value }).await;
        let set = set.map_err(under(&at.subject))?;
        Ok(v1::SetLikeResponse {
            value: convert::like_value(set.value).into(),
            like_count: set.like_count,
            dislike_count: set.dislike_count,
            changed: set.changed,
            comment_revision: set.comment_revision,
        })
    }

    async fn states(
        &self,
        caller: Caller,
        request: v1::BatchGetLikeStatesRequest,
    ) -> Result<v1::BatchGetLikeStatesResponse, RpcError> {
        let mut v = Violations::default();
        let subject = v.subject(&self.0.comments, &caller, "subject", request.subject.as_ref())?;
        let member = v.take(parse::member("member_id", &request.member_id));
        let ids = v.take(parse::comment_ids("comment_ids", &request.comment_ids));
        let ((key, _), member, ids) = v.all((subject, member, ids))?;
        let values = self.0.answering(request.fresh).like_states(&caller, &key, &member, &ids).await?;
        let state = |(id, value)| v1::LikeState { comment_id: id, value: convert::like_value(value).into() };
        let states = request.comment_ids.into_iter().zip(values).map(state).collect();
        Ok(v1::BatchGetLikeStatesResponse { states, degraded: self.0.degraded() })
    }

    async fn likers(&self, caller: Caller, request: v1::ListLikersRequest) -> Result<v1::ListLikersResponse, RpcError> {
        let mut v = Violations::default();
        let id = v.take(parse::comment_id("comment_id", request.comment_id));
        let value = v.take(parse::liked(request.value));
        let limit = v.take(parse::page_size(request.page_size));
        let walk = id.zip(value);
        let walk = walk.map(|(id, value)| TokenContext::new(&caller, "ListLikers").comment(id).argument(value.code()));
        let after = self.0.cursor(&mut v, &request.page_token, walk.as_ref(), liker);
        let (id, value, limit, after, walk) = v.all((id, value, limit, after, walk))?;
        let page = self.0.comments.likers(&caller, id, value, after.as_ref(), limit).await?;
        let last = page.items.last().filter(|_| page.more_after);
        let next = last.map(|last| TokenCursor::Liker(LikerCursor { time: last.time, member: last.member.clone() }));
        let next_page_token = self.0.seal(&walk, next)?;
        let likers = page.items.iter().map(|liker| v1::Liker {
            member_id: liker.member.as_str().to_owned(),
            like_time: Some(convert::time(liker.time)),
        });
        Ok(v1::ListLikersResponse { likers: likers.collect(), next_page_token })
    }
}

fn liker(cursor: TokenCursor) -> Option<LikerCursor> {
    if let TokenCursor::Liker(cursor) = cursor { Some(cursor) } else { None }
}

#[tonic::async_trait]
impl LikeService for LikeHandlers {
    async fn set_like(&self, request: Request<v1::SetLikeRequest>) -> Result<Response<v1::SetLikeResponse>, Status> {
        serve(request, |caller, request| self.set(caller, request)).await
    }

    async fn batch_get_like_states(
        &self,
        request: Request<v1::BatchGetLikeStatesRequest>,
    ) -> Result<Response<v1::BatchGetLikeStatesResponse>, Status> {
        serve(request, |caller, request| self.states(caller, request)).await
    }

    async fn list_likers(
        &self,
        request: Request<v1::ListLikersRequest>,
    ) -> Result<Response<v1::ListLikersResponse>, Status> {
        serve(request, |caller, request| self.likers(caller, request)).await
    }

    async fn list_member_likes(
        &self,
        request: Request<v1::ListMemberLikesRequest>,
    ) -> Result<Response<v1::ListMemberLikesResponse>, Status> {
        serve(request, |caller, request| self.of_member(caller, request)).await
    }
}
