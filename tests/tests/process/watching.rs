//! Watches over several servers, also after one of them has stopped.

use anyhow::{Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{ErrorReason, RevisionGap, WatchSubjectRequest};
use riposte_tests::mysql::Databases;
use riposte_tests::{Say, Server, Watch, mysql};
use tonic::Code;
use tonic::transport::Endpoint;

use super::metrics::ask;

async fn revision(say: &Say) -> Result<i64> {
    Ok(say.page(Default::default(), 1).await?.subject.unwrap_or_default().revision)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_at_one_server_returns_changes_made_at_another_and_resumes_there() -> Result<()> {
    let Some(databases) = mysql::servers() else { return Ok(()) };
    let name = mysql::fresh_name();
    let first = Server::serve(&databases, &name).await?;
    let second = Server::serve_with(&riposte_tests::settings::on_databases(&databases, &name)).await?;
    let here = Say::on(&first.client()?, "article");
    here.comment("m", "the first").await?;
    let there = Say { client: second.client()?, key: here.key.clone() };
    let begin = revision(&here).await?;
    let (mut near, mut far) = (Watch::open(&here, begin).await?, Watch::open(&there, begin).await?);
    for n in 0..20 {
        let say = if n % 2 == 0 { &here } else { &there };
        say.comment("m", &n.to_string()).await?;
    }
    let last = revision(&here).await?;
    ensure!(near.until(begin, last).await? == far.until(begin, last).await?, "the servers return different changes");
    // If the stopped server holds the lease, it hands the lease over. Its watches resume at the
    // other server.
    let stopped = first.stop();
    let (ended, stopped) = tokio::join!(near.end(), stopped);
    let ended = Error::from(ended?);
    ensure!((ended.code(), ended.reason()) == (Code::Unavailable, ErrorReason::ServerStopping), "{ended:?}");
    ensure!(stopped? == Some(0));
    let mut resumed = Watch::open(&there, last).await?;
    there.comment("m", "after the end").await?;
    ensure!(resumed.change().await?.revision == last + 1 && far.change().await?.revision == last + 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_not_read_is_ended_and_resumes_without_a_gap() -> Result<()> {
    let server = Server::dev().await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "the first").await?;
    let begin = revision(&say).await?;
    // A window so small that data that the client does not read is not sent either.
    let narrow = Endpoint::from_shared(server.target().to_owned())?.initial_stream_window_size(64).connect().await?;
    let request = WatchSubjectRequest { subject: Some(say.key.clone()), after_revision: begin };
    let idle = SubjectServiceClient::new(narrow).watch_subject(request).await?.into_inner();
    // One after the other, because concurrent writes share a revision.
    for _ in 0..1_280 {
        say.comment("m", "one more").await?;
    }
    let last = revision(&say).await?;
    ensure!(last == begin + 1_280, "{last}");
    // The client that has read no event is now more than a thousand revisions behind.
    Watch::open(&say, last - 1).await?.until(last - 1, last).await?;
    let ended = Error::from(Watch::of(idle).await?.end().await?);
    ensure!((ended.code(), ended.reason()) == (Code::ResourceExhausted, ErrorReason::WatchTooSlow), "{ended:?}");
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    ensure!(metrics.contains("riposte_watch_streams_dropped_total 1"), "{metrics}");
    Watch::open(&say, last - 1_000).await?.until(last - 1_000, last).await?;
    Ok(())
}

/// Returns the names of the tables of a database.
async fn tables(url: &str, database: &str) -> Result<Vec<String>> {
    let tables = mysql::query(url, database, "SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'").await?;
    let name = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
    Ok(tables.lines().map(name).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn open_watches_receive_a_gap_when_the_data_went_back_to_an_earlier_state() -> Result<()> {
    let Some(servers) = mysql::servers() else { return Ok(()) };
    // Few tables take less time.
    let tables_of_each = ["--set", "store.subject_tables=2", "--set", "store.index_tables=2"];
    let databases = Databases::on(&servers, tables_of_each).await?;
    let processes = [Server::serve_with(&databases.arguments).await?, Server::serve_with(&databases.arguments).await?];
    let here = Say::on(&processes[0].client()?, "article");
    let there = Say { client: processes[1].client()?, key: here.key.clone() };
    for n in 0..3 {
        here.comment("m", &format!("before {n}")).await?;
    }
    let base = revision(&here).await?;
    let (mut near, mut far) = (Watch::open(&here, base).await?, Watch::open(&there, base).await?);
    let name = &databases.name;
    // This is one state of all tables, because nothing is written meanwhile.
    for url in &servers {
        let copy = |table: String| format!("CREATE TABLE {name}_copy.{table} AS SELECT * FROM {name}.{table};");
        let statements: String = tables(url, name).await?.into_iter().map(copy).collect();
        mysql::query(url, "", &format!("CREATE DATABASE {name}_copy; {statements}")).await?;
    }
    for n in 0..5 {
        here.comment("m", &format!("after {n}")).await?;
    }
    let lost = revision(&here).await?;
    for watch in [&mut near, &mut far] {
        watch.until(base, lost).await?;
    }
    for url in &servers {
        let restored = tables(url, name).await?.into_iter().map(|table| {
            format!("DELETE FROM {name}.{table}; INSERT INTO {name}.{table} SELECT * FROM {name}_copy.{table};")
        });
        let restored: String = restored.collect();
        mysql::query(url, name, &format!("BEGIN; {restored} COMMIT; DROP DATABASE {name}_copy")).await?;
    }
    let back = Event::Gap(RevisionGap { first_revision: lost + 1, last_revision: base });
    for watch in [&mut near, &mut far] {
        let event = watch.event().await?;
        ensure!(event == back, "{event:?} instead of {back:?}");
    }
    there.comment("m", "another one").await?;
    for watch in [&mut near, &mut far] {
        ensure!(watch.change().await?.revision == base + 1);
    }
    Ok(())
}
