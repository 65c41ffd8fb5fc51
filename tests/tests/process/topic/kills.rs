//! Kills of the brokers that lead the topic, and then a minute without any broker, while members
//! write. It takes minutes, so it runs on request: `cargo xtask test --kafka-cluster`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use riposte_sdk::v1::{CommentEvent, EventKind};
use riposte_test_support::kafka::{Kafka, Program};
use riposte_tests::Say;
use tokio::task::spawn_blocking;

use super::reader::TopicReader;
use super::{PARTITIONS, arguments, new_topic, server, until_metric};

/// The time in which no broker runs.
const ABSENCE: Duration = Duration::from_secs(60);
/// The subjects that are written to.
const SUBJECTS: usize = 16;

/// Returns the id of the broker that leads a partition.
fn leader(brokers: &str, topic: &str, partition: i32) -> Result<i32> {
    let client: BaseConsumer = ClientConfig::new().set("bootstrap.servers", brokers).create()?;
    let metadata = client.fetch_metadata(Some(topic), Duration::from_secs(30))?;
    let found = metadata.topics().first().context("no topic")?.partitions();
    let found = found.iter().find(|found| found.id() == partition).context("no partition")?;
    Ok(found.leader())
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_and_the_absence_of_brokers_lose_no_event_and_change_no_order() -> Result<()> {
    let given = std::env::var_os("RIPOSTE_TEST_KAFKA_KILLS").and_then(|kills| kills.into_string().ok());
    let kills: i32 = given.and_then(|kills| kills.parse().ok()).unwrap_or(0);
    if kills == 0 {
        eprintln!("SKIPPED the kills of brokers: run `cargo xtask test --kafka-cluster`");
        return Ok(());
    }
    let Some(program) = Program::find() else { return Ok(()) };
    let mut kafka = spawn_blocking(move || Kafka::start(&program, 3)).await??;
    let (brokers, folder, topic) = (kafka.brokers(), tempfile::tempdir()?, new_topic());
    let server = server(folder.path(), &arguments(&brokers, &topic, 0)).await?;
    let (client, done) = (server.client()?, Arc::new(AtomicBool::new(false)));
    let writers: Vec<_> = (0..SUBJECTS)
        .map(|_| {
            let (say, done) = (Say::on(&client, "article"), Arc::clone(&done));
            tokio::spawn(async move {
                let (mut written, mut slowest) = (Vec::new(), Duration::ZERO);
                while !done.load(Ordering::SeqCst) {
                    let begin = Instant::now();
                    written.push(say.comment("ann", "text").await?.id);
                    slowest = slowest.max(begin.elapsed());
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                anyhow::Ok((say.key.clone(), written, slowest))
            })
        })
        .collect();
    let mut last_records = 0;
    let mut reader = TopicReader::open(&brokers, &topic, PARTITIONS)?;
    for kill in 0..kills {
        let records = reader.until(|records| records.len() > last_records + 50).await?;
        last_records = records.len();
        let (brokers, topic) = (brokers.clone(), topic.clone());
        kafka = spawn_blocking(move || {
            let index = kafka.index_of(leader(&brokers, &topic, kill % PARTITIONS)?);
            kafka.kill(index);
            eprintln!("kill {kill}: broker {}", index + 1);
            kafka.start_again(index).map(|()| kafka)
        })
        .await??;
    }
    (0..3).for_each(|index| kafka.kill(index));
    // The absence is what is tested, and not a wait for something.
    tokio::time::sleep(ABSENCE).await;
    until_metric(&server, "riposte_topic_fault{cause=\"brokers\"} 1").await?;
    let kafka = spawn_blocking(move || kafka.start_all_again().map(|()| kafka)).await??;
    reader.until(|records| records.len() > last_records + 50).await?;
    done.store(true, Ordering::SeqCst);
    let mut expected = HashMap::new();
    let (mut count, mut slowest) = (0, Duration::ZERO);
    for writer in writers {
        let (key, written, longest) = writer.await??;
        count += written.len();
        slowest = slowest.max(longest);
        expected.insert(key.object_id, written);
    }
    // An event for each comment, and one for each subject.
    let records = reader.until(|records| records.len() == count + SUBJECTS).await?;
    until_metric(&server, "riposte_consumer_lag{consumer=\"topic\",source=\"1\"} 0").await?;
    let mut found: HashMap<String, Vec<CommentEvent>> = HashMap::new();
    for event in records.into_iter().filter_map(|record| record.event) {
        let subject = event.subject.clone().context("no subject")?.object_id;
        found.entry(subject).or_default().push(event);
    }
    for (subject, written) in &expected {
        let events = found.get(subject).context("a subject without events")?;
        let published = events.iter().filter(|event| event.kind() == EventKind::CommentPublished);
        ensure!(published.map(|event| event.comment_id).eq(written.iter().copied()), "{subject}: another order");
        ensure!(events.is_sorted_by_key(|event| event.subject_revision), "{subject}: {events:?}");
    }
    eprintln!(
        "{kills} kills and {ABSENCE:?} without a broker: {count} comments, none lost, {} records repeated, the \
         slowest write took {slowest:?}",
        reader.repeated
    );
    drop(kafka);
    Ok(())
}
