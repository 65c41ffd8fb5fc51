//! ReportComment: the report of a comment by a member.

use riposte_core::report::{ReportBody, ReportResult};
use riposte_core::reports::ReportComment;
use riposte_core::submit::WriteContext;
use riposte_core::{Caller, CommentLocation, MemberId};
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::write_context::of_member;
use crate::{Services, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ReportCommentRequest,
) -> Result<v1::ReportCommentResponse, RpcError> {
    let v1::ReportCommentRequest { comment_id, member_id, reason, text, claims_illegal, .. } = request;
    let v1::ReportCommentRequest { legal_reference, etag, request_id, .. } = request;
    let mut v = Violations::default();
    let target = v.comment(&services.comments, &caller, "comment_id", comment_id).await?;
    let member = v.take(parse::member("member_id", &member_id));
    let reason = v.take(parse::report_reason("reason", reason));
    let words = v.take(parse::report_body(("text", &text), ("legal_reference", &legal_reference)));
    let seen = v.take(parse::seen_version("etag", comment_id, &etag));
    let request_id = v.take(parse::request_id(&request_id));
    let ((at, _), member, reason, (), seen, request_id) = v.all((target, member, reason, words, seen, request_id))?;
    let context = services.write_context(caller, &member, request_id, at.subject.object_type())?;
    let body = ReportBody { reason, text, claims_illegal, legal_reference };
    let result = take(services, &context, (&at, &member), ReportComment { body, seen }).await?;
    if !result.replayed {
        services.metrics.reported(claims_illegal);
    }
    Ok(v1::ReportCommentResponse { first: result.first })
}

/// Stores a report unless the member has made too many. A repeat of an earlier report is answered
/// even then.
async fn take(
    services: &Services,
    context: &WriteContext,
    (at, member): (&CommentLocation, &MemberId),
    report: ReportComment,
) -> Result<ReportResult, RpcError> {
    match services.admission.count_report(at.subject.object_type(), member) {
        Ok(()) => Ok(services.reports.report(context, at, (member, report)).await?),
        Err(limit) => {
            let replayed = services.reports.replayed(context, at, (member, &report)).await?;
            replayed.ok_or_else(|| of_member(limit, member))
        }
    }
}
