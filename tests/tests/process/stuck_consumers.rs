//! A consumer that cannot apply an event: the log says why, so that an operator can help.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_tests::mysql::{self, Databases};
use riposte_tests::{Say, Server, binary};
use tokio::sync::mpsc;

/// The longest wait for the alarm. A consumer tries the batch, then its halves, then the event.
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn the_alarm_of_a_consumer_names_the_fault_of_the_database() -> Result<()> {
    let Some([database, _]) = mysql::servers() else { return Ok(()) };
    let tables = riposte_tests::settings::sets(["store.subject_tables=1", "store.index_tables=1"]);
    let databases = Databases::on(&[database], tables).await?;
    let (lines, mut errors) = mpsc::unbounded_channel();
    let observe = move |line: String| drop(lines.send(line));
    let server = Server::serve_observed(&binary::binary()?, &databases.arguments, &[], observe).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "first").await?;
    let query = |statement| mysql::query(&databases.servers[0], &databases.name, statement);
    query("ALTER TABLE member_comment RENAME TO renamed").await?;
    say.comment("m", "second").await?;
    let alarm = async {
        while let Some(line) = errors.recv().await {
            if line.contains("member_history") {
                return Some(line);
            }
        }
        None
    };
    let alarm = tokio::time::timeout(LIMIT, alarm).await?.context("the log ended")?;
    ensure!(alarm.contains("1146"), "the alarm does not say that a table is missing: {alarm}");
    query("ALTER TABLE renamed RENAME TO member_comment").await?;
    Ok(())
}
