//! SubmitVerdicts: one act of a moderator on some comments, each decided by itself.

use futures::future::join_all;
use riposte_core::decision::Grounds;
use riposte_core::location::CommentLocation;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::{JudgeComment, Ruling, RulingForm, WriteOutput};
use riposte_core::{Caller, CommentId, DecisionOutput, Error, MemberId};
use riposte_sdk::v1;

use crate::moderation::count_decision;
use crate::parse::{JudgedTarget, Violations};
use crate::rpc_error::RpcError;
use crate::{Services, error_metadata, parse, status};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::SubmitVerdictsRequest,
) -> Result<v1::SubmitVerdictsResponse, RpcError> {
    let v1::SubmitVerdictsRequest { action, grounds, targets, lease_token, moderator_id, request_id } = &request;
    let mut v = Violations::default();
    let act = v.take(parse::act("action", *action));
    let grounds = v.take(parse::grounds("grounds", act, grounds.as_ref()));
    let targets = v.take(parse::targets("targets", act, targets));
    // A lease belongs to its moderator: the rows have it, and the token need not be compared.
    let lease = v.take(parse::optional_lease_token("lease_token", lease_token));
    let moderator = v.take(parse::moderator("moderator_id", moderator_id));
    let request_id = v.take(parse::request_id(request_id));
    let (_, grounds, targets, _, moderator, request_id) =
        v.all((act, grounds, targets, lease, moderator, request_id))?;
    let ids: Vec<CommentId> = targets.iter().map(|target| target.id).collect();
    let locations = services.comments.locate_each(&caller, &ids).await?;
    let context = WriteContext { caller, member: Some(moderator.clone()), request_id };
    let verdict = Verdict { services, context: &context, grounds: &grounds, moderator: &moderator };
    let judged = targets.into_iter().zip(locations).map(|(target, at)| verdict.judge(target, at));
    Ok(v1::SubmitVerdictsResponse { results: join_all(judged).await })
}

/// The parts of a request that all its targets share.
struct Verdict<'r> {
    services: &'r Services,
    context: &'r WriteContext,
    grounds: &'r Grounds,
    moderator: &'r MemberId,
}

impl Verdict<'_> {
    /// Judges one comment or proposed edit. Each is a command of its own, so that its subject's
    /// write queue may commit it with others.
    async fn judge(&self, target: JudgedTarget, at: Result<CommentLocation, Error>) -> v1::VerdictResult {
        let comment_id = target.id.get();
        let decided = self.decide(target, at).await.and_then(|written| {
            let DecisionOutput { decision, etag, proposal_etag } = written.value;
            let decision = self.services.for_moderators(&self.context.caller).decision(decision)?;
            Ok((decision, etag, proposal_etag, written.revision))
        });
        match decided {
            Ok((decision, etag, proposal_etag, subject_revision)) => {
                let result = Some(v1::verdict_result::Result::Decision(decision));
                v1::VerdictResult { comment_id, result, subject_revision, etag, proposed_edit_etag: proposal_etag }
            }
            Err(error) => {
                let error = RpcError::about(error, error_metadata::comment(comment_id));
                let result = Some(v1::verdict_result::Result::Error(status::item_error(&error)));
                v1::VerdictResult { comment_id, result, ..v1::VerdictResult::default() }
            }
        }
    }

    async fn decide(
        &self,
        target: JudgedTarget,
        at: Result<CommentLocation, Error>,
    ) -> Result<WriteOutput<DecisionOutput>, Error> {
        let at = at?;
        let JudgedTarget { etag, act, .. } = target;
        let (moderator, grounds) = (self.moderator.clone(), self.grounds.clone());
        let ruling = Ruling { moderator, grounds, etag, form: RulingForm::Verdict };
        let written = self.services.mutations.submit(self.context, &at, JudgeComment { act, ruling }).await?;
        if !written.replayed {
            count_decision(self.services, act, self.grounds.automation);
        }
        Ok(written)
    }
}
