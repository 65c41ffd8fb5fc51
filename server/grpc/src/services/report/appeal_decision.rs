//! AppealDecision: the author of a comment contests a decision on it.

use riposte_core::Caller;
use riposte_core::verbs::AppealDecision;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::AppealDecisionRequest,
) -> Result<v1::AppealDecisionResponse, RpcError> {
    let v1::AppealDecisionRequest { decision_id, member_id, text, request_id } = request;
    let mut v = Violations::default();
    let id = v.take(parse::decision_id("decision_id", &decision_id));
    let member = v.take(parse::member("member_id", &member_id));
    let words = v.take(parse::appeal("text", &text));
    let request_id = v.take(parse::request_id(&request_id));
    let (id, member, (), request_id) = v.all((id, member, words, request_id))?;
    let (contested, at) = services.reports.decision(&caller, id, &member).await?;
    let context = services.write_context(caller, &member, request_id, at.subject.object_type())?;
    services.mutations.submit(&context, &at, AppealDecision { contested, text }).await?;
    Ok(v1::AppealDecisionResponse {})
}
