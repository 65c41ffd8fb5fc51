//! Effects of services other than the outcome of a text: the priority of its review, and trials of
//! texts with services.

use anyhow::{Context, Result, ensure};
use riposte_fakes::{AccountFields, AccountScript, CallFault, CallScript, Fakes, FilterScript, Outcome, Script, State};
use riposte_sdk::filter::v1::ContentKind;
use riposte_sdk::v1::{
    CheckTextRequest, CheckTextResponse, CommentState, ListReviewItemsRequest, PolicyOutcome, ReviewItem,
};
use riposte_tests::say::content;
use riposte_tests::{Say, Server, until};

use super::filter::member_key;

/// A type with both services, and one without any.
const TYPE: &str = "checked";
const PLAIN: &str = "unchecked";

fn script(calls: CallScript, review_priority: i32) -> Script {
    let words = [("holdword", Outcome::Hold), ("flagword", Outcome::Flag), ("refuseword", Outcome::Refuse)];
    let words = words.map(|(word, outcome)| (word.to_owned(), outcome)).into();
    let account = |state| AccountFields { level: 1, state, ..AccountFields::default() };
    let urgent = AccountFields { review_priority: 100, ..account(State::PreModerated) };
    let fresh = AccountFields { age: "2d".parse().ok(), ..account(State::Normal) };
    let members = [
        ("urgent", urgent),
        ("fresh", fresh),
        ("slow", account(State::PreModerated)),
        ("muted", account(State::Muted)),
        ("absent", AccountFields { exists: false, ..AccountFields::default() }),
    ];
    let members = members.map(|(name, account)| (name.to_owned(), account)).into();
    Script {
        filter: FilterScript { calls: calls.clone(), words, review_priority, ..FilterScript::default() },
        accounts: AccountScript { calls, members, others: account(State::Normal) },
    }
}

async fn server(fakes: &Fakes, folder: &tempfile::TempDir) -> Result<Server> {
    let key = member_key(folder)?;
    let rules = r#"[{id="new", when=[{fact="age", lt=7}, {fact="links", ge=1}], outcome="reject", code="new.links"}]"#;
    let sets = [
        format!("filter.endpoint={}", fakes.address()),
        format!("filter.member_key_file={}", key.display()),
        "filter.timeout=500ms".to_owned(),
        format!("accounts.endpoint={}", fakes.address()),
        "accounts.timeout=500ms".to_owned(),
        format!("object_types.{TYPE}.filter=hold"),
        format!("object_types.{TYPE}.accounts=pre_moderate"),
        format!("object_types.{TYPE}.min_level={{create=1, reply=1, like=0, report=0}}"),
        format!("object_types.{TYPE}.rules={rules}"),
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set.as_str()]).collect();
    Server::dev_with(None, &sets).await
}

async fn queue(server: &Server) -> Result<Vec<ReviewItem>> {
    let request = ListReviewItemsRequest { object_type: TYPE.to_owned(), ..ListReviewItemsRequest::default() };
    Ok(server.moderation()?.list_review_items(request).await?.into_inner().items)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_service_calls_urgent_is_first_in_the_queue() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let fakes = Fakes::start("127.0.0.1:0".parse()?, script(CallScript::default(), 0)).await?;
    let server = server(&fakes, &folder).await?;
    let say = Say::on(&server.client()?, TYPE);
    let mut expected = vec![say.comment("regular", "a holdword").await?.id];
    let flagged = say.comment("regular", "a flagword").await?.id;
    fakes.set_script(script(CallScript::default(), 50));
    expected.push(say.comment("regular", "a holdword").await?.id);
    // The higher priority of both services counts, also without an outcome of the filter.
    expected.push(say.comment("urgent", "a text").await?.id);
    expected.push(say.comment("urgent", "a holdword").await?.id);
    // Those of one priority are in the order in which they came.
    let [usual, half, first, second] = expected[..] else { anyhow::bail!("four") };
    let items = queue(&server).await?;
    let ids: Vec<i64> = items.iter().filter_map(|item| Some(item.comment.as_ref()?.comment.as_ref()?.id)).collect();
    ensure!(ids == [first, second, half, usual, flagged], "{ids:?} and not {expected:?}, {flagged}");
    server.stop().await?;
    Ok(())
}

async fn check(server: &Server, (object_type, member): (&str, &str), text: &str) -> Result<CheckTextResponse> {
    let request = CheckTextRequest {
        object_type: object_type.to_owned(),
        content: content(text),
        member_id: member.to_owned(),
        with_services: true,
    };
    Ok(server.policy()?.check_text(request).await?.into_inner())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_with_services_says_what_becomes_of_the_text_and_stores_nothing() -> Result<()> {
    use PolicyOutcome::{Allow, Flag, Hold, Refuse, Reject};
    let folder = tempfile::tempdir()?;
    let fakes = Fakes::start("127.0.0.1:0".parse()?, script(CallScript::default(), 0)).await?;
    let server = server(&fakes, &folder).await?;
    let cases = [
        ("regular", "a text", Allow, ""),
        ("regular", "a flagword", Flag, "fake.word"),
        ("regular", "a holdword", Hold, "fake.word"),
        ("regular", "a refuseword", Refuse, "fake.word"),
        ("slow", "a text", Hold, "policy.standing"),
        ("slow", "a holdword", Hold, "fake.word"),
        ("muted", "a text", Refuse, "policy.standing"),
        ("absent", "a refuseword", Refuse, "policy.accounts"),
        ("fresh", "see https://a.example", Reject, "new.links"),
        ("", "a holdword", Hold, "fake.word"),
    ];
    for (member, text, outcome, code) in cases {
        let found = check(&server, (TYPE, member), text).await?;
        ensure!(found.outcome() == outcome && found.code == code, "{member}: {text}: {found:?}");
        let is_found = found.hits.iter().any(|hit| hit.source == "riposte-fakes");
        ensure!(is_found == (text.contains("word") && text != "a text"), "{member}: {text}: {found:?}");
    }
    let requests = fakes.filter_requests();
    ensure!(
        !requests.is_empty()
            && requests
                .iter()
                .flat_map(|of| &of.items)
                .all(|item| { item.kind() == ContentKind::Recheck && item.object_type == TYPE && item.comment_id > 0 })
    );
    let (filtered, account_calls) = (fakes.filter_calls(), fakes.account_calls());
    let elsewhere = check(&server, (PLAIN, "muted"), "a refuseword").await?;
    ensure!(elsewhere.outcome() == Allow, "{elsewhere:?}");
    ensure!((fakes.filter_calls(), fakes.account_calls()) == (filtered, account_calls), "a type without services");
    ensure!(queue(&server).await?.is_empty(), "something is stored");

    fakes.set_script(script(CallScript::with(CallFault::Unavailable), 0));
    let (held, unknown) = (check(&server, (TYPE, ""), "a text").await?, "never-seen");
    ensure!(held.outcome() == Hold && held.code.is_empty(), "the fallback is no decision: {held:?}");
    let held = check(&server, (TYPE, unknown), "a text").await?;
    ensure!(held.outcome() == Hold && held.code.is_empty(), "{held:?}");
    fakes.set_script(script(CallScript::default(), 0));
    let say = Say::on(&server.client()?, TYPE);
    until("the services answer", || async {
        Ok(say.comment("regular", "a text").await?.state() == CommentState::Active)
    })
    .await
    .context("the breaker stays open")?;
    server.stop().await?;
    Ok(())
}
