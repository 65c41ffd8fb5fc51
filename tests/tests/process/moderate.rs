//! `riposte moderate`: the first minute of a moderator, with nothing but the binary; and leases
//! that end by time.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    ClaimReviewItemsRequest, ClaimReviewItemsResponse, ClientInfo, CommentSort, CommentState, CreateCommentRequest,
    ErrorReason, ListUnlistedCommentsRequest, UpdateCommentRequest,
};
use riposte_tests::command::Ran;
use riposte_tests::say::content;
use riposte_tests::{Say, Server, command, refused, until};
use tokio::process::Command;

use super::metrics::ask;

/// The page whose first lines are the minute.
const DOCUMENT: &str = include_str!("../../../docs/how-to/moderate.md");
/// The longest time of the first minute.
const MINUTE: Duration = Duration::from_secs(60);
/// The shortest lease.
const LEASE: Duration = Duration::from_secs(10);

/// Runs the line of the first terminal and, when its banner is written, those of the second one.
const TERMINALS: &str = r#"
set -eu
ip link set lo up
sh -c "exec $FIRST" > banner &
dev=$!
trap 'kill $dev; wait $dev || true' EXIT
until grep -q ' comment post ' banner; do kill -0 $dev; sleep 0.1; done
cat banner
eval "$SECOND"
"#;

/// Runs the lines of both terminals as they are, in a network of its own, where the default ports
/// are free; `None` if the machine allows no such network.
async fn in_two_terminals(path: &str, first: &str, second: &str) -> Result<Option<Ran>> {
    let alone = ["--map-root-user", "--net", "--"];
    let check = Command::new("unshare").args(alone).args(["ip", "link", "set", "lo", "up"]).output().await;
    if !check.is_ok_and(|check| check.status.success()) {
        eprintln!("SKIPPED in part: without `unshare` and `ip` the first minute uses other ports");
        return Ok(None);
    }
    let scratch = tempfile::tempdir()?;
    let mut terminals = Command::new("unshare");
    terminals.args(alone).args(["sh", "-c", TERMINALS]).current_dir(scratch.path()).kill_on_drop(true);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("RIPOSTE_")) {
        terminals.env_remove(name);
    }
    terminals.env("PATH", path).env("FIRST", first).env("SECOND", second);
    let ran = command::finish(&mut terminals).await?.ended(0)?;
    Ok(Some(ran.says(&["127.0.0.1:7171", "127.0.0.1:7172"])?))
}

#[tokio::test]
async fn the_first_minute_of_a_moderator() -> Result<()> {
    let binary = riposte_tests::binary::binary()?;
    let mut commands = DOCUMENT.split("```").filter_map(|part| part.strip_prefix("sh\n"));
    let (first, second) = commands.next().zip(commands.next()).context("no commands of two terminals")?;
    let first = first.split('#').next().map_or("", str::trim);
    ensure!(first == "riposte dev --moderate pre", "{first}");
    let folder = binary.parent().context("no folder")?.display();
    let path = format!("{folder}:{}", std::env::var_os("PATH").unwrap_or_default().to_string_lossy());
    let begin = Instant::now();
    let ran = if let Some(ran) = in_two_terminals(&path, first, second).await? {
        ran
    } else {
        let dev = ["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--moderate", "pre", "--exec", "--"];
        let script = format!("PATH={path}\n{second}");
        command::run(dev.into_iter().chain(["sh", "-euc", &script])).await?.ended(0)?
    };
    let ran = ran.says(&[
        "PENDING: it waits for review",
        "video: 1 item\n",
        " · PENDING · NEW · due in 30 min\n   video/1 · ann · ",
        "command-line · APPROVE: PENDING → ACTIVE\n",
        "video/1: 1 comment in 1 thread\n",
    ])?;
    ensure!(ran.out.matches("\n   hello\n").count() == 3, "queue, approve and list print the text:\n{}", ran.out);
    ensure!(begin.elapsed() < MINUTE, "{:?}", begin.elapsed());
    println!("the minute took {:?}", begin.elapsed());
    Ok(())
}

#[tokio::test]
async fn a_moderator_works_by_commands() -> Result<()> {
    let server = Server::dev_with(None, &["--moderate", "pre"]).await?;
    let say = Say::on(&server.client()?, "video");
    let client = ClientInfo { ip: "192.0.2.1".into(), platform: "web".into(), ..ClientInfo::default() };
    let request = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: "ann".into(),
        content: content("spam \u{1b}[31m"),
        client: Some(client),
        ..CreateCommentRequest::default()
    };
    let made = say.client.comments().create_comment(request).await?.into_inner().comment.context("no comment")?;
    let id = made.id.to_string();
    let run = async |words: &[&str]| {
        let all: Vec<&str> =
            ["moderate"].into_iter().chain(words.iter().copied()).chain(["--target", server.admin_target()]).collect();
        command::run(all).await
    };
    run(&["claim", "video", "--moderator", "mod-1"]).await?.ended(0)?.says(&["leased by mod-1", &id])?;
    run(&["queue", "video"]).await?.ended(0)?.says(&["video: 0 items"])?;
    let lost = run(&["approve", &id, "--moderator", "mod-2"]).await?.ended(1)?;
    lost.says(&["another moderator has leased the review of the comment (REVIEW_LEASE_LOST)"])?;
    run(&["reject", &id, "--moderator", "mod-1"]).await?.ended(2)?.says(&["--code"])?;
    let shown = run(&["show", &id]).await?.ended(0)?;
    ensure!(!shown.out.contains('\u{1b}'), "{}", shown.out);
    let is_client_shown = shown.out.contains(" · platform web · network ") && !shown.out.contains("192.0.2");
    ensure!(is_client_shown, "{}", shown.out);
    let etag = shown.out.lines().find_map(|line| line.split_once("etag ")).context("no etag")?.1.to_owned();
    let reject = ["reject", &id, "--moderator", "mod-1", "--code", "spam", "--note", "third", "--etag", &etag];
    run(&reject).await?.ended(0)?.says(&["mod-1 · REJECT: PENDING → REJECTED · spam · note: third"])?;
    let late = run(&reject).await?.ended(1)?;
    late.says(&["another version", "ETAG_MISMATCH", &format!("decision {id}.1 came first")])?;
    run(&["keep", &id]).await?.ended(1)?.says(&["STATE_CONFLICT"])?;
    run(&["approve", &id]).await?.ended(0)?;
    run(&["hide", &id, "--code", "late"]).await?.ended(0)?.says(&["HIDE: ACTIVE → HIDDEN · late"])?;
    let log = run(&["log", &id]).await?.ended(0)?;
    let acts: Vec<&str> = ["HIDE", "APPROVE", "REJECT"].into_iter().filter(|act| log.out.contains(act)).collect();
    ensure!(acts.len() == 3 && log.out.lines().count() == 3, "{}", log.out);
    let own = ["comment", "list", "video/9", "--viewer", "ann", "--target", server.target()];
    command::run(["comment", "post", "video/9", "ann", "waits", "--target", server.target()]).await?.ended(0)?;
    command::run(own).await?.ended(0)?.says(&["· PENDING · id ", "   waits\n"])?;
    run(&["show", "1"]).await?.ended(3)?.says(&["COMMENT_NOT_FOUND"])?;
    Ok(())
}

#[tokio::test]
async fn an_edit_is_judged_by_commands() -> Result<()> {
    let server = Server::dev_with(None, &["--moderate", "pre"]).await?;
    let say = Say::on(&server.client()?, "video");
    let id = say.comment("ann", "old words").await?.id.to_string();
    let run = async |words: &[&str]| {
        let all: Vec<&str> =
            ["moderate"].into_iter().chain(words.iter().copied()).chain(["--target", server.admin_target()]).collect();
        command::run(all).await
    };
    run(&["approve", &id]).await?.ended(0)?.says(&["APPROVE: PENDING → ACTIVE"])?;
    let edit = async |text: &str| -> Result<()> {
        let (id, member_id, content) = (id.parse()?, "ann".to_owned(), content(text));
        let request = UpdateCommentRequest { id, member_id, content, ..UpdateCommentRequest::default() };
        say.client.comments().update_comment(request).await?;
        Ok(())
    };
    edit("better words").await?;
    let waits = ["· ACTIVE · EDIT · ", "   old words\n   edit 1 · WAITING", "   + better words\n"];
    run(&["queue", "video"]).await?.ended(0)?.says(&waits)?;
    let shown = run(&["show", &id]).await?.ended(0)?.says(&waits)?;
    let etags: Vec<&str> = shown.out.lines().filter_map(|line| Some(line.split_once("etag ")?.1)).collect();
    let [of_text, of_edit] = etags[..] else { anyhow::bail!("{}", shown.out) };
    // The text in sight is judged by its etag alone.
    let approved = run(&["approve", &id, "--etag", of_text]).await?.ended(0)?.says(&["APPROVE: ACTIVE → ACTIVE"])?;
    ensure!(approved.out.contains("old words") && !approved.out.contains("better words"), "{}", approved.out);
    run(&["approve", &id, "--etag", of_edit]).await?.ended(1)?.says(&["ETAG_MISMATCH", "came first"])?;
    let approved = run(&["approve", &id]).await?.ended(0)?;
    approved.says(&["   + better words\n", "APPROVE of the edit: ACTIVE → ACTIVE"])?;
    ensure!(say.roots(CommentSort::Newest, 1).await?[0].content == content("better words"));
    edit("worse words").await?;
    let name = format!("video/{}", say.key.object_id);
    let own = ["comment", "list", &name, "--viewer", "ann", "--target", server.target()];
    let listed = command::run(own).await?.ended(0)?;
    let listed = listed.says(&["   better words\n   your edit waits for review:\n   + worse words\n"])?;
    ensure!(listed.out.matches("better words").count() == 1, "{}", listed.out);
    let refused = run(&["reject", &id, "--code", "worse"]).await?.ended(0)?;
    refused.says(&["REJECT of the edit: ACTIVE → ACTIVE · worse"])?;
    run(&["show", &id]).await?.ended(0)?.says(&["   edit 2 · REJECTED\n   + worse words\n"])?;
    run(&["queue", "video"]).await?.ended(0)?.says(&["video: 0 items"])?;
    let log = run(&["log", &id]).await?.ended(0)?;
    ensure!(log.out.lines().count() == 4 && log.out.matches("of the edit").count() == 2, "{}", log.out);
    Ok(())
}

#[tokio::test]
async fn a_lease_that_is_not_given_back_ends() -> Result<()> {
    let server = Server::dev_with(None, &["--moderate", "pre"]).await?;
    let id = Say::on(&server.client()?, "video").comment("ann", "waits").await?.id;
    let claim = async |moderator: &str| -> Result<ClaimReviewItemsResponse> {
        let request = ClaimReviewItemsRequest {
            object_type: "video".to_owned(),
            lease: Some(prost_types::Duration { seconds: LEASE.as_secs().try_into()?, nanos: 0 }),
            moderator_id: moderator.to_owned(),
            ..ClaimReviewItemsRequest::default()
        };
        Ok(server.moderation()?.claim_review_items(request).await?.into_inner())
    };
    let first = claim("one").await?;
    ensure!(first.items.len() == 1 && claim("two").await?.items.is_empty(), "{first:?}");
    let begin = Instant::now();
    until("the lease ends", async || {
        let taken = claim("two").await?.items;
        let expired = taken.first().map(|item| item.expired_leases);
        ensure!(expired.is_none_or(|expired| expired == 1), "{taken:?}");
        Ok(!taken.is_empty())
    })
    .await?;
    println!("claimed {:?} after a lease of {LEASE:?} began; comment {id}", begin.elapsed());
    Ok(())
}

#[tokio::test]
async fn the_metrics_show_what_waits_and_what_was_decided() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "object_types.film.moderation=pre"]).await?;
    let say = Say::on(&server.client()?, "film");
    let ids = [say.comment("ann", "one").await?.id, say.comment("ann", "two").await?.id];
    let shows = async |line: &str| Ok(ask(server.metrics_target(), "GET", "/metrics").await?.contains(line));
    let open = |count: u64| format!("riposte_review_open{{object_type=\"film\"}} {count}\n");
    until("both wait", async || shows(&open(2)).await).await?;
    ensure!(shows("riposte_review_oldest_overdue_seconds{object_type=\"film\"} 0\n").await?);
    let approve = ["moderate", "approve", &ids[0].to_string(), "--target", server.admin_target()].map(str::to_owned);
    command::run(approve).await?.ended(0)?;
    ensure!(shows("riposte_decisions_total{action=\"approve\",automation=\"none\"} 1\n").await?);
    until("one waits", async || shows(&open(1)).await).await
}

#[tokio::test]
async fn moderation_is_turned_off_and_on_by_commands() -> Result<()> {
    let server = Server::dev_with(None, &["--moderate", "pre"]).await?;
    let client = server.client()?;
    let say = Say::on(&client, "video");
    let run = async |words: &[&str]| {
        let all: Vec<&str> =
            ["moderate"].into_iter().chain(words.iter().copied()).chain(["--target", server.admin_target()]).collect();
        command::run(all).await
    };
    let [shown, left, held] = [
        say.comment("ann", "one").await?.id,
        say.comment("ann", "two").await?.id,
        say.comment("ann", "three").await?.id,
    ];
    run(&["approve", &shown.to_string()]).await?.ended(0)?;
    run(&["reject", &left.to_string(), "--code", "spam"]).await?.ended(0)?;
    // A lease of another moderator does not stop the operator.
    run(&["claim", "video", "--moderator", "mod-1"]).await?.ended(0)?.says(&["leased by mod-1"])?;
    let off = run(&["off"]).await?.ended(0)?;
    let off = off.says(&["settled: 0 comments or edits", "only their authors see: 1 PENDING, 1 REJECTED"])?;
    ensure!(off.err.contains("members cannot write until"), "{}", off.err);
    ensure!(refused(say.comment("ann", "four").await)?.1 == ErrorReason::Overloaded, "a comment that would wait");
    let id = held.to_string();
    ensure!(
        run(&["reject", &id, "--code", "late", "--moderator", "mod-1"]).await?.ended(1)?.err.contains("OVERLOADED")
    );
    let reserved = ["reject", &id, "--code", "moderation.off", "--moderator", "mod-1"];
    ensure!(run(&reserved).await?.ended(2)?.err.contains("names the decisions of SetModeration"));
    let off = run(&["off", "--reject", "--moderator", "op-1"]).await?.ended(0)?;
    off.says(&["settled: 1 comment or edit", "only their authors see: 0 PENDING, 2 REJECTED"])?;
    run(&["log", &id]).await?.ended(0)?.says(&["op-1 · REJECT: PENDING → REJECTED · moderation.off"])?;
    run(&["on"]).await?.ended(0)?.says(&["moderation is on; corrected: 0 counts", "0 PENDING, 2 REJECTED"])?;
    let again = say.comment("ann", "four").await?;
    ensure!(again.state() == CommentState::Pending, "{again:?}");
    let off = run(&["off", "--approve"]).await?.ended(0)?;
    off.says(&["settled: 1 comment or edit", "only their authors see: 0 PENDING, 2 REJECTED"])?;
    run(&["show", &again.id.to_string()]).await?.ended(0)?.says(&[" · ACTIVE"])?;
    Ok(())
}

#[tokio::test]
async fn edits_that_wait_are_refused_whenever_moderation_is_turned_off() -> Result<()> {
    let server = Server::dev_with(None, &["--moderate", "pre"]).await?;
    let say = Say::on(&server.client()?, "video");
    let run = async |words: &[&str]| {
        let all: Vec<&str> =
            ["moderate"].into_iter().chain(words.iter().copied()).chain(["--target", server.admin_target()]).collect();
        command::run(all).await
    };
    let edit = async |id: i64, text: &str| {
        let (member_id, content) = ("ann".to_owned(), content(text));
        let request = UpdateCommentRequest { id, member_id, content, ..UpdateCommentRequest::default() };
        say.client.comments().update_comment(request).await
    };
    let cases: [(&[&str], _, _); 3] = [
        (&["off"], "settled: 1 comment or edit", "1 PENDING, 0 REJECTED"),
        (&["off", "--approve"], "settled: 3 comments or edits", "0 PENDING, 0 REJECTED"),
        (&["off", "--reject"], "settled: 2 comments or edits", "0 PENDING, 1 REJECTED"),
    ];
    for (words, settled, unseen) in cases {
        let shown = say.comment("ann", "old words").await?.id;
        run(&["approve", &shown.to_string()]).await?.ended(0)?;
        say.comment("ann", "waits").await?;
        edit(shown, "better words").await?;
        run(words).await?.ended(0)?.says(&[settled, unseen])?;
        let seen = run(&["show", &shown.to_string()]).await?.ended(0)?;
        seen.says(&[" · ACTIVE", "   old words\n", "   edit 1 · REJECTED\n"])?;
        let log = run(&["log", &shown.to_string()]).await?.ended(0)?;
        log.says(&["REJECT of the edit: ACTIVE → ACTIVE · moderation.off"])?;
        let queue = run(&["queue", "video"]).await?.ended(0)?;
        ensure!(!queue.out.contains("EDIT"), "{}", queue.out);
        ensure!(refused(edit(shown, "more words").await)?.1 == ErrorReason::Overloaded, "an edit that would wait");
        run(&["on"]).await?.ended(0)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_subject_without_unlisted_comments_costs_their_list_no_statement() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "object_types.film.moderation=pre"]).await?;
    let client = server.client()?;
    let unlisted = async |say: &Say| -> Result<usize> {
        let (subject, member_id) = (Some(say.key.clone()), "ann".to_owned());
        let request = ListUnlistedCommentsRequest { subject, member_id, ..Default::default() };
        Ok(client.comments().list_unlisted_comments(request).await?.into_inner().comments.len())
    };
    let statements = async || -> Result<u64> {
        let name = "db_client_operation_duration_seconds_count{db_operation_name=\"read unlisted comments\"";
        let text = ask(server.metrics_target(), "GET", "/metrics").await?;
        let counts = text.lines().filter(|line| line.starts_with(name)).filter_map(|line| line.split("} ").nth(1));
        counts.map(|count| Ok(count.parse::<u64>()?)).sum()
    };
    let plain = Say::on(&client, "video");
    plain.comment("ann", "one").await?;
    for _ in 0..20 {
        ensure!(unlisted(&plain).await? == 0);
    }
    ensure!(statements().await? == 0, "{} statements", statements().await?);
    let film = Say::on(&client, "film");
    let waits = film.comment("ann", "waits").await?.id;
    ensure!(unlisted(&film).await? == 1 && statements().await? == 1);
    let approve = ["moderate", "approve", &waits.to_string(), "--target", server.admin_target()].map(str::to_owned);
    command::run(approve).await?.ended(0)?;
    ensure!(unlisted(&film).await? == 0 && statements().await? == 2, "the bit is never taken back");
    Ok(())
}
