//! The address of a service, and the files of its TLS and its token.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::Uri;
use riposte_settings::Secret;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity};
use tonic::{Request, Status};

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// A connection, which is made when the first call needs it, and again after a loss. It follows no
/// redirect and uses no proxy.
pub type Connection = InterceptedService<Channel, Bearer>;

/// The address of a service: `https://`, or `http://` on the loopback interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Uri);

/// The files of a connection. All are read again when it is opened anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointFiles {
    /// The authorities in PEM that are trusted; without it those of the public web.
    pub ca_file: Option<PathBuf>,
    /// The client certificate in PEM.
    pub cert_file: Option<PathBuf>,
    /// Its key in PEM.
    pub key_file: Option<PathBuf>,
    /// A bearer token.
    pub token_file: Option<PathBuf>,
}

/// The reason why a service cannot be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointError {
    /// The text is no address.
    Address(String),
    /// The address is neither TLS nor the loopback interface.
    Plaintext(String),
    /// A file cannot be used; the text names it.
    File(String),
    /// One of certificate and key is missing, or files of TLS are set for an address without it.
    Files(&'static str),
    /// No connection is made.
    Connect(String),
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(text) => write!(f, "{text:?} is no address: write host:port or https://host:port"),
            Self::Plaintext(text) => {
                write!(f, "{text:?} has no TLS: write https://; http:// is for the loopback interface")
            }
            Self::File(what) | Self::Connect(what) => f.write_str(what),
            Self::Files(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for EndpointError {}

impl Endpoint {
    /// Parses an address. Without a scheme it is `http://` on the loopback interface, and
    /// `https://` elsewhere.
    ///
    /// # Errors
    /// It is no address, or an address without TLS that leaves the machine.
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let invalid = || EndpointError::Address(text.to_owned());
        let parse = |text: &str| text.parse::<Uri>().map_err(|_| invalid());
        let full = match text.split_once("://") {
            Some(_) => parse(text)?,
            None if is_loopback(&parse(&format!("http://{text}"))?) => parse(&format!("http://{text}"))?,
            None => parse(&format!("https://{text}"))?,
        };
        let is_bare = matches!(full.path(), "" | "/") && full.query().is_none();
        let has_user = full.authority().is_some_and(|authority| authority.as_str().contains('@'));
        if !is_bare || has_user || full.host().is_none_or(str::is_empty) || full.port_u16().is_none_or(|port| port == 0)
        {
            return Err(invalid());
        }
        match full.scheme_str() {
            Some("https") => Ok(Self(full)),
            Some("http") if is_loopback(&full) => Ok(Self(full)),
            Some("http") => Err(EndpointError::Plaintext(text.to_owned())),
            Some(_) | None => Err(invalid()),
        }
    }

    fn has_tls(&self) -> bool {
        self.0.scheme_str() == Some("https")
    }

    /// Reads the files and returns a connection that is not made yet.
    ///
    /// # Errors
    /// A file cannot be read or used.
    pub fn open(&self, files: &EndpointFiles) -> Result<Connection, EndpointError> {
        let (endpoint, bearer) = self.prepared(files)?;
        Ok(InterceptedService::new(endpoint.connect_lazy(), bearer))
    }

    /// Reads the files.
    ///
    /// # Errors
    /// A file cannot be read or used.
    pub fn check(&self, files: &EndpointFiles) -> Result<(), EndpointError> {
        self.prepared(files).map(drop)
    }

    /// Reads the files and makes a connection.
    ///
    /// # Errors
    /// The same as for [`Self::open`], and a connection that cannot be made.
    pub async fn connect(&self, files: &EndpointFiles) -> Result<Connection, EndpointError> {
        let (endpoint, bearer) = self.prepared(files)?;
        let channel = endpoint.connect().await.map_err(|error| {
            let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |cause| cause.source());
            EndpointError::Connect(causes.last().map(ToString::to_string).unwrap_or_default())
        })?;
        Ok(InterceptedService::new(channel, bearer))
    }

    fn prepared(&self, files: &EndpointFiles) -> Result<(tonic::transport::Endpoint, Bearer), EndpointError> {
        let bearer = Bearer::read(files.token_file.as_deref())?;
        let endpoint = Channel::builder(self.0.clone()).connect_timeout(CONNECT);
        let Some(tls) = self.tls(files)? else { return Ok((endpoint, bearer)) };
        let unusable = |_| EndpointError::Files("the certificates cannot be used: are certificate and key a pair?");
        Ok((endpoint.tls_config(tls).map_err(unusable)?, bearer))
    }

    fn tls(&self, files: &EndpointFiles) -> Result<Option<ClientTlsConfig>, EndpointError> {
        let EndpointFiles { ca_file, cert_file, key_file, .. } = files;
        if !self.has_tls() {
            let is_set = ca_file.is_some() || cert_file.is_some() || key_file.is_some();
            let what = "ca_file, cert_file and key_file need an https:// address";
            return if is_set { Err(EndpointError::Files(what)) } else { Ok(None) };
        }
        let mut tls = match ca_file {
            Some(path) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(path)?)),
            None => ClientTlsConfig::new().with_webpki_roots(),
        };
        tls = match (cert_file, key_file) {
            (Some(cert), Some(key)) => tls.identity(Identity::from_pem(read(cert)?, read(key)?)),
            (None, None) => tls,
            (Some(_), None) | (None, Some(_)) => {
                return Err(EndpointError::Files("cert_file and key_file go together: set both or none"));
            }
        };
        Ok(Some(tls))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.authority().map_or("", |authority| authority.as_str()))
    }
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn read(path: &Path) -> Result<Vec<u8>, EndpointError> {
    std::fs::read(path).map_err(|error| EndpointError::File(format!("{} cannot be read: {error}", path.display())))
}

/// Adds the bearer token to each call, if there is one.
#[derive(Clone)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Bearer {
    fn read(path: Option<&Path>) -> Result<Self, EndpointError> {
        let Some(path) = path else { return Ok(Self(None)) };
        let token = Secret::read(path).map_err(EndpointError::File)?;
        let value = format!("Bearer {}", token.expose()).parse::<MetadataValue<Ascii>>();
        let Some(mut value) = value.ok().filter(|_| !token.expose().is_empty()) else {
            let what = format!("{} has no token: it must be one line of printable ASCII", path.display());
            return Err(EndpointError::File(what));
        };
        value.set_sensitive(true);
        Ok(Self(Some(value)))
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bearer").field(&self.0.is_some()).finish()
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bearer, Endpoint, EndpointError, EndpointFiles};

    #[test]
    fn only_tls_and_the_loopback_interface_are_addresses() {
        for text in ["https://filter.example:443", "http://127.0.0.1:1", "http://[::1]:1", "localhost:1", "a.example:1"]
        {
            assert!(Endpoint::parse(text).is_ok(), "{text}");
        }
        assert!(Endpoint::parse("a.example:1").unwrap().has_tls() && !Endpoint::parse("[::1]:1").unwrap().has_tls());
        for text in ["http://a.example:1", "http://127.0.0.1.a.example:1"] {
            assert_eq!(Endpoint::parse(text), Err(EndpointError::Plaintext(text.to_owned())));
        }
        for text in ["", "a.example", "ftp://a.example:1", "https://a.example:1/path", "https://u@a.example:1", "a:0"] {
            assert_eq!(Endpoint::parse(text), Err(EndpointError::Address(text.to_owned())), "{text}");
        }
    }

    #[tokio::test]
    async fn files_that_do_not_fit_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "no certificate").unwrap();
        let (plain, tls) = (Endpoint::parse("localhost:1").unwrap(), Endpoint::parse("a.example:1").unwrap());
        let with = |files: EndpointFiles| (plain.open(&files).is_ok(), tls.open(&files).is_ok());
        assert_eq!(with(EndpointFiles::default()), (true, true));
        assert_eq!(with(EndpointFiles { cert_file: Some(file.clone()), ..EndpointFiles::default() }), (false, false));
        for text in ["two\nlines", "\n"] {
            std::fs::write(&file, text).unwrap();
            let files = EndpointFiles { token_file: Some(file.clone()), ..EndpointFiles::default() };
            assert_eq!(with(files), (false, false), "{text:?}");
        }
        std::fs::write(&file, "secret-token\n").unwrap();
        assert_eq!(with(EndpointFiles { token_file: Some(file.clone()), ..EndpointFiles::default() }), (true, true));
        assert_eq!(format!("{:?}", Bearer::read(Some(&file)).unwrap()), "Bearer(true)");
    }
}
