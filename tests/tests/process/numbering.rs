//! The numbering of a confined store (`store.kind = "vitess"`), which is several transactions: a
//! process that is killed or stalled between two of them leaves nothing behind that a reader sees.
//! The server of the test is a MariaDB that is used as Vitess is.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use riposte_sdk::v1::ListMemberCommentsRequest;
use riposte_tests::{Say, Server, command, mysql, settings};
use tokio::process::Child;

use super::write_queues::hold_rows;

/// The subjects, each with one commit per round. They are in different partitions.
const SUBJECTS: usize = 12;
/// The longest wait for a state of the database. A lease ends after 5 s.
const LIMIT: Duration = Duration::from_secs(60);

/// The row of the relay.
const RELAY: &str = "SELECT 'held' FROM relay_state WHERE name = 'relay'";
/// The epoch of the leader.
const EPOCH: &str = "SELECT epoch FROM relay_state WHERE name = 'relay'";
/// The number of commits that have a number above the position.
const ABOVE: &str =
    "SELECT COUNT(*) FROM outbox_commit WHERE pub_seq > (SELECT position FROM relay_state WHERE name = 'relay')";
/// The number of commits without a number.
const WAITING: &str = "SELECT COUNT(*) FROM outbox_commit WHERE pub_seq IS NULL";

/// A database that is used as Vitess is.
struct Keyspace {
    url: String,
    name: String,
    arguments: Vec<String>,
}

impl Keyspace {
    async fn fresh() -> Result<Option<Self>> {
        let Some([url, _]) = mysql::servers() else { return Ok(None) };
        let name = mysql::fresh_name();
        mysql::create(std::slice::from_ref(&url), &name).await?;
        let mut arguments = settings::on_vitess(&format!("{url}/{name}"));
        // The states that the test stops in must outlast the start of a process.
        arguments.extend(settings::sets(["store.lock_wait_timeout=20s", "store.transaction_timeout=1min"]));
        command::finish(command::riposte(&arguments)?.args(["migrate", "up"])).await?.ended(0)?;
        Ok(Some(Self { url, name, arguments }))
    }

    async fn number(&self, query: &str) -> Result<u64> {
        Ok(mysql::query(&self.url, &self.name, query).await?.trim().parse()?)
    }

    async fn hold(&self, select: &str) -> Result<Child> {
        hold_rows(&self.url, &self.name, select).await
    }

    /// Waits until a query returns a number that `is_reached` accepts.
    async fn until(&self, query: &str, is_reached: impl Fn(u64) -> bool) -> Result<()> {
        let reached = async {
            while !is_reached(self.number(query).await?) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok::<(), anyhow::Error>(())
        };
        tokio::time::timeout(LIMIT, reached).await.with_context(|| format!("waiting for: {query}"))?
    }

    /// Stops the numbering of `server` with some commits of a round numbered and at least one not:
    /// returns the holder of the last commit's row.
    async fn stop_half_way(&self, subjects: &[Say], round: usize) -> Result<Child> {
        self.until(WAITING, |waiting| waiting == 0).await?;
        self.until(ABOVE, |above| above == 0).await?;
        // Nothing is numbered while the relay's row is held.
        let relay = self.hold(RELAY).await?;
        for say in subjects {
            say.comment("member", &format!("round {round}")).await?;
        }
        let last = self.number("SELECT MAX(id) FROM outbox_commit").await?;
        let last = self.hold(&format!("SELECT 'held' FROM outbox_commit WHERE id = {last}")).await?;
        release(relay).await?;
        let half_way = format!("SELECT ({WAITING}) = 1 AND ({ABOVE}) > 0");
        self.until(&half_way, |is_half_way| is_half_way == 1).await?;
        Ok(last)
    }

    /// Waits until all commits have final numbers, and checks that these are dense.
    async fn check(&self) -> Result<u64> {
        self.until(WAITING, |waiting| waiting == 0).await?;
        self.until(ABOVE, |above| above == 0).await?;
        let numbers = "SELECT COUNT(*) = COUNT(DISTINCT pub_seq) AND COUNT(*) = MAX(pub_seq) AND MIN(pub_seq) = 1 AND \
                       MAX(pub_seq) = (SELECT position FROM relay_state WHERE name = 'relay') FROM outbox_commit";
        ensure!(self.number(numbers).await? == 1, "the numbers are not dense");
        self.number("SELECT COUNT(*) FROM outbox_commit").await
    }
}

/// Releases the rows that a holder locks.
async fn release(mut holder: Child) -> Result<()> {
    drop(holder.stdin.take());
    ensure!(holder.wait().await?.success(), "a holder failed");
    Ok(())
}

fn subjects(server: &Server) -> Result<Vec<Say>> {
    (0..SUBJECTS).map(|_| Ok(Say::on(&server.client()?, "article"))).collect()
}

/// The same subjects, at another server.
fn at(server: &Server, subjects: &[Say]) -> Result<Vec<Say>> {
    subjects.iter().map(|say| Ok(Say { client: server.client()?, key: say.key.clone() })).collect()
}

/// Waits until the history of the author shows every comment, which its consumer learns of by the
/// numbers.
async fn history_has(server: &Server, comments: usize) -> Result<()> {
    let request = ListMemberCommentsRequest {
        object_type: "article".to_owned(),
        member_id: "member".to_owned(),
        page_size: 100,
        ..ListMemberCommentsRequest::default()
    };
    let complete = async {
        loop {
            let page = server.client()?.comments().list_member_comments(request.clone()).await?.into_inner();
            if page.comments.len() == comments {
                return Ok::<(), anyhow::Error>(());
            }
            ensure!(page.comments.len() < comments, "{} comments", page.comments.len());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LIMIT, complete).await.context("the history lacks comments")?
}

#[tokio::test]
async fn a_leader_that_is_killed_between_two_partitions_leaves_nothing_that_is_seen() -> Result<()> {
    let Some(keyspace) = Keyspace::fresh().await? else { return Ok(()) };
    let server = Server::serve_with(&keyspace.arguments).await?;
    let subjects = subjects(&server)?;
    let last = keyspace.stop_half_way(&subjects, 1).await?;
    server.crash().await?;
    release(last).await?;
    let next = Server::serve_with(&keyspace.arguments).await?;
    for say in at(&next, &subjects)? {
        say.comment("member", "after the crash").await?;
    }
    history_has(&next, 2 * SUBJECTS).await?;
    keyspace.check().await?;
    next.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_leader_that_is_killed_before_the_position_moves_leaves_nothing_that_is_seen() -> Result<()> {
    let Some(keyspace) = Keyspace::fresh().await? else { return Ok(()) };
    let server = Server::serve_with(&keyspace.arguments).await?;
    let subjects = subjects(&server)?;
    let last = keyspace.stop_half_way(&subjects, 1).await?;
    let relay = keyspace.hold(RELAY).await?;
    release(last).await?;
    keyspace.until(WAITING, |waiting| waiting == 0).await?;
    ensure!(keyspace.number(ABOVE).await? > 0, "the position has moved");
    server.crash().await?;
    release(relay).await?;
    let next = Server::serve_with(&keyspace.arguments).await?;
    for say in at(&next, &subjects)? {
        say.comment("member", "after the crash").await?;
    }
    history_has(&next, 2 * SUBJECTS).await?;
    keyspace.check().await?;
    next.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_leader_that_stalls_between_two_partitions_writes_no_number_after_its_successor() -> Result<()> {
    let Some(keyspace) = Keyspace::fresh().await? else { return Ok(()) };
    let stalled = Server::serve_with(&keyspace.arguments).await?;
    let subjects = subjects(&stalled)?;
    let last = keyspace.stop_half_way(&subjects, 1).await?;
    let epoch = keyspace.number(EPOCH).await?;
    kill(stalled.pid(), Signal::SIGSTOP)?;
    let next = Server::serve_with(&keyspace.arguments).await?;
    for say in at(&next, &subjects)? {
        say.comment("member", "while the first leader stalls").await?;
    }
    keyspace.until(EPOCH, |current| current > epoch).await?;
    // The statement of the first leader goes on, and commits a number that its successor assigns
    // too.
    release(last).await?;
    kill(stalled.pid(), Signal::SIGCONT)?;
    history_has(&next, 2 * SUBJECTS).await?;
    for say in at(&next, &subjects)? {
        say.comment("member", "after the stall").await?;
    }
    history_has(&next, 3 * SUBJECTS).await?;
    stalled.stop().await?;
    history_has(&next, 3 * SUBJECTS).await?;
    keyspace.check().await?;
    next.stop().await?;
    Ok(())
}
