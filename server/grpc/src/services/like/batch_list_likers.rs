//! BatchListLikers.

use riposte_core::page::LikersQuery;
use riposte_core::read::FirstLikers;
use riposte_core::{Caller, CommentId, Error};
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, error_metadata, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::BatchListLikersRequest,
) -> Result<v1::BatchListLikersResponse, RpcError> {
    let mut v = Violations::default();
    let subject = v.subject(&services.comments, &caller, "subject", request.subject.as_ref())?;
    let ids = v.take(parse::liked_ids("comment_ids", &request.comment_ids));
    let value = v.take(parse::liked(request.value));
    let limit = v.take(parse::likers(request.limit));
    let first = v.take(parse::first_members("first_member_ids", &request.first_member_ids));
    let ((key, _), ids, value, limit, first) = v.all((subject, ids, value, limit, first))?;
    let query = LikersQuery { ids, value, first, limit };
    let found = services.comments.comment_likers(&caller, &key, &query).await?;
    let comments = found.into_iter().map(comment_likers).collect::<Result<_, RpcError>>()?;
    Ok(v1::BatchListLikersResponse { comments })
}

/// Converts the likers of a comment. An error names the comment.
fn comment_likers((id, found): (CommentId, Result<FirstLikers, Error>)) -> Result<v1::CommentLikers, RpcError> {
    let id = id.get();
    let FirstLikers { likers, count } = found.map_err(|error| RpcError::about(error, error_metadata::comment(id)))?;
    Ok(v1::CommentLikers { comment_id: id, likers: likers.iter().map(convert::liker).collect(), count })
}
