//! ListReplies.

use prost::Message;
use riposte_core::location::CommentLocation;
use riposte_core::page::{ListOrder, ReplyPage};
use riposte_core::read::{ListRankedReplies, ListReplies, ListStart, RankedPage, RankedStart};
use riposte_core::{Caller, Error};
use riposte_sdk::v1;

use crate::convert::{MAX_BYTES, PageArgs};
use crate::error_metadata::under;
use crate::parse::TokenScope;
use crate::parse::{ParsedStart, Sort, StartFields, Violations};
use crate::rpc_error::RpcError;
use crate::{Services, convert, error_metadata, parse};

/// The parameters of a list request, except its start position.
struct ListParams {
    root: CommentLocation,
    limit: usize,
    min_revision: i64,
    fresh: bool,
}

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListRepliesRequest,
) -> Result<v1::ListRepliesResponse, RpcError> {
    let mut v = Violations::default();
    let root = v.comment(&services.comments, &caller, "root_id", request.root_id).await?;
    let sort = v.take(parse::sort(request.sort, ListOrder::Oldest).and_then(Sort::of_replies));
    let scope = root.as_ref().zip(sort).map(|((root, _), sort)| TokenScope::replies(&caller, root.id, sort));
    let fields =
        StartFields { page_token: &request.page_token, around_comment_id: request.around_comment_id, around_floor: 0 };
    let start = parse::page_start(&mut v, fields, scope.as_ref(), &services.tokens);
    let limit = v.take(parse::page_size(request.page_size));
    let min_revision = v.take(parse::min_revision(request.min_revision));
    let ((root, _), scope, start, limit, min_revision) = v.all((root, scope, start, limit, min_revision))?;
    let subject = root.subject.clone();
    let params = ListParams { root, limit, min_revision, fresh: request.fresh };
    let (page, args) = read_page(services, &caller, params, start).await.map_err(|error| {
        let error = under(&subject)(error);
        match start {
            // The root was located above, so the missing comment is the one in
            // `around_comment_id`.
            ParsedStart::Floor(_, ListStart::Comment(id)) | ParsedStart::Rank(_, RankedStart::Comment(id)) => {
                error.or_about(error_metadata::comment(id.get()))
            }
            ParsedStart::Floor(_, ListStart::Start(_)) | ParsedStart::Rank(..) => error,
        }
    })?;
    let subject_revision = page.subject.revision;
    let root = convert::comment(page.root);
    let replies = page.replies.map(convert::comment);
    let budget = MAX_BYTES.saturating_sub(root.encoded_len());
    let (replies, cursors) = convert::cut(replies, &args, budget);
    Ok(v1::ListRepliesResponse {
        replies: replies.items,
        next_page_token: services.seal(scope.context(), cursors.next)?,
        previous_page_token: services.seal(scope.context(), cursors.previous)?,
        root: Some(root),
        subject_revision,
        degraded: services.degraded(),
    })
}

/// Returns the page and the arguments from which its page tokens are derived.
async fn read_page(
    services: &Services,
    caller: &Caller,
    params: ListParams,
    start: ParsedStart,
) -> Result<(ReplyPage, PageArgs), Error> {
    let ListParams { root, limit, min_revision, fresh } = params;
    let comments = services.reads(fresh);
    match start {
        ParsedStart::Floor(order, at) => {
            let request = ListReplies { root, order, at, limit, min_revision };
            let page = comments.list_replies(caller, &request).await?;
            Ok((page, PageArgs::Floor(order, at)))
        }
        // Replies have only one ranked sort.
        ParsedStart::Rank(_, at) => {
            let request = ListRankedReplies { root, at, limit, min_revision };
            let RankedPage { page, continuation } = comments.list_ranked_replies(caller, &request).await?;
            Ok((page, PageArgs::Rank(at, continuation)))
        }
    }
}
