//! The errors of starting telemetry.

use std::fmt;
use std::path::PathBuf;

use opentelemetry_otlp::ExporterBuildError;
use opentelemetry_sdk::error::OTelSdkError;
use tracing_subscriber::util::TryInitError;

/// The reason for which telemetry could not start. The text names the configuration key at fault,
/// and contains no secret.
#[derive(Debug)]
pub enum StartError {
    /// Logging was started before.
    Log(TryInitError),
    /// The definitions of metrics contradict each other, which a test rules out.
    Metrics(OTelSdkError),
    /// An exporter could not be created.
    Exporter(ExporterBuildError),
    /// The receiver's address, or the system's certificate authorities, cannot be used.
    Endpoint(tonic::transport::Error),
    /// The file of certificate authorities cannot be read.
    Authorities(PathBuf, std::io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(error) => write!(f, "logging cannot start: {error}"),
            Self::Metrics(error) => write!(f, "the metrics cannot be created: {error}"),
            Self::Exporter(error) => write!(f, "telemetry: the exporter cannot be created: {error}"),
            Self::Endpoint(error) => write!(f, "telemetry.endpoint: {error}"),
            Self::Authorities(path, error) => write!(f, "telemetry.ca_file: cannot read {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for StartError {}

impl From<TryInitError> for StartError {
    fn from(error: TryInitError) -> Self {
        Self::Log(error)
    }
}

impl From<OTelSdkError> for StartError {
    fn from(error: OTelSdkError) -> Self {
        Self::Metrics(error)
    }
}

impl From<ExporterBuildError> for StartError {
    fn from(error: ExporterBuildError) -> Self {
        Self::Exporter(error)
    }
}

impl From<tonic::transport::Error> for StartError {
    fn from(error: tonic::transport::Error) -> Self {
        Self::Endpoint(error)
    }
}
