//! A server with Redis: killed, frozen and emptied, reads go on and say so; what comes back is never old.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_sdk::v1;
use riposte_sdk::v1::{CommentSort, DegradedPart, DegradedReason, LikeValue};
use riposte_tests::{Say, Server, mysql};
use tokio::process::{Child, Command};

/// A Redis of the test's own, which keeps nothing.
struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    /// On a free port; `None`, said loudly, where the machine has no Redis.
    fn start() -> Result<Option<Self>> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        match Self::on(port) {
            Ok(redis) => Ok(Some(redis)),
            Err(error) => {
                eprintln!("SKIPPED: there is no redis-server here: {error}");
                Ok(None)
            }
        }
    }

    fn on(port: u16) -> Result<Self> {
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        let child = command.stdout(Stdio::null()).kill_on_drop(true).spawn()?;
        Ok(Self { child, port })
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        let pid = self.child.id().context("it has ended")?;
        Ok(kill(Pid::from_raw(i32::try_from(pid)?), signal)?)
    }
}

/// A server with these settings, whose pages come from copies and are not kept ready above them.
async fn copying(settings: &[&str]) -> Result<Server> {
    Server::dev_with(None, &[settings, &["--set", "hot.enabled=false"]].concat()).await
}

async fn served(redis: &Redis) -> Result<Server> {
    let url = format!("cache.url=redis://127.0.0.1:{}", redis.port);
    copying(&["--set", "cache.kind=redis", "--set", &url]).await
}

/// The newest roots with their previews.
async fn page(say: &Say) -> Result<v1::ListCommentsResponse> {
    let request = v1::ListCommentsRequest {
        subject: Some(say.key.clone()),
        sort: CommentSort::Newest.into(),
        page_size: 20,
        ..v1::ListCommentsRequest::default()
    };
    Ok(say.client.comments().list_comments(request).await?.into_inner())
}

/// A root with a reply that somebody likes; the reply.
async fn answered(say: &Say) -> Result<i64> {
    let root = say.comment("m", "first").await?;
    let reply = say.reply(root.id, "m", "answer").await?.id;
    say.like(reply, "fan", LikeValue::Like).await?;
    Ok(reply)
}

/// The preview of the oldest root is this reply, with so many likes.
async fn shows(say: &Say, reply: i64, likes: i32) -> Result<()> {
    let page = page(say).await?;
    let shown: Vec<_> =
        page.threads.last().context("a root")?.replies.iter().map(|of| (of.id, of.like_count)).collect();
    ensure!(shown == [(reply, likes)], "{shown:?}");
    Ok(())
}

/// Reads until an answer is degraded, or is not; every answer is whole all the same.
async fn until(say: &Say, degraded: bool, roots: usize) -> Result<()> {
    let answers = async {
        loop {
            let page = page(say).await?;
            ensure!(page.threads.len() == roots, "{} of {roots} roots", page.threads.len());
            let told: Vec<_> = page.degraded.iter().map(|of| (of.part(), of.reason())).collect();
            ensure!(told.is_empty() || told == [(DegradedPart::Cache, DegradedReason::Unavailable)], "{told:?}");
            if told.is_empty() != degraded {
                return Ok(());
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), answers).await.context("it never changes")?
}

/// What the server has counted.
async fn counted(server: &Server, what: &str) -> Result<u64> {
    let text = super::metrics::ask(server.metrics_target(), "GET", "/metrics").await?;
    let line = format!("riposte_cache_total{{what=\"{what}\"}} ");
    let number = text.lines().find_map(|told| told.strip_prefix(&line)).context("not counted")?;
    Ok(number.parse()?)
}

#[tokio::test]
async fn reads_outlive_redis_killed_frozen_and_emptied_and_nothing_old_comes_back() -> Result<()> {
    let Some(redis) = Redis::start()? else { return Ok(()) };
    let server = served(&redis).await?;
    let say = Say::on(&server.client()?, "video");
    let reply = answered(&say).await?;
    until(&say, false, 1).await?;
    // Frozen: what it says when it wakes is of before.
    redis.signal(Signal::SIGSTOP)?;
    until(&say, true, 1).await?;
    say.comment("m", "second").await?;
    until(&say, true, 2).await?;
    redis.signal(Signal::SIGCONT)?;
    until(&say, false, 2).await?;
    // Killed, and begun again with nothing, not even the functions.
    let port = redis.port;
    drop(redis);
    until(&say, true, 2).await?;
    say.comment("m", "third").await?;
    let again = Redis::on(port)?;
    until(&say, false, 3).await?;
    until_hits(&server, &say).await?;
    shows(&say, reply, 1).await?;
    say.like(reply, "another", LikeValue::Like).await?;
    shows(&say, reply, 2).await?;
    drop(again);
    Ok(())
}

/// Reads until copies answer again.
async fn until_hits(server: &Server, say: &Say) -> Result<()> {
    let before = counted(server, "hit").await?;
    let hits = async {
        while counted(server, "hit").await? == before {
            page(say).await?;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(Duration::from_secs(60), hits).await.context("nothing is kept again")?
}

#[tokio::test]
async fn a_cache_is_rebuilt_and_pages_come_from_it_in_the_process() -> Result<()> {
    let server = copying(&["--set", "cache.kind=memory"]).await?;
    let say = Say::on(&server.client()?, "video");
    let reply = answered(&say).await?;
    until_hits(&server, &say).await?;
    shows(&say, reply, 1).await?;
    let key = Some(say.key.clone());
    let scope = v1::SubjectScope { scope: Some(v1::subject_scope::Scope::Key(key.context("a key")?)) };
    let request = v1::RebuildCacheRequest { scope: Some(scope), request_id: String::new() };
    let mut answers = server.admin()?.rebuild_cache(request).await?.into_inner();
    let told = answers.message().await?.context("it tells")?;
    ensure!(told.subjects_rebuilt == 1, "{told:?}");
    ensure!(page(&say).await?.threads.len() == 1);
    ensure!(counted(&server, "drift").await? == 0);
    Ok(())
}

#[tokio::test]
async fn a_fresh_read_is_of_the_rows_when_nobody_tells_the_copies() -> Result<()> {
    let (Some(redis), Some(databases)) = (Redis::start()?, mysql::servers()) else { return Ok(()) };
    let name = mysql::fresh_name();
    // This one has no copies, and leads the relay because it comes first: what it commits, no copy hears of.
    let deaf = Server::serve(&databases, &name).await?;
    let url = format!("cache.url=redis://127.0.0.1:{}", redis.port);
    let more = ["--set", "cache.kind=redis", "--set", &url, "--set", "hot.enabled=false"].map(str::to_owned);
    let copying = Server::serve_with(&[Server::settings(&databases, &name), more.to_vec()].concat()).await?;
    let there = Say::on(&deaf.client()?, "article");
    let here = Say { client: copying.client()?, key: there.key.clone() };
    let root = here.comment("m", "first").await?;
    let reply = here.reply(root.id, "m", "answer").await?;
    page(&here).await?;
    there.comment("m", "second").await?;
    there.like(root.id, "m", LikeValue::Like).await?;
    let gone = v1::DeleteCommentRequest { id: reply.id, member_id: "m".to_owned(), ..Default::default() };
    there.client.comments().delete_comment(gone).await?;
    let (subject, fresh) = (Some(here.key.clone()), true);
    let request = v1::ListCommentsRequest { subject: subject.clone(), fresh, ..Default::default() };
    let list = here.list(request).await?;
    ensure!(list.threads.len() == 2 && list.subject.context("a subject")?.comment_count == 2, "{:?}", list.threads);
    let request = v1::ListRepliesRequest { root_id: root.id, fresh, ..Default::default() };
    let replies = here.client.replies().list_replies(request).await?.into_inner().replies;
    ensure!(replies.is_empty(), "{replies:?}");
    let request = v1::GetCommentRequest { id: reply.id, fresh, ..Default::default() };
    let got = here.client.comments().get_comment(request).await?.into_inner().comment.context("a comment")?;
    ensure!(got.content.is_none(), "{got:?}");
    let request = v1::BatchGetCommentsRequest { ids: vec![root.id], fresh, ..Default::default() };
    let got = here.client.comments().batch_get_comments(request).await?.into_inner().comments;
    ensure!(got[0].like_count == 1 && got[0].reply_count == 0, "{got:?}");
    let request = v1::GetSubjectRequest { key: subject.clone(), fresh, ..Default::default() };
    let got = here.client.subjects().get_subject(request).await?.into_inner().subject.context("a subject")?;
    ensure!(got.root_count == 2, "{got:?}");
    let member_id = "m".to_owned();
    let request = v1::BatchGetLikeStatesRequest { subject, member_id, comment_ids: vec![root.id], fresh };
    let states = here.client.likes().batch_get_like_states(request).await?.into_inner().states;
    ensure!(states[0].value() == LikeValue::Like, "{states:?}");
    Ok(())
}
