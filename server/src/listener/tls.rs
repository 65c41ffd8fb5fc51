//! The certificates of the listeners.

use riposte_settings::ErrorScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The certificates of both listeners.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSettings {
    /// The certificate chain in PEM, the server's own certificate first. Without it both listeners
    /// use plaintext.
    pub cert_file: Option<PathBuf>,
    /// The private key in PEM.
    pub key_file: Option<PathBuf>,
    /// The authorities in PEM whose client certificates are trusted. Without it no client
    /// certificate is requested.
    pub client_ca_file: Option<PathBuf>,
}

impl TlsSettings {
    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let Self { cert_file, key_file, client_ca_file } = self;
        report.path("cert_file", cert_file.as_ref());
        report.path("key_file", key_file.as_ref());
        report.path("client_ca_file", client_ca_file.as_ref());
        report.require(key_file.is_some() || cert_file.is_none(), "key_file", "is required with cert_file");
        report.require(cert_file.is_some() || key_file.is_none(), "cert_file", "is required with key_file");
        let client = cert_file.is_some() || client_ca_file.is_none();
        report.require(client, "client_ca_file", "requires cert_file: client certificates need TLS");
    }
}
