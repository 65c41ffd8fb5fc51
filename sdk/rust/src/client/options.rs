#[path = "../gen/options.rs"]
mod generated;

use super::error::Error;
use super::resolve::Resolve;
use std::sync::Arc;
use std::time::Duration;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Uri};

pub use generated::Options;

const USER_AGENT: &str = concat!("riposte-rust/", env!("CARGO_PKG_VERSION"));
/// Below the shortest default deadline, so that a call has time for another address when one is silent.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const KEEP_ALIVE: Duration = Duration::from_secs(20);

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("target", &self.target).finish_non_exhaustive()
    }
}

impl Options {
    /// The place that a target names.
    pub(super) fn place(&self, target: &str) -> Result<Place, Error> {
        let bare = target.strip_prefix("dns:///").unwrap_or(target);
        let text = if bare.contains("://") { bare.to_owned() } else { format!("http://{bare}") };
        let unusable = |why: &dyn std::fmt::Display| Error::local(format!("target {target}: {why}"));
        let origin: Uri = text.parse().map_err(|error| unusable(&error))?;
        let secure = match origin.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) | None => return Err(unusable(&"its scheme is none of http, https and dns")),
        };
        let host = origin.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = origin.port_u16().unwrap_or(if secure { 443 } else { 80 });
        if self.token.is_some() && !secure && !self.insecure_token {
            return Err(unusable(
                &"a token is not sent over plaintext; use https://, or allow it by insecure_token \
                  (RIPOSTE_INSECURE_TOKEN=true)",
            ));
        }
        let tls =
            if secure { Some(self.tls().map_err(|error| unusable(&error))?.domain_name(host.clone())) } else { None };
        let place = Place { origin, host, port, tls, resolver: Arc::clone(&self.resolver) };
        // A certificate that cannot be read shows here and not at the first call.
        place.endpoint(place.origin.clone()).map_err(|error| unusable(&error))?;
        Ok(place)
    }

    fn tls(&self) -> Result<ClientTlsConfig, &'static str> {
        let trusting = match &self.tls_ca {
            Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            None => ClientTlsConfig::new().with_webpki_roots(),
        };
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Ok(trusting.identity(Identity::from_pem(certificate, key))),
            (None, None) => Ok(trusting),
            (Some(_), None) | (None, Some(_)) => Err("tls_cert and tls_key go together"),
        }
    }
}

/// A target, read.
#[derive(Debug, Clone)]
pub(super) struct Place {
    origin: Uri,
    pub(super) host: String,
    pub(super) port: u16,
    /// None for plaintext.
    pub(super) tls: Option<ClientTlsConfig>,
    pub(super) resolver: Arc<dyn Resolve>,
}

impl Place {
    /// The endpoint at one address of the place: dialled by the address, spoken to by the name.
    pub(super) fn endpoint(&self, address: Uri) -> Result<Endpoint, tonic::transport::Error> {
        let endpoint = Endpoint::from(address)
            .origin(self.origin.clone())
            .user_agent(USER_AGENT)?
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEP_ALIVE);
        match &self.tls {
            Some(tls) => endpoint.tls_config(tls.clone()),
            None => Ok(endpoint),
        }
    }
}

/// A variable; one that is empty is as good as absent.
#[expect(clippy::disallowed_methods, reason = "a client is configured by its own variables, apart from the server's")]
fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn flag(name: &str) -> Result<bool, Error> {
    let value = text(name).map(|text| text.parse()).transpose();
    Ok(value.map_err(|_neither| Error::local(format!("{name} is true or false")))?.unwrap_or_default())
}

fn pem(name: &str) -> Result<Option<String>, Error> {
    let read =
        |path: String| std::fs::read_to_string(&path).map_err(|error| Error::local(format!("{name}, {path}: {error}")));
    text(name).map(read).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_in_every_form() {
        let place =
            |target: &str| Options::default().place(target).map(|place| (place.host, place.port, place.tls.is_some()));
        for (target, host, port, secure) in [
            ("a.example:7171", "a.example", 7171, false),
            ("http://a.example:7171", "a.example", 7171, false),
            ("dns:///a.example:7171", "a.example", 7171, false),
            ("https://a.example", "a.example", 443, true),
            ("[::1]:7171", "::1", 7171, false),
        ] {
            assert_eq!(place(target).unwrap(), (host.to_owned(), port, secure), "{target}");
        }
        for target in ["http://no host", "unix:///socket", ""] {
            assert!(place(target).is_err(), "{target}");
        }
    }

    #[test]
    fn a_token_goes_over_plaintext_only_by_the_switch() {
        let options = Options { token: Some("s3cret".into()), ..Default::default() };
        let refused = options.place("a.example:1").unwrap_err().to_string();
        assert!(refused.contains("insecure_token") && !refused.contains("s3cret"), "{refused}");
        assert!(options.place("https://a.example").is_ok());
        assert!(Options { insecure_token: true, ..options }.place("a.example:1").is_ok());
    }

    #[test]
    fn a_certificate_without_its_key_is_refused() {
        let options = Options { tls_cert: Some("PEM".into()), ..Default::default() };
        assert!(options.place("https://a.example").unwrap_err().to_string().contains("go together"));
    }
}
