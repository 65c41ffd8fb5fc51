//! A reader of the topic, which follows the rules of the documentation.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use prost::Message as _;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::{Offset, TopicPartitionList};
use riposte_sdk::v1::{CommentEvent, EventGap, EventGapReason, SubjectKey};

/// The longest time until the topic has what a test waits for.
const TIMEOUT: Duration = Duration::from_secs(120);
const GAP: &str = "riposte.v1.gap";

/// A record that a reader keeps.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) partition: i32,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) event: Option<CommentEvent>,
    pub(super) gap: Option<EventGapReason>,
}

/// A reader of all partitions from their begins.
#[derive(Debug)]
pub(super) struct TopicReader {
    consumer: Consumed,
    /// The position of the last event of each partition, timeline and source.
    last: HashMap<(i32, String), (i64, i64)>,
    /// The number of records that were dropped: they repeat earlier ones.
    pub(super) repeated: usize,
    records: Vec<Record>,
}

/// The consumer, which has no debug form.
struct Consumed(StreamConsumer);

impl std::fmt::Debug for Consumed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StreamConsumer")
    }
}

impl TopicReader {
    pub(super) fn open(brokers: &str, topic: &str, partitions: i32) -> Result<Self> {
        let consumer: StreamConsumer = ClientConfig::new()
            .set("bootstrap.servers", brokers)
            .set("group.id", topic)
            .set("enable.auto.commit", "false")
            .set("reconnect.backoff.max.ms", "500")
            .create()?;
        let mut all = TopicPartitionList::new();
        for partition in 0..partitions {
            all.add_partition_offset(topic, partition, Offset::Beginning)?;
        }
        consumer.assign(&all)?;
        Ok(Self { consumer: Consumed(consumer), last: HashMap::new(), repeated: 0, records: Vec::new() })
    }

    /// Reads until the records from the begin on are complete, and returns them.
    pub(super) async fn until(&mut self, is_complete: impl Fn(&[Record]) -> bool) -> Result<Vec<Record>> {
        let read = async {
            while !is_complete(&self.records) {
                match self.consumer.0.recv().await {
                    Ok(message) => {
                        let record = parsed(&message)?;
                        if is_next(&mut self.last, &record)? {
                            self.records.push(record);
                        } else {
                            self.repeated += 1;
                        }
                    }
                    // A broker that is away, or a topic that does not exist yet.
                    Err(error) => eprintln!("the reader goes on after {error}"),
                }
            }
            anyhow::Ok(())
        };
        let read = tokio::time::timeout(TIMEOUT, read).await;
        read.with_context(|| format!("{} records and no more", self.records.len()))??;
        Ok(self.records.clone())
    }
}

fn parsed(message: &BorrowedMessage<'_>) -> Result<Record> {
    let headers = message.headers().context("no headers")?.iter();
    let text = |header: rdkafka::message::Header<'_, &[u8]>| {
        Ok((header.key.to_owned(), String::from_utf8(header.value.context("no value")?.to_vec())?))
    };
    let headers = headers.map(text).collect::<Result<BTreeMap<_, _>>>()?;
    let value = message.payload().context("no value")?;
    let is_gap = headers.get("ce_type").is_some_and(|found| found == GAP);
    let gap = is_gap.then(|| EventGap::decode(value)).transpose()?.map(|gap| gap.reason());
    let event = if is_gap { None } else { Some(CommentEvent::decode(value)?) };
    ensure!(is_gap || event.as_ref().map(|event| &event.id) == headers.get("ce_id"), "{headers:?} {event:?}");
    Ok(Record { partition: message.partition(), headers, event, gap })
}

/// Returns true for a record that the reader keeps: one that is greater than the last one of its
/// partition, timeline and source.
fn is_next(last: &mut HashMap<(i32, String), (i64, i64)>, record: &Record) -> Result<bool> {
    let id = record.headers.get("ce_id").context("no id")?;
    let parts: Vec<&str> = id.split('.').collect();
    let [timeline, source, number, index] = parts.as_slice() else { anyhow::bail!("{id} is no id") };
    // A gap comes before the first event after it.
    let position = (number.parse()?, if *index == "gap" { -1 } else { index.parse()? });
    let last = last.entry((record.partition, format!("{timeline}.{source}"))).or_insert((0, 0));
    let is_next = position > *last;
    *last = position.max(*last);
    Ok(is_next)
}

/// Returns the events of a subject.
pub(super) fn of_subject(records: &[Record], key: &SubjectKey) -> Vec<CommentEvent> {
    let events = records.iter().filter_map(|record| record.event.clone());
    events.filter(|event| event.subject.as_ref() == Some(key)).collect()
}
