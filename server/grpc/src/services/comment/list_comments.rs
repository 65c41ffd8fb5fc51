//! ListComments.

use prost::Message;
use riposte_core::page::{ListOrder, Page, PageStart, RootPage, Thread};
use riposte_core::ports::RenderedPage;
use riposte_core::read::RankedPage;
use riposte_core::read::{ListComments, ListRanked, ListStart};
use riposte_core::{Caller, CommentId, Error, SubjectId, SubjectKey, SubjectState};
use riposte_sdk::v1;

use crate::convert::{MAX_BYTES, PageArgs, RenderedBody, RenderedResponse, RenderedThread};
use crate::page_token::{FloorStep, TokenCursor};
use crate::parse::TokenScope;
use crate::parse::{ParsedStart, Sort, StartFields, Violations};
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

/// The parameters of a list request, except its start position.
struct ListParams {
    subject: SubjectKey,
    limit: usize,
    previews: u8,
    min_revision: i64,
    fresh: bool,
}

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListCommentsRequest,
) -> Result<v1::ListCommentsResponse, RpcError> {
    Ok(list_page(services, &caller, &request).await?.1)
}

/// Returns the page and the id of its subject, which identifies the subject in events.
pub(crate) async fn list_page(
    services: &Services,
    caller: &Caller,
    request: &v1::ListCommentsRequest,
) -> Result<(SubjectId, v1::ListCommentsResponse), RpcError> {
    let (scope, params, start) = parse_params(services, caller, request)?;
    let (page, args) = read_page(services, caller, params, start).await?;
    let (id, subject_revision) = (page.subject.id, page.subject.revision);
    let subject = convert::subject(&page.subject);
    // Later pages of a list do not repeat the pinned threads.
    let pinned = if request.page_token.is_empty() { page.pinned } else { Vec::new() };
    let pinned = pinned
        .into_iter()
        .map(|thread| thread_with_token(services, caller, thread))
        .collect::<Result<Vec<_>, Error>>()?;
    let Page { items, more_before, more_after } = page.threads;
    let items = items
        .into_iter()
        .map(|thread| thread_with_token(services, caller, thread))
        .collect::<Result<Vec<_>, Error>>()?;
    let other_bytes = subject.encoded_len() + pinned.iter().map(Message::encoded_len).sum::<usize>();
    let budget = MAX_BYTES.saturating_sub(other_bytes);
    let page = Page { items, more_before, more_after };
    let (threads, cursors) = convert::cut(page, &args, budget);
    let page = v1::ListCommentsResponse {
        threads: threads.items,
        pinned,
        next_page_token: services.seal(scope.context(), cursors.next)?,
        previous_page_token: services.seal(scope.context(), cursors.previous)?,
        subject: Some(subject),
        degraded: services.degraded(),
        subject_revision,
    };
    Ok((id, page))
}

/// Returns the requested first page from its rendered page in the cache, with the subject's id,
/// which identifies the subject in events. For `None`, the caller uses [`list_page`].
pub(crate) async fn rendered_page(
    services: &Services,
    caller: &Caller,
    request: &v1::ListCommentsRequest,
) -> Result<Option<(SubjectId, RenderedResponse)>, RpcError> {
    let (scope, params, start) = parse_params(services, caller, request)?;
    let ListParams { subject, limit, previews, min_revision, fresh } = params;
    let Some(cache) = services.cached_pages.as_ref().filter(|_| !fresh) else { return Ok(None) };
    let ParsedStart::Floor(order, at @ ListStart::Start(PageStart::Beginning)) = start else { return Ok(None) };
    let Some(RenderedPage { subject, rendered }) = cache.rendered_page(&subject, order, limit, previews).await else {
        return Ok(None);
    };
    let may_be_served = subject.state != SubjectState::Hidden && subject.revision >= min_revision;
    let Some((page, pinned)) = RenderedBody::read(rendered).filter(|_| may_be_served) else { return Ok(None) };
    let complete = |thread: RenderedThread| thread.complete(|root| replies_token(services, caller, root));
    // A rendered page is far smaller than the size limit of a page, so nothing is cut off.
    let (page, cursors) = convert::cut(page, &PageArgs::Floor(order, at), MAX_BYTES);
    let page = RenderedResponse {
        threads: page.items.into_iter().map(complete).collect::<Result<_, Error>>()?,
        pinned: pinned.into_iter().map(complete).collect::<Result<_, Error>>()?,
        next_page_token: services.seal(scope.context(), cursors.next)?,
        previous_page_token: services.seal(scope.context(), cursors.previous)?,
        subject: Some(convert::subject(&subject)),
        degraded: services.degraded(),
        subject_revision: subject.revision,
    };
    Ok(Some((subject.id, page)))
}

/// Returns the page and the arguments from which its page tokens are derived.
async fn read_page(
    services: &Services,
    caller: &Caller,
    params: ListParams,
    start: ParsedStart,
) -> Result<(RootPage, PageArgs), Error> {
    let ListParams { subject, limit, previews, min_revision, fresh } = params;
    let comments = services.reads(fresh);
    match start {
        ParsedStart::Floor(order, at) => {
            let request = ListComments { subject, order, at, limit, previews, min_revision };
            let page = comments.list_comments(caller, &request).await?;
            Ok((page, PageArgs::Floor(order, at)))
        }
        ParsedStart::Rank(sort, at) => {
            let request = ListRanked { subject, sort, at, limit, previews, min_revision };
            let RankedPage { page, continuation } = comments.list_ranked(caller, &request).await?;
            Ok((page, PageArgs::Rank(at, continuation)))
        }
    }
}

fn parse_params(
    services: &Services,
    caller: &Caller,
    request: &v1::ListCommentsRequest,
) -> Result<(TokenScope, ListParams, ParsedStart), RpcError> {
    let mut v = Violations::default();
    let subject = v.subject(&services.comments, caller, "subject", request.subject.as_ref())?;
    let sort = v.take(parse::sort(request.sort, ListOrder::Newest));
    let scope = subject.as_ref().zip(sort).map(|((key, _), sort)| TokenScope::roots(caller, key, sort));
    let fields = StartFields {
        page_token: &request.page_token,
        around_comment_id: request.around_comment_id,
        around_floor: request.around_floor,
    };
    let start = parse::page_start(&mut v, fields, scope.as_ref(), &services.tokens);
    let limit = v.take(parse::page_size(request.page_size));
    let previews = v.take(parse::previews(request.reply_preview_size));
    let min_revision = v.take(parse::min_revision(request.min_revision));
    let ((subject, _), scope, start, limit, previews, min_revision) =
        v.all((subject, scope, start, limit, previews, min_revision))?;
    let fresh = request.fresh;
    Ok((scope, ListParams { subject, limit, previews, min_revision, fresh }, start))
}

/// Returns a thread with the token that lists all its replies from the first.
fn thread_with_token(services: &Services, caller: &Caller, thread: Thread) -> Result<v1::CommentThread, Error> {
    convert::thread(thread, |root| replies_token(services, caller, root))
}

/// Returns the token that lists all replies of a root from the first.
fn replies_token(services: &Services, caller: &Caller, root: CommentId) -> Result<String, Error> {
    let scope = TokenScope::replies(caller, root, Sort::Stable(ListOrder::Oldest));
    let first = TokenCursor::Floor(FloorStep::after(0, ListOrder::Oldest));
    services.seal(scope.context(), Some(first))
}
