//! UpdateSubject.

use riposte_core::Caller;
use riposte_core::submit::WriteContext;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::UpdateSubjectRequest,
) -> Result<v1::UpdateSubjectResponse, RpcError> {
    let mut v = Violations::default();
    let subject = request.subject.unwrap_or_default();
    let key = v.subject(&services.comments, &caller, "subject.key", subject.key.as_ref())?;
    let of_type = key.as_ref().map(|(_, policy)| policy.moderation);
    let patch = v.take(parse::patch(&subject, of_type, request.update_mask.as_ref()));
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((key, _), patch, request_id) = v.all((key, patch, request_id))?;
    let write_context = WriteContext { caller, member: None, request_id };
    let written = services.mutations.submit(&write_context, &key, patch).await?;
    let subject = Some(convert::subject(&written.value));
    Ok(v1::UpdateSubjectResponse { subject, subject_revision: written.revision })
}
