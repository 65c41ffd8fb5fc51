//! Worker numbers of several processes on one database: no id is generated twice, even if clocks
//! jump or processes stall.

mod hammer;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use riposte_tests::Server;
use riposte_tests::clock::Clock;
use riposte_tests::mysql;
use riposte_tests::mysql::Databases;

use super::migrate::TABLES;
use hammer::{Hammer, NewComment};

/// Fresh databases for several servers.
struct Ground(Databases);

impl Ground {
    /// Returns migrated databases. Returns `None`, with a message, without database servers.
    async fn new() -> Result<Option<Self>> {
        let Some(servers) = mysql::servers() else { return Ok(None) };
        Ok(Some(Self(Databases::on(&servers, TABLES).await?)))
    }

    async fn serve(&self) -> Result<Server> {
        Server::serve_with(&self.0.arguments).await
    }

    /// Runs a statement about the leases on each database and returns the outputs. `NOW_MS` stands
    /// for the current time.
    async fn leases(&self, statement: &str) -> Result<Vec<String>> {
        let statement = statement.replace("NOW_MS", "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)");
        let mut outputs = Vec::new();
        for url in &self.0.servers {
            outputs.push(mysql::query(url, &self.0.name, &statement).await?.trim().to_owned());
        }
        Ok(outputs)
    }

    /// Blocks the numbers that no process ever had, so that the next process needs one that was
    /// used.
    async fn hide_unused(&self) -> Result<()> {
        let hide = "UPDATE worker_lease SET leased_until = 9000000000000000 WHERE minted_until = 0";
        self.leases(hide).await.map(drop)
    }

    async fn show_unused(&self) -> Result<()> {
        self.leases("UPDATE worker_lease SET leased_until = 0 WHERE minted_until = 0").await.map(drop)
    }
}

/// Returns the worker numbers that generated ids in each partition.
fn workers(ids: &[NewComment]) -> BTreeMap<i64, BTreeSet<i64>> {
    let mut workers: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for id in ids {
        workers.entry(id.partition()).or_default().insert(id.worker());
    }
    workers
}

/// Fails if an id occurs twice.
fn unique(all: &[&[NewComment]]) -> Result<()> {
    let mut seen = BTreeSet::new();
    for id in all.iter().copied().flatten() {
        ensure!(id.id > 0, "{id:?}");
        ensure!(seen.insert(id.id), "{id:?} was minted twice");
    }
    Ok(())
}

/// Fails unless, where two processes used one number in one partition, `before` did so entirely
/// before `after`.
fn succeeded(before: &[NewComment], after: &[NewComment]) -> Result<()> {
    let mut last: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    for id in before {
        let tick = last.entry((id.partition(), id.worker())).or_default();
        *tick = id.tick().max(*tick);
    }
    for id in after {
        let promised = last.get(&(id.partition(), id.worker()));
        ensure!(promised.is_none_or(|tick| *tick < id.tick()), "{id:?} lies within its predecessor's promise");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_started_at_once_share_no_id_and_no_worker() -> Result<()> {
    let Some(ground) = Ground::new().await? else { return Ok(()) };
    let (one, two) = tokio::try_join!(ground.serve(), ground.serve())?;
    let (first, second) = (Hammer::on(&one)?, Hammer::on(&two)?);
    tokio::try_join!(first.until(|ids| ids.len() >= 1500), second.until(|ids| ids.len() >= 1500))?;
    let (first, second) = (first.stop().await?, second.stop().await?);
    unique(&[&first, &second])?;
    let theirs = workers(&second);
    ensure!(theirs.len() > 1, "the subjects lie in one partition");
    for (partition, ours) in workers(&first) {
        let theirs = theirs.get(&partition).context("a partition that only one server wrote in")?;
        ensure!(ours.len() == 1 && theirs.len() == 1, "partition {partition}: {ours:?} and {theirs:?}");
        ensure!(ours != *theirs, "partition {partition}: both mint as worker {ours:?}");
    }
    for id in first.iter().chain(&second) {
        let ahead = id.time() - id.created;
        // Between the two clock readings a process may be delayed.
        ensure!((-1_000..=1_000).contains(&ahead), "{id:?} carries a time that is {ahead} ms ahead of its comment's");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_steps_back_ten_seconds_under_a_running_server_duplicates_no_id() -> Result<()> {
    let (Some(clock), Some(ground)) = (Clock::new()?, Ground::new().await?) else { return Ok(()) };
    let server = Server::serve_in(&ground.0.arguments, &clock.variables()).await?;
    let hammer = Hammer::on(&server)?;
    hammer.until(|ids| ids.len() >= 500).await?;
    clock.set(-10)?;
    let past = NewComment::is_of_the_past;
    hammer.until(|ids| ids.iter().filter(|id| past(id)).count() >= 1000).await.context("after the step")?;
    // The clock is corrected: the time of the ids continues from its last value.
    clock.set(0)?;
    hammer.until(|ids| !ids.iter().rev().take(100).any(past)).await.context("after the return")?;
    unique(&[&hammer.stop().await?])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_ten_seconds_behind_loses_its_number_to_another_and_shares_no_id_with_it() -> Result<()> {
    let (Some(clock), Some(ground)) = (Clock::new()?, Ground::new().await?) else { return Ok(()) };
    clock.set(-10)?;
    let behind = Server::serve_in(&ground.0.arguments, &clock.variables()).await?;
    let late = Hammer::on(&behind)?;
    late.until(|ids| ids.len() >= 200).await?;
    let first = workers(&late.so_far());
    // To a correct clock, the lease of the server that is behind always appears expired.
    ground.hide_unused().await?;
    let right = ground.serve().await?;
    let other = Hammer::on(&right)?;
    other.until(|ids| workers(ids) == first).await.context("no process took the number over")?;
    let mark = late.so_far().len();
    ground.show_unused().await?;
    let moved =
        |ids: &[NewComment]| workers(&ids[mark.min(ids.len())..]).iter().any(|(p, ours)| !ours.is_subset(&first[p]));
    late.until(moved).await.context("the server with the late clock takes no other number")?;
    let (late, other) = (late.stop().await?, other.stop().await?);
    unique(&[&late, &other])?;
    let ours: Vec<_> = late.iter().filter(|id| first[&id.partition()].contains(&id.worker())).copied().collect();
    succeeded(&ours, &other)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_stalled_beyond_its_lease_generates_under_a_new_one_and_duplicates_nothing() -> Result<()> {
    let Some(ground) = Ground::new().await? else { return Ok(()) };
    let (stalled, beside) = tokio::try_join!(ground.serve(), ground.serve())?;
    let (a, b) = (Hammer::on(&stalled)?, Hammer::on(&beside)?);
    tokio::try_join!(a.until(|ids| ids.len() >= 300), b.until(|ids| ids.len() >= 300))?;
    kill(stalled.pid(), Signal::SIGSTOP)?;
    let held = workers(&a.so_far());
    // Of all numbers that were used, one is still leased: that of the process that runs.
    let over = async {
        let count = "SELECT SUM(leased_until > NOW_MS), COUNT(*) FROM worker_lease WHERE minted_until > 0";
        while ground.leases(count).await?.iter().any(|counts| counts != "1\t2") {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(Duration::from_secs(30), over).await.context("the lease does not run out")??;
    ground.hide_unused().await?;
    let next = ground.serve().await?;
    let c = Hammer::on(&next)?;
    c.until(|ids| ids.len() >= 200).await.context("the next one finds no number")?;
    for (partition, taken) in workers(&c.so_far()) {
        ensure!(taken == held[&partition], "partition {partition}: {taken:?} is not the stalled one's");
    }
    ground.show_unused().await?;
    kill(stalled.pid(), Signal::SIGCONT)?;
    let woken = a.so_far().len();
    a.until(|ids| ids.len() >= woken + 300).await.context("it does not mint again")?;
    let (a, b, c) = (a.stop().await?, b.stop().await?, c.stop().await?);
    unique(&[&a, &b, &c])?;
    succeeded(&a.iter().filter(|id| held[&id.partition()].contains(&id.worker())).copied().collect::<Vec<_>>(), &c)?;
    for (partition, now) in workers(&a[a.len() - 100..]) {
        ensure!(now.is_disjoint(&held[&partition]), "partition {partition}: it still mints as worker {now:?}");
    }
    Ok(())
}
