mod connection;
mod error;
mod frame;
mod pages;
mod request_ids;
mod retry;

use crate::v1;
use std::time::Duration;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};
use v1::admin_service_client::AdminServiceClient;
use v1::comment_service_client::CommentServiceClient;
use v1::like_service_client::LikeServiceClient;
use v1::reply_service_client::ReplyServiceClient;
use v1::subject_service_client::SubjectServiceClient;

pub use connection::Connection;
pub use error::{Error, Violation};
pub use pages::{CommentPages, ReplyPages};
pub use request_ids::RequestIds;

/// Where `riposte dev` listens.
const DEFAULT_TARGET: &str = "http://127.0.0.1:7171";
const USER_AGENT: &str = concat!("riposte-rust/", env!("CARGO_PKG_VERSION"));

/// The largest answer read, in bytes: 200 comments of the greatest length, with room to spare.
const MAX_ANSWER: usize = 16 << 20;

/// How to reach a service.
#[derive(Clone)]
pub struct Options {
    /// Its address: `http://host:port`, plaintext, or `https://host:port`, TLS. An address without a scheme is
    /// plaintext. Default: `http://127.0.0.1:7171`.
    pub target: String,
    /// The bearer token to send with every call, also over plaintext. Default: none.
    pub token: Option<String>,
    /// The certificate authority to trust with `https://`, in PEM. Default: the public ones.
    pub tls_ca: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { target: DEFAULT_TARGET.to_owned(), token: None, tls_ca: None }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("target", &self.target).finish_non_exhaustive()
    }
}

impl Options {
    /// `RIPOSTE_TARGET`, `RIPOSTE_TOKEN` and `RIPOSTE_TLS_CA` (the path of a PEM file), each with its default.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the file cannot be read.
    pub fn from_env() -> Result<Self, Error> {
        let read = |path: String| {
            std::fs::read_to_string(&path).map_err(|error| Error::local(format!("RIPOSTE_TLS_CA, {path}: {error}")))
        };
        Ok(Self {
            target: variable("RIPOSTE_TARGET").unwrap_or_else(|| DEFAULT_TARGET.to_owned()),
            token: variable("RIPOSTE_TOKEN"),
            tls_ca: variable("RIPOSTE_TLS_CA").map(read).transpose()?,
        })
    }

    fn endpoint(&self) -> Result<Endpoint, Error> {
        let target = if self.target.contains("://") { self.target.clone() } else { format!("http://{}", self.target) };
        let unusable = |error: tonic::transport::Error| Error::local(format!("target {target}: {error}"));
        let endpoint = Endpoint::from_shared(target.clone())
            .and_then(|endpoint| endpoint.user_agent(USER_AGENT))
            .map_err(unusable)?
            .connect_timeout(Duration::from_secs(2))
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(20));
        if !target.starts_with("https://") {
            return Ok(endpoint);
        }
        let tls = match &self.tls_ca {
            Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            None => ClientTlsConfig::new().with_webpki_roots(),
        };
        endpoint.tls_config(tls).map_err(unusable)
    }
}

#[expect(clippy::disallowed_methods, reason = "a client is configured by its own variables, apart from the server's")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A client for all services of one address. Cloning is cheap, and clones share the connection.
///
/// Every call has a deadline and is repeated on UNAVAILABLE, as the service configuration says; every write gets a
/// request id if it has none, so that repeating it is safe. A deadline set on a request wins.
#[derive(Debug, Clone)]
pub struct Client {
    options: Options,
    connection: Connection,
}

impl Client {
    /// A client by `RIPOSTE_TARGET`, `RIPOSTE_TOKEN` and `RIPOSTE_TLS_CA`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if a variable is unusable.
    pub fn from_env() -> Result<Self, Error> {
        Self::open(Options::from_env()?)
    }

    /// A client for one address, without a token: `http://host:port`, `https://host:port`, or `host:port`. Nothing is
    /// dialled before the first call. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the address is none.
    pub fn connect(target: impl Into<String>) -> Result<Self, Error> {
        Self::open(Options { target: target.into(), ..Default::default() })
    }

    /// A client as the options say. Nothing is dialled before the first call. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if an option is unusable.
    pub fn open(options: Options) -> Result<Self, Error> {
        let channel = options.endpoint()?.connect_lazy();
        let connection = Connection::new(channel, options.token.as_deref())?;
        Ok(Self { options, connection })
    }

    /// The subjects.
    pub fn subjects(&self) -> SubjectServiceClient<Connection> {
        SubjectServiceClient::new(self.connection.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    /// The comments.
    pub fn comments(&self) -> CommentServiceClient<Connection> {
        CommentServiceClient::new(self.connection.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    /// The replies.
    pub fn replies(&self) -> ReplyServiceClient<Connection> {
        ReplyServiceClient::new(self.connection.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    /// The likes.
    pub fn likes(&self) -> LikeServiceClient<Connection> {
        LikeServiceClient::new(self.connection.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    /// The administration, which listens at an address of its own; with this client's token and trust.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the address is none.
    pub fn admin(&self, target: impl Into<String>) -> Result<AdminServiceClient<Connection>, Error> {
        let other = Self::open(Options { target: target.into(), ..self.options.clone() })?;
        Ok(AdminServiceClient::new(other.connection).max_decoding_message_size(MAX_ANSWER))
    }

    /// The request ids of this client, for a caller that keeps the id of a write itself.
    pub fn request_ids(&self) -> &RequestIds {
        &self.connection.shared.request_ids
    }
}
