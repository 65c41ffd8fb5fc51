//! UndeleteSubject.

use riposte_core::Caller;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::UndeleteSubject;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::UndeleteSubjectRequest,
) -> Result<v1::UndeleteSubjectResponse, RpcError> {
    let mut v = Violations::default();
    let key = v.subject(&services.comments, &caller, "key", request.key.as_ref())?;
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((key, _), request_id) = v.all((key, request_id))?;
    let write_context = WriteContext { caller, member: None, request_id };
    let written = services.mutations.submit(&write_context, &key, UndeleteSubject).await?;
    let subject = Some(convert::subject(&written.value));
    Ok(v1::UndeleteSubjectResponse { subject, subject_revision: written.revision })
}
