//! A filter and an account service for tests. A [`Script`] has their results, and makes responses
//! late, wrong or missing. `riposte-fakes` is the same as a program.
//!
//! This crate must never be a dependency of a program that ships.

mod accounts;
mod filter;
mod script;
mod served;

use std::collections::BTreeSet;
use std::net::SocketAddr;

use anyhow::{Context, Result};
use riposte_sdk::account::v1::account_service_server::AccountServiceServer;
use riposte_sdk::filter::v1::CheckContentsRequest;
use riposte_sdk::filter::v1::filter_service_server::FilterServiceServer;
use served::Served;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

pub use script::{AccountFields, AccountScript, CallFault, CallScript, FilterScript, Outcome, Script, State};

/// Both fakes, served at one address until this value is dropped.
#[derive(Debug)]
pub struct Fakes {
    address: SocketAddr,
    served: Served,
    task: JoinHandle<Result<(), tonic::transport::Error>>,
}

impl Fakes {
    /// Starts the fakes at an address; port 0 takes any free one.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn start(listen: SocketAddr, script: Script) -> Result<Self> {
        let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
        Self::serve(listener, script)
    }

    /// Starts the fakes on a listener, in the runtime in which this is called.
    ///
    /// # Errors
    /// The listener cannot be used.
    pub fn on(listener: std::net::TcpListener, script: Script) -> Result<Self> {
        listener.set_nonblocking(true)?;
        Self::serve(TcpListener::from_std(listener)?, script)
    }

    fn serve(listener: TcpListener, script: Script) -> Result<Self> {
        let address = listener.local_addr()?;
        let served = Served::new(script);
        let services = Server::builder()
            .add_service(FilterServiceServer::new(served.clone()))
            .add_service(AccountServiceServer::new(served.clone()));
        // Without it a response of several packets may wait for an acknowledgement, some 40 ms.
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let task = tokio::spawn(services.serve_with_incoming(incoming));
        Ok(Self { address, served, task })
    }

    /// The address of both services.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Replaces the script for the calls from now on.
    pub fn set_script(&self, script: Script) {
        self.served.set_script(script);
    }

    /// The number of calls of the filter so far.
    #[must_use]
    pub fn filter_calls(&self) -> u32 {
        self.served.filter_calls.count()
    }

    /// The number of calls of the account service so far.
    #[must_use]
    pub fn account_calls(&self) -> u32 {
        self.served.account_calls.count()
    }

    /// The requests that the filter has received so far.
    #[must_use]
    pub fn filter_requests(&self) -> Vec<CheckContentsRequest> {
        self.served.filter_requests().clone()
    }

    /// The comments whose texts the filter has allowed so far, each in a response that keeps the
    /// contract about it.
    #[must_use]
    pub fn allowed_comments(&self) -> BTreeSet<i64> {
        self.served.allowed_comments().clone()
    }

    /// The bearer tokens of the calls that the filter has received so far, each after `Bearer `.
    #[must_use]
    pub fn tokens(&self) -> Vec<String> {
        self.served.tokens().clone()
    }

    /// Serves until the server fails.
    ///
    /// # Errors
    /// The failure.
    pub async fn run(mut self) -> Result<()> {
        Ok((&mut self.task).await??)
    }
}

impl Drop for Fakes {
    fn drop(&mut self) {
        self.task.abort();
    }
}
