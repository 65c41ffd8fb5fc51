//! ListHotSubjects: the busiest subjects of this process.

use std::future::{Ready, ready};

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::parse::{self, Violations};
use crate::response_cache::HotSubject;
use crate::rpc_error::RpcError;
use crate::{Services, convert};

/// Returns at once: the rates are in memory.
pub(crate) fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListHotSubjectsRequest,
) -> Ready<Result<v1::ListHotSubjectsResponse, RpcError>> {
    ready(respond(services, &caller, request))
}

fn respond(
    services: &Services,
    caller: &Caller,
    request: v1::ListHotSubjectsRequest,
) -> Result<v1::ListHotSubjectsResponse, RpcError> {
    let mut v = Violations::default();
    let limit = v.take(parse::limit("limit", request.limit));
    let (limit,) = v.all((limit,))?;
    let is_granted = |hot: &HotSubject| services.comments.policy(caller, hot.subject.object_type()).is_ok();
    let busiest = services.response_cache.rates().busiest().into_iter().filter(is_granted).take(limit);
    let subjects = busiest.map(|hot| v1::HotSubject {
        key: Some(convert::subject_key(&hot.subject)),
        reads_per_second: hot.reads,
        writes_per_second: hot.writes,
    });
    Ok(v1::ListHotSubjectsResponse { subjects: subjects.collect() })
}
