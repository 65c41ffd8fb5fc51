//! The delay of the Kafka topic: from the commit until a reader of the topic has the event, at a
//! steady rate of creates.

use super::creates::{self, CreateRate};
use crate::clients::{Clients, TargetArgs};
use crate::closed::MeasureTime;
use crate::prepare;
use crate::report::{MeasuredTime, Report, Samples};
use crate::subscribers::since;
use anyhow::{Context, Result, ensure};
use prost::Message as _;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::message::Message;
use rdkafka::{Offset, TopicPartitionList};
use riposte_sdk::v1::CommentEvent;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// The longest time until the topic exists, and until its first record comes.
const READY_WITHIN: Duration = Duration::from_secs(60);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(200);
/// The time limit for the answer of a broker.
const METADATA_TIME: Duration = Duration::from_secs(10);

/// The topic, and the creates whose events it gets.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The brokers, as in HOST:PORT,HOST:PORT
    #[arg(long)]
    brokers: String,
    /// The topic, which must exist
    #[arg(long)]
    topic: String,
    #[command(flatten)]
    rate: CreateRate,
    #[command(flatten)]
    span: MeasureTime,
}

/// Reads the topic, creates comments, and returns the delays of their events, as
/// [`events`](super::run) does. An operation is a record of the topic.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    let clients = args.target.open()?;
    args.rate.prepare(&clients, &args.target).await?;
    let consumer = reader(&args.brokers, &args.topic).await?;
    until_read(&consumer, &clients, &args.target).await?;
    let window = args.span.begin();
    let reading = tokio::spawn(read(consumer, window));
    let creating = tokio::spawn(args.rate.clone().run(window, &clients, &args.target));
    let meter = args.span.meter(window).await?;
    let mut samples = reading.await??;
    *samples.aside(creates::KIND) = creating.await??;
    samples.report(window, &meter)
}

/// Returns a reader of all partitions from their ends on. Waits until the service has created the
/// topic.
async fn reader(brokers: &str, topic: &str) -> Result<StreamConsumer> {
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", topic)
        .set("enable.auto.commit", "false")
        .create()?;
    let begin = Instant::now();
    let partitions = loop {
        // The call blocks, and nothing else runs yet.
        let metadata = consumer.fetch_metadata(Some(topic), METADATA_TIME)?;
        let partitions = metadata.topics().first().map_or(0, |topic| topic.partitions().len());
        if partitions > 0 {
            break partitions;
        }
        ensure!(begin.elapsed() < READY_WITHIN, "there is no topic {topic}");
        sleep(PAUSE).await;
    };
    let mut all = TopicPartitionList::new();
    for partition in 0..i32::try_from(partitions)? {
        all.add_partition_offset(topic, partition, Offset::End)?;
    }
    consumer.assign(&all)?;
    Ok(consumer)
}

/// Creates comments until the reader has a record: the service may examine the topic only every ten
/// seconds, and the reader then knows its places.
async fn until_read(consumer: &StreamConsumer, clients: &Clients, target: &TargetArgs) -> Result<()> {
    let (begin, key) = (Instant::now(), target.keys(1).pop().context("no subject")?);
    for number in 0.. {
        clients.of(0).comments().create_comment(prepare::comment(&key, number)).await?;
        if let Ok(record) = timeout(PAUSE, consumer.recv()).await {
            record?;
            break;
        }
        ensure!(begin.elapsed() < READY_WITHIN, "no record comes");
    }
    Ok(())
}

/// Reads until the end of the window.
async fn read(consumer: StreamConsumer, window: MeasuredTime) -> Result<Samples> {
    let mut samples = Samples::default();
    while let Ok(record) = timeout_at(window.until, consumer.recv()).await {
        let record = record?;
        if Instant::now() >= window.from {
            let event = CommentEvent::decode(record.payload().context("a record without a value")?)?;
            samples.take(since(event.time.unwrap_or_default()), Ok(()));
        }
    }
    Ok(samples)
}
