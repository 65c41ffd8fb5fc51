//! The connection of a client, which is opened anew when its files change, and after an outage.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::endpoint::{Connection, Endpoint, EndpointError, EndpointFiles};
use crate::guard::Guard;

/// The connection with a service.
#[derive(Debug)]
pub(crate) struct Link {
    endpoint: Endpoint,
    files: EndpointFiles,
    connection: ArcSwap<Connection>,
    /// The number of times that the breaker had opened when the connection was opened last.
    openings: AtomicU64,
}

impl Link {
    /// Reads the files. The connection is made when the first call needs it.
    ///
    /// # Errors
    /// A file cannot be used.
    pub(crate) fn new(endpoint: Endpoint, files: EndpointFiles) -> Result<Self, EndpointError> {
        let connection = ArcSwap::from_pointee(endpoint.open(&files)?);
        Ok(Self { endpoint, files, connection, openings: AtomicU64::new(0) })
    }

    /// Reads the files again. Calls from now on use a new connection.
    ///
    /// # Errors
    /// A file cannot be used; the earlier connection stays in use.
    pub(crate) fn reload(&self) -> Result<(), EndpointError> {
        self.connection.store(Arc::new(self.endpoint.open(&self.files)?));
        Ok(())
    }

    /// Returns the connection for a call.
    ///
    /// A machine that vanishes closes no connection, and the system needs up to 15 minutes to
    /// notice. So the probes of the breaker do not use a connection on which calls failed.
    pub(crate) fn connection(&self, guard: &Guard) -> Connection {
        let openings = guard.openings();
        if self.openings.swap(openings, Ordering::Relaxed) != openings && self.reload().is_err() {
            tracing::warn!(
                "a file of the connection with {} cannot be used; the earlier one stays in use",
                self.endpoint
            );
        }
        Connection::clone(&self.connection.load())
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use riposte_fakes::{Fakes, Script};
    use riposte_sdk::filter::v1::CheckContentsRequest;
    use riposte_sdk::filter::v1::filter_service_client::FilterServiceClient;
    use tonic::Status;

    use super::Link;
    use crate::endpoint::{Endpoint, EndpointFiles};
    use crate::guard::{Guard, Limits};

    #[tokio::test]
    async fn an_outage_ends_a_connection() {
        let fakes = Fakes::start("127.0.0.1:0".parse().unwrap(), Script::default()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        std::fs::write(&token, "first").unwrap();
        let files = EndpointFiles { token_file: Some(token.clone()), ..EndpointFiles::default() };
        let link = Link::new(Endpoint::parse(&fakes.address().to_string()).unwrap(), files).unwrap();
        let guard = Guard::new(Limits::FILTER);
        let call = async || {
            let mut client = FilterServiceClient::new(link.connection(&guard));
            client.check_contents(CheckContentsRequest::default()).await.unwrap();
        };
        call().await;
        std::fs::write(&token, "second").unwrap();
        call().await;
        for _ in 0..20 {
            guard.call(|| ready(Err::<(), _>(Status::unavailable("")))).await.unwrap_err();
        }
        call().await;
        call().await;
        // The token of a connection is read when it is opened.
        assert_eq!(fakes.tokens(), ["first", "first", "second", "second"].map(|token| format!("Bearer {token}")));
    }
}
