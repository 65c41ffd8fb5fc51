//! The numbering of a confined store (`store.kind = "vitess"`), which is several transactions: a
//! process that is killed or stalled between two of them leaves nothing behind that a reader sees.
//! The test runs on the Vitess keyspace that RIPOSTE_TEST_VITESS_ALONE names, or else on a MariaDB
//! that is used as Vitess is.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures::future::try_join_all;
use nix::sys::signal::{Signal, kill};
use riposte_sdk::v1::ListMemberCommentsRequest;
use riposte_tests::{Say, Server, command, mysql, settings};
use tokio::process::Child;
use tokio::sync::{Mutex, MutexGuard};

use super::write_queues::hold_rows;

/// The subjects, each with one commit per round. They are in different partitions.
const SUBJECTS: usize = 12;
/// The most attempts to stop the numbering half way.
const ATTEMPTS: usize = 6;
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

/// Held by the test that uses the keyspace of Vitess.
static ALONE: Mutex<()> = Mutex::const_new(());

/// A keyspace of Vitess, or a database that is used as Vitess is.
struct Keyspace {
    url: String,
    name: String,
    arguments: Vec<String>,
    /// The author of this test's comments: other tests may have written in the keyspace before.
    member: String,
    _alone: Option<MutexGuard<'static, ()>>,
}

impl Keyspace {
    async fn fresh() -> Result<Option<Self>> {
        let member = mysql::fresh_name();
        let (url, name, alone) = if let Some(keyspace) = mysql::vitess_alone() {
            let (url, name) = keyspace.rsplit_once('/').context("no keyspace")?;
            (url.to_owned(), name.to_owned(), Some(ALONE.lock().await))
        } else {
            let Some([url, _]) = mysql::servers() else { return Ok(None) };
            mysql::create(std::slice::from_ref(&url), &member).await?;
            (url, member.clone(), None)
        };
        let mut arguments = settings::on_vitess(&format!("{url}/{name}"));
        // The states that the test stops in must outlast the start of a process.
        arguments.extend(settings::sets(["store.lock_wait_timeout=20s", "store.transaction_timeout=1min"]));
        command::finish(command::riposte(&arguments)?.args(["migrate", "up"])).await?.ended(0)?;
        Ok(Some(Self { url, name, arguments, member, _alone: alone }))
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

    /// Stops the numbering with some commits of a round numbered and one not. Returns the holder of
    /// that commit's row, and the number of attempts that it took: while the relay's row is held, a
    /// slow machine may let the lease of the leader end, and then all waits for the held commit.
    async fn stop_half_way(&self, subjects: &[Say]) -> Result<(Child, usize)> {
        for round in 1..=ATTEMPTS {
            self.until(WAITING, |waiting| waiting == 0).await?;
            self.until(ABOVE, |above| above == 0).await?;
            let epoch = self.number(EPOCH).await?;
            // Nothing is numbered while the relay's row is held.
            let relay = self.hold(RELAY).await?;
            let text = format!("round {round}");
            try_join_all(subjects.iter().map(|say| say.comment(&self.member, &text))).await?;
            let last = self.number("SELECT MAX(id) FROM outbox_commit").await?;
            // Vitess finds the shard of a lock by the partition.
            let part = self.number(&format!("SELECT part FROM outbox_commit WHERE id = {last}")).await?;
            let last =
                self.hold(&format!("SELECT 'held' FROM outbox_commit WHERE part = {part} AND id = {last}")).await?;
            release(relay).await?;
            if self.is_half_way_in(epoch).await? {
                return Ok((last, round));
            }
            release(last).await?;
        }
        bail!("the leader changed in each of {ATTEMPTS} attempts")
    }

    /// Waits until one commit has no number and others have theirs; false if another epoch begins.
    async fn is_half_way_in(&self, epoch: u64) -> Result<bool> {
        let half_way = async {
            while self.number(EPOCH).await? == epoch {
                if self.number(WAITING).await? == 1 && self.number(ABOVE).await? > 0 {
                    return Ok::<bool, anyhow::Error>(true);
                }
            }
            Ok(false)
        };
        tokio::time::timeout(LIMIT, half_way).await.context("the numbering is not half way")?
    }

    /// Waits until all commits have final numbers, and checks that these are dense.
    async fn check(&self) -> Result<()> {
        self.until(WAITING, |waiting| waiting == 0).await?;
        self.until(ABOVE, |above| above == 0).await?;
        let position = self.number("SELECT position FROM relay_state WHERE name = 'relay'").await?;
        for (name, expected) in [
            ("COUNT(*)", position),
            ("COUNT(DISTINCT pub_seq)", position),
            ("MAX(pub_seq)", position),
            ("MIN(pub_seq)", 1),
        ] {
            let found = self.number(&format!("SELECT {name} FROM outbox_commit")).await?;
            ensure!(found == expected, "the numbers are not dense: {name} is {found}, the position {position}");
        }
        Ok(())
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
async fn history_has(server: &Server, member: &str, comments: usize) -> Result<()> {
    let request = ListMemberCommentsRequest {
        object_type: "article".to_owned(),
        member_id: member.to_owned(),
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
    let (last, attempts) = keyspace.stop_half_way(&subjects).await?;
    server.crash().await?;
    release(last).await?;
    let next = Server::serve_with(&keyspace.arguments).await?;
    for say in at(&next, &subjects)? {
        say.comment(&keyspace.member, "after the crash").await?;
    }
    history_has(&next, &keyspace.member, (attempts + 1) * SUBJECTS).await?;
    keyspace.check().await?;
    next.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_leader_that_is_killed_before_the_position_moves_leaves_nothing_that_is_seen() -> Result<()> {
    let Some(keyspace) = Keyspace::fresh().await? else { return Ok(()) };
    let server = Server::serve_with(&keyspace.arguments).await?;
    let subjects = subjects(&server)?;
    let (last, attempts) = keyspace.stop_half_way(&subjects).await?;
    let relay = keyspace.hold(RELAY).await?;
    release(last).await?;
    keyspace.until(WAITING, |waiting| waiting == 0).await?;
    ensure!(keyspace.number(ABOVE).await? > 0, "the position has moved");
    server.crash().await?;
    release(relay).await?;
    let next = Server::serve_with(&keyspace.arguments).await?;
    for say in at(&next, &subjects)? {
        say.comment(&keyspace.member, "after the crash").await?;
    }
    history_has(&next, &keyspace.member, (attempts + 1) * SUBJECTS).await?;
    keyspace.check().await?;
    next.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_leader_that_stalls_between_two_partitions_writes_no_number_after_its_successor() -> Result<()> {
    let Some(keyspace) = Keyspace::fresh().await? else { return Ok(()) };
    let stalled = Server::serve_with(&keyspace.arguments).await?;
    let subjects = subjects(&stalled)?;
    let (last, attempts) = keyspace.stop_half_way(&subjects).await?;
    let epoch = keyspace.number(EPOCH).await?;
    kill(stalled.pid(), Signal::SIGSTOP)?;
    let next = Server::serve_with(&keyspace.arguments).await?;
    for say in at(&next, &subjects)? {
        say.comment(&keyspace.member, "while the first leader stalls").await?;
    }
    keyspace.until(EPOCH, |current| current > epoch).await?;
    // The statement of the first leader goes on, and commits a number that its successor assigns
    // too.
    release(last).await?;
    kill(stalled.pid(), Signal::SIGCONT)?;
    history_has(&next, &keyspace.member, (attempts + 1) * SUBJECTS).await?;
    for say in at(&next, &subjects)? {
        say.comment(&keyspace.member, "after the stall").await?;
    }
    history_has(&next, &keyspace.member, (attempts + 2) * SUBJECTS).await?;
    stalled.stop().await?;
    history_has(&next, &keyspace.member, (attempts + 2) * SUBJECTS).await?;
    keyspace.check().await?;
    next.stop().await?;
    Ok(())
}
