//! Trials of policies on stored comments.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use futures::stream::{self, StreamExt, TryStreamExt};
use prost_types::Timestamp;
use riposte_sdk::Error;
use riposte_sdk::v1::{
    ErrorReason, EvaluatePolicyRequest, EvaluatePolicyResponse, ModerationAction, PolicyOutcome, RuleEvaluation,
};
use riposte_tests::{Case, Fixture, Say, cases};
use tonic::Status;

use super::review::{judge, someone};

pub(crate) const CASES: &[Case] = cases![
    a_candidate_is_tried_on_stored_comments_and_compared_with_people,
    the_policy_in_force_is_tried_and_names_what_stored_comments_do_not_have,
    an_evaluation_goes_on_behind_a_response_and_tries_each_comment_once,
    a_wrong_candidate_names_its_line_or_field,
];

/// The time around the present.
#[expect(clippy::disallowed_methods, reason = "stored comments have times of the wall clock")]
fn now(object_type: &str) -> EvaluatePolicyRequest {
    let time = |time: SystemTime| Some(Timestamp::from(time));
    let (from, to) = (SystemTime::now() - Duration::from_secs(600), SystemTime::now() + Duration::from_secs(600));
    let object_type = object_type.to_owned();
    EvaluatePolicyRequest { object_type, from: time(from), to: time(to), ..EvaluatePolicyRequest::default() }
}

async fn evaluate(fixture: &Fixture, request: EvaluatePolicyRequest) -> Result<Vec<EvaluatePolicyResponse>, Status> {
    let mut service = fixture.server.policy().map_err(|error| Status::unknown(error.to_string()))?;
    service.evaluate_policy(request).await?.into_inner().try_collect().await
}

async fn last(fixture: &Fixture, request: EvaluatePolicyRequest) -> Result<EvaluatePolicyResponse> {
    let last = evaluate(fixture, request).await?.pop().context("no response")?;
    ensure!(last.resume_token.is_empty(), "the last one has no token");
    Ok(last)
}

fn of<'r>(response: &'r EvaluatePolicyResponse, rule: &str) -> Result<&'r RuleEvaluation> {
    response.rules.iter().find(|found| found.rule == rule).with_context(|| format!("no {rule} in {response:?}"))
}

/// A word that no other case has.
fn word() -> String {
    format!("w{}", uuid::Uuid::now_v7().simple())
}

async fn a_candidate_is_tried_on_stored_comments_and_compared_with_people(fixture: Fixture) -> Result<()> {
    let (say, ann, word) = (Say::on(&fixture.client, "listed"), someone(), word());
    let text = format!("see {word}, a.com and b.com");
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(say.comment(&ann, &text).await?.id);
    }
    say.comment(&ann, &format!("{word} alone")).await?;
    say.comment(&ann, "another text").await?;
    // Of another type, it is not tried.
    Say::on(&fixture.client, "article").comment(&ann, &text).await?;
    judge(&fixture, ModerationAction::Reject, ids[0]).await?;
    judge(&fixture, ModerationAction::Hide, ids[1]).await?;
    judge(&fixture, ModerationAction::Approve, ids[2]).await?;
    let candidate_list = format!("{{\"word\":\"{word}\",\"outcome\":\"refuse\",\"id\":\"w-1\"}}\n");
    let rule = format!("{{ id = \"{word}\", when = [{{ fact = \"links\", eq = 2 }}], outcome = \"flag\" }}");
    let request = EvaluatePolicyRequest { candidate_list, candidate_rules: vec![rule], ..now("listed") };
    let found = last(&fixture, request.clone()).await?;
    let entry = of(&found, "w-1")?;
    ensure!((entry.source.as_str(), entry.outcome()) == ("candidate", PolicyOutcome::Refuse), "{entry:?}");
    ensure!((entry.hits, entry.restricted_by_people, entry.approved_by_people) == (5, 2, 1), "{entry:?}");
    ensure!(ids.iter().all(|id| entry.samples.contains(id)) && entry.samples.len() == 5, "{entry:?}");
    let rule = of(&found, &word)?;
    ensure!((rule.source.as_str(), rule.outcome()) == ("policy.rule", PolicyOutcome::Flag), "{rule:?}");
    ensure!(rule.hits >= 4 && found.tried >= 6 && found.unknown_fact_names.is_empty(), "{found:?}");
    // A share is the same comments each time.
    let tenth = EvaluatePolicyRequest { sample_per_mille: 100, ..request.clone() };
    let (one, two) = (last(&fixture, tenth.clone()).await?, last(&fixture, tenth).await?);
    let hits = |found: &EvaluatePolicyResponse| of(found, "w-1").map_or(0, |entry| entry.hits);
    ensure!(hits(&one) == hits(&two) && hits(&one) <= 5 && one.tried <= found.tried, "{one:?} {two:?}");
    let from = now("listed").to;
    let to = from.map(|from| Timestamp { seconds: from.seconds + 300, ..from });
    let later = last(&fixture, EvaluatePolicyRequest { from, to, ..request }).await?;
    ensure!(later.tried == 0 && later.rules.is_empty(), "{later:?}");
    Ok(())
}

async fn the_policy_in_force_is_tried_and_names_what_stored_comments_do_not_have(fixture: Fixture) -> Result<()> {
    let (listed, newcomers) = (Say::on(&fixture.client, "listed"), Say::on(&fixture.client, "newcomers"));
    let masked = listed.comment(&someone(), "a masked-word").await?.id;
    newcomers.comment(&someone(), "a text").await?;
    let found = last(&fixture, now("listed")).await?;
    let entry = of(&found, "m-1")?;
    ensure!(entry.outcome() == PolicyOutcome::Mask && entry.hits >= 1, "{entry:?}");
    ensure!(entry.hits > 20 || entry.samples.contains(&masked), "the original is tried: {entry:?}");
    let found = last(&fixture, now("newcomers")).await?;
    ensure!(found.unknown_fact_names == ["approved", "first_post"] && found.rules.is_empty(), "{found:?}");
    ensure!(found.tried >= 1, "{found:?}");
    Ok(())
}

async fn an_evaluation_goes_on_behind_a_response_and_tries_each_comment_once(fixture: Fixture) -> Result<()> {
    const COMMENTS: usize = 230;
    let (say, word) = (Say::on(&fixture.client, "article"), word());
    let say = &say;
    let creates = stream::iter(0..COMMENTS).map(|n| {
        let text = format!("{word} {n}");
        async move { say.comment("ann", &text).await.map(drop) }
    });
    creates.buffer_unordered(32).try_collect::<()>().await?;
    let request = EvaluatePolicyRequest { candidate_list: word.clone(), ..now("article") };
    let all = last(&fixture, request.clone()).await?;
    let hits = |found: &EvaluatePolicyResponse| found.rules.first().map_or(0, |rule| rule.hits as usize);
    ensure!(hits(&all) == COMMENTS && all.rules[0].samples.len() == 20, "{all:?}");
    let mut service = fixture.server.policy()?;
    let mut responses = service.evaluate_policy(request.clone()).await?.into_inner();
    let first = responses.try_next().await?.context("no response")?;
    drop(responses);
    ensure!(!first.resume_token.is_empty(), "one part does not have all comments: {first:?}");
    let resumed = EvaluatePolicyRequest { resume_token: first.resume_token.clone(), ..request.clone() };
    let rest = last(&fixture, resumed.clone()).await?;
    ensure!(hits(&first) + hits(&rest) == COMMENTS, "{first:?} {rest:?}");
    let other = EvaluatePolicyRequest { candidate_list: "another".to_owned(), ..resumed };
    let error = Error::from(evaluate(&fixture, other).await.err().context("a token of another evaluation")?);
    ensure!(error.reason() == ErrorReason::PageTokenMismatch, "{error:?}");
    let forged = EvaluatePolicyRequest { resume_token: "forged".to_owned(), ..request };
    let error = Error::from(evaluate(&fixture, forged).await.err().context("a forged token")?);
    ensure!(error.reason() == ErrorReason::PageTokenInvalid, "{error:?}");
    Ok(())
}

async fn a_wrong_candidate_names_its_line_or_field(fixture: Fixture) -> Result<()> {
    let error = async |request: EvaluatePolicyRequest| -> Result<Error> {
        Ok(Error::from(evaluate(&fixture, request).await.err().context("a wrong candidate")?))
    };
    let candidate_list = "{\"word\":\"one\"}\n\n{\"word\":\"two\",\"outcome\":\"burn\"}".to_owned();
    let wrong = error(EvaluatePolicyRequest { candidate_list, ..now("article") }).await?;
    ensure!(wrong.reason() == ErrorReason::WordListInvalid, "{wrong:?}");
    ensure!(wrong.metadata().get("line").is_some_and(|line| line == "3"), "{wrong:?}");
    ensure!(
        wrong.metadata().get("why").is_some_and(|text| text.contains("outcome") && !text.contains("two")),
        "{wrong:?}"
    );
    let links = "{ id = \"links\", when = [{ fact = \"links\", ge = 2 }] }".to_owned();
    for (request, field) in [
        (
            EvaluatePolicyRequest { candidate_rules: vec!["{ id = 1 }".to_owned()], ..now("article") },
            "candidate_rules[0]",
        ),
        (
            EvaluatePolicyRequest { candidate_rules: vec![format!("{links}\nother = 1")], ..now("article") },
            "candidate_rules[0]",
        ),
        (
            EvaluatePolicyRequest { candidate_rules: vec![links.clone(), links.clone()], ..now("article") },
            "candidate_rules",
        ),
        (EvaluatePolicyRequest { candidate_rules: vec![links; 65], ..now("article") }, "candidate_rules"),
        (EvaluatePolicyRequest { candidate_list: "x\n".repeat(40_000), ..now("article") }, "candidate_list"),
        (EvaluatePolicyRequest { sample_per_mille: 1_001, ..now("article") }, "sample_per_mille"),
        (EvaluatePolicyRequest { from: None, ..now("article") }, "from"),
        (EvaluatePolicyRequest { to: now("article").from, ..now("article") }, "to"),
        (now("Article"), "object_type"),
    ] {
        let wrong = error(request).await?;
        ensure!(wrong.reason() == ErrorReason::FieldInvalid, "{field}: {wrong:?}");
        ensure!(wrong.violations().iter().any(|violation| violation.field == field), "{field}: {wrong:?}");
    }
    Ok(())
}
