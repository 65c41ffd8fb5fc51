//! A certificate authority for one test.

use std::path::PathBuf;

use anyhow::Result;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType};

/// A certificate authority, with its certificates in a folder.
pub(super) struct Authority {
    folder: tempfile::TempDir,
    issuer: Issuer<'static, KeyPair>,
    pub(super) certificate: String,
}

/// A certificate and its key, in PEM.
pub(super) struct Identity {
    pub(super) certificate: String,
    pub(super) key: String,
}

impl Authority {
    pub(super) fn new() -> Result<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key)?.pem();
        let authority = Self { folder: tempfile::tempdir()?, issuer: Issuer::new(params, key), certificate };
        std::fs::write(authority.path("ca.pem"), &authority.certificate)?;
        Ok(authority)
    }

    /// Issues a certificate for these names; texts with `://` are URIs.
    pub(super) fn issue(&self, names: &[&str]) -> Result<Identity> {
        self.issue_by(CertificateParams::default(), names)
    }

    /// Issues a certificate for these names that has expired.
    pub(super) fn issue_expired(&self, names: &[&str]) -> Result<Identity> {
        let mut params = CertificateParams::default();
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        self.issue_by(params, names)
    }

    fn issue_by(&self, mut params: CertificateParams, names: &[&str]) -> Result<Identity> {
        let key = KeyPair::generate()?;
        for name in names {
            let text = (*name).try_into()?;
            params.subject_alt_names.push(if name.contains("://") {
                SanType::URI(text)
            } else {
                SanType::DnsName(text)
            });
        }
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Identity { certificate, key: key.serialize_pem() })
    }

    /// Replaces the server certificate.
    pub(super) fn serve(&self, identity: &Identity) -> Result<()> {
        std::fs::write(self.path("key.pem"), &identity.key)?;
        Ok(std::fs::write(self.path("cert.pem"), &identity.certificate)?)
    }

    /// Returns the settings of a server that presents that certificate and trusts the client
    /// certificates of this authority.
    pub(super) fn settings(&self) -> Vec<String> {
        let files = [("cert_file", "cert.pem"), ("key_file", "key.pem"), ("client_ca_file", "ca.pem")];
        let set = |(key, name)| ["--set".to_owned(), format!("server.tls.{key}={}", self.path(name).display())];
        files.into_iter().flat_map(set).collect()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
