//! ListUnlistedComments: the author's own comments that are in no list, and edits that wait.

use riposte_core::page::Page;
use riposte_core::read::{ListUnlisted, UnlistedComment, UnlistedPage};
use riposte_core::{Caller, CommentId, SubjectKey};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListUnlistedCommentsRequest,
) -> Result<v1::ListUnlistedCommentsResponse, RpcError> {
    let v1::ListUnlistedCommentsRequest { subject, member_id, root_id, min_revision, page_size, page_token } = request;
    let mut v = Violations::default();
    let subject = v.subject(&services.comments, &caller, "subject", subject.as_ref())?;
    let member = v.take(parse::member("member_id", &member_id));
    let root = v.take(if root_id == 0 { Ok(None) } else { parse::comment_id("root_id", root_id).map(Some) });
    let min_revision = v.take(parse::min_revision(min_revision));
    let limit = v.take(parse::page_size(page_size));
    let context_of = |key: &SubjectKey| {
        TokenContext::new(&caller, "ListUnlistedComments").subject(key).argument(&member_id).argument(root_id)
    };
    let context = subject.as_ref().map(|(key, _)| context_of(key));
    let position = |cursor| if let TokenCursor::Comment(id) = cursor { Some(id) } else { None };
    let before = services.cursor(&mut v, &page_token, context.as_ref(), position);
    let ((subject, _), member, root, min_revision, limit, before) =
        v.all((subject, member, root, min_revision, limit, before))?;
    let context = context_of(&subject);
    let request = ListUnlisted { subject, member, root, min_revision, before, limit };
    let UnlistedPage { comments, next, revision } = services.comments.unlisted_comments(&caller, &request).await?;
    let ids: Vec<CommentId> = comments.iter().map(|found| found.view.comment.reference.id).collect();
    let unlisted = |UnlistedComment { view, proposal }| v1::UnlistedComment {
        comment: Some(convert::comment(view)),
        proposed_edit: proposal.map(convert::proposed_edit),
    };
    let items = comments.into_iter().map(unlisted).collect();
    let page = Page { items, more_before: false, more_after: next.is_some() };
    let comments = convert::fit(page, Anchor::First, MAX_BYTES).items;
    // Items that were cut off belong to the next page.
    let cut = comments.len().checked_sub(1).filter(|_| comments.len() < ids.len());
    let next = cut.and_then(|last| ids.get(last).copied()).or(next);
    let next_page_token = services.seal(&context, next.map(TokenCursor::Comment))?;
    Ok(v1::ListUnlistedCommentsResponse { comments, next_page_token, subject_revision: revision })
}
