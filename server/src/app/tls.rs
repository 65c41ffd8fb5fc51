//! TLS of the listeners: certificates from files that may change, and the identity of who connects.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arc_swap::ArcSwap;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use webpki::{EndEntityCert, KeyUsage};

use crate::auth::PeerIdentity;
use crate::config;
use crate::telemetry::Metrics;

/// Makes connections secure. Clones share the certificates.
#[derive(Debug, Clone)]
pub(super) struct TlsServer(Arc<ArcSwap<ServerConfig>>);

impl TlsServer {
    /// With the certificates of these files; `None` where no certificate is named.
    pub(super) fn open(files: &config::TlsSettings, metrics: &Metrics) -> Result<Option<Self>> {
        Ok(server_config(files, metrics)?.map(|config| Self(Arc::new(ArcSwap::new(config)))))
    }

    /// Reads the files again; connections from now on have what they say.
    pub(super) fn reload(&self, files: &config::TlsSettings, metrics: &Metrics) -> Result<()> {
        if let Some(config) = server_config(files, metrics)? {
            self.0.store(config);
        }
        Ok(())
    }

    /// The handshake.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(self.0.load_full()).accept(stream).await
    }
}

fn server_config(files: &config::TlsSettings, metrics: &Metrics) -> Result<Option<Arc<ServerConfig>>> {
    let (Some(certificate), Some(key)) = (&files.cert_file, &files.key_file) else { return Ok(None) };
    let chain = certificates(certificate)?;
    let [from, until] = validity(&chain[0]).with_context(|| format!("in {}", certificate.display()))?;
    let now = UnixTime::now().as_secs();
    ensure!(now <= until, "{} expired {} s ago", certificate.display(), now - until);
    ensure!(from <= now, "{} is not valid yet, for {} s", certificate.display(), from - now);
    let key = PrivateKeyDer::from_pem_file(key).with_context(|| format!("no private key in {}", key.display()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let builder = match &files.client_ca_file {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)? {
                roots.add(authority).with_context(|| format!("in {}", path.display()))?;
            }
            // Who shows no certificate may still show a token.
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.allow_unauthenticated().build()?)
        }
    };
    let mut config = builder.with_single_cert(chain, key).context("the certificate and its key do not go together")?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    metrics.certificate(from, until);
    Ok(Some(Arc::new(config)))
}

/// From when until when a certificate is valid, in seconds since 1970. The library that reads it tells that only of a moment at which
/// it is not: so it is asked about the first of all moments and about the last.
fn validity(certificate: &CertificateDer<'_>) -> Result<[u64; 2]> {
    let certificate = EndEntityCert::try_from(certificate)?;
    let said = |seconds| {
        let moment = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        certificate.verify_for_usage(&[], &[], &[], moment, KeyUsage::server_auth(), None, None).err()
    };
    let from = match said(0) {
        Some(webpki::Error::CertNotValidYet { not_before, .. }) => not_before.as_secs(),
        _ => 0,
    };
    match said(u64::MAX) {
        Some(webpki::Error::CertExpired { not_after, .. }) => Ok([from, not_after.as_secs()]),
        error => bail!("no end of its validity: {error:?}"),
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
    ensure!(!found.is_empty(), "no certificate in {}", path.display());
    Ok(found)
}

/// Who is at the other end. The certificate was verified in the handshake.
pub(super) fn peer(stream: &TlsStream<TcpStream>) -> PeerIdentity {
    let (_, session) = stream.get_ref();
    let leaf = session.peer_certificates().and_then(<[_]>::first);
    // One that was verified has an end; without it nobody would be let in by it.
    let valid_until = leaf.map(|leaf| validity(leaf).map_or(0, |[_, until]| until));
    PeerIdentity { identity: leaf.and_then(spiffe_id).map(Into::into), valid_until, ..PeerIdentity::default() }
}

/// The SPIFFE id of a certificate: its one URI among the subject's alternative names (SPIFFE X.509-SVID, section 2: exactly one).
fn spiffe_id(certificate: &CertificateDer<'_>) -> Option<String> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let mut uris = certificate.valid_uri_names();
    let only = uris.next().filter(|uri| uri.starts_with("spiffe://"))?;
    uris.next().is_none().then(|| only.to_owned())
}
