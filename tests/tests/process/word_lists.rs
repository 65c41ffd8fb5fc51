//! Word lists: faults that stop a start, and files that change while the process runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::{CommentState, CreateCommentRequest, CreateReplyRequest, ErrorReason, UpdateCommentRequest};
use riposte_tests::say::content;
use riposte_tests::{Say, Server, command, until};

use super::metrics::ask;

/// A word that no output may have.
const WORD: &str = "unspeakable";

/// Returns the setting of one list for an object type.
fn list(file: &Path, object_type: &str) -> String {
    format!("policy.lists=[{{name=\"spam\", file={file:?}, object_types=[\"{object_type}\"]}}]")
}

/// Writes a file atomically, as an operator's tools do.
fn write(file: &Path, text: &str) -> Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, text)?;
    Ok(std::fs::rename(new, file)?)
}

fn file_of(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("spam.txt")
}

/// Returns the value of the metric in the line that begins with `name`.
async fn metric(server: &Server, name: &str) -> Result<f64> {
    let text = ask(server.metrics_target(), "GET", "/metrics").await?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.with_context(|| format!("no {name}"))?.parse().context("no number")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_list_is_used_and_a_bad_one_changes_nothing_until_it_is_sound() -> Result<()> {
    const VERSION: &str = "riposte_policy_list_version{list=\"spam\"}";
    const REFUSED: &str = "riposte_policy_lists_refused";
    let folder = tempfile::tempdir()?;
    let file = file_of(&folder);
    write(&file, WORD)?;
    let sets = ["--set", &list(&file, "article"), "--set", "auth.reload_interval=1s"];
    let server = Server::dev_with(None, &sets).await?;
    let first = metric(&server, VERSION).await?;

    write(&file, "another")?;
    until("the list is used", || async { Ok(metric(&server, VERSION).await? != first) }).await?;
    let second = metric(&server, VERSION).await?;

    write(&file, &format!("{{\"word\":\"a\"}}\n{WORD}\n"))?;
    until("the list is refused", || async { Ok(metric(&server, REFUSED).await? == 1.0) }).await?;
    ensure!(metric(&server, VERSION).await? == second, "a list with a fault is used");
    ensure!(metric(&server, "riposte_files_refused").await? == 0.0, "a list has an alert of its own");

    write(&file, WORD)?;
    until("the list is sound", || async { Ok(metric(&server, REFUSED).await? == 0.0) }).await?;
    ensure!(metric(&server, VERSION).await? == first, "the same bytes have the same version");
    server.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_list_that_cannot_be_used_stops_the_start_and_is_named_by_key_file_and_line() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = file_of(&folder);
    let shown = file.display().to_string();
    let check = ["config", "check", "--allow-insecure", "--set", "store.kind=sqlite", "--set", "store.data_dir=/tmp"];
    let dev = ["dev", "--listen", "127.0.0.1:0"];
    let set = list(&file, "article");
    for (text, fault) in [
        (None, "cannot be read"),
        (Some(format!("{{\"word\":\"a\"}}\n{WORD}")), "line 2: must be a JSON object"),
        (Some(format!("{{\"word\":\"{WORD}\",\"code\":\"moderation.off\"}}")), "line 1: `code`"),
    ] {
        text.map_or(Ok(()), |text| write(&file, &text))?;
        for verb in [&check[..], &dev] {
            let ran = command::run([verb, &["--set", &set, "--set", "open_object_types=true"]].concat()).await?;
            let ran = ran.ended(2)?.says(&["policy.lists.0.file", &shown, fault])?;
            ensure!(!ran.err.contains(WORD), "{}", ran.err);
        }
    }
    write(&file, WORD)?;
    let sound = [&check[..], &["--set", &set, "--set", "open_object_types=true"]].concat();
    command::run(sound).await?.ended(0)?.says(&["the configuration is valid"])?;
    let film = list(&file, "film");
    let unknown = [&check[..], &["--set", &film]].concat();
    command::run(unknown).await?.ended(2)?.says(&["policy.lists.0.object_types", "does not register"])?;
    Ok(())
}

#[tokio::test]
async fn check_text_asks_the_lists_of_an_object_type_as_a_server_would_load_them() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = file_of(&folder);
    write(&file, WORD)?;
    let article = list(&file, "article");
    let check = async |object_type: &str, text: &str| {
        let sets = ["--set", &article, "--set", "object_types={article={}, film={}}"];
        command::run([&["check-text", "--object-type", object_type, text], &sets[..]].concat()).await
    };
    let found = check("article", "UNSPEAKABLE things").await?.ended(0)?;
    found.says(&["outcome     hold, code policy.list, by entry", "of spam", "hit         0..11"])?;
    check("article", "things").await?.ended(0)?.says(&["outcome     allow"])?;
    check("film", WORD).await?.ended(2)?.says(&["the object type film has no word lists and no rules"])?;
    check("book", WORD).await?.ended(2)?.says(&["--object-type book: the configuration has no such object type"])?;
    std::fs::remove_file(&file)?;
    check("article", WORD).await?.ended(2)?.says(&["policy.lists.0.file", "cannot be read"])?;
    Ok(())
}

#[tokio::test]
async fn check_text_tries_the_rules_of_an_object_type() -> Result<()> {
    const RULES: &str = r#"object_types={film={rules=[
        {id="edits", when=[{fact="is_edit", eq=1}, {fact="links", ge=1}], outcome="reject", code="spam.link"},
        {id="crowd", when=[{fact="mentions", gt=4}], outcome="flag", stage="dry_run"},
        {id="new", when=[{fact="approved", lt=3}, {fact="mentions", eq=1}], outcome="hold"}
    ]}, book={}}"#;
    let check = async |arguments: &[&str]| {
        let sets = ["--set", &RULES.replace('\n', " ")];
        command::run([&["check-text", "--object-type", "film", "see a.com"], arguments, &sets[..]].concat()).await
    };
    let plain = check(&[]).await?.ended(0)?.says(&["outcome     allow"])?;
    ensure!(plain.out.lines().count() == 2, "{}", plain.out);
    check(&["--edit"])
        .await?
        .ended(0)?
        .says(&["outcome     reject, code spam.link, by rule edits", "rule        edits: reject, code spam.link"])?;
    check(&["--mentions", "5"]).await?.ended(0)?.says(&[
        "outcome     allow",
        "rule        crowd: flag, code policy.rule, without effect: the rule is in dry run",
    ])?;
    let aged = r#"object_types={film={accounts="pre_moderate", rules=[{id="new", when=[{fact="age", lt=7}]}]}}"#;
    for (age, outcome) in [("", "hold"), ("--age=6", "hold"), ("--age=7", "allow")] {
        let sets = ["--set", aged, "--set", "accounts.endpoint=127.0.0.1:1"];
        let flags = [age].into_iter().filter(|flag| !flag.is_empty());
        let words = ["check-text", "--object-type", "film", "a text"].into_iter().chain(flags).chain(sets);
        let found = command::run(words.collect::<Vec<_>>()).await?.ended(0)?;
        found.says(&[&format!("outcome     {outcome}")])?;
    }
    for (approved, outcome) in [("", "hold"), ("--approved=2", "hold"), ("--approved=3", "allow")] {
        let flags: Vec<&str> = ["--mentions=1", approved].into_iter().filter(|flag| !flag.is_empty()).collect();
        check(&flags).await?.ended(0)?.says(&[&format!("outcome     {outcome}")])?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_of_a_committed_write_is_answered_whatever_the_lists_say_since() -> Result<()> {
    const VERSION: &str = "riposte_policy_list_version{list=\"spam\"}";
    let folder = tempfile::tempdir()?;
    let file = file_of(&folder);
    write(&file, "another")?;
    let sets = ["--set", &list(&file, "article"), "--set", "auth.reload_interval=1s"];
    let server = Server::dev_with(None, &sets).await?;
    let client = server.client()?;
    let say = Say::on(&client, "article");
    let request_id = || uuid::Uuid::now_v7().to_string();
    let create = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: "ann".to_owned(),
        content: content(WORD),
        request_id: request_id(),
        ..CreateCommentRequest::default()
    };
    let created = client.comments().create_comment(create.clone()).await?.into_inner();
    let id = created.comment.as_ref().context("a comment")?.id;
    let reply = CreateReplyRequest {
        parent_id: id,
        member_id: "ann".to_owned(),
        content: content(WORD),
        request_id: request_id(),
        ..CreateReplyRequest::default()
    };
    let replied = client.replies().create_reply(reply.clone()).await?.into_inner();
    let edit = UpdateCommentRequest {
        id,
        member_id: "ann".to_owned(),
        content: content(&format!("{WORD} again")),
        request_id: request_id(),
        ..UpdateCommentRequest::default()
    };
    let edited = client.comments().update_comment(edit.clone()).await?.into_inner();
    let mut version = metric(&server, VERSION).await?;
    for outcome in ["refuse", "reject", "hold"] {
        write(&file, &format!("{{\"word\":\"{WORD}\",\"outcome\":\"{outcome}\",\"code\":\"list.word\"}}"))?;
        until("the list is used", || async { Ok(metric(&server, VERSION).await? != version) }).await?;
        version = metric(&server, VERSION).await?;
        let again = client.comments().create_comment(create.clone()).await?.into_inner();
        ensure!(again.subject_revision == created.subject_revision, "{outcome}: {again:?}");
        ensure!(again.comment.as_ref().is_some_and(|comment| comment.id == id), "{outcome}: {again:?}");
        let again = client.replies().create_reply(reply.clone()).await?.into_inner();
        ensure!(again.subject_revision == replied.subject_revision, "{outcome}: {again:?}");
        let again = client.comments().update_comment(edit.clone()).await?.into_inner();
        ensure!(again == edited, "{outcome}: {again:?}");
        let fresh = CreateCommentRequest { request_id: request_id(), ..create.clone() };
        match client.comments().create_comment(fresh).await.map(|made| made.into_inner().comment) {
            Err(status) => {
                let error = Error::from(status);
                ensure!(outcome == "refuse" && error.reason() == ErrorReason::ContentBlocked, "{error:?}");
            }
            Ok(made) => {
                let state = made.unwrap_or_default().state();
                let expected = if outcome == "reject" { CommentState::Rejected } else { CommentState::Pending };
                ensure!(outcome != "refuse" && state == expected, "{outcome}: {state:?}");
            }
        }
    }
    let outcomes = ask(server.metrics_target(), "GET", "/metrics").await?;
    for outcome in ["refuse", "reject", "hold"] {
        let series = format!("outcome=\"{outcome}\",source=\"list\"}}");
        ensure!(outcomes.contains(&series), "no {series} in {outcomes}");
    }
    ensure!(outcomes.contains("rule=\"spam\"}") && !outcomes.contains(WORD), "{outcomes}");
    server.stop().await?;
    Ok(())
}
