//! TLS of the listeners: certificates from files that may change, and the identity of the peer.

use riposte_telemetry::Metrics;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arc_swap::ArcSwap;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use webpki::{EndEntityCert, KeyUsage};

use crate::listener::TlsSettings;
use riposte_grpc::auth::PeerIdentity;

/// A mark of an encrypted private key in PEM.
const ENCRYPTED: &[u8] = b"ENCRYPTED";

/// The TLS handshake of a listener. Clones share the certificates.
#[derive(Debug, Clone)]
pub(super) struct TlsServer(Arc<ArcSwap<ServerConfig>>);

impl TlsServer {
    /// Reads the certificates of these files; returns `None` if no certificate is configured.
    pub(super) fn open(files: &TlsSettings, metrics: &Metrics) -> Result<Option<Self>> {
        Ok(server_config(files, metrics)?.map(|config| Self(Arc::new(ArcSwap::new(config)))))
    }

    /// Reads the files again. The new certificates apply to new connections.
    pub(super) fn reload(&self, files: &TlsSettings, metrics: &Metrics) -> Result<()> {
        if let Some(config) = server_config(files, metrics)? {
            self.0.store(config);
        }
        Ok(())
    }

    /// Performs the handshake.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(self.0.load_full()).accept(stream).await
    }
}

fn server_config(files: &TlsSettings, metrics: &Metrics) -> Result<Option<Arc<ServerConfig>>> {
    let (Some(certificate), Some(key)) = (&files.cert_file, &files.key_file) else { return Ok(None) };
    let chain = certificates(certificate)?;
    let [from, until] = validity(&chain[0]).map_err(|_unusable| {
        anyhow!("the certificate in {} cannot be used: TLS needs one of X.509 version 3", certificate.display())
    })?;
    let now = UnixTime::now().as_secs();
    ensure!(now <= until, "{} expired {} s ago", certificate.display(), now - until);
    ensure!(from <= now, "{} is not valid yet, for {} s", certificate.display(), from - now);
    let (key_path, key) = (key, private_key(key)?);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let builder = match &files.client_ca_file {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)? {
                roots.add(authority).with_context(|| format!("in {}", path.display()))?;
            }
            // A client without a certificate may still send a token.
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.allow_unauthenticated().build()?)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|_unusable| {
        let certificate = certificate.display();
        anyhow!("the certificate in {certificate} and the key in {} are not of one pair", key_path.display())
    })?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    metrics.certificate(from, until);
    Ok(Some(Arc::new(config)))
}

/// Returns the start and the end of a certificate's validity, in seconds since 1970. The library
/// reports them only for a time at which the certificate is not valid, so it verifies the
/// certificate at the first and at the last possible time.
fn validity(certificate: &CertificateDer<'_>) -> Result<[u64; 2]> {
    let certificate = EndEntityCert::try_from(certificate)?;
    let error_at = |seconds| {
        let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        certificate.verify_for_usage(&[], &[], &[], time, KeyUsage::server_auth(), None, None).err()
    };
    let from = match error_at(0) {
        Some(webpki::Error::CertNotValidYet { not_before, .. }) => not_before.as_secs(),
        _ => 0,
    };
    match error_at(u64::MAX) {
        Some(webpki::Error::CertExpired { not_after, .. }) => Ok([from, not_after.as_secs()]),
        error => bail!("no end of its validity: {error:?}"),
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| anyhow!("cannot read {}: {}", path.display(), pem_fault(&error)))?;
    ensure!(
        !found.is_empty(),
        "no certificate in {}: it must be in PEM, with a line BEGIN CERTIFICATE (`openssl x509 -inform der -in FILE` \
         converts DER)",
        path.display()
    );
    Ok(found)
}

/// Describes why a PEM file cannot be read. The library's own texts show bytes as numbers.
fn pem_fault(error: &pem::Error) -> String {
    if let pem::Error::Io(error) = error {
        error.to_string()
    } else if let pem::Error::MissingSectionEnd { .. } = error {
        "it is cut off: a line BEGIN has no line END".to_owned()
    } else {
        "it is not valid PEM".to_owned()
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    let text = fs::read(path).with_context(|| format!("the private key {} cannot be read", path.display()))?;
    let is_encrypted = text.windows(ENCRYPTED.len()).any(|found| found == ENCRYPTED);
    ensure!(
        !is_encrypted,
        "the private key in {} is encrypted: store it in the clear in a file that only the server can read (`openssl \
         pkey -in FILE -out NEW`)",
        path.display()
    );
    PrivateKeyDer::from_pem_slice(&text)
        .map_err(|_| anyhow!("no private key in {}: it must be in PEM, with a line BEGIN PRIVATE KEY", path.display()))
}

/// Returns the identity of the peer. Its certificate was verified in the handshake.
pub(super) fn peer(stream: &TlsStream<TcpStream>) -> PeerIdentity {
    let (_, session) = stream.get_ref();
    let leaf = session.peer_certificates().and_then(<[_]>::first);
    // A verified certificate has an end of validity; without one, the identity is not accepted.
    let valid_until = leaf.map(|leaf| validity(leaf).map_or(0, |[_, until]| until));
    PeerIdentity { identity: leaf.and_then(spiffe_id).map(Into::into), valid_until, ..PeerIdentity::default() }
}

/// Returns the SPIFFE id of a certificate: its one URI among the subject's alternative names
/// (SPIFFE X.509-SVID, section 2: exactly one).
fn spiffe_id(certificate: &CertificateDer<'_>) -> Option<String> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let mut uris = certificate.valid_uri_names();
    let only = uris.next().filter(|uri| uri.starts_with("spiffe://"))?;
    uris.next().is_none().then(|| only.to_owned())
}
