//! `riposte serve` on the schemas of other versions.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{CommentSort, ErrorReason};
use riposte_tests::{Say, command, mysql, refused};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr};

use super::migrate::{TABLES, fresh, migrate};

/// A server whose log the test reads line by line.
struct LoggedServer {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
    /// The events that were read and not asked for yet: two tasks of the server log in any order.
    unasked: Vec<serde_json::Value>,
}

impl LoggedServer {
    fn start(sets: &[String], tables: &[&str]) -> Result<Self> {
        let mut serve = command::riposte(sets)?;
        let mut child = serve.args(tables).arg("serve").stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let log = BufReader::new(child.stderr.take().context("no stderr")?).lines();
        Ok(Self { child, log, unasked: Vec::new() })
    }

    /// Returns the next event whose message begins with `words`, once; fails if none comes within
    /// half a minute.
    async fn next(&mut self, words: &str) -> Result<serde_json::Value> {
        let is_it =
            |event: &serde_json::Value| event["message"].as_str().is_some_and(|message| message.starts_with(words));
        if let Some(place) = self.unasked.iter().position(is_it) {
            return Ok(self.unasked.remove(place));
        }
        let found = async {
            loop {
                let line = self.log.next_line().await?.context("the server ended")?;
                let event: serde_json::Value = serde_json::from_str(&line).with_context(|| line.clone())?;
                if is_it(&event) {
                    return anyhow::Ok(event);
                }
                self.unasked.push(event);
            }
        };
        tokio::time::timeout(Duration::from_secs(30), found)
            .await
            .with_context(|| format!("it never says {words:?}"))?
    }

    async fn stop(mut self) -> Result<Option<i32>> {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok()).context("the server has ended")?;
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM)?;
        let ended = tokio::time::timeout(Duration::from_secs(30), self.child.wait()).await;
        Ok(ended??.code())
    }
}

#[tokio::test]
async fn on_databases_without_tables_it_waits_says_what_is_missing_and_serves_after_the_migration() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    let mut server = LoggedServer::start(&sets, &TABLES)?;
    let listening = server.next("listening").await?;
    let address = listening["grpc"].as_str().context("no address")?.to_owned();
    let mut lacking = Vec::new();
    for _ in 0..2 {
        let event = server.next("not serving: the data source lacks migration steps").await?;
        ensure!(event.to_string().contains("m0001"), "{event}");
        lacking.extend(event["source"].as_u64());
    }
    lacking.sort_unstable();
    ensure!(lacking == [1, 2], "{lacking:?}");
    command::run(["healthcheck", "--target", &address]).await?.ended(5)?.says(&["NOT_SERVING"])?;
    // The process is live: ending it would not create the tables.
    command::run(["healthcheck", "--live", "--target", &address]).await?.ended(0)?.says(&["NOT_SERVING"])?;
    let say = Say::on(&riposte_sdk::Client::connect(address.clone())?, "article");
    let outcome = refused(say.page(CommentSort::Newest, 1).await)?;
    ensure!(outcome == (tonic::Code::Unavailable, ErrorReason::ShardUnavailable), "{outcome:?}");

    migrate(&sets, &TABLES, "up").await?.ended(0)?;
    server.next("serving").await?;
    command::run(["healthcheck", "--target", &address]).await?.ended(0)?;
    ensure!(say.comment("m", "at last").await?.floor == 1);
    ensure!(server.stop().await? == Some(0));
    Ok(())
}

#[tokio::test]
async fn on_a_schema_that_lacks_one_step_serve_waits_and_names_the_step_and_the_command() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    migrate(&sets, &TABLES, "up").await?.ended(0)?;
    let (url, name) = first_source(&sets)?;
    let last = mysql::query(&url, &name, "SELECT MAX(step) FROM riposte_schema").await?.trim().to_owned();
    let (url, name) = (&url, &name);
    let step = |statement: String| async move { mysql::query(url, name, &statement).await.map(drop) };
    step("CREATE TABLE taken AS SELECT * FROM riposte_schema ORDER BY step DESC LIMIT 1".to_owned()).await?;
    step(format!("DELETE FROM riposte_schema WHERE step = '{last}'")).await?;
    let mut server = LoggedServer::start(&sets, &TABLES)?;
    let address = server.next("listening").await?["grpc"].as_str().context("no address")?.to_owned();
    let event = server.next("not serving: the data source lacks migration steps; run `riposte migrate up`").await?;
    ensure!(event["source"] == 1 && event["steps"].to_string().contains(&last), "{event}");
    command::run(["healthcheck", "--target", &address]).await?.ended(5)?.says(&["NOT_SERVING"])?;
    // One source that lacks a step also holds back the other one: the server serves all subjects or
    // none.
    let say = Say::on(&riposte_sdk::Client::connect(address.clone())?, "article");
    let outcome = refused(say.page(CommentSort::Newest, 1).await)?;
    ensure!(outcome == (tonic::Code::Unavailable, ErrorReason::ShardUnavailable), "{outcome:?}");
    step("INSERT INTO riposte_schema SELECT * FROM taken".to_owned()).await?;
    server.next("serving").await?;
    ensure!(say.comment("m", "at last").await?.floor == 1);
    ensure!(server.stop().await? == Some(0));
    Ok(())
}

/// Returns the address of the first data source, and the name of its database.
fn first_source(sets: &[String]) -> Result<(String, String)> {
    let sources = sets.iter().find_map(|set| set.strip_prefix("store.sources=[{url=\"")).context("no sources")?;
    let (url, name) = sources.split('"').next().and_then(|url| url.rsplit_once('/')).context("no database")?;
    Ok((url.to_owned(), name.to_owned()))
}

#[tokio::test]
async fn on_tables_of_other_counts_it_never_serves_and_says_both_counts() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    migrate(&sets, &TABLES, "up").await?.ended(0)?;
    let mut server = LoggedServer::start(&sets, &["--set", "store.subject_tables=4", "--set", "store.index_tables=4"])?;
    let listening = server.next("listening").await?;
    let address = listening["grpc"].as_str().context("no address")?.to_owned();
    let event = server.next("not serving: the data source has other shard counts").await?;
    let text = event["error"].as_str().unwrap_or_default();
    ensure!(text.contains("2/4 tables") && text.contains("4/4 tables"), "{event}");
    command::run(["healthcheck", "--target", &address]).await?.ended(5)?.says(&["NOT_SERVING"])?;
    ensure!(server.stop().await? == Some(0));
    Ok(())
}

#[tokio::test]
async fn without_its_databases_it_starts_and_says_which_are_out_of_reach() -> Result<()> {
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let url = format!("mysql://root:hush-hush@{free}");
    let sets = riposte_tests::settings::on_databases(&[url], "none");
    let mut server = LoggedServer::start(&sets, &TABLES)?;
    server.next("listening").await?;
    let event = server.next("not serving: the data source is unreachable").await?;
    ensure!(event["source"] == 1 && !event.to_string().contains("hush-hush"), "{event}");
    ensure!(server.stop().await? == Some(0));
    Ok(())
}
