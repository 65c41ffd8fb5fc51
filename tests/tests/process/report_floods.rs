//! A flood of reports leaves connections to the committers and places to other calls.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::report_service_client::ReportServiceClient;
use riposte_sdk::v1::{ErrorReason, ListReportsRequest, ReportCommentRequest, ReportReason};
use riposte_tests::mysql::{self, Databases};
use riposte_tests::{Say, Server, refused};
use tokio::task::JoinSet;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

use super::write_queues::hold_rows;

/// One table of each kind, so that the row of a comment is easy to lock.
const SETS: [&str; 12] = [
    "--set",
    "store.pools.write.connections=8",
    "--set",
    "store.subject_tables=1",
    "--set",
    "store.index_tables=1",
    "--set",
    "store.lock_wait_timeout=30s",
    "--set",
    "store.transaction_timeout=2min",
    "--set",
    "server.max_write_time=50s",
];
/// The number of reports, and of those that run, on a quarter of the eight connections, or wait.
const REPORTS: usize = 200;
const ACCEPTED: usize = 2 + 64;
/// The number of connections: each carries as many concurrent calls as the server permits.
const CONNECTIONS: usize = 4;

async fn report(channel: Channel, comment_id: i64, number: usize) -> Result<(), Status> {
    let mut request = Request::new(ReportCommentRequest {
        comment_id,
        member_id: format!("m{number}"),
        reason: ReportReason::Spam.into(),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..ReportCommentRequest::default()
    });
    request.set_timeout(Duration::from_secs(50));
    ReportServiceClient::new(channel).report_comment(request).await.map(drop)
}

#[tokio::test]
async fn reports_that_wait_for_a_row_stop_no_other_write() -> Result<()> {
    let Some([url, _]) = mysql::servers() else { return Ok(()) };
    let databases = Databases::on(std::slice::from_ref(&url), SETS).await?;
    let server = Server::serve_with(&databases.arguments).await?;
    let say = Say::on(&server.client()?, "article");
    let id = say.comment("ann", "reported").await?.id;
    let select = format!("SELECT 'held', id FROM comment_index WHERE id = {id}");
    let mut holder = hold_rows(&url, &databases.name, &select).await?;
    let endpoint = Endpoint::from_shared(server.target().to_owned())?;
    let mut channels = Vec::new();
    for _ in 0..CONNECTIONS {
        channels.push(endpoint.connect().await?);
    }
    let mut reports = JoinSet::new();
    for number in 0..REPORTS {
        reports.spawn(report(channels[number % CONNECTIONS].clone(), id, number));
    }
    for _ in ACCEPTED..REPORTS {
        let outcome = reports.join_next().await.context("all were answered")??;
        let status = outcome.clone().err().context("stored under a held row")?;
        ensure!(refused(outcome)? == (Code::ResourceExhausted, ErrorReason::Overloaded), "{status:?}");
        ensure!(status.metadata().contains_key("riposte-not-executed"), "{status:?}");
    }
    // All other reports wait for the row now, and other writes go on.
    for number in 0..5 {
        let made = tokio::time::timeout(Duration::from_secs(10), say.comment("ben", "another")).await;
        made.with_context(|| format!("comment {number} waits for reports"))??;
    }
    drop(holder.stdin.take());
    ensure!(holder.wait().await?.success(), "the holder failed");
    for outcome in reports.join_all().await {
        outcome?;
    }
    let request = ListReportsRequest { comment_id: id, page_size: 100, ..ListReportsRequest::default() };
    let stored = server.moderation()?.list_reports(request).await?.into_inner().reports.len();
    ensure!(stored == ACCEPTED, "{stored} reports are stored");
    Ok(())
}
