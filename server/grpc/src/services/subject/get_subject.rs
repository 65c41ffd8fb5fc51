//! GetSubject.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::GetSubjectRequest,
) -> Result<v1::GetSubjectResponse, RpcError> {
    let mut v = Violations::default();
    let key = v.subject(&services.comments, &caller, "key", request.key.as_ref())?;
    let min_revision = v.take(parse::min_revision(request.min_revision));
    let ((key, _), min_revision) = v.all((key, min_revision))?;
    let keys = [key];
    let found = services.reads(request.fresh).subjects(&caller, &keys, min_revision).await?.pop().flatten();
    let subject = found.ok_or_else(|| keys[0].not_created())?;
    Ok(v1::GetSubjectResponse {
        subject: Some(convert::subject(&subject)),
        degraded: services.degraded(),
        subject_revision: subject.revision,
    })
}
