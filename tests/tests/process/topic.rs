//! The Kafka topic of events, on real brokers.

mod kills;
mod reader;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    CommentEvent, EventGapReason, EventKind, GetModeratedCommentsRequest, Grounds, ModerationAction,
    SubmitVerdictsRequest, VerdictTarget,
};
use riposte_test_support::kafka::{Kafka, Program, shared};
use riposte_tests::feed::{EventPages, kinds, public};
use riposte_tests::{Say, Server};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::metrics::ask;
use reader::{Record, TopicReader};

/// The partitions of the topics of these tests.
const PARTITIONS: i32 = 8;
/// The longest time until a metric has a value.
const METRIC_TIME: Duration = Duration::from_secs(60);

/// Returns the arguments of a server that sends its events to a topic.
fn arguments(brokers: &str, topic: &str, timeline: u16) -> Vec<String> {
    let brokers: Vec<String> = brokers.split(',').map(|broker| format!("\"{broker}\"")).collect();
    let sets = [
        format!("events.kafka.brokers=[{}]", brokers.join(",")),
        format!("events.kafka.topic=\"{topic}\""),
        format!("events.kafka.partitions={PARTITIONS}"),
        "events.kafka.create_topic=true".to_owned(),
        format!("store.timeline={timeline}"),
    ];
    riposte_tests::settings::sets(sets)
}

/// Starts a server whose topic has a position in every source: later events are sent.
async fn server(folder: &Path, arguments: &[String]) -> Result<Server> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = Server::dev_with(Some(folder), &arguments).await?;
    until_metric(&server, "riposte_consumer_lag{consumer=\"topic\",source=\"1\"} 0").await?;
    Ok(server)
}

/// Waits until the metrics have this line.
async fn until_metric(server: &Server, line: &str) -> Result<()> {
    let appears = async {
        while !ask(server.metrics_target(), "GET", "/metrics").await?.lines().any(|found| found == line) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        anyhow::Ok(())
    };
    match tokio::time::timeout(METRIC_TIME, appears).await {
        Ok(appeared) => appeared,
        Err(_) => anyhow::bail!("no metric {line}"),
    }
}

async fn approve(server: &Server, comment_id: i64) -> Result<()> {
    let request = GetModeratedCommentsRequest { ids: vec![comment_id], ..Default::default() };
    let seen = server.moderation()?.get_moderated_comments(request).await?.into_inner().comments;
    let etag = seen.into_iter().next().context("no comment")?.etag;
    let request = SubmitVerdictsRequest {
        action: ModerationAction::Approve.into(),
        grounds: Some(Grounds { code: "fine".into(), ..Grounds::default() }),
        targets: vec![VerdictTarget { comment_id, etag }],
        moderator_id: "mo".into(),
        request_id: Uuid::now_v7().to_string(),
        ..SubmitVerdictsRequest::default()
    };
    server.moderation()?.submit_verdicts(request).await?;
    Ok(())
}

fn new_topic() -> String {
    format!("riposte.test.{}", Uuid::new_v4())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_topic_has_the_public_events_of_the_feed_and_a_gap_after_a_restore() -> Result<()> {
    let Some(brokers) = shared() else { return Ok(()) };
    let (folder, topic) = (tempfile::tempdir()?, new_topic());
    let first = server(folder.path(), &arguments(&brokers, &topic, 0)).await?;
    let client = first.client()?;
    let mut pages = EventPages::begin(&client, public("article")).await?;
    let (say, held) = (Say::on(&client, "article"), Say::on(&client, "held"));
    let root = say.comment("ann", "root").await?;
    say.reply(root.id, "ben", "reply").await?;
    let (waits, seen) = (held.comment("ann", "waits").await?, held.comment("ann", "is approved").await?);
    approve(&first, seen.id).await?;
    let fed = pages.until(&say.key, 0, |events| events.len() == 3).await?;
    let mut reader = TopicReader::open(&brokers, &topic, PARTITIONS)?;
    let approved = |record: &Record| record.event.as_ref().is_some_and(|event| event.comment_id == seen.id);
    let records = reader
        .until(|records| records.iter().any(approved) && reader::of_subject(records, &say.key).len() == 3)
        .await?;
    ensure!(reader::of_subject(&records, &say.key) == fed, "{:?}", kinds(&fed));
    let events: Vec<&CommentEvent> = records.iter().filter_map(|record| record.event.as_ref()).collect();
    ensure!(events.iter().all(|event| event.comment_id != waits.id), "a comment that waits: {events:?}");
    let of_root = records.iter().find(|record| record.event.as_ref().is_some_and(|event| event.comment_id == root.id));
    let header = |name: &str| of_root.and_then(|record| record.headers.get(name)).map(String::as_str);
    ensure!(header("ce_type") == Some("riposte.v1.comment.published"), "{of_root:?}");
    ensure!(header("ce_id").is_some_and(|id| fed.iter().any(|event| event.id == id)), "{of_root:?}");
    first.stop().await?;

    let restored = server(folder.path(), &arguments(&brokers, &topic, 1)).await?;
    let say = Say::on(&restored.client()?, "article");
    let after = say.comment("ann", "after the restore").await?;
    let has_event = |record: &Record| record.event.as_ref().is_some_and(|event| event.comment_id == after.id);
    let is_gap = |record: &Record| record.gap == Some(EventGapReason::Restored);
    let gaps = |records: &[Record]| records.iter().filter(|record| is_gap(record)).count();
    let every_partition = usize::try_from(PARTITIONS)?;
    let records = reader.until(|records| records.iter().any(has_event) && gaps(records) == every_partition).await?;
    let of_event = records.iter().rposition(has_event);
    let partition = of_event.and_then(|at| records.get(at)).map(|record| record.partition);
    let of_gap = records.iter().position(|record| is_gap(record) && Some(record.partition) == partition);
    ensure!(of_gap < of_event, "a reader has the gap of its partition before the next event: {records:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_away_stops_no_write_and_gets_the_events_of_that_time() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let mut kafka = spawn_blocking(move || Kafka::start(&program, 1)).await??;
    let (brokers, folder, topic) = (kafka.brokers(), tempfile::tempdir()?, new_topic());
    let server = server(folder.path(), &arguments(&brokers, &topic, 0)).await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("ann", "before").await?;
    let mut reader = TopicReader::open(&brokers, &topic, PARTITIONS)?;
    reader.until(|records| records.len() == 2).await?;
    kafka.kill(0);
    for n in 0..50 {
        say.comment("ann", &n.to_string()).await?;
    }
    until_metric(&server, "riposte_topic_fault{cause=\"brokers\"} 1").await?;
    say.comment("ann", "last").await?;
    let kafka = spawn_blocking(move || kafka.start_again(0).map(|()| kafka)).await??;
    let records = reader.until(|records| records.len() == 53).await?;
    let published = kinds(&reader::of_subject(&records, &say.key));
    ensure!(published.iter().skip(1).all(|(kind, _)| *kind == EventKind::CommentPublished), "{published:?}");
    let floors = reader::of_subject(&records, &say.key);
    ensure!(floors.is_sorted_by_key(|event| event.subject_revision), "{published:?}");
    until_metric(&server, "riposte_topic_fault{cause=\"brokers\"} 0").await?;
    until_metric(&server, "riposte_consumer_lag{consumer=\"topic\",source=\"1\"} 0").await?;
    drop(kafka);
    Ok(())
}
