//! The topic on the mock cluster of the client library. The tests of `tests/tests/process` use a
//! real Kafka.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use rdkafka::{Offset, TopicPartitionList};
use riposte_core::feed::{DerivedEvent, EventKind, EventPosition, EventScope, FeedEvent, GapReason};
use riposte_core::ports::{Clock, EventTopic, TopicGap};
use riposte_core::{Millis, SubjectId, SubjectKey};
use riposte_telemetry::Metrics;

use super::partition::partition;
use super::topic::{KafkaTopic, TopicOptions};
use crate::KafkaSettings;

const TOPIC: &str = "events";
const PARTITIONS: u16 = 4;
/// The time in which a reader has everything.
const READ_TIME: Duration = Duration::from_secs(30);

type Cluster = MockCluster<'static, DefaultProducerContext>;

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Millis {
        Millis(1_767_225_600_000)
    }
}

fn cluster(partitions: u16) -> Cluster {
    let cluster = MockCluster::new(3).expect("a mock cluster");
    cluster.create_topic(TOPIC, i32::from(partitions), 3).expect("a topic");
    cluster
}

fn settings(brokers: &str) -> KafkaSettings {
    KafkaSettings {
        brokers: brokers.split(',').map(str::to_owned).collect(),
        topic: TOPIC.to_owned(),
        partitions: PARTITIONS,
        create_topic: false,
        ca_file: None,
        cert_file: None,
        key_file: None,
        sasl_mechanism: None,
        sasl_user: String::new(),
        sasl_password_file: None,
    }
}

fn topic(settings: KafkaSettings) -> (KafkaTopic, Metrics) {
    let metrics = Metrics::new().expect("sound");
    let options = TopicOptions {
        settings,
        deployment: "eu".to_owned(),
        timeline: 3,
        event: |event, timeline| event.id(timeline).into_bytes(),
        gap: |reason| format!("{reason:?}").into_bytes(),
        clock: Arc::new(FixedClock),
        metrics: metrics.clone(),
    };
    let mut topic = KafkaTopic::new(options);
    // Every call examines the topic.
    topic.times = (Duration::ZERO, Duration::from_secs(20));
    (topic, metrics)
}

fn event(number: i64, object_id: u32) -> Arc<FeedEvent> {
    let event = DerivedEvent {
        kind: EventKind::CommentPublished,
        scope: EventScope::Public,
        subject: SubjectId::new(7).expect("positive"),
        revision: number,
        comment: None,
        root: None,
        notices: Vec::new(),
        moderation: None,
        follows_row: false,
        time: Millis(1_767_225_600_000 + number),
    };
    let key = SubjectKey::stored("video".to_owned(), object_id.to_string());
    let position = EventPosition { number, index: 2 };
    Arc::new(FeedEvent { source: 1, position, event, key, parent: None, member: None })
}

/// A record as a reader has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Read {
    partition: i32,
    key: Option<String>,
    headers: BTreeMap<String, String>,
    value: String,
}

impl Read {
    fn of(message: &BorrowedMessage<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("a text");
        let headers = message.headers().expect("headers").iter();
        Self {
            partition: message.partition(),
            key: message.key().map(text),
            headers: headers.map(|header| (header.key.to_owned(), text(header.value.expect("a value")))).collect(),
            value: text(message.payload().expect("a value")),
        }
    }
}

/// Reads the topic from its begin until it has `count` records.
fn read(cluster: &Cluster, count: usize) -> Vec<Read> {
    let consumer: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", cluster.bootstrap_servers())
        .set("group.id", "reader")
        .create()
        .expect("a reader");
    let mut all = TopicPartitionList::new();
    for partition in 0..i32::from(PARTITIONS) {
        all.add_partition_offset(TOPIC, partition, Offset::Beginning).expect("an offset");
    }
    consumer.assign(&all).expect("an assignment");
    let mut records = Vec::new();
    while records.len() < count {
        let message = consumer.poll(READ_TIME).expect("a record in time");
        records.push(Read::of(&message.expect("a record")));
    }
    records
}

fn has(metrics: &Metrics, cause: &str, value: u8) -> bool {
    let line = format!("riposte_topic_fault{{cause=\"{cause}\"}} {value}");
    metrics.text().expect("sound").lines().any(|found| found == line)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_a_cloud_event_in_the_partition_of_its_subject_and_in_order() {
    let cluster = cluster(PARTITIONS);
    let (topic, metrics) = topic(settings(&cluster.bootstrap_servers()));
    let events: Vec<_> = (1..=200).map(|number| event(number, (number % 7).unsigned_abs() as u32)).collect();
    topic.send(1, &events[..150]).await.expect("stored");
    topic.send(1, &events[150..]).await.expect("stored");
    let records = read(&cluster, 200);
    let first = records.iter().find(|record| record.value == "3.2.1.2").expect("the first event");
    let headers = [
        ("ce_id", "3.2.1.2"),
        ("ce_sequence", "00000000000000000001"),
        ("ce_source", "/riposte/eu"),
        ("ce_specversion", "1.0"),
        ("ce_subject", "video/1"),
        ("ce_time", "2026-01-01T00:00:00.001Z"),
        ("ce_type", "riposte.v1.comment.published"),
        ("content-type", "application/protobuf"),
    ];
    let expected: BTreeMap<_, _> = headers.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    assert_eq!(first.headers, expected);
    for object_id in 0..7 {
        let key = format!("video/{object_id}");
        let of_subject: Vec<_> = records.iter().filter(|record| record.key.as_ref() == Some(&key)).collect();
        assert!(of_subject.iter().all(|record| record.partition == partition(key.as_bytes(), PARTITIONS)), "{key}");
        assert!(of_subject.is_sorted_by_key(|record| record.headers["ce_sequence"].clone()), "{key}");
    }
    assert!(has(&metrics, "brokers", 0), "{}", metrics.text().expect("sound"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gap_is_in_every_partition_before_the_next_events() {
    let cluster = cluster(PARTITIONS + 2);
    let (topic, _metrics) = topic(settings(&cluster.bootstrap_servers()));
    topic.send_gap(0, TopicGap { reason: GapReason::Restored, next: 9 }).await.expect("stored");
    topic.send(0, &[event(9, 1)]).await.expect("stored");
    let records = read(&cluster, 5);
    let gaps: Vec<_> = records.iter().filter(|record| record.headers["ce_type"] == "riposte.v1.gap").collect();
    let mut partitions: Vec<_> = gaps.iter().map(|gap| gap.partition).collect();
    partitions.sort_unstable();
    assert_eq!(partitions, [0, 1, 2, 3], "a topic with more partitions uses the first ones");
    for gap in gaps {
        assert_eq!((gap.headers["ce_id"].as_str(), gap.value.as_str(), &gap.key), ("3.1.9.gap", "Restored", &None));
        assert!(!gap.headers.contains_key("ce_subject"), "{gap:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_leaves_a_prefix_which_the_next_attempt_repeats() {
    let cluster = cluster(PARTITIONS);
    let (topic, _metrics) = topic(settings(&cluster.bootstrap_servers()));
    let events: Vec<_> = (1..=100).map(|number| event(number, 1)).collect();
    topic.send(0, &events[..20]).await.expect("stored");
    let denied = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED];
    cluster.request_errors(RDKafkaApiKey::Produce, &denied);
    topic.send(0, &events[20..60]).await.expect_err("the brokers refuse a request");
    topic.send(0, &events[20..]).await.expect("stored");
    // A reader that drops what is not greater than the last one has every event.
    let records = read(&cluster, 100);
    let mut last = String::new();
    let mut unrepeated = records.iter().filter(|record| {
        let is_next = record.headers["ce_sequence"] > last;
        if is_next {
            last.clone_from(&record.headers["ce_sequence"]);
        }
        is_next
    });
    assert!(
        events.iter().all(|event| unrepeated.next().is_some_and(|found| found.value == event.id(3))),
        "{records:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_without_brokers_topic_or_partitions_and_the_metric_names_the_cause() {
    let cluster = cluster(PARTITIONS - 1);
    let (few, metrics) = topic(settings(&cluster.bootstrap_servers()));
    few.send(0, &[event(1, 1)]).await.expect_err("too few partitions");
    assert!(has(&metrics, "partitions", 1) && has(&metrics, "topic", 0));
    few.stop(0).await;
    assert!(has(&metrics, "partitions", 0), "another process may lead now");

    let other = KafkaSettings { topic: "other".to_owned(), ..settings(&cluster.bootstrap_servers()) };
    let (missing, metrics) = topic(other);
    missing.check().await;
    assert!(has(&metrics, "topic", 1), "{}", metrics.text().expect("sound"));
    cluster.create_topic("other", i32::from(PARTITIONS), 1).expect("a topic");
    missing.send(0, &[event(1, 1)]).await.expect("it exists now");
    assert!(has(&metrics, "topic", 0));

    (1..=3).for_each(|broker| cluster.broker_down(broker).expect("a broker"));
    missing.send(0, &[event(2, 1)]).await.expect_err("no broker");
    assert!(has(&metrics, "brokers", 1));
    (1..=3).for_each(|broker| cluster.broker_up(broker).expect("a broker"));
    missing.send(0, &[event(2, 1)]).await.expect("the brokers are there again");
    assert!(has(&metrics, "brokers", 0));
}
