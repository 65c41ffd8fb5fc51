//! A name whose addresses a test chooses, in place of DNS.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use riposte_sdk::{Client, Options, Resolve};

use crate::Server;

/// The addresses of one name. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Names(Arc<Mutex<Vec<SocketAddr>>>);

impl Names {
    /// Creates a name with these addresses.
    #[must_use]
    pub fn of(addresses: Vec<SocketAddr>) -> Self {
        Self(Arc::new(Mutex::new(addresses)))
    }

    /// Makes the name resolve to these servers from now on. Clients notice when they resolve it
    /// again.
    ///
    /// # Errors
    /// Never for the addresses that a server gives.
    pub fn stand_for<'s>(&self, servers: impl IntoIterator<Item = &'s Server>) -> Result<()> {
        let address = |server: &Server| server.target().trim_start_matches("http://").parse().context("no address");
        let addresses = servers.into_iter().map(address).collect::<Result<_>>()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = addresses;
        Ok(())
    }

    /// Creates a client that resolves the name and calls all its addresses in turn.
    ///
    /// # Errors
    /// Never.
    pub fn client(&self) -> Result<Client> {
        let resolver = Arc::new(self.clone());
        // The resolver ignores this port.
        Ok(Client::open(Options { target: "dns:///riposte.test:7171".to_owned(), resolver, ..Options::default() })?)
    }
}

impl Resolve for Names {
    fn resolve(&self, _: &str, _: u16) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(std::future::ready(Ok(found)))
    }
}
