//! The Kafka topic of a run: its settings, and its records at the end.

use std::time::Duration;

use anyhow::{Context, Result};
use prost::Message as _;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Headers, Message};
use rdkafka::{Offset, TopicPartitionList};
use riposte_sdk::v1::CommentEvent;
use riposte_test_support::kafka::Kafka;

use super::history::{FeedCall, FeedRead, FeedReaderKind};
use super::load::{Environment, seen_event};
use super::positions::until;
use crate::mysql::Databases;

/// The topic.
const TOPIC: &str = "riposte.events.v1";
/// Its partitions: several subjects share each of them.
const PARTITIONS: u8 = 4;
/// Time limit for each response of the broker.
const RESPONSE_WITHIN: Duration = Duration::from_secs(20);
/// The type of the records that report a gap.
const GAP: &str = "riposte.v1.gap";

/// Returns the settings of a server that sends its events to the topic.
pub(super) fn settings(kafka: &Kafka) -> [String; 4] {
    [
        format!("events.kafka.brokers=[\"{}\"]", kafka.brokers()),
        format!("events.kafka.topic=\"{TOPIC}\""),
        format!("events.kafka.partitions={PARTITIONS}"),
        "events.kafka.create_topic=true".to_owned(),
    ]
}

/// Waits until the topic has a position in each source: it has all events from there on.
///
/// # Errors
/// Fails when no leader stores a position, or when a database does not respond.
pub(super) async fn begun(databases: &Databases) -> Result<()> {
    until(databases, POSITIONS, "1").await.context("the topic has no position")
}

/// Waits until the position of the topic is that of the last event, and then reads all records of
/// the topic into the history. What the position has passed must be in the topic then.
///
/// # Errors
/// Fails when the position does not get there, or when a database or the broker does not respond,
/// since no fault is injected any more.
pub(super) async fn read(environment: &Environment, databases: &Databases, brokers: &str) -> Result<()> {
    until(databases, LEFT, "0").await.context("the topic lacks the events of some commits")?;
    for partition in 0..PARTITIONS {
        let (begun, brokers) = (environment.now(), brokers.to_owned());
        let records = tokio::task::spawn_blocking(move || records(&brokers, partition)).await??;
        let gap = records.iter().any(Option::is_none);
        let events = records.into_iter().flatten().map(|event| seen_event(&event)).collect::<Result<_>>()?;
        let (reader, call, ended) = (FeedReaderKind::Topic, FeedCall::Partition, environment.now());
        let reason = "".into();
        environment.recorder.feed(FeedRead { reader, server: partition, begun, ended, call, gap, events, reason })?;
    }
    Ok(())
}

/// The number of positions of the topic.
const POSITIONS: &str = "SELECT COUNT(*) FROM relay_state WHERE name LIKE 'topic@%'";
/// The commits with a number that the position of the topic has not passed.
const LEFT: &str = "SELECT COUNT(*) FROM outbox_commit WHERE pub_seq > \
    COALESCE((SELECT MAX(position) FROM relay_state WHERE name LIKE 'topic@%'), 0)";

/// Returns the records of a partition in their order; `None` for a gap.
fn records(brokers: &str, partition: u8) -> Result<Vec<Option<CommentEvent>>> {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers).set("group.id", "history").set("enable.auto.commit", "false");
    let consumer: BaseConsumer = config.create()?;
    let partition = i32::from(partition);
    let (_, end) = consumer.fetch_watermarks(TOPIC, partition, RESPONSE_WITHIN)?;
    let mut all = TopicPartitionList::new();
    all.add_partition_offset(TOPIC, partition, Offset::Beginning)?;
    consumer.assign(&all)?;
    let (mut records, mut next) = (Vec::new(), 0);
    while next < end {
        let message = consumer.poll(RESPONSE_WITHIN).context("the broker does not send all records")??;
        next = message.offset() + 1;
        let headers = message.headers().context("a record without headers")?;
        let value = message.payload().context("a record without a value")?;
        let is_gap = headers.iter().any(|header| header.key == "ce_type" && header.value == Some(GAP.as_bytes()));
        records.push(if is_gap { None } else { Some(CommentEvent::decode(value)?) });
    }
    Ok(records)
}
