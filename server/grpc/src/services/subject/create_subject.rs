//! CreateSubject.

use riposte_core::Caller;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::NewSubject;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::CreateSubjectRequest,
) -> Result<v1::CreateSubjectResponse, RpcError> {
    let mut v = Violations::default();
    let key = v.subject(&services.comments, &caller, "key", request.key.as_ref())?;
    let owner = v.take(parse::optional_member("owner_id", &request.owner_id));
    let metadata = v.take(parse::metadata("metadata", request.metadata));
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((key, _), owner, metadata, request_id) = v.all((key, owner, metadata, request_id))?;
    let write_context = WriteContext { caller, member: None, request_id };
    let written = services.mutations.submit(&write_context, &key, NewSubject { owner, metadata }).await?;
    let subject = Some(convert::subject(&written.value));
    Ok(v1::CreateSubjectResponse { subject, subject_revision: written.revision })
}
