//! Who may call, and how connections are secured.

use super::{faults::Under, units::Span};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// Who may call.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// The callers that are admitted, with their tokens' hashes, identities, roles and object types. Without it everybody is.
    pub callers_file: Option<PathBuf>,
    /// How often that file and those of TLS are looked at for a change.
    pub reload_interval: Span,
    /// Accepts every insecure choice: any caller, plaintext, SQLite, page token keys made up at the start.
    pub allow_insecure: bool,
}

/// The certificates of both listeners.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate chain in PEM, our own first. Without it both listeners speak plaintext.
    pub cert_file: Option<PathBuf>,
    /// Its private key in PEM.
    pub key_file: Option<PathBuf>,
    /// The authorities in PEM whose client certificates are trusted. Without it no certificate is asked for.
    pub client_ca_file: Option<PathBuf>,
}

impl Auth {
    pub(super) fn validate(&self, report: &mut Under<'_>) {
        let interval = self.reload_interval.duration();
        let sound = (Duration::from_secs(1)..=Duration::from_secs(3_600)).contains(&interval);
        report.require(sound, "reload_interval", "must be 1s to 1h");
    }
}

impl Tls {
    pub(super) fn validate(&self, report: &mut Under<'_>) {
        let Self { cert_file, key_file, client_ca_file } = self;
        report.require(key_file.is_some() || cert_file.is_none(), "key_file", "goes with cert_file");
        report.require(cert_file.is_some() || key_file.is_none(), "cert_file", "goes with key_file");
        let client = cert_file.is_some() || client_ca_file.is_none();
        report.require(client, "client_ca_file", "goes with cert_file: certificates are shown over TLS only");
    }
}
