//! `riposte migrate`: safe to run twice, in two processes at once, and after a crash; refused over
//! other shard counts.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_tests::command::{self, Ran};
use riposte_tests::{Say, Server, mysql};

/// Few tables, because the results here do not depend on their number.
pub(super) const TABLES: [&str; 4] = ["--set", "store.subject_tables=2", "--set", "store.index_tables=4"];
/// The reference layout, which earlier versions used by default.
pub(super) const REFERENCE: [&str; 4] = ["--set", "store.subject_tables=50", "--set", "store.index_tables=200"];

/// Returns the settings of a deployment on fresh databases. Returns `None`, with a message, without
/// servers.
pub(super) async fn fresh() -> Result<Option<Vec<String>>> {
    let Some(servers) = mysql::servers() else { return Ok(None) };
    let name = mysql::fresh_name();
    mysql::create(&servers, &name).await?;
    Ok(Some(riposte_tests::settings::on_databases(&servers, &name)))
}

pub(super) async fn migrate(sets: &[String], tables: &[&str], verb: &str) -> Result<Ran> {
    command::finish(command::riposte(sets)?.args(tables).args(["migrate", verb])).await
}

#[tokio::test]
async fn it_may_run_twice_and_the_plan_is_empty_afterwards() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    migrate(&sets, &TABLES, "status").await?.ended(1)?.says(&["data source 1", "data source 2", "lacks"])?;
    doctor(&sets).await?.ended(1)?.says(&["FAIL", "source 2", "migrate up"])?;
    let plan = migrate(&sets, &TABLES, "plan").await?.ended(0)?.says(&["CREATE TABLE", "data source 2"])?;
    let plan = plan.says(&[
        "`comment_content_3` ADD COLUMN `extra`",
        "ALGORITHM=INSTANT; -- instant: the server rewrites no row",
    ])?;
    ensure!(plan.out.contains("comment_index_3") && plan.out.contains("comment_subject_1"), "{}", plan.out);
    // `status` changes nothing.
    migrate(&sets, &TABLES, "status").await?.ended(1)?;
    let first = migrate(&sets, &TABLES, "up").await?.ended(0)?;
    let second = migrate(&sets, &TABLES, "up").await?.ended(0)?.says(&["0 tables made"])?;
    println!("first: {:.1?}, {}; second: {:.1?}", first.took, first.out.trim(), second.took);
    ensure!(!first.out.starts_with("0 tables"), "{}", first.out);
    migrate(&sets, &TABLES, "status").await?.ended(0)?.says(&["data source 2", "ready"])?;
    let plan = migrate(&sets, &TABLES, "plan").await?.ended(0)?;
    ensure!(!plan.out.contains("CREATE"), "{}", plan.out);
    let output = doctor(&sets).await?.ended(0)?.says(&["source 2", "schema: is what this version needs"])?;
    ensure!(!output.out.contains("FAIL") && !output.out.contains("root@"), "{}", output.out);
    Ok(())
}

async fn doctor(sets: &[String]) -> Result<Ran> {
    command::finish(command::riposte(sets)?.args(TABLES).arg("doctor")).await
}

#[tokio::test]
async fn two_people_may_run_it_at_once() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    let runs = (0..2).map(|_| migrate(&sets, &TABLES, "up"));
    for ran in futures::future::try_join_all(runs).await? {
        ran.ended(0)?;
    }
    migrate(&sets, &TABLES, "status").await?.ended(0)?;
    usable(&sets, &TABLES).await
}

#[tokio::test]
async fn killed_at_any_moment_it_is_taken_up_by_the_next_run() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    let mut killed = 0;
    for _ in 0..5 {
        let mut up = command::riposte(&sets)?;
        let mut up = up.args(REFERENCE).args(["migrate", "up"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let delay = Duration::from_millis(rand::random_range(20..600));
        if tokio::time::timeout(delay, up.wait()).await.is_err() {
            up.kill().await?;
            killed += 1;
        }
    }
    let last = migrate(&sets, &REFERENCE, "up").await?.ended(0)?;
    println!("killed {killed} of 5 runs; the last one, {:.1?}: {}", last.took, last.out.trim());
    migrate(&sets, &REFERENCE, "status").await?.ended(0)?;
    usable(&sets, &REFERENCE).await
}

#[tokio::test]
async fn other_shard_counts_are_refused_and_nothing_is_changed() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    migrate(&sets, &TABLES, "up").await?.ended(0)?;
    for other in [["4", "4"], ["2", "8"], ["2", "2"]] {
        let [subject, index] = other.map(|count| format!("={count}"));
        let (subject, index) = (format!("store.subject_tables{subject}"), format!("store.index_tables{index}"));
        let tables = ["--set", &subject, "--set", &index];
        for verb in ["up", "status", "plan"] {
            let output = migrate(&sets, &tables, verb).await?.ended(2)?;
            output.says(&["made for 2/4 tables", &format!("{}/{} tables", other[0], other[1])])?;
        }
    }
    migrate(&sets, &TABLES, "status").await?.ended(0)?;
    // One source instead of two is another shard map as well.
    let (at, sources) =
        sets.iter().enumerate().find(|(_, set)| set.starts_with("store.sources")).context("no sources")?;
    let first = sources.split_once("},").context("two sources")?.0.to_owned() + "}]";
    let fewer: Vec<_> =
        sets.iter().enumerate().map(|(n, set)| if n == at { first.clone() } else { set.clone() }).collect();
    migrate(&fewer, &TABLES, "up").await?.ended(2)?.says(&["source 1 of 2", "source 1 of 1"])?;
    Ok(())
}

#[tokio::test]
async fn a_source_that_cannot_be_reached_is_named_and_no_other_is_changed() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let (_, sources) =
        sets.iter().enumerate().find(|(_, set)| set.starts_with("store.sources")).context("no sources")?;
    let first = sources.split_once("},").context("two sources")?.0.to_owned();
    let half = format!("{first}}},{{url=\"mysql://root:hush-hush@{free}/none\"}}]");
    let broken: Vec<_> = sets.iter().map(|set| if set == sources { half.clone() } else { set.clone() }).collect();
    let output = migrate(&broken, &TABLES, "up").await?.ended(5)?.says(&[
        "data source 2",
        &free.to_string(),
        "no connection (Connection refused",
    ])?;
    ensure!(!output.err.contains("hush-hush") && !output.out.contains("hush-hush"), "{}{}", output.out, output.err);
    migrate(&sets, &TABLES, "status").await?.ended(1)?.says(&["data source 1", "lacks m0001"])?;
    Ok(())
}

/// Checks that a server starts on the databases and accepts comments in every table.
pub(super) async fn usable(sets: &[String], tables: &[&str]) -> Result<()> {
    let all: Vec<_> = sets.iter().cloned().chain(tables.iter().map(|set| (*set).to_owned())).collect();
    let server = Server::serve_with(&all).await?;
    for _ in 0..100 {
        let say = Say::on(&server.client()?, "article");
        let root = say.comment("m", "root").await?;
        ensure!(say.reply(root.id, "m", "reply").await?.floor == 1);
    }
    ensure!(server.stop().await? == Some(0));
    Ok(())
}
