//! The check whether events can be sent: it needs a broker, the topic and enough partitions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::types::RDKafkaErrorCode;
use riposte_telemetry::Metrics;
use tokio::task::spawn_blocking;

use super::connection::{LogContext, connection};
use crate::KafkaSettings;

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The number of replicas that brokers choose themselves.
const DEFAULT_REPLICATION: i32 = -1;

/// The reason for which no event can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TopicFault {
    /// No broker can be used: this is the error of the client.
    Brokers(String),
    /// The topic does not exist.
    NoTopic,
    /// The number of partitions of the topic, which is less than the one that is set.
    Partitions(usize),
    /// The user has no right to the topic.
    Denied,
}

impl TopicFault {
    /// The values of the metric.
    pub(super) const CAUSES: [&'static str; 4] = ["brokers", "topic", "partitions", "denied"];

    fn cause(&self) -> &'static str {
        match self {
            Self::Brokers(_) => "brokers",
            Self::NoTopic => "topic",
            Self::Partitions(_) => "partitions",
            Self::Denied => "denied",
        }
    }
}

impl fmt::Display for TopicFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Brokers(error) => write!(f, "no broker of events.kafka.brokers can be used: {error}"),
            Self::NoTopic => f.write_str("the topic does not exist: create it, or set events.kafka.create_topic"),
            Self::Partitions(count) => {
                write!(f, "the topic has {count} partitions, fewer than events.kafka.partitions: add partitions")
            }
            Self::Denied => f.write_str("the user may not use the topic: grant it the rights Describe and Write"),
        }
    }
}

/// Records the result of a check.
pub(super) fn record(metrics: &Metrics, fault: Option<&TopicFault>) {
    let present = fault.map(TopicFault::cause);
    TopicFault::CAUSES.into_iter().for_each(|cause| metrics.topic_fault(cause, present == Some(cause)));
}

/// Examines the topic, and creates it if it is missing and that is set. A client is made for each
/// check: it reads the files of the connection, and leaves no thread behind.
pub(super) async fn examine(settings: Arc<KafkaSettings>) -> Result<(), TopicFault> {
    let (found, client) = {
        let settings = Arc::clone(&settings);
        let examined = spawn_blocking(move || {
            let client: AdminClient<LogContext> = connection(&settings)
                .map_err(TopicFault::Brokers)?
                .create_with_context(LogContext)
                .map_err(|error| TopicFault::Brokers(error.to_string()))?;
            Ok((partitions(&client, &settings.topic), client))
        });
        examined.await.unwrap_or_else(|error| Err(TopicFault::Brokers(error.to_string())))?
    };
    let found = match found {
        Err(TopicFault::NoTopic) if settings.create_topic => create(&client, &settings).await,
        Ok(count) if count < usize::from(settings.partitions) => Err(TopicFault::Partitions(count)),
        Ok(_) => Ok(()),
        Err(fault) => Err(fault),
    };
    // The end of a client waits for its threads.
    let _ = spawn_blocking(move || drop(client)).await;
    found
}

/// Returns the number of partitions of the topic.
fn partitions(client: &AdminClient<LogContext>, topic: &str) -> Result<usize, TopicFault> {
    let metadata = client.inner().fetch_metadata(Some(topic), TIMEOUT);
    let metadata = metadata.map_err(|error| TopicFault::Brokers(error.to_string()))?;
    let found = metadata.topics().iter().find(|found| found.name() == topic).ok_or(TopicFault::NoTopic)?;
    match found.error().map(RDKafkaErrorCode::from) {
        None => Ok(found.partitions().len()),
        Some(RDKafkaErrorCode::UnknownTopicOrPartition) => Err(TopicFault::NoTopic),
        Some(RDKafkaErrorCode::TopicAuthorizationFailed) => Err(TopicFault::Denied),
        Some(error) => Err(TopicFault::Brokers(error.to_string())),
    }
}

/// Creates the topic. The next check finds it: until then brokers may not know its leaders.
async fn create(client: &AdminClient<LogContext>, settings: &KafkaSettings) -> Result<(), TopicFault> {
    let topic =
        NewTopic::new(&settings.topic, i32::from(settings.partitions), TopicReplication::Fixed(DEFAULT_REPLICATION));
    let options = AdminOptions::new().operation_timeout(Some(TIMEOUT)).request_timeout(Some(TIMEOUT));
    let results = client.create_topics([&topic], &options).await;
    let result = results.map_err(|error| TopicFault::Brokers(error.to_string()))?.into_iter().next();
    match result {
        Some(Ok(_)) => {
            tracing::info!(topic = settings.topic, partitions = settings.partitions, "the Kafka topic was created");
            Ok(())
        }
        Some(Err((_, RDKafkaErrorCode::TopicAlreadyExists))) => Ok(()),
        Some(Err((_, RDKafkaErrorCode::TopicAuthorizationFailed | RDKafkaErrorCode::ClusterAuthorizationFailed))) => {
            Err(TopicFault::Denied)
        }
        Some(Err((_, error))) => Err(TopicFault::Brokers(error.to_string())),
        None => Err(TopicFault::NoTopic),
    }
}
