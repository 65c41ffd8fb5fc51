//! GetModeratedComments: comments in any state, with what is open on them.

use riposte_core::page::Page;
use riposte_core::{Caller, Error};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, error_metadata, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::GetModeratedCommentsRequest,
) -> Result<v1::GetModeratedCommentsResponse, RpcError> {
    let mut v = Violations::default();
    let ids = v.take(parse::moderated_ids("ids", &request.ids));
    let (ids,) = v.all((ids,))?;
    let found = services.reviews.comments(&caller, &ids).await?;
    let (mut comments, mut missing) = (Vec::with_capacity(found.len()), Vec::new());
    for (id, comment) in ids.into_iter().zip(found) {
        match comment {
            Some(comment) => comments.push(services.for_moderators(&caller).comment(comment)?),
            None if request.allow_missing => missing.push(id.get()),
            None => return Err(RpcError::about(Error::CommentNotFound, error_metadata::comment(id.get()))),
        }
    }
    let page = Page { items: comments, more_before: false, more_after: false };
    let comments = convert::fit(page, Anchor::First, MAX_BYTES).items;
    Ok(v1::GetModeratedCommentsResponse { comments, missing })
}
