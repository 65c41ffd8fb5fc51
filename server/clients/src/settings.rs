//! The settings of outside services: their addresses, the limits of their calls, and the files of
//! their connections.

mod accounts;
mod filter;

use std::path::PathBuf;

use riposte_settings::{ConfigError, ConfigErrors, ErrorScope, TimeSpan};

pub use self::accounts::AccountSettings;
pub use self::filter::FilterSettings;
use crate::endpoint::{Endpoint, EndpointError, EndpointFiles};
use crate::guard::Limits;

/// The most calls under way that a process may be set up for.
const MAX_CALLS: u32 = 10_000;

/// The files of a connection, by their keys.
type ServiceFiles<'s> = [(&'static str, Option<&'s PathBuf>); 4];

/// The settings that each service has.
#[derive(Debug)]
struct ServiceSettings<'s> {
    /// The table that has the settings.
    table: &'static str,
    endpoint: &'s str,
    timeout: TimeSpan,
    in_flight: u32,
    wait: TimeSpan,
    files: ServiceFiles<'s>,
}

/// Returns the files of a connection by their keys.
const fn service_files<'s>(
    ca_file: &'s Option<PathBuf>,
    cert_file: &'s Option<PathBuf>,
    key_file: &'s Option<PathBuf>,
    token_file: &'s Option<PathBuf>,
) -> ServiceFiles<'s> {
    [
        ("ca_file", ca_file.as_ref()),
        ("cert_file", cert_file.as_ref()),
        ("key_file", key_file.as_ref()),
        ("token_file", token_file.as_ref()),
    ]
}

impl ServiceSettings<'_> {
    /// Adds an error for each value that is out of bounds or conflicts with another one.
    fn validate(&self, report: &mut ErrorScope<'_>) {
        let (timeout, wait) = (self.timeout.duration(), self.wait.duration());
        let is_valid = !timeout.is_zero() && timeout <= Limits::MAX_TIMEOUT;
        report.require(is_valid, "timeout", "must be 1ms to 500ms");
        report.require(wait <= Limits::MAX_WAIT, "wait", "must be at most 20ms");
        let is_valid = (1..=MAX_CALLS).contains(&self.in_flight);
        report.require(is_valid, "in_flight", "must be 1 to 10000 calls");
        for (name, file) in self.files {
            report.path(name, file);
        }
        if self.endpoint.is_empty() {
            return;
        }
        if let Err(error) = Endpoint::parse(self.endpoint) {
            report.fault("endpoint", error.to_string());
        }
        let [_, (_, cert_file), (_, key_file), _] = self.files;
        let is_pair = cert_file.is_some() == key_file.is_some();
        report.require(is_pair, "cert_file", "goes together with key_file: set both or none");
    }

    /// Reads the files and connects to nothing.
    fn check_files(&self) -> Result<(), ConfigErrors> {
        self.address()?.check(&self.endpoint_files()).map_err(|error| self.fault(&error).into())
    }

    fn limits(&self) -> Limits {
        let in_flight = usize::try_from(self.in_flight).unwrap_or(usize::MAX);
        Limits { timeout: self.timeout.duration(), in_flight, wait: self.wait.duration() }
    }

    fn address(&self) -> Result<Endpoint, ConfigErrors> {
        Endpoint::parse(self.endpoint).map_err(|error| self.fault(&error).into())
    }

    fn endpoint_files(&self) -> EndpointFiles {
        let [ca_file, cert_file, key_file, token_file] = self.files.map(|(_, file)| file.cloned());
        EndpointFiles { ca_file, cert_file, key_file, token_file }
    }

    /// Returns an error of the connection as one of its key.
    fn fault(&self, error: &EndpointError) -> ConfigError {
        let key = match error {
            EndpointError::Address(_) | EndpointError::Plaintext(_) => format!("{}.endpoint", self.table),
            EndpointError::File(_) | EndpointError::Files(_) | EndpointError::Connect(_) => self.table.to_owned(),
        };
        ConfigError::at(key, error.to_string())
    }
}
