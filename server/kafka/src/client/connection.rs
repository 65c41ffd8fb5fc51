//! The options of connections, and the messages of the client library in the log.

use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::error::KafkaError;
use rdkafka::{ClientContext, Statistics};
use riposte_settings::Secret;

use crate::KafkaSettings;

/// The time after which an attempt to reach a broker fails.
const SOCKET_TIMEOUT: &str = "10000";

/// Returns the options of a connection. Files are read now, so that a new client uses their present
/// content.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn connection(settings: &KafkaSettings) -> Result<ClientConfig, String> {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", settings.brokers.join(","))
        .set("client.id", "riposte")
        .set("socket.timeout.ms", SOCKET_TIMEOUT)
        .set("reconnect.backoff.max.ms", "1000")
        // A broker would create the topic with a number of partitions of its own.
        .set("allow.auto.create.topics", "false");
    let is_encrypted = settings.ca_file.is_some();
    let protocol = match (settings.sasl_mechanism.is_some(), is_encrypted) {
        (false, false) => "plaintext",
        (false, true) => "ssl",
        (true, false) => "sasl_plaintext",
        (true, true) => "sasl_ssl",
    };
    config.set("security.protocol", protocol);
    let options = [
        ("ssl.ca.location", &settings.ca_file),
        ("ssl.certificate.location", &settings.cert_file),
        ("ssl.key.location", &settings.key_file),
    ];
    for (option, file) in options {
        if let Some(file) = file {
            config.set(option, file.display().to_string());
        }
    }
    if let (Some(mechanism), Some(file)) = (settings.sasl_mechanism, &settings.sasl_password_file) {
        config
            .set("sasl.mechanism", mechanism.name())
            .set("sasl.username", &settings.sasl_user)
            .set("sasl.password", Secret::read(file)?.expose());
    }
    Ok(config)
}

/// Adds the options of a producer. What it stores of one partition is always a prefix of what was
/// sent: a message never times out on its own, and after a failure nothing more is sent.
pub(super) fn producer(mut config: ClientConfig) -> ClientConfig {
    config
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("enable.gapless.guarantee", "true")
        .set("message.timeout.ms", "0")
        .set("linger.ms", "5")
        .set("compression.type", "lz4");
    config
}

/// Passes the messages of the client library to the log. They are about single connections, of
/// which the library repairs most; the check of the topic reports what lasts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LogContext;

impl ClientContext for LogContext {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        match level {
            RDKafkaLogLevel::Emerg | RDKafkaLogLevel::Alert | RDKafkaLogLevel::Critical => {
                tracing::warn!(facility, message, "the Kafka client reports a fault");
            }
            RDKafkaLogLevel::Error
            | RDKafkaLogLevel::Warning
            | RDKafkaLogLevel::Notice
            | RDKafkaLogLevel::Info
            | RDKafkaLogLevel::Debug => tracing::debug!(facility, message, "the Kafka client reports"),
        }
    }

    fn stats(&self, _statistics: Statistics) {}

    fn error(&self, error: KafkaError, reason: &str) {
        tracing::debug!(%error, reason, "the Kafka client reports an error");
    }
}
