#[path = "../gen/options.rs"]
mod generated;

use super::error::Error;
use super::resolve::Resolve;
use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::Duration;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Uri};

pub use generated::Options;
pub(super) use generated::{FIRST_WAIT_MS, JITTER_PERCENT, LONGEST_WAIT_MS, OPEN_WITHIN_MS};

/// The schemes that may precede the host of a target; without one, the target is plaintext.
const SCHEMES: [&str; 3] = ["https://", "http://", "dns:///"];
const USER_AGENT: &str = concat!("riposte-rust/", env!("CARGO_PKG_VERSION"));
/// Below the shortest default deadline, so that a call has time for another address when one does
/// not respond.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const KEEP_ALIVE: Duration = Duration::from_secs(20);

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("target", &self.target).finish_non_exhaustive()
    }
}

impl Options {
    /// Parses a target into its endpoint.
    pub(super) fn place(&self, target: &str) -> Result<ServerTarget, Error> {
        let unusable = |reason: &dyn std::fmt::Display| Error::local(format!("target {target}: {reason}"));
        let (secure, host, port) = parts(target)
            .ok_or_else(|| unusable(&"it is not an address: write host:port, http://host:port or https://host:port"))?;
        let scheme = if secure { "https" } else { "http" };
        let origin: Uri = format!("{scheme}://{host}:{port}").parse().map_err(|error| unusable(&error))?;
        let host = host.trim_matches(['[', ']']).to_owned();
        if self.token.is_some() && !secure && !self.insecure_token {
            return Err(unusable(&"a token needs https://, or insecure_token (RIPOSTE_INSECURE_TOKEN=true)"));
        }
        let tls =
            if secure { Some(self.tls().map_err(|error| unusable(&error))?.domain_name(host.clone())) } else { None };
        let place = ServerTarget { origin, host, port, tls, resolver: Arc::clone(&self.resolver) };
        // An unreadable certificate is reported here and not at the first call.
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

/// Splits a target: true for TLS, the host (an IPv6 address in brackets) and the port, which is
/// required.
fn parts(target: &str) -> Option<(bool, &str, u16)> {
    let rest = SCHEMES.into_iter().find_map(|scheme| target.strip_prefix(scheme)).unwrap_or(target);
    let (host, port) = rest.strip_suffix('/').unwrap_or(rest).rsplit_once(':')?;
    let named = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let known = address.map_or(!host.is_empty() && host.chars().all(named), |inner| inner.parse::<Ipv6Addr>().is_ok());
    let port = port.parse::<u16>().ok().filter(|_| known && !port.starts_with(['0', '+']))?;
    Some((target.starts_with(SCHEMES[0]), host, port))
}

/// A parsed target.
#[derive(Debug, Clone)]
pub(super) struct ServerTarget {
    origin: Uri,
    pub(super) host: String,
    pub(super) port: u16,
    /// `None` for plaintext.
    pub(super) tls: Option<ClientTlsConfig>,
    pub(super) resolver: Arc<dyn Resolve>,
}

impl ServerTarget {
    /// Returns the endpoint at one address of the target: the connection uses the address, requests
    /// and TLS use the name.
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

/// Returns the value of a variable; an empty one counts as absent.
#[expect(clippy::disallowed_methods, reason = "a client is configured by its own variables, apart from the server's")]
fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn flag(name: &str) -> Result<bool, Error> {
    match text(name).unwrap_or_default().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" | "" => Ok(false),
        _ => Err(Error::local(format!("{name} is neither true nor false"))),
    }
}

fn pem(name: &str) -> Result<Option<String>, Error> {
    let read = |path: String| {
        std::fs::read_to_string(&path).map_err(|error| {
            let cure = "it is not in PEM (`openssl x509 -inform der -in FILE` converts DER)";
            let is_binary = error.kind() == std::io::ErrorKind::InvalidData;
            Error::local(if is_binary { format!("{name}, {path}: {cure}") } else { format!("{name}, {path}: {error}") })
        })
    };
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
            ("https://a.example:443/", "a.example", 443, true),
            ("a_b.c-d:65535", "a_b.c-d", 65535, false),
            ("[::1]:7171", "::1", 7171, false),
        ] {
            assert_eq!(place(target).unwrap(), (host.to_owned(), port, secure), "{target}");
        }
        for target in [
            "",
            "a",
            "https://a",
            ":1",
            "a:0",
            "a:01",
            "a:+1",
            "a:65536",
            "a:1x",
            "::1:7",
            "[::1]",
            "[a]:1",
            " a:1",
            "a:1\n",
            "http://no host:1",
            "ftp://a:1",
            "HTTP://a:1",
            "unix:///a",
            "http://u@a:1",
            "http://a:1/path",
            "http://a:1?q",
            "http://dns:///a:1",
        ] {
            assert!(place(target).is_err(), "{target}");
        }
    }

    #[test]
    fn a_token_goes_over_plaintext_only_by_the_switch() {
        let options = Options { token: Some("s3cret".into()), ..Default::default() };
        let refused = options.place("a.example:1").unwrap_err().to_string();
        assert!(refused.contains("insecure_token") && !refused.contains("s3cret"), "{refused}");
        assert!(options.place("https://a.example:1").is_ok());
        assert!(Options { insecure_token: true, ..options }.place("a.example:1").is_ok());
    }

    #[test]
    fn a_certificate_without_its_key_is_refused() {
        let options = Options { tls_cert: Some("PEM".into()), ..Default::default() };
        assert!(options.place("https://a.example:1").unwrap_err().to_string().contains("go together"));
    }
}
