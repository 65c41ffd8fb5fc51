mod balance;
mod connection;
mod error;
mod frame;
mod listeners;
mod options;
mod pages;
mod request_ids;
mod resolve;
mod retry;
mod unprocessed;
mod watch;

use listeners::FanOuts;
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataKey, MetadataValue};

pub use connection::Connection;
pub use error::{Error, Violation};
pub use listeners::Listener;
pub use options::Options;
pub use pages::{Items, List, Pages};
pub use request_ids::RequestIds;
pub use resolve::{Dns, Resolve};
pub use unprocessed::is_unprocessed;
pub use watch::{Follow, Watch};
pub(crate) use watch::{FollowRevisions, keep_revision};

/// The largest response that the client reads, in bytes: more than 200 comments of the greatest
/// length.
pub(crate) const MAX_RESPONSE: usize = 16 << 20;

/// A client for all services of one address. Cloning is cheap, and clones share the connections.
///
/// Every call has a deadline and is repeated on UNAVAILABLE, as the service configuration says.
/// Every write gets a request id if it has none, so that repeating it is safe. A deadline set on a
/// request takes precedence. If a name has several addresses, calls go to all of them in turn and
/// skip dead ones.
#[derive(Debug, Clone)]
pub struct Client {
    connection: Connection,
    /// An error here matters only to a client that uses the admin service.
    admin: Result<Connection, Error>,
    pub(crate) fan_outs: FanOuts,
}

impl Client {
    /// Creates a client from the variables that [`Options::from_env`] reads. Must be called within
    /// a tokio runtime.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if a variable is unusable.
    pub fn from_env() -> Result<Self, Error> {
        Self::open(Options::from_env()?)
    }

    /// Creates a client for one address, without a token: `http://host:port`, `https://host:port`,
    /// or `host:port`. The client does not connect before the first call. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the address is malformed.
    pub fn connect(target: impl Into<String>) -> Result<Self, Error> {
        Self::open(Options { target: target.into(), ..Default::default() })
    }

    /// Creates a client from options. The client does not connect before the first call. Must be
    /// called within a tokio runtime.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if an option is unusable, or if a token would go over plaintext without
    /// `insecure_token`.
    pub fn open(options: Options) -> Result<Self, Error> {
        let connection = Connection::open(&options, &options.target)?;
        let admin = options.admin_address().and_then(|target| connection.beside(&options, target));
        Ok(Self { connection, admin, fan_outs: FanOuts::default() })
    }

    /// Waits until an address accepts connections. No call needs this: each call waits by itself,
    /// within its deadline.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED when the timeout ends, with the last failure.
    pub async fn wait_ready(&self, timeout: Duration) -> Result<(), Error> {
        self.connection.wait_ready(timeout).await
    }

    /// Returns a client that also sends these metadata with every call; it shares the connections
    /// and the request ids.
    #[must_use]
    pub fn with_metadata(&self, key: MetadataKey<Ascii>, value: MetadataValue<Ascii>) -> Self {
        let connection = self.connection.with_metadata(key.clone(), value.clone());
        let admin = self.admin.as_ref().map(|admin| admin.with_metadata(key, value)).map_err(Error::clone);
        Self { connection, admin, fan_outs: FanOuts::default() }
    }

    /// Returns the connection, for a generated client that is constructed directly.
    pub fn connection(&self) -> Connection {
        self.connection.clone()
    }

    /// Returns the connection to the admin address.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the address is malformed, or if a token would go to it over plaintext
    /// without `insecure_token`.
    pub fn admin_connection(&self) -> Result<Connection, Error> {
        self.admin.clone()
    }

    /// Returns the request id generator of this client, for a caller that stores the id of a write
    /// itself.
    pub fn request_ids(&self) -> &RequestIds {
        &self.connection.shared.request_ids
    }
}
