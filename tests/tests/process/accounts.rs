//! An account service in the path of writes: the acts that an account allows, and those while the
//! service is late or wrong.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use riposte_fakes::{AccountFields, AccountScript, CallFault, CallScript, Fakes, Script, State};
use riposte_sdk::Error;
use riposte_sdk::v1::{
    Comment, CommentState, CreateCommentRequest, ErrorReason, GetModeratedCommentsRequest, LikeValue,
    ReportCommentRequest, ReportReason, ReviewCause, UpdateCommentRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Say, Server, command, until};
use tonic::{Code, Status};

use super::metrics::ask;

/// The type of each fallback. Both need levels.
const HOLD: &str = "accounts_hold";
const REFUSE: &str = "accounts_refuse";
const MIN_LEVEL: &str = "{create=4, reply=3, like=2, report=1}";
const RULES: &str = r#"[{id="new", when=[{fact="age", lt=7}, {fact="links", ge=1}]}]"#;

/// The members of the script: one of each level, without an account, and of each state.
const LEVELS: [&str; 5] = ["level-0", "level-1", "level-2", "level-3", "level-4"];

fn account(level: i32, state: State) -> AccountFields {
    AccountFields { level, state, ..AccountFields::default() }
}

fn script(calls: CallScript) -> Script {
    let mut members: BTreeMap<String, AccountFields> =
        LEVELS.iter().zip(0..).map(|(name, level)| ((*name).to_owned(), account(level, State::Normal))).collect();
    members.insert("absent".to_owned(), AccountFields { exists: false, ..AccountFields::default() });
    for (name, state) in [
        ("trusted", State::Trusted),
        ("pre-moderated", State::PreModerated),
        ("muted", State::Muted),
        ("banned", State::Banned),
    ] {
        members.insert(name.to_owned(), account(4, state));
    }
    for (name, age) in [("fresh", "6d"), ("settled", "8d")] {
        let age = age.parse().ok();
        members.insert(name.to_owned(), AccountFields { age, ..account(4, State::Normal) });
    }
    let accounts = AccountScript { calls, others: account(4, State::Normal), members };
    Script { accounts, ..Script::default() }
}

async fn server(accounts: SocketAddr) -> Result<Server> {
    let mut sets = vec![format!("accounts.endpoint={accounts}"), "accounts.timeout=500ms".to_owned()];
    for (name, fallback) in [(HOLD, "pre_moderate"), (REFUSE, "refuse")] {
        sets.push(format!("object_types.{name}.accounts={fallback}"));
        sets.push(format!("object_types.{name}.min_level={MIN_LEVEL}"));
        sets.push(format!("object_types.{name}.rules={RULES}"));
    }
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set.as_str()]).collect();
    Server::dev_with(None, &sets).await
}

fn report(comment_id: i64, member: &str) -> ReportCommentRequest {
    ReportCommentRequest {
        comment_id,
        member_id: member.to_owned(),
        reason: ReportReason::Spam.into(),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..ReportCommentRequest::default()
    }
}

/// The result of each act of a member on a comment of another one.
async fn acts(say: &Say, comment: i64, member: &str) -> Vec<(&'static str, Result<(), Status>)> {
    vec![
        ("create", say.comment(member, "a text").await.map(drop)),
        ("reply", say.reply(comment, member, "a reply").await.map(drop)),
        ("like", say.like(comment, member, LikeValue::Like).await.map(drop)),
        ("report", say.report(report(comment, member)).await.map(drop)),
    ]
}

/// Returns the acts that are refused for this reason, and checks that no other one fails.
fn refused(results: Vec<(&'static str, Result<(), Status>)>, reason: ErrorReason) -> Result<Vec<&'static str>> {
    let mut names = Vec::new();
    for (name, result) in results {
        match result.map_err(Error::from) {
            Ok(()) => {}
            Err(error) if error.reason() == reason => names.push(name),
            Err(error) => bail!("{name}: {error:?}"),
        }
    }
    Ok(names)
}

async fn causes(server: &Server, id: i64) -> Result<Vec<ReviewCause>> {
    let request = GetModeratedCommentsRequest { ids: vec![id], allow_missing: false };
    let found = server.moderation()?.get_moderated_comments(request).await?.into_inner().comments;
    Ok(found.first().context("no comment")?.causes().collect())
}

async fn edit(say: &Say, comment: &Comment) -> Result<Comment, Status> {
    let (id, member_id, content) = (comment.id, comment.member_id.clone(), content("another text"));
    let edit = UpdateCommentRequest { id, member_id, content, ..UpdateCommentRequest::default() };
    let edited = say.client.comments().update_comment(edit).await?.into_inner();
    edited.comment.ok_or_else(|| Status::unknown("no comment in the response"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_does_what_its_account_allows() -> Result<()> {
    let fakes = Fakes::start("127.0.0.1:0".parse()?, script(CallScript::default())).await?;
    let server = server(fakes.address()).await?;
    let client = server.client()?;
    let say = Say::on(&client, HOLD);
    let shown = say.comment("regular", "a text").await?.id;
    let all = ["create", "reply", "like", "report"];
    for (member, allowed) in LEVELS.into_iter().zip(0..).chain([("absent", 0)]) {
        let refused = refused(acts(&say, shown, member).await, ErrorReason::MemberNotAllowed)?;
        ensure!(refused == all[..all.len() - allowed], "{member}: {refused:?}");
    }
    for (member, level) in [("level-3", Some("3")), ("absent", None)] {
        let error = say.comment(member, "a text").await.err().map(Error::from).context("stored")?;
        ensure!(error.code() == Code::PermissionDenied, "{error:?}");
        let of = |name: &str| error.metadata().get(name).map(String::as_str);
        ensure!((of("level"), of("needed")) == (level, Some("4")), "{error:?}");
    }
    for (member, expected) in [("muted", &all[..2]), ("banned", &all[..]), ("trusted", &[])] {
        let refused = refused(acts(&say, shown, member).await, ErrorReason::MemberSuspended)?;
        ensure!(refused == expected, "{member}: {refused:?}");
    }
    let waits = say.comment("pre-moderated", "a text").await?;
    ensure!(waits.state() == CommentState::Pending, "{waits:?}");
    ensure!(causes(&server, waits.id).await? == [ReviewCause::New]);

    // A rule compares the days since the member joined. Its term is true if they are not known.
    for (member, state) in
        [("fresh", CommentState::Pending), ("settled", CommentState::Active), ("regular", CommentState::Pending)]
    {
        let linked = say.comment(member, "see example.com").await?;
        ensure!(linked.state() == state, "{member}: {linked:?}");
    }

    // An account is asked for once, and a type without accounts asks for none.
    let calls = fakes.account_calls();
    say.comment("regular", "a text").await?;
    let elsewhere = Say::on(&client, "article");
    let comment = elsewhere.comment("absent", "a text").await?;
    ensure!(comment.state() == CommentState::Active && fakes.account_calls() == calls);
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    let series = format!("riposte_account_calls_total{{outcome=\"decided\"}} {calls}");
    ensure!(metrics.contains(&series), "no {series} in {metrics}");
    server.stop().await?;
    Ok(())
}

/// Checks what becomes of the acts of a member whose account is not known.
async fn check_fallbacks(server: &Server, says: &[Say; 2], shown: [i64; 2], member: &str) -> Result<()> {
    let [hold, refuse] = says;
    let comment = hold.comment(member, "a text").await?;
    ensure!(comment.state() == CommentState::Pending, "in sight without an account: {comment:?}");
    ensure!(causes(server, comment.id).await? == [ReviewCause::ServiceUnavailable]);
    let reply = hold.reply(shown[0], member, "a reply").await?;
    ensure!(reply.state() == CommentState::Pending, "{reply:?}");
    let error = refuse.comment(member, "a text").await.err().map(Error::from).context("stored")?;
    ensure!((error.code(), error.reason()) == (Code::Unavailable, ErrorReason::PolicyUnavailable), "{error:?}");
    ensure!(error.metadata().get("service").is_some_and(|service| service == "accounts"), "{error:?}");
    for (say, shown) in says.iter().zip(shown) {
        ensure!(say.like(shown, member, LikeValue::Like).await?.like_count > 0, "likes pass");
        say.report(report(shown, member)).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_of_an_unknown_account_is_in_sight_while_the_service_fails() -> Result<()> {
    let fakes = Fakes::start("127.0.0.1:0".parse()?, script(CallScript::default())).await?;
    let server = server(fakes.address()).await?;
    let client = server.client()?;
    let says = [HOLD, REFUSE].map(|name| Say::on(&client, name));
    let [hold, refuse] = &says;
    let shown = [hold.comment("known", "a text").await?, refuse.comment("known", "a text").await?];
    let request = CreateCommentRequest {
        subject: Some(refuse.key.clone()),
        member_id: "level-4".to_owned(),
        content: content("a text"),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..CreateCommentRequest::default()
    };
    let send = async || Ok::<_, anyhow::Error>(client.comments().create_comment(request.clone()).await?.into_inner());
    let first = send().await?.comment.context("no comment")?;
    ensure!(refused(acts(hold, shown[0].id, "level-0").await, ErrorReason::MemberNotAllowed)?.len() == 4);

    let late = CallScript { latency: Some("5s".parse().map_err(anyhow::Error::msg)?), ..CallScript::default() };
    let faults = [CallFault::Unavailable, CallFault::ResourceExhausted, CallFault::Internal, CallFault::Never];
    let faults = faults.into_iter().chain([CallFault::MissingKey, CallFault::NumberOutOfRange, CallFault::Undecided]);
    for (number, calls) in faults.map(CallScript::with).chain([late]).enumerate() {
        fakes.set_script(script(calls.clone()));
        let ids = [shown[0].id, shown[1].id];
        check_fallbacks(&server, &says, ids, &format!("late-{number}")).await.with_context(|| format!("{calls:?}"))?;
        // What was known before the outage still counts.
        ensure!(hold.comment("known", "a text").await?.state() == CommentState::Active, "{calls:?}");
        ensure!(refused(acts(hold, ids[0], "level-0").await, ErrorReason::MemberNotAllowed)?.len() == 4);
        ensure!(send().await?.comment.is_some_and(|again| again.id == first.id), "{calls:?}");
        fakes.set_script(script(CallScript::default()));
        until("the service answers", || async {
            let name = format!("after-{}", uuid::Uuid::now_v7());
            Ok(hold.comment(&name, "a text").await?.state() == CommentState::Active)
        })
        .await?;
    }
    // An edit needs no level, and waits like a new text.
    fakes.set_script(script(CallScript::with(CallFault::Unavailable)));
    ensure!(edit(hold, &shown[0]).await?.content.is_some_and(|content| content.text == "another text"));
    server.stop().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_gets_its_first_answer_after_the_account_has_changed() -> Result<()> {
    let fakes = Fakes::start("127.0.0.1:0".parse()?, script(CallScript::default())).await?;
    let server = server(fakes.address()).await?;
    let say = Say::on(&server.client()?, HOLD);
    let brief = |level| {
        let valid_for = Some("1ms".parse().map_err(anyhow::Error::msg)?);
        let others = AccountFields { valid_for, ..account(level, State::Normal) };
        let accounts = AccountScript { others, ..AccountScript::default() };
        anyhow::Ok(Script { accounts, ..Script::default() })
    };
    fakes.set_script(brief(4)?);
    let request = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: "m7".to_owned(),
        content: content("a text"),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..CreateCommentRequest::default()
    };
    let send = async || say.client.comments().create_comment(request.clone()).await;
    let first = send().await?.into_inner().comment.context("no comment")?;
    let (shown, reported) = (say.comment("m8", "a text").await?.id, report(first.id, "m8"));
    ensure!(say.report(reported.clone()).await?);
    fakes.set_script(brief(0)?);
    until("the account is asked for again", || async {
        Ok(refused(acts(&say, shown, "m7").await, ErrorReason::MemberNotAllowed)?.len() == 4)
    })
    .await?;
    let again = send().await?.into_inner().comment.context("no comment")?;
    ensure!((again.id, again.state()) == (first.id, CommentState::Active), "{again:?}");
    ensure!(say.report(reported).await?, "the first answer");
    ensure!(say.report(report(first.id, "m9")).await.is_err(), "another report is refused");
    server.stop().await?;
    Ok(())
}

#[tokio::test]
async fn accounts_that_cannot_be_used_as_configured_are_a_fault_of_their_key() -> Result<()> {
    let check = ["config", "check", "--allow-insecure", "--set", "store.kind=sqlite", "--set", "store.data_dir=/tmp"];
    let endpoint = "accounts.endpoint=127.0.0.1:1";
    for (sets, parts) in [
        (&["object_type_defaults.accounts=refuse"][..], &["object_type_defaults.accounts", "accounts.endpoint"][..]),
        (&["accounts.endpoint=http://a.example:80"], &["accounts.endpoint", "has no TLS"]),
        (&[endpoint, "accounts.token_file=/none"], &["accounts", "/none"]),
        (&[endpoint, "accounts.timeout=1s"], &["accounts.timeout", "500ms"]),
        (
            &["object_types.film.rules=[{id=\"new\", when=[{fact=\"age\", lt=7}]}]"],
            &["object_types.film.rules.0.when.0.fact", "set `accounts`"],
        ),
        (&["object_types.film.min_level.like=1"], &["object_types.film.min_level", "requires accounts"]),
        (
            &[endpoint, "object_types.film.accounts=refuse", "object_types.film.min_level.like=101"],
            &["object_types.film.min_level.like", "at most 100"],
        ),
    ] {
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
        command::run([&check[..], &sets].concat()).await?.ended(2)?.says(parts)?;
    }
    let sound = ["--set", endpoint, "--set", "object_types.film.accounts=pre_moderate"];
    let levels = ["--set", "object_types.film.min_level.create=5"];
    command::run([&check[..], &sound, &levels].concat()).await?.ended(0)?.says(&["the configuration is valid"])?;
    Ok(())
}
