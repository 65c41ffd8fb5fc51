//! The audit log: the records of AdminService calls, and the behaviour where they cannot be
//! written.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::{Connection, Error, v1};
use riposte_tests::binary::binary;
use riposte_tests::command;
use riposte_tests::raw::{self, Raw};
use riposte_tests::{Say, Server, refused, until};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tonic::{Code, Request};

use super::callers::{Callers, dev};
use super::table::{About, METHODS, Row};
use super::{GRANTED, OTHER, ask, fixture, outcome};

/// A file of audit records, in a folder of its own.
struct AuditLog {
    folder: tempfile::TempDir,
}

impl AuditLog {
    fn new() -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("audit.jsonl")
    }

    fn text(&self) -> Result<String> {
        Ok(std::fs::read_to_string(self.path())?)
    }

    /// Returns every record; a torn one is an error.
    fn records(&self) -> Result<Vec<Value>> {
        let text = self.text()?;
        // A record that is being written has no line end yet.
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
    }
}

async fn recording(data: Option<&Path>, callers: &Callers, file: &Path) -> Result<Server> {
    let file = format!("audit.file={}", file.display());
    dev(data, callers, &["--set", "audit.kind=file", "--set", &file]).await
}

fn rows() -> impl Iterator<Item = &'static Row> {
    METHODS.iter().filter(|row| raw::is_admin(row.method))
}

/// Creates a comment. Returns it with the client of a moderator that may hide it.
async fn moderator(server: &Server, callers: &Callers) -> Result<(AdminServiceClient<Connection>, v1::Comment)> {
    let comment = Say::on(&callers.client(server, "writer")?, GRANTED).comment("m", "a text").await?;
    Ok((callers.client(server, "moderator")?.admin()?, comment))
}

fn hide(id: i64) -> v1::HideCommentRequest {
    let (moderator_id, reason) = ("mod-4".into(), "a reason".into());
    v1::HideCommentRequest { id, moderator_id, reason, ..v1::HideCommentRequest::default() }
}

#[tokio::test]
async fn what_the_log_leaves_out_is_not_the_audit_log() -> Result<()> {
    for filter in ["off", "warn", "info,riposte::audit=off"] {
        let scratch = tempfile::tempdir()?;
        let (endpoint, log) = (scratch.path().join("endpoint"), scratch.path().join("log"));
        let mut dev = command::riposte(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--endpoint-file"])?;
        dev.arg(&endpoint).args(["--set", "audit.kind=log", "--set", &format!("log.filter={filter}")]);
        let mut dev = dev.stdout(Stdio::null()).stderr(std::fs::File::create(&log)?).kill_on_drop(true).spawn()?;
        until("it listens", async || Ok(endpoint.exists())).await?;
        let text = std::fs::read_to_string(&endpoint)?;
        let addresses: Value = serde_json::from_str(&text)?;
        let target = format!("http://{}", addresses["admin"].as_str().context("no address")?);
        let raw = Raw::to(&target, None)?;
        // The request names no type: it is refused, and recorded like any other.
        let ask = async || anyhow::Ok(raw.call("AdminService/ListSubjects", Vec::new()).await);
        until("it answers", async || Ok(ask().await?.is_err_and(|status| status.code() == Code::InvalidArgument)))
            .await?;
        until("the call is on record", async || Ok(std::fs::read_to_string(&log)?.contains("ListSubjects"))).await?;
        dev.kill().await?;
    }
    Ok(())
}

#[tokio::test]
async fn each_call_leaves_two_records() -> Result<()> {
    let (folder, log, callers) = (tempfile::tempdir()?, AuditLog::new()?, Callers::with_each_role(GRANTED));
    let everybody = Server::dev_on(folder.path()).await?;
    let fixture = fixture(&everybody).await?;
    everybody.stop().await?;
    let server = recording(Some(folder.path()), &callers, &log.path()).await?;
    let mut seen = 0;
    for row in rows() {
        let raw = Raw::to(server.admin_target(), Some(callers.token(row.role)))?;
        for (object_type, id) in [(GRANTED, fixture.granted), (OTHER, fixture.other)] {
            let (code, reason) = outcome(&raw, row, object_type, id).await?;
            let records = log.records()?.split_off(seen);
            seen += records.len();
            let [begin, end] = &records[..] else { anyhow::bail!("{}: {records:?}", row.method) };
            ensure!(begin["id"] == end["id"] && begin["event"] == "begin" && end["event"] == "end", "{records:?}");
            for record in [begin, end] {
                ensure!(record["caller"] == row.role && record["method"] == row.method, "{record}");
            }
            let expected = match (code, reason) {
                (Code::Ok, _) => json!({"code": "OK"}),
                (Code::NotFound, reason) => json!({"code": "NOT_FOUND", "reason": reason.as_str_name()}),
                (_, reason) => json!({"code": "PERMISSION_DENIED", "reason": reason.as_str_name()}),
            };
            let named = expected.to_string().replace("ERROR_REASON_", "");
            ensure!(end["outcome"] == serde_json::from_str::<Value>(&named)?, "{end}, not {named}");
            let about = &begin["about"];
            ensure!(named_by(row, about, object_type, id), "{begin}");
        }
    }
    let text = log.text()?;
    ensure!(!text.contains("before") && !text.contains("riposte_moderator"), "a text or a token:\n{text}");
    ensure!(text.contains("\"moderator_id\":\"mod\"") && text.contains("\"told\":{\"created\":1}"), "{text}");
    Ok(())
}

/// Returns `true` if the record names the comment, the subject or the type of the row.
fn named_by(row: &Row, about: &Value, object_type: &str, id: i64) -> bool {
    let subject = if row.request.contains("\"4\"") { "4" } else { "1" };
    let names = |name: &str, value: &str| about[name].as_str() == Some(value);
    match row.about {
        About::Id if row.request.contains("\"ids\"") => about == &json!({"comment_ids": [id.to_string()]}),
        About::Id => names("comment_id", &id.to_string()),
        About::Key if row.request.contains("\"objectType\"") && !row.request.contains("objectId") => {
            names("object_type", object_type)
        }
        About::Key => names("object_type", object_type) && names("object_id", subject),
        About::Item if row.method.starts_with("ModerationService") => {
            let act = if row.method.ends_with("Verdicts") { json!("MODERATION_ACTION_APPROVE") } else { Value::Null };
            let names_comment = about["comment_ids"] == json!([id.to_string()]) && about["action"] == act;
            names("moderator_id", "mod") && names_comment
        }
        About::Item => names("object_type", object_type) && names("object_id", subject) && names("source", "s"),
        About::Decision | About::Nothing => about == &json!({}),
        About::All => names("moderator_id", "mod"),
    }
}

#[tokio::test]
async fn a_record_of_a_batch_names_at_most_a_hundred_comments_and_no_text() -> Result<()> {
    let (log, callers) = (AuditLog::new()?, Callers::with_each_role(GRANTED));
    let server = recording(None, &callers, &log.path()).await?;
    let mut moderation = callers.client(&server, "moderator")?.moderation()?;
    let canary = "canary of a text";
    let targets = (1..=101).map(|id| v1::VerdictTarget { comment_id: id, etag: canary.into() }).collect();
    let grounds = v1::Grounds { explanation: canary.into(), note: canary.into(), ..Default::default() };
    let mut verdicts = v1::SubmitVerdictsRequest { targets, grounds: Some(grounds), ..Default::default() };
    verdicts.set_action(v1::ModerationAction::Reject);
    ensure!(refused(moderation.submit_verdicts(verdicts).await)?.1 == v1::ErrorReason::FieldInvalid);
    let ids = v1::GetModeratedCommentsRequest { ids: (1..=101).collect(), ..Default::default() };
    ensure!(refused(moderation.get_moderated_comments(ids).await)?.1 == v1::ErrorReason::FieldInvalid);
    let records = log.records()?;
    let hundred: Vec<_> = (1..=100).map(|id| id.to_string()).collect();
    let about: Vec<_> = records.iter().filter(|record| record["event"] == "begin").map(|r| &r["about"]).collect();
    ensure!(about.len() == 2 && about.iter().all(|about| about["comment_ids"] == json!(hundred)), "{about:?}");
    ensure!(about[0]["action"] == "MODERATION_ACTION_REJECT", "{about:?}");
    ensure!(!log.text()?.contains(canary), "a text");
    Ok(())
}

/// The largest number of refusals of one caller that the log records per interval.
const MOST: usize = 10;

#[tokio::test]
async fn a_call_that_is_not_let_in_leaves_one_record() -> Result<()> {
    let (log, callers) = (AuditLog::new()?, Callers::with_each_role(GRANTED));
    let server = recording(None, &callers, &log.path()).await?;
    let strangers = [
        (None, json!({"code": "UNAUTHENTICATED", "reason": "CALLER_UNKNOWN"})),
        (Some("reader"), json!({"code": "PERMISSION_DENIED", "reason": "CALLER_NOT_ALLOWED"})),
    ];
    let mut seen = 0;
    for (name, expected) in strangers {
        let raw = Raw::to(server.admin_target(), name.map(|name| callers.token(name)))?;
        for row in rows().take(MOST) {
            outcome(&raw, row, GRANTED, 1).await?;
            seen += 1;
            until("it is recorded", || async { Ok(log.records()?.len() == seen) }).await?;
            let record = &log.records()?[seen - 1];
            ensure!(record["event"] == "refused" && record["outcome"] == expected, "{record}");
            ensure!(record["method"] == row.method && record["call_id"].is_string(), "{record}");
            ensure!(record["caller"].as_str() == name, "{record}");
        }
    }
    // The caller is authorized, and the server reads its message no further.
    let mut moderator = callers.client(&server, "moderator")?.admin()?;
    let long = v1::HideCommentRequest { reason: "x".repeat(10_000), ..hide(1) };
    let result = refused(moderator.hide_comment(long).await)?;
    ensure!(result.1 == v1::ErrorReason::MessageTooLarge, "{result:?}");
    until("it is recorded", || async { Ok(log.records()?.len() == seen + 1) }).await?;
    let record = &log.records()?[seen];
    ensure!(record["event"] == "refused" && record["caller"] == "moderator", "{record}");
    ensure!(record["outcome"]["reason"] == "MESSAGE_TOO_LARGE", "{record}");
    Ok(())
}

#[tokio::test]
async fn a_flood_of_rejected_calls_leaves_few_records_and_their_number() -> Result<()> {
    const CALLS: usize = 1_000;
    let (log, callers) = (AuditLog::new()?, Callers::with_each_role(GRANTED));
    let server = recording(None, &callers, &log.path()).await?;
    let (raw, row) = (Raw::to(server.admin_target(), None)?, rows().next().context("no methods")?);
    for _ in 0..CALLS {
        outcome(&raw, row, GRANTED, 1).await?;
    }
    ensure!(server.stop().await? == Some(0));
    let records = log.records()?;
    let refused = records.iter().filter(|record| record["event"] == "refused").count();
    let left_out: u64 = records.iter().filter_map(|record| record["left_out"].as_u64()).sum();
    ensure!(refused >= MOST && records.len() < CALLS / 2, "{} records", records.len());
    ensure!(refused as u64 + left_out == CALLS as u64, "{refused} and {left_out}");
    Ok(())
}

#[tokio::test]
async fn a_full_disk_stops_moderation_and_no_comments() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let server = recording(None, &callers, Path::new("/dev/full")).await?;
    let (mut admin, comment) = moderator(&server, &callers).await?;
    let result = refused(admin.hide_comment(hide(comment.id)).await)?;
    ensure!(result == (Code::Internal, v1::ErrorReason::Internal), "{result:?}");
    let reader = callers.client(&server, "reader")?;
    let get = v1::GetCommentRequest { id: comment.id, ..v1::GetCommentRequest::default() };
    let found = reader.comments().get_comment(get).await?.into_inner().comment.unwrap_or_default();
    ensure!(found.state() == v1::CommentState::Active, "the comment was hidden: {found:?}");
    let key = comment.subject.clone();
    let mut operator = callers.client(&server, "operator")?.admin()?;
    let exported = operator.export_subject(v1::ExportSubjectRequest { key }).await;
    ensure!(refused(exported)?.0 == Code::Internal);
    let list = v1::ListSubjectsRequest { object_type: GRANTED.into(), ..v1::ListSubjectsRequest::default() };
    ensure!(refused(operator.list_subjects(list).await)?.0 == Code::Internal);
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    ensure!(metrics.contains("\nriposte_audit_failures_total 3\n"), "{metrics}");
    Ok(())
}

#[tokio::test]
async fn no_record_of_an_answered_call_is_lost_when_the_process_is_killed() -> Result<()> {
    const RESPONSES: usize = 200;
    let (log, callers) = (AuditLog::new()?, Callers::with_each_role(GRANTED));
    let server = recording(None, &callers, &log.path()).await?;
    let (admin, comment) = moderator(&server, &callers).await?;
    let (responses, mut received) = mpsc::unbounded_channel();
    for worker in 0..8 {
        let (mut admin, responses, id) = (admin.clone(), responses.clone(), comment.id);
        tokio::spawn(async move {
            for n in 0.. {
                let call_id = format!("call-{worker}-{n}");
                let mut request = Request::new(hide(id));
                let Ok(value) = call_id.parse() else { return };
                request.metadata_mut().insert("riposte-request-id", value);
                let result = admin.hide_comment(request).await.map_err(Error::from);
                if result.is_err_and(|error| error.reason() != v1::ErrorReason::StateConflict) {
                    return;
                }
                // Hidden now, or hidden already: the call has a response either way.
                let _ = responses.send(call_id);
            }
        });
    }
    drop(responses);
    let mut known = HashSet::new();
    while known.len() < RESPONSES {
        known.insert(received.recv().await.context("the calls came to an end")?);
    }
    // The server crashes right after a response: the records of that call must be there.
    server.crash().await?;
    while let Some(call_id) = received.recv().await {
        known.insert(call_id);
    }
    let records = log.records()?;
    let with = |event: &str| {
        let records = records.iter().filter(|record| record["event"] == event);
        records.filter_map(|record| record["call_id"].as_str()).collect::<HashSet<_>>()
    };
    let (begun, ended) = (with("begin"), with("end"));
    let lost: Vec<_> = known.iter().filter(|id| !begun.contains(id.as_str()) || !ended.contains(id.as_str())).collect();
    ensure!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), known.len());
    ensure!(ended.iter().all(|id| begun.contains(id)), "an end without its beginning");
    Ok(())
}

#[tokio::test]
async fn every_beginning_gets_its_end_though_callers_give_up() -> Result<()> {
    let (log, callers) = (AuditLog::new()?, Callers::with_each_role(GRANTED));
    let server = recording(None, &callers, &log.path()).await?;
    let (mut admin, comment) = moderator(&server, &callers).await?;
    let mut given_up = 0;
    for n in 1..=100 {
        let mut request = Request::new(hide(comment.id));
        request.set_timeout(Duration::from_micros(100 * n));
        let result = admin.hide_comment(request).await;
        given_up += usize::from(result.is_err_and(|status| status.code() == Code::DeadlineExceeded));
    }
    ensure!(given_up > 0, "no call was cancelled");
    let balanced = || async {
        // A call that ends before its handler begins leaves another record, with an id of its own.
        let records = log.records()?;
        let of = |event: &str| records.iter().filter(|record| record["event"] == event).count();
        let begun = records.iter().filter(|record| record["event"] == "begin" || record["event"] == "end");
        let ids: HashSet<_> = begun.map(|record| record["id"].to_string()).collect();
        Ok(of("begin") == of("end") && ids.len() == of("begin") && of("begin") > 0)
    };
    until("every call has both records", balanced).await
}

#[tokio::test]
async fn two_processes_write_to_one_file_and_it_may_be_moved_away() -> Result<()> {
    const CALLS: usize = 100;
    let (log, callers) = (AuditLog::new()?, Callers::with_each_role(GRANTED));
    let servers = [recording(None, &callers, &log.path()).await?, recording(None, &callers, &log.path()).await?];
    let mut work = Vec::new();
    for server in &servers {
        let (mut admin, comment) = moderator(server, &callers).await?;
        work.push(tokio::spawn(async move {
            for _ in 0..CALLS {
                // Hidden or in conflict: both are responses.
                let _ = admin.hide_comment(hide(comment.id)).await;
            }
        }));
    }
    let moved = log.path().with_extension("1");
    until("there is something", || async { Ok(!log.records()?.is_empty()) }).await?;
    std::fs::rename(log.path(), &moved)?;
    for worker in work {
        worker.await?;
    }
    let (before, after) = (std::fs::read_to_string(&moved)?, log.records()?);
    let is_complete = |line: &str| serde_json::from_str::<Value>(line).is_ok();
    ensure!(before.lines().all(is_complete), "{before}");
    ensure!(before.lines().count() + after.len() == 2 * 2 * CALLS && !after.is_empty(), "{}", after.len());
    Ok(())
}

#[tokio::test]
async fn the_record_of_a_cancelled_import_has_its_progress() -> Result<()> {
    let (log, callers) = (AuditLog::new()?, Callers::with_each_role(GRANTED));
    let server = recording(None, &callers, &log.path()).await?;
    let key = v1::SubjectKey { object_type: GRANTED.into(), object_id: "1".into() };
    let subject = v1::ImportedSubject { key: Some(key), ..v1::ImportedSubject::default() };
    let kind = Some(v1::import_item::Kind::Subject(subject));
    let item = v1::ImportItem { source: "old".into(), external_id: "1".into(), kind };
    let (items, receiver) = mpsc::channel(1);
    items.send(v1::ImportCommentsRequest { item: Some(item) }).await?;
    let mut admin = callers.client(&server, "operator")?.admin()?;
    let items_to_come = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let mut responses = admin.import_comments(items_to_come).await?.into_inner();
    responses.message().await?.context("an answer")?;
    ensure!(log.records()?.len() == 1, "the end of the running call is already recorded");
    drop((responses, items));
    until("its end is recorded", || async { Ok(log.records()?.len() == 2) }).await?;
    let end = &log.records()?[1];
    ensure!(end["outcome"] == json!({"code": "CANCELLED"}) && end["told"] == json!({"created": 1}), "{end}");
    Ok(())
}

#[tokio::test]
async fn records_go_where_the_configuration_says() -> Result<()> {
    let start = ["dev", "--listen", "127.0.0.1:0"];
    let export = format!(
        "{} export --object-type article --object-id 1 --target http://$RIPOSTE_ADMIN_TARGET",
        binary()?.display()
    );
    let script = ["--exec", "--", "sh", "-c", &export];
    let recorded = ["\"method\":\"AdminService/ExportSubject\"", "\"object_id\":\"1\""];
    let ran = command::run([&start[..], &["--set", "audit.kind=stdout"], &script].concat()).await?.ended(0)?;
    ensure!(recorded.iter().all(|word| ran.out.contains(word)), "{}{}", ran.out, ran.err);
    let ran = command::run([&start[..], &["--set", "log.filter=info"], &script].concat()).await?.ended(0)?;
    ran.says(&["riposte::audit", "AdminService/ExportSubject"])?;
    for (sets, code, result) in [
        (&["audit.kind=file", "audit.file=/nowhere/audit.jsonl"][..], 1, "cannot append to the audit log"),
        (&["audit.kind=file"], 2, "audit.file"),
        (&["audit.file=/tmp/audit.jsonl"], 2, "audit.file"),
    ] {
        let sets = sets.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>();
        command::run([&start[..], &sets].concat()).await?.ended(code)?.says(&[result])?;
    }
    Ok(())
}
