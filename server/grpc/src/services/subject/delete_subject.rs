//! DeleteSubject.

use riposte_core::Caller;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::DeleteSubject;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::DeleteSubjectRequest,
) -> Result<v1::DeleteSubjectResponse, RpcError> {
    let mut v = Violations::default();
    let key = v.subject(&services.comments, &caller, "key", request.key.as_ref())?;
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((key, _), request_id) = v.all((key, request_id))?;
    let write_context = WriteContext { caller, member: None, request_id };
    let written = services.mutations.submit(&write_context, &key, DeleteSubject { etag: request.etag }).await?;
    let subject = Some(convert::subject(&written.value));
    Ok(v1::DeleteSubjectResponse { subject, subject_revision: written.revision })
}
