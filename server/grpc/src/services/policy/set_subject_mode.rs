//! SetSubjectMode: which new comments of a subject wait for review, as a moderator says.

use riposte_core::Caller;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::SetSubjectMode;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::SetSubjectModeRequest,
) -> Result<v1::SetSubjectModeResponse, RpcError> {
    let v1::SetSubjectModeRequest { subject, mode, moderator_id, request_id } = request;
    let mut v = Violations::default();
    let key = v.subject(&services.comments, &caller, "subject", subject.as_ref())?;
    let of_type = key.as_ref().map(|(_, policy)| policy.moderation);
    let mode = v.take(parse::moderation_mode("mode", mode, of_type));
    let moderator = v.take(parse::moderator("moderator_id", &moderator_id));
    let request_id = v.take(parse::request_id(&request_id));
    let ((key, _), mode, moderator, request_id) = v.all((key, mode, moderator, request_id))?;
    let write_context = WriteContext { caller, member: Some(moderator), request_id };
    let order = SetSubjectMode { mode, ..SetSubjectMode::default() };
    let written = services.mutations.submit(&write_context, &key, order).await?;
    let subject = Some(convert::subject(&written.value));
    Ok(v1::SetSubjectModeResponse { subject, subject_revision: written.revision })
}
