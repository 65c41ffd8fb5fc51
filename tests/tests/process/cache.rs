//! A server with Redis: killed, frozen and emptied, reads go on and say so; what comes back is never old.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_sdk::v1;
use riposte_sdk::v1::{CommentSort, DegradedPart, DegradedReason, LikeValue};
use riposte_tests::{Say, Server};
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
