//! A filter in the path of a write: what becomes of a text by its outcome, and while the filter is
//! late, wrong or away.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::stream::{self, StreamExt, TryStreamExt};
use riposte_fakes::{CallFault, CallScript, Fakes, FilterScript, Outcome, Script};
use riposte_sdk::Error;
use riposte_sdk::filter::v1::{ContentItem, ContentKind, FilterOutcome};
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::{
    Comment, CommentState, CreateCommentRequest, Detection, ErrorReason, GetModeratedCommentsRequest,
    ListDecisionsRequest, MemberOfType, MemberStanding, ModerationMode, ReviewCause, SetMemberStandingRequest,
    Standing, Subject, UpdateCommentRequest, UpdateSubjectRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Say, Server, command, until};
use tokio::runtime::Runtime;
use tonic::{Code, Status};

use super::metrics::ask;

/// The type of each fallback.
const HOLD: &str = "filter_hold";
const FLAG: &str = "filter_flag";
const REFUSE: &str = "filter_refuse";

/// The creates of each phase, and those that are under way at one time.
const CREATES: usize = 48;
const AT_ONCE: usize = 8;

/// A filter in a runtime of its own, so that all its connections end with it.
pub(super) struct Filter {
    runtime: Option<Runtime>,
    fakes: Option<Fakes>,
}

impl Filter {
    pub(super) async fn start(listen: SocketAddr) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let started = runtime.spawn(Fakes::start(listen, script(CallScript::default())));
        let mut filter = Self { runtime: Some(runtime), fakes: None };
        filter.fakes = Some(started.await??);
        Ok(filter)
    }

    pub(super) fn fakes(&self) -> Result<&Fakes> {
        self.fakes.as_ref().context("killed")
    }

    /// Ends the filter and waits until its connections are closed.
    pub(super) async fn kill(mut self) -> Result<()> {
        let runtime = self.runtime.take().context("killed")?;
        tokio::task::spawn_blocking(move || runtime.shutdown_timeout(Duration::from_secs(60))).await?;
        Ok(())
    }
}

impl Drop for Filter {
    fn drop(&mut self) {
        // A runtime must not be dropped where blocking is forbidden.
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

pub(super) fn script(calls: CallScript) -> Script {
    let words = [
        ("flagword", Outcome::Flag),
        ("holdword", Outcome::Hold),
        ("rejectword", Outcome::Reject),
        ("refuseword", Outcome::Refuse),
    ];
    let words = words.map(|(word, outcome)| (word.to_owned(), outcome)).into();
    Script { filter: FilterScript { calls, words, ..FilterScript::default() }, ..Script::default() }
}

/// Writes the key of the tokens of members.
pub(super) fn member_key(folder: &tempfile::TempDir) -> Result<PathBuf> {
    let file = folder.path().join("member-key");
    std::fs::write(&file, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")?;
    Ok(file)
}

async fn server(filter: SocketAddr, key: &Path, more: &[&str]) -> Result<Server> {
    let (endpoint, key) = (format!("filter.endpoint={filter}"), format!("filter.member_key_file={}", key.display()));
    let types = [(HOLD, "hold"), (FLAG, "flag"), (REFUSE, "refuse")];
    let types = types.map(|(name, fallback)| format!("object_types.{name}.filter={fallback}"));
    // The longest deadline: a machine may have much else to do.
    let mut sets = vec!["--set", &endpoint, "--set", &key, "--set", "filter.timeout=500ms"];
    types.iter().for_each(|of_type| sets.extend(["--set", of_type]));
    Server::dev_with(None, &[&sets, more].concat()).await
}

fn create(say: &Say, text: &str) -> CreateCommentRequest {
    CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: "member-seven".to_owned(),
        content: content(text),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..CreateCommentRequest::default()
    }
}

async fn send(say: &Say, request: &CreateCommentRequest) -> Result<Comment, Status> {
    let made = say.client.comments().create_comment(request.clone()).await?.into_inner();
    made.comment.ok_or_else(|| Status::unknown("no comment in the response"))
}

async fn causes(server: &Server, id: i64) -> Result<Vec<ReviewCause>> {
    let request = GetModeratedCommentsRequest { ids: vec![id], allow_missing: false };
    let found = server.moderation()?.get_moderated_comments(request).await?.into_inner().comments;
    Ok(found.first().context("no comment")?.causes().collect())
}

/// Returns what the filter was asked about a comment, last.
fn received(filter: &Filter, comment: i64) -> Result<Option<ContentItem>> {
    let requests = filter.fakes()?.filter_requests();
    let mut items = requests.into_iter().flat_map(|request| request.items);
    Ok(items.rfind(|item| item.comment_id == comment))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_becomes_what_the_filter_says() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let filter = Filter::start("127.0.0.1:0".parse()?).await?;
    let list = folder.path().join("list.jsonl");
    std::fs::write(
        &list,
        "{\"word\":\"localflag\",\"outcome\":\"flag\"}\n{\"word\":\"localreject\",\"outcome\":\"reject\"}",
    )?;
    let lists = format!("policy.lists=[{{name=\"local\", file={list:?}, object_types=[\"{HOLD}\"]}}]");
    let server = server(filter.fakes()?.address(), &member_key(&folder)?, &["--set", &lists]).await?;
    let say = Say::on(&server.client()?, HOLD);
    let decision = async |id: i64| -> Result<_> {
        let request = ListDecisionsRequest { of: Some(Of::CommentId(id)), ..ListDecisionsRequest::default() };
        Ok(server.moderation()?.list_decisions(request).await?.into_inner().decisions.into_iter().next())
    };
    let mut made = BTreeMap::new();
    for (text, state, expected) in [
        ("a text", CommentState::Active, &[] as &[ReviewCause]),
        ("a flagword", CommentState::Active, &[ReviewCause::Flag]),
        ("a holdword", CommentState::Pending, &[ReviewCause::New]),
        ("a rejectword", CommentState::Rejected, &[]),
    ] {
        let comment = send(&say, &create(&say, text)).await?;
        ensure!(comment.state() == state, "{comment:?}");
        ensure!(causes(&server, comment.id).await? == expected, "{text}");
        let decision = decision(comment.id).await?;
        ensure!(decision.is_some() == (text != "a text"), "{decision:?}");
        if let Some(decision) = decision {
            let grounds = decision.grounds.clone().unwrap_or_default();
            ensure!(grounds.code == "fake.word" && grounds.detection() == Detection::FilterService, "{decision:?}");
            let hit = decision.hits.first().context("a finding")?;
            ensure!((hit.source.as_str(), hit.version.as_str()) == ("riposte-fakes", "1"), "{decision:?}");
        }
        made.insert(text, comment.id);
    }
    let blocked = send(&say, &create(&say, "a refuseword")).await.err().map(Error::from).context("stored")?;
    ensure!(blocked.reason() == ErrorReason::ContentBlocked, "{blocked:?}");
    ensure!(blocked.metadata().get("rule").is_some_and(|rule| rule == "fake.word"), "{blocked:?}");

    // The filter sees the place, the text and the findings of lists, and no member.
    let id = made["a text"];
    let item = received(&filter, id)?.context("not asked")?;
    ensure!((item.object_type.as_str(), item.object_id.as_str()) == (HOLD, say.key.object_id.as_str()), "{item:?}");
    ensure!((item.kind(), item.root_id, item.parent_id) == (ContentKind::Create, 0, 0), "{item:?}");
    let reply = say.reply(id, "member-seven", "a localflag").await?;
    let item = received(&filter, reply.id)?.context("not asked")?;
    ensure!((item.kind(), item.root_id, item.parent_id) == (ContentKind::Reply, id, id), "{item:?}");
    ensure!(item.local_hits.first().is_some_and(|hit| hit.source == "local" && hit.outcome() == FilterOutcome::Flag));
    let edit = UpdateCommentRequest {
        id,
        member_id: "member-seven".to_owned(),
        content: content("another text"),
        ..UpdateCommentRequest::default()
    };
    say.client.comments().update_comment(edit).await?;
    let item = received(&filter, id)?.context("not asked")?;
    ensure!((item.kind(), item.text_before.as_str()) == (ContentKind::Edit, "a text"), "{item:?}");
    ensure!(item.text == "another text" && !item.member_token.is_empty(), "{item:?}");
    let calls = filter.fakes()?.filter_calls();
    ensure!(send(&say, &create(&say, "a localreject")).await?.state() == CommentState::Rejected);
    let elsewhere = Say::on(&say.client, "article");
    ensure!(elsewhere.comment("ann", "a refuseword").await?.state() == CommentState::Active, "a type without it");
    ensure!(filter.fakes()?.filter_calls() == calls, "the filter was asked about more");
    let sent = format!("{:?}", filter.fakes()?.filter_requests());
    ensure!(!sent.contains("member-seven"), "{sent}");

    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    ensure!(metrics.contains("riposte_filter_calls_total{outcome=\"decided\"}"), "{metrics}");
    for outcome in ["flag", "hold", "reject", "refuse"] {
        let series = format!("object_type=\"{HOLD}\",outcome=\"{outcome}\",source=\"filter\"}} 1");
        ensure!(metrics.contains(&series), "no {series} in {metrics}");
    }
    server.stop().await?;
    Ok(())
}

/// Creates comments at once, and checks what becomes of them while the filter cannot judge. Of a
/// filter that breaks the contract about one text of a request, the drain may take the verdicts on
/// others.
async fn check_fallbacks(server: &Server, says: &[Say; 3], judges_none: bool) -> Result<()> {
    let [hold, flag, refuse] = says;
    let texts = stream::iter(0..CREATES).map(Ok::<_, anyhow::Error>);
    let unjudged = texts.try_for_each_concurrent(AT_ONCE, |_| async {
        let comment = send(hold, &create(hold, "unjudged")).await?;
        ensure!(comment.state() == CommentState::Pending, "in sight and unjudged: {comment:?}");
        Ok(())
    });
    unjudged.await?;
    let comment = send(hold, &create(hold, "unjudged")).await?;
    ensure!(!judges_none || causes(server, comment.id).await? == [ReviewCause::ServiceUnavailable]);
    let comment = send(flag, &create(flag, "unjudged")).await?;
    ensure!(comment.state() == CommentState::Active, "{comment:?}");
    ensure!(!judges_none || causes(server, comment.id).await? == [ReviewCause::ServiceUnavailable]);
    let error = send(refuse, &create(refuse, "unjudged")).await.err().map(Error::from).context("stored")?;
    ensure!((error.code(), error.reason()) == (Code::Unavailable, ErrorReason::PolicyUnavailable), "{error:?}");
    ensure!(error.metadata().get("service").is_some_and(|service| service == "filter"), "{error:?}");
    Ok(())
}

/// Waits until the filter judges again: a breaker may be open.
async fn judges(say: &Say) -> Result<()> {
    until("the filter judges", || async {
        Ok(send(say, &create(say, "a text")).await?.state() == CommentState::Active)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_of_a_hold_type_is_in_sight_unjudged_while_the_filter_fails() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let filter = Filter::start("127.0.0.1:0".parse()?).await?;
    let address = filter.fakes()?.address();
    let server = server(address, &member_key(&folder)?, &[]).await?;
    let client = server.client()?;
    let says = [HOLD, FLAG, REFUSE].map(|of_type| Say::on(&client, of_type));
    let [hold, _, refuse] = &says;
    judges(hold).await?;
    let request = create(refuse, "a text");
    let first = send(refuse, &request).await?;
    let is_repeated = async || -> Result<()> {
        let again = send(refuse, &request).await?;
        ensure!((again.id, again.state()) == (first.id, CommentState::Active), "{again:?}");
        Ok(())
    };
    let late = CallScript { latency: Some("5s".parse().map_err(anyhow::Error::msg)?), ..CallScript::default() };
    let faults = [CallFault::Unavailable, CallFault::ResourceExhausted, CallFault::Internal, CallFault::Never];
    let faults = faults.into_iter().chain(CallFault::GARBAGE).map(CallScript::with);
    for calls in faults.chain([late]) {
        filter.fakes()?.set_script(script(calls.clone()));
        let judges_none = calls.fault.is_none_or(|fault| !CallFault::GARBAGE.contains(&fault));
        check_fallbacks(&server, &says, judges_none).await.with_context(|| format!("{calls:?}"))?;
        is_repeated().await?;
        filter.fakes()?.set_script(script(CallScript::default()));
        judges(hold).await?;
    }
    filter.kill().await?;
    check_fallbacks(&server, &says, true).await.context("killed")?;
    is_repeated().await?;
    let filter = Filter::start(address).await?;
    judges(hold).await?;
    // Of a flapping filter no text is in sight that it has not judged. The drain asks beside the
    // creates, so that the faults may be the drain's for a while.
    filter.fakes()?.set_script(script(CallScript { every: 2, ..CallScript::with(CallFault::Undecided) }));
    let states = RefCell::new(BTreeSet::new());
    let flapping = until("some texts are in sight and some are not", || async {
        for _ in 0..CREATES {
            let comment = send(hold, &create(hold, "a text")).await?;
            let is_judged = filter.fakes()?.allowed_comments().contains(&comment.id);
            ensure!(comment.state() == CommentState::Pending || is_judged, "in sight and unjudged: {comment:?}");
            states.borrow_mut().insert(comment.state());
        }
        Ok(states.borrow().len() == 2)
    });
    flapping.await?;
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    for outcome in ["decided", "undecided", "timeout", "unavailable", "breaker_open"] {
        let series = format!("riposte_filter_calls_total{{outcome=\"{outcome}\"}}");
        ensure!(metrics.contains(&series), "no {series} in {metrics}");
    }
    server.stop().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn modes_standings_and_resubmissions_add_their_causes_to_that_of_an_outage() -> Result<()> {
    use ReviewCause::{Edit, New, ServiceUnavailable};
    let folder = tempfile::tempdir()?;
    let filter = Filter::start("127.0.0.1:0".parse()?).await?;
    let server = server(filter.fakes()?.address(), &member_key(&folder)?, &[]).await?;
    let client = server.client()?;
    let say = Say::on(&client, HOLD);
    judges(&say).await?;
    let shown = send(&say, &create(&say, "a text")).await?.id;
    let rejected = send(&say, &create(&say, "a rejectword")).await?.id;
    filter.fakes()?.set_script(script(CallScript::with(CallFault::Unavailable)));
    let edited = async |id: i64| -> Result<Vec<ReviewCause>> {
        let (member_id, content) = ("member-seven".to_owned(), content("another text"));
        let edit = UpdateCommentRequest { id, member_id, content, ..UpdateCommentRequest::default() };
        client.comments().update_comment(edit).await?;
        causes(&server, id).await
    };
    ensure!(edited(shown).await? == [ServiceUnavailable]);
    ensure!(edited(rejected).await? == [New, ServiceUnavailable]);
    let (key, moderation_mode) = (Some(say.key.clone()), ModerationMode::Pre.into());
    let stricter = UpdateSubjectRequest {
        subject: Some(Subject { key, moderation_mode, ..Subject::default() }),
        update_mask: Some(prost_types::FieldMask { paths: vec!["moderation_mode".to_owned()] }),
        ..UpdateSubjectRequest::default()
    };
    client.subjects().update_subject(stricter).await?;
    ensure!(edited(shown).await? == [Edit, ServiceUnavailable]);

    let say = Say::on(&client, HOLD);
    for (standing, expected) in
        [(Standing::PreModerated, &[New, ServiceUnavailable][..]), (Standing::Trusted, &[ServiceUnavailable])]
    {
        let member = Some(MemberOfType { object_type: HOLD.to_owned(), member_id: "member-seven".to_owned() });
        let standing = MemberStanding { member, standing: standing.into(), ..MemberStanding::default() };
        let (moderator_id, request_id) = ("mod-1".to_owned(), uuid::Uuid::now_v7().to_string());
        let request = SetMemberStandingRequest { standing: Some(standing), moderator_id, request_id };
        server.policy()?.set_member_standing(request).await?;
        until("the standing is in force", || async {
            let comment = send(&say, &create(&say, "unjudged")).await?;
            ensure!(comment.state() == CommentState::Pending, "no standing lowers a hold: {comment:?}");
            Ok(causes(&server, comment.id).await? == expected)
        })
        .await?;
    }
    server.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_filter_that_cannot_be_used_as_configured_is_a_fault_of_its_key() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let key = format!("filter.member_key_file={}", member_key(&folder)?.display());
    let bad = folder.path().join("bad-key");
    std::fs::write(&bad, "short")?;
    let bad = format!("filter.member_key_file={}", bad.display());
    let check = ["config", "check", "--allow-insecure", "--set", "store.kind=sqlite", "--set", "store.data_dir=/tmp"];
    for (sets, parts) in [
        (&["object_type_defaults.filter=hold"][..], &["object_type_defaults.filter", "filter.endpoint"][..]),
        (&["filter.endpoint=127.0.0.1:1"], &["filter.member_key_file", "is required"]),
        (&["filter.endpoint=http://filter.example:80", &key], &["filter.endpoint", "has no TLS"]),
        (&["filter.endpoint=127.0.0.1:1", &bad], &["filter.member_key_file", "32 bytes"]),
        (&["filter.endpoint=127.0.0.1:1", &key, "filter.ca_file=/none.pem"], &["filter", "https://"]),
        (&["filter.adress=127.0.0.1:1"], &["filter.adress"]),
    ] {
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
        command::run([&check[..], &sets].concat()).await?.ended(2)?.says(parts)?;
    }
    let sound = ["--set", "filter.endpoint=127.0.0.1:1", "--set", &key, "--set", "object_type_defaults.filter=hold"];
    command::run([&check[..], &sound].concat()).await?.ended(0)?.says(&["the configuration is valid"])?;
    Ok(())
}
