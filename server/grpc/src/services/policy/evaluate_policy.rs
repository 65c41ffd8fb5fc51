//! EvaluatePolicy: what a policy finds in stored comments, in a stream of reports. One evaluation
//! of the process runs at a time, and pauses after each part for longer than the part took.

use std::time::Duration;

use riposte_core::evaluation::{CandidatePolicy, MAX_CANDIDATE_BYTES, RuleEvaluation};
use riposte_core::read::{ALL_COMMENTS, EvaluatedComments, PolicyEvaluation};
use riposte_core::{Error, Millis, ObjectType, Violation};
use riposte_sdk::v1;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::call::{Call, ResponseStream};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

/// The most candidate rules.
const MAX_RULES: usize = 64;
/// The largest size of a candidate rule, in bytes.
const MAX_RULE_BYTES: usize = 1_024;
/// The time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// The pause after a part, as a multiple of the time that the part took. An evaluation then uses
/// one connection for two fifths of the time: 5 % of a pool of eight.
const PAUSE: f64 = 1.5;
/// The shortest pause: the clock has milliseconds, and parts of small tables take less.
const PAUSE_MIN: Duration = Duration::from_millis(1);

type Response = Result<v1::EvaluatePolicyResponse, Status>;

pub(crate) async fn handle(
    services: Services,
    call: Call,
    request: v1::EvaluatePolicyRequest,
) -> Result<ResponseStream<v1::EvaluatePolicyResponse>, Status> {
    let parsed = parse_request(&services, &call, request).map_err(|error| call.status(error))?;
    let ParsedRequest { comments, candidate, context } = parsed;
    let begun = services.evaluations.prepared.begin(&call.caller, comments, &candidate).await;
    let mut evaluation = begun.map_err(|error| call.status(error))?;
    let (responses, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let done = tokio::select! {
            biased;
            () = services.stopped() => Err(Error::ServerStopping),
            () = responses.closed() => return,
            done = run(&services, &context, &mut evaluation, &responses) => done,
        };
        if let Err(error) = done {
            let _ = responses.send(Err(call.status(error))).await;
        }
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

struct ParsedRequest {
    comments: EvaluatedComments,
    candidate: CandidatePolicy,
    /// The evaluation to which its tokens are bound.
    context: TokenContext,
}

fn parse_request(
    services: &Services,
    call: &Call,
    request: v1::EvaluatePolicyRequest,
) -> Result<ParsedRequest, RpcError> {
    let v1::EvaluatePolicyRequest {
        object_type,
        from,
        to,
        candidate_list,
        sample_per_mille,
        resume_token,
        candidate_rules,
    } = request;
    let mut v = Violations::default();
    let named = v.take(ObjectType::parse("object_type", &object_type));
    let from = v.take(parse::time("from", from).and_then(|time| time.ok_or_else(|| required("from"))));
    let to = v.take(parse::time("to", to).and_then(|time| time.ok_or_else(|| required("to"))));
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        v.take::<(), _>(Err(Violation::field("to", "must be after `from`")));
    }
    if candidate_list.len() > MAX_CANDIDATE_BYTES {
        let what = format!("must have at most {MAX_CANDIDATE_BYTES} bytes, has {}", candidate_list.len());
        v.take::<(), _>(Err(Violation::field("candidate_list", what)));
    }
    if candidate_rules.len() > MAX_RULES {
        v.take::<(), _>(Err(Violation::field("candidate_rules", format!("must be at most {MAX_RULES} rules"))));
    }
    if candidate_rules.iter().any(|rule| rule.len() > MAX_RULE_BYTES) {
        let what = format!("must have at most {MAX_RULE_BYTES} bytes each");
        v.take::<(), _>(Err(Violation::field("candidate_rules", what)));
    }
    let per_mille = v.take(share(sample_per_mille));
    let context = [&candidate_list].into_iter().chain(&candidate_rules).fold(
        TokenContext::new(&call.caller, "EvaluatePolicy")
            .argument(&object_type)
            .argument(from.map_or(0, |time| time.0))
            .argument(to.map_or(0, |time| time.0))
            .argument(sample_per_mille),
        TokenContext::argument,
    );
    let position = |cursor| if let TokenCursor::Comment(id) = cursor { Some(id) } else { None };
    let open = |token: &str| services.tokens.open(&context, token);
    let after = parse::page_token(&mut v, ("resume_token", &resume_token), open, position);
    let (object_type, from, to, per_mille, after) = v.all((named, from, to, per_mille, after))?;
    let comments = EvaluatedComments { object_type, stored: from..to, per_mille, after };
    Ok(ParsedRequest { comments, candidate: CandidatePolicy { list: candidate_list, rules: candidate_rules }, context })
}

fn required(field: &str) -> Violation {
    Violation::field(field, "is required")
}

/// Parses the share of the comments that is tried, in thousandths.
fn share(given: i32) -> Result<u32, Violation> {
    match u32::try_from(given) {
        Ok(0) => Ok(ALL_COMMENTS),
        Ok(share) if share <= ALL_COMMENTS => Ok(share),
        _ => Err(Violation::field("sample_per_mille", "must be 0 to 1,000")),
    }
}

async fn run(
    services: &Services,
    context: &TokenContext,
    evaluation: &mut PolicyEvaluation,
    responses: &mpsc::Sender<Response>,
) -> Result<(), Error> {
    // The semaphore is never closed.
    let _running = services.evaluations.running.acquire().await.map_err(|_| Error::ServerStopping)?;
    // The first part is reported at once.
    let mut report_at = Millis(0);
    loop {
        let began = services.clock.now();
        evaluation.advance().await?;
        let now = services.clock.now();
        if evaluation.is_complete() || now >= report_at {
            let response = report(services, context, evaluation)?;
            // A reader that has disconnected ends the evaluation.
            responses.send(Ok(response)).await.map_err(|_| Error::DeadlineExceeded)?;
            report_at = now.plus(REPORT_INTERVAL);
        }
        if evaluation.is_complete() {
            return Ok(());
        }
        let took = Duration::from_millis(now.0.saturating_sub(began.0).try_into().unwrap_or_default());
        sleep(took.mul_f64(PAUSE).max(PAUSE_MIN)).await;
    }
}

fn report(
    services: &Services,
    context: &TokenContext,
    evaluation: &PolicyEvaluation,
) -> Result<v1::EvaluatePolicyResponse, Error> {
    Ok(v1::EvaluatePolicyResponse {
        tried: evaluation.tried().try_into().unwrap_or(i32::MAX),
        rules: evaluation.rules().into_iter().map(rule_message).collect(),
        resume_token: services.seal(context, evaluation.position().map(TokenCursor::Comment))?,
        unknown_fact_names: evaluation.unknown_fact_names().into_iter().map(str::to_owned).collect(),
    })
}

fn rule_message(evaluation: &RuleEvaluation) -> v1::RuleEvaluation {
    let RuleEvaluation { rule, hits, restricted, approved, samples } = evaluation;
    let count = |count: u32| count.try_into().unwrap_or(i32::MAX);
    v1::RuleEvaluation {
        source: rule.source.clone(),
        rule: rule.rule.clone(),
        outcome: convert::text_outcome(rule.outcome).into(),
        hits: count(*hits),
        restricted_by_people: count(*restricted),
        approved_by_people: count(*approved),
        samples: samples.iter().map(|id| id.get()).collect(),
    }
}
