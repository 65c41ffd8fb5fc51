//! TLS of the listeners: certificates from files that may change, and the identity of who connects.

use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use arc_swap::ArcSwap;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use webpki::EndEntityCert;

use crate::auth::Peer;
use crate::config;

/// Makes connections secure. Clones share the certificates.
#[derive(Debug, Clone)]
pub(super) struct Tls(Arc<ArcSwap<Secured>>);

/// What new connections get.
#[derive(Debug)]
struct Secured {
    config: Arc<ServerConfig>,
    /// When its certificate ends, in seconds since 1970; `None` where it does not say so readably.
    expiry: Option<i64>,
}

impl Tls {
    /// With the certificates of these files; `None` where no certificate is named.
    pub(super) fn open(files: &config::Tls) -> Result<Option<Self>> {
        Ok(secured(files)?.map(|secured| Self(Arc::new(ArcSwap::from_pointee(secured)))))
    }

    /// Reads the files again; connections from now on have what they say.
    pub(super) fn reload(&self, files: &config::Tls) -> Result<()> {
        if let Some(secured) = secured(files)? {
            self.0.store(Arc::new(secured));
        }
        Ok(())
    }

    /// When the certificate ends, in seconds since 1970.
    pub(super) fn expiry(&self) -> Option<i64> {
        self.0.load().expiry
    }

    /// The handshake.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(Arc::clone(&self.0.load().config)).accept(stream).await
    }
}

fn secured(files: &config::Tls) -> Result<Option<Secured>> {
    let (Some(certificate), Some(key)) = (&files.cert_file, &files.key_file) else { return Ok(None) };
    let chain = certificates(certificate)?;
    let expiry = chain.first().and_then(not_after);
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
    Ok(Some(Secured { config: Arc::new(config), expiry }))
}

fn not_after(certificate: &CertificateDer<'_>) -> Option<i64> {
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate).ok()?;
    Some(certificate.validity().not_after.timestamp())
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
    ensure!(!found.is_empty(), "no certificate in {}", path.display());
    Ok(found)
}

/// Who is at the other end. The certificate was verified in the handshake.
pub(super) fn peer(stream: &TlsStream<TcpStream>) -> Peer {
    let (_, session) = stream.get_ref();
    let leaf = session.peer_certificates().and_then(<[_]>::first);
    Peer { identity: leaf.and_then(spiffe_id).map(Into::into) }
}

/// The SPIFFE id of a certificate: its one URI among the subject's alternative names (SPIFFE X.509-SVID, section 2: exactly one).
fn spiffe_id(certificate: &CertificateDer<'_>) -> Option<String> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let mut uris = certificate.valid_uri_names();
    let only = uris.next().filter(|uri| uri.starts_with("spiffe://"))?;
    uris.next().is_none().then(|| only.to_owned())
}
