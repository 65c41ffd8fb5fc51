//! The Kafka topic that receives the public events: the port `EventTopic` over librdkafka. Each
//! event is a CloudEvent in binary mode, whose key is its subject.
//!
//! No other crate may depend on the Kafka client. This crate must never know the store, the relay
//! or the messages of the contract: it is given their bytes.

#[cfg(feature = "client")]
mod client;
mod settings;

#[cfg(feature = "client")]
pub use client::topic::{KafkaTopic, TopicOptions};
pub use settings::{KafkaSettings, SaslMechanism};
