//! A rolling restart under load: three servers are ended and replaced in turn, and no call fails.
//!
//! By default each server is replaced once. `RIPOSTE_ROLLS=50` sets more restarts.
//! `RIPOSTE_TEST_BIN_BEFORE` names an older binary, which then runs half of the servers, so that
//! two versions run side by side (docs/upgrade.md). `cargo xtask before REV` builds one.

mod calls;
mod deployment;
mod load;
mod moderation;
mod versions;
mod walks;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use riposte_sdk::Client;
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{GetSubjectRequest, ListHotSubjectsRequest};
use riposte_tests::thread_tree::verify;
use riposte_tests::{Names, Server, mysql, until};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use deployment::{Deployment, RedisKind, Version};
use load::{Done, Load, subject};

const SERVERS: usize = 3;
/// The longest delay of a watch after a write.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The number of concurrent callers, all with one client.
const CALLERS: usize = 16;
#[tokio::test(flavor = "multi_thread")]
async fn no_call_fails_while_every_server_is_replaced_in_its_turn() -> Result<()> {
    no_call_fails_while_every_server_is_replaced(RedisKind::One).await
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_fails_while_every_server_is_replaced_in_its_turn_with_a_redis_cluster() -> Result<()> {
    no_call_fails_while_every_server_is_replaced(RedisKind::Cluster).await
}

async fn no_call_fails_while_every_server_is_replaced(kind: RedisKind) -> Result<()> {
    let Some(deployment) = Deployment::fresh(kind).await? else { return Ok(()) };
    let Deployment { databases, name, versions, .. } = &deployment;
    let mut fleet = Fleet::start(versions).await?;
    let client = fleet.names.client()?;
    let load = Load::by(&client, CALLERS);
    until("there is load", || std::future::ready(Ok(load.calls() > 200))).await?;
    let (seen, watch) = follow(&client, revision(&client).await?).await?;
    let (rolls, begun) = (rolls()?, Instant::now());
    for roll in 0..rolls {
        fleet.replace(roll).await.with_context(|| format!("restart {roll}"))?;
        if roll == 0 {
            // From here on the schema is a step ahead of all servers, running and starting ones.
            step_ahead(databases, name).await?;
        }
    }
    let took = begun.elapsed();
    let mut done = load.stop().await?;
    println!("{rolls} restarts in {took:.1?}: {} calls, {} failed", done.calls, done.failures.len());
    ensure!(done.failures.is_empty(), "{:#?}", done.failures);
    done.are_dense()?;
    counted(&client, &done).await?;
    wait_for_events(seen, watch, revision(&client).await?).await?;
    fleet.verify(&done).await?;
    fleet.stop().await
}

/// Returns the number of restarts.
#[expect(clippy::disallowed_methods, reason = "the environment sets the extent of a test run")]
fn rolls() -> Result<usize> {
    std::env::var("RIPOSTE_ROLLS").map_or(Ok(SERVERS), |rolls| rolls.parse().context("RIPOSTE_ROLLS is not a number"))
}

/// Servers over the same databases, and the name that resolves to all of them.
struct Fleet<'a> {
    names: Names,
    servers: Vec<Server>,
    /// The versions of new servers, in turn.
    versions: &'a [Version],
}

impl<'a> Fleet<'a> {
    async fn start(versions: &'a [Version]) -> Result<Self> {
        let mut servers = Vec::new();
        for number in 0..SERVERS {
            servers.push(versions[number % versions.len()].start().await?);
        }
        let names = Names::default();
        names.stand_for(&servers)?;
        Ok(Self { names, servers, versions })
    }

    /// Ends a server as an operator does, and starts another in its place, at another address: the
    /// name resolves to the ended server until the new one serves. Returns when the new one
    /// receives calls.
    async fn replace(&mut self, roll: usize) -> Result<()> {
        let old = self.servers.remove(0);
        ensure!(old.stop().await? == Some(0));
        // Each version replaces the other as often as itself.
        self.servers.push(self.versions[roll / 2 % self.versions.len()].start().await?);
        self.names.stand_for(&self.servers)?;
        let new = self.servers.last().context("no server")?;
        let admin = new.admin()?;
        until("the new server is asked", || {
            let mut admin = admin.clone();
            async move {
                let busiest = admin.list_hot_subjects(ListHotSubjectsRequest::default()).await?;
                Ok(!busiest.into_inner().subjects.is_empty())
            }
        })
        .await
    }

    /// Compares all counts with the rows; fails where one has drifted.
    async fn verify(&self, done: &Done) -> Result<()> {
        let server = self.servers.first().context("no server")?;
        let written = done.floors.iter().filter(|floors| !floors.is_empty()).count();
        ensure!(verify(server, &subject(0).object_type).await? == written);
        Ok(())
    }

    async fn stop(self) -> Result<()> {
        for server in self.servers {
            ensure!(server.stop().await? == Some(0));
        }
        Ok(())
    }
}

/// Leaves the databases as a migration of the next version would, which adds elements that this
/// version does not know.
async fn step_ahead(databases: &[String], name: &str) -> Result<()> {
    let columns = "subject_tables, index_tables, source, sources, first_table, last_table, applied_at";
    let step = format!(
        "INSERT INTO riposte_schema (step, {columns}) SELECT 'm9999_later', {columns} FROM riposte_schema LIMIT 1"
    );
    for database in databases {
        mysql::query(database, name, &step).await?;
    }
    Ok(())
}

/// The revision of the subject that is watched, by its row.
async fn revision(client: &Client) -> Result<i64> {
    let request = GetSubjectRequest { key: Some(subject(0)), fresh: true, ..GetSubjectRequest::default() };
    let found = client.subjects().get_subject(request).await?.into_inner().subject;
    Ok(found.context("no subject")?.revision)
}

/// Checks that the rows contain exactly the comments of the responses.
async fn counted(client: &Client, done: &Done) -> Result<()> {
    for (number, floors) in done.floors.iter().enumerate() {
        let request = GetSubjectRequest { key: Some(subject(number)), fresh: true, ..GetSubjectRequest::default() };
        let found = client.subjects().get_subject(request).await?.into_inner().subject.context("no subject")?;
        ensure!(found.root_count == i32::try_from(floors.len())?, "{} answered of {found:?}", floors.len());
    }
    Ok(())
}

/// Watches a subject over all restarts, and sends the last revision up to which there is no gap.
async fn follow(client: &Client, begin: i64) -> Result<(watch::Receiver<i64>, JoinHandle<Result<()>>)> {
    let (report, seen) = watch::channel(begin);
    let key = subject(0);
    let mut watch = client.subject(key.object_type, key.object_id).watch(begin).await?;
    let follow = async move {
        loop {
            match watch.next().await?.event.context("no event")? {
                Event::Opened(_) => {}
                Event::Gap(gap) => bail!("a gap: {gap:?}"),
                Event::Change(change) => {
                    let last = *report.borrow();
                    ensure!(change.revision == last + 1, "{} after {last}", change.revision);
                    report.send_replace(change.revision);
                }
            }
        }
    };
    Ok((seen, tokio::spawn(follow)))
}

/// Waits until a watch has reported a revision; fails with the error that ended the watch.
async fn wait_for_events(mut seen: watch::Receiver<i64>, watch: JoinHandle<Result<()>>, last: i64) -> Result<()> {
    let all = tokio::time::timeout(TIMEOUT, seen.wait_for(|revision| *revision >= last)).await;
    let all = all.with_context(|| format!("revision {last} never arrives"))?.map(|_| ());
    watch.abort();
    match (all, watch.await) {
        (Err(_gone), Ok(ended)) => ended,
        (all, _) => Ok(all?),
    }
}
