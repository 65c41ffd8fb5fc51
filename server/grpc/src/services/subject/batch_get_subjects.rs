//! BatchGetSubjects.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, error_metadata, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::BatchGetSubjectsRequest,
) -> Result<v1::BatchGetSubjectsResponse, RpcError> {
    let mut v = Violations::default();
    let keys = v.take(parse::batch("keys", &request.keys, |field, key| parse::subject_key(field, Some(key))));
    if keys.is_some() {
        for (n, key) in request.keys.iter().enumerate() {
            let checked = v.subject(&services.comments, &caller, &format!("keys[{n}]"), Some(key));
            checked.map_err(|error| RpcError::about(error, error_metadata::subject(key)))?;
        }
    }
    let (keys,) = v.all((keys,))?;
    let found = services.reads(request.fresh).subjects(&caller, &keys, 0).await?;
    let (mut subjects, mut missing) = (Vec::with_capacity(found.len()), Vec::new());
    for ((sent, key), subject) in request.keys.into_iter().zip(&keys).zip(found) {
        match subject {
            Some(subject) => subjects.push(convert::subject(&subject)),
            None if request.allow_missing => missing.push(sent),
            None => return Err(RpcError::about(key.not_created(), error_metadata::subject(&sent))),
        }
    }
    Ok(v1::BatchGetSubjectsResponse { subjects, missing, degraded: services.degraded() })
}
