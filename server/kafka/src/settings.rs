//! The settings of the topic: its brokers, its name and partitions, and the files of the
//! connection.

use std::path::PathBuf;

use riposte_settings::{ConfigError, ConfigErrors, ErrorScope, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `true` if this build has the Kafka client.
const IS_AVAILABLE: bool = cfg!(feature = "client");
/// The most partitions that can be set. Each broker has a limit of its own, which is lower.
const MAX_PARTITIONS: u16 = 10_000;
/// The longest name of a topic.
const MAX_TOPIC: usize = 249;

/// The Kafka topic that receives the public events of all object types.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KafkaSettings {
    /// The addresses of some brokers; empty for no topic.
    pub brokers: Vec<String>,
    /// The topic.
    pub topic: String,
    /// The partitions that are used. It must never change.
    pub partitions: u16,
    /// If true, a missing topic is created.
    pub create_topic: bool,
    /// The authorities in PEM that are trusted. With it, connections are encrypted.
    pub ca_file: Option<PathBuf>,
    /// A client certificate in PEM.
    pub cert_file: Option<PathBuf>,
    /// Its key in PEM.
    pub key_file: Option<PathBuf>,
    /// The mechanism of the authentication; none without it.
    pub sasl_mechanism: Option<SaslMechanism>,
    /// The user.
    pub sasl_user: String,
    /// The file with the password.
    pub sasl_password_file: Option<PathBuf>,
}

/// A mechanism of SASL.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub enum SaslMechanism {
    /// The password crosses the connection.
    #[serde(rename = "PLAIN")]
    Plain,
    /// A proof of the password, with SHA-256.
    #[serde(rename = "SCRAM-SHA-256")]
    ScramSha256,
    /// A proof of the password, with SHA-512.
    #[serde(rename = "SCRAM-SHA-512")]
    ScramSha512,
}

impl SaslMechanism {
    /// Returns the name of the mechanism, as in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
        }
    }
}

impl KafkaSettings {
    /// Returns `true` if there is a topic.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !self.brokers.is_empty()
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        for (name, file) in self.named_files() {
            report.path(name, file);
        }
        for (index, broker) in self.brokers.iter().enumerate() {
            let message = "must be a host and a port, as \"kafka-1.example:9092\"";
            report.require(is_address(broker), &format!("brokers.{index}"), message);
        }
        let is_valid = (1..=MAX_PARTITIONS).contains(&self.partitions);
        report.require(is_valid, "partitions", "must be 1 to 10000");
        let message =
            "must be 1 to 249 of the letters a-z and A-Z, digits, and \".\", \"_\" and \"-\", as \"riposte.events.v1\"";
        report.require(is_topic(&self.topic), "topic", message);
        if !self.is_set() {
            return;
        }
        let message = "names brokers, and this build of riposte has no Kafka client: use one with the feature kafka";
        report.require(IS_AVAILABLE, "brokers", message);
        let is_pair = self.cert_file.is_some() == self.key_file.is_some();
        report.require(is_pair, "cert_file", "goes together with key_file: set both or none");
        let has_authority = self.cert_file.is_none() || self.ca_file.is_some();
        report.require(has_authority, "cert_file", "requires ca_file, with which connections are encrypted");
        let has_user = !self.sasl_user.is_empty() && self.sasl_password_file.is_some();
        let message = "requires sasl_user and sasl_password_file";
        report.require(self.sasl_mechanism.is_none() || has_user, "sasl_mechanism", message);
        let has_mechanism = self.sasl_user.is_empty() && self.sasl_password_file.is_none();
        let message = "requires sasl_mechanism: set it, or leave out sasl_user and sasl_password_file";
        report.require(self.sasl_mechanism.is_some() || has_mechanism, "sasl_user", message);
        let is_encrypted = self.ca_file.is_some() || self.sasl_mechanism != Some(SaslMechanism::Plain);
        let message = "would send the password unencrypted: set ca_file, or use SCRAM-SHA-512";
        report.require(is_encrypted, "sasl_mechanism", message);
    }

    /// Reads all files and connects to nothing.
    ///
    /// # Errors
    /// Every file that cannot be read, by its key.
    pub fn check_files(&self) -> Result<(), ConfigErrors> {
        let read = |(name, file): (&str, Option<&PathBuf>)| {
            let fault = Secret::read(file?).err()?;
            Some(ConfigError::at(format!("events.kafka.{name}"), fault))
        };
        let faults: Vec<ConfigError> = self.named_files().into_iter().filter_map(read).collect();
        if faults.is_empty() || !self.is_set() { Ok(()) } else { Err(ConfigErrors(faults)) }
    }

    /// Returns the files by their keys.
    pub(crate) fn named_files(&self) -> [(&'static str, Option<&PathBuf>); 4] {
        [
            ("ca_file", self.ca_file.as_ref()),
            ("cert_file", self.cert_file.as_ref()),
            ("key_file", self.key_file.as_ref()),
            ("sasl_password_file", self.sasl_password_file.as_ref()),
        ]
    }
}

fn is_address(broker: &str) -> bool {
    let Some((host, port)) = broker.rsplit_once(':') else { return false };
    let is_host = !host.is_empty() && !host.contains([',', '/', ' ']);
    is_host && port.parse::<u16>().is_ok_and(|port| port > 0)
}

fn is_topic(topic: &str) -> bool {
    let is_valid = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    (1..=MAX_TOPIC).contains(&topic.len()) && topic.chars().all(is_valid) && topic != "." && topic != ".."
}

#[cfg(test)]
mod tests;
