//! The topic over Kafka.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::try_join_all;
use rdkafka::error::KafkaError;
use rdkafka::producer::{FutureProducer, FutureRecord};
use riposte_core::feed::{FeedEvent, GapReason};
use riposte_core::ports::{Clock, EventTopic, TopicGap};
use riposte_core::{Error, Result};
use riposte_telemetry::Metrics;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

use super::check::{self, TopicFault};
use super::connection::{LogContext, connection, producer};
use super::record::Record;
use crate::KafkaSettings;

/// The interval of the checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// The time limit for the acknowledgements of records that were sent together.
const DELIVERY_TIME: Duration = Duration::from_secs(30);
/// The number of records that are sent together: much less than the library queues.
const CHUNK: usize = 5_000;

/// The parts of the topic.
#[derive(Clone)]
pub struct TopicOptions {
    /// The settings.
    pub settings: KafkaSettings,
    /// The name of the deployment, which the source of every event contains.
    pub deployment: String,
    /// The timeline of the data.
    pub timeline: u16,
    /// Returns the message of an event of a timeline.
    pub event: fn(&FeedEvent, u16) -> Vec<u8>,
    /// Returns the message of a gap.
    pub gap: fn(GapReason) -> Vec<u8>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The metrics.
    pub metrics: Metrics,
}

/// The topic. Each data source has a producer of its own, so that a failure of one ends no other.
pub struct KafkaTopic {
    options: TopicOptions,
    settings: Arc<KafkaSettings>,
    producers: std::sync::Mutex<HashMap<usize, Producer>>,
    last_check: Mutex<Option<Check>>,
    /// The interval of the checks, and the time limit of a delivery.
    pub(super) times: (Duration, Duration),
}

type Producer = FutureProducer<LogContext>;

/// A result whose error is for the log.
type Outcome<T> = std::result::Result<T, String>;

/// The last check of the topic.
#[derive(Debug)]
struct Check {
    /// `None` if events were not stored since.
    time: Option<Instant>,
    fault: Option<TopicFault>,
}

impl KafkaTopic {
    /// Creates the topic. It connects when events are sent.
    #[must_use]
    pub fn new(options: TopicOptions) -> Self {
        check::record(&options.metrics, None);
        let settings = Arc::new(options.settings.clone());
        let times = (CHECK_INTERVAL, DELIVERY_TIME);
        Self { options, settings, producers: Default::default(), last_check: Mutex::default(), times }
    }

    /// Examines the topic, unless that was done just now. Returns the fault.
    async fn fault(&self) -> Option<TopicFault> {
        let mut last = self.last_check.lock().await;
        let is_recent = |time: Instant| time.elapsed() < self.times.0;
        if let Some(check) = last.as_ref().filter(|check| check.time.is_some_and(is_recent)) {
            return check.fault.clone();
        }
        let fault = check::examine(Arc::clone(&self.settings)).await.err();
        let topic = &self.settings.topic;
        match (&fault, last.as_ref().and_then(|check| check.fault.as_ref())) {
            (Some(fault), before) if before != Some(fault) => {
                tracing::error!(topic, cause = %fault, "no event can be sent to the Kafka topic; they wait, and writes go on");
            }
            (None, Some(_)) => tracing::info!(topic, "events are sent to the Kafka topic again"),
            (Some(_), _) | (None, None) => {}
        }
        check::record(&self.options.metrics, fault.as_ref());
        *last = Some(Check { time: Some(Instant::now()), fault: fault.clone() });
        fault
    }

    /// Sends records in their order and waits until all are stored. After a failure the producer is
    /// discarded with what it has not sent, so that nothing follows the record that failed.
    async fn deliver(&self, source: usize, records: Vec<Record>) -> Result<()> {
        if self.fault().await.is_some() {
            return Err(Error::ShardUnavailable);
        }
        let delivered = match self.producer(source).await {
            Ok(producer) => self.deliver_by(&producer, &records).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &delivered {
            tracing::warn!(
                source = source + 1,
                error,
                "events were not stored by the Kafka topic; they are sent again"
            );
            // The cause may be one that a check finds.
            self.last_check.lock().await.iter_mut().for_each(|check| check.time = None);
            self.discard(source).await;
        }
        delivered.map_err(|_| Error::ShardUnavailable)
    }

    async fn deliver_by(&self, producer: &Producer, records: &[Record]) -> Outcome<()> {
        for chunk in records.chunks(CHUNK) {
            let mut deliveries = Vec::with_capacity(chunk.len());
            for Record { partition, key, headers, value } in chunk {
                let record = FutureRecord::to(&self.settings.topic).partition(*partition).payload(&**value);
                let record = record.headers(headers.clone());
                let record = if key.is_empty() { record } else { record.key(key) };
                deliveries.push(producer.send_result(record).map_err(|(error, _)| error.to_string())?);
            }
            let stored = deliveries.into_iter().map(|delivery| async move {
                match delivery.await {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err((error, _))) => Err(error),
                    Err(_) => Err(KafkaError::Canceled),
                }
            });
            let stored = timeout(self.times.1, try_join_all(stored)).await;
            stored.map_err(|_| "no acknowledgement came in time".to_owned())?.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Returns the producer of a source, which is made for its first records.
    async fn producer(&self, source: usize) -> Outcome<Producer> {
        if let Some(producer) = self.producers().get(&source).cloned() {
            return Ok(producer);
        }
        let settings = Arc::clone(&self.settings);
        let made = spawn_blocking(move || {
            let made = producer(connection(&settings)?).create_with_context(LogContext);
            made.map_err(|error| error.to_string())
        });
        let made: Producer = made.await.map_err(|error| error.to_string())??;
        self.producers().insert(source, made.clone());
        Ok(made)
    }

    /// Ends the producer of a source. It discards what it has not sent, and waits for its threads.
    async fn discard(&self, source: usize) {
        let discarded = self.producers().remove(&source);
        let _ = spawn_blocking(move || drop(discarded)).await;
    }

    fn producers(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Producer>> {
        self.producers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl EventTopic for KafkaTopic {
    async fn send(&self, source: usize, events: &[Arc<FeedEvent>]) -> Result<()> {
        let records = events.iter().map(|event| self.options.record(event)).collect();
        self.deliver(source, records).await
    }

    async fn send_gap(&self, source: usize, gap: TopicGap) -> Result<()> {
        let records = self.options.gap_records(source, gap, self.options.clock.now());
        self.deliver(source, records).await
    }

    async fn check(&self) {
        self.fault().await;
    }

    async fn stop(&self, source: usize) {
        self.discard(source).await;
        // Another process may lead from now on, and reports the faults. If this one leads other
        // sources, the next check follows within a second.
        check::record(&self.options.metrics, None);
        *self.last_check.lock().await = None;
    }
}

impl fmt::Debug for KafkaTopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KafkaTopic").field("options", &self.options).finish_non_exhaustive()
    }
}

impl fmt::Debug for TopicOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TopicOptions").field("settings", &self.settings).finish_non_exhaustive()
    }
}
