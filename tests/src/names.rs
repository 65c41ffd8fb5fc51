//! A name whose addresses a test chooses, in the place of DNS.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use riposte_sdk::{Client, Options, Resolve};

use crate::Server;

/// The addresses behind one name. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Names(Arc<Mutex<Vec<SocketAddr>>>);

impl Names {
    /// A name of these addresses.
    #[must_use]
    pub fn of(addresses: Vec<SocketAddr>) -> Self {
        Self(Arc::new(Mutex::new(addresses)))
    }

    /// Lets the name stand for these servers from now on. Clients hear of it when they resolve it again.
    ///
    /// # Errors
    /// Never for the addresses that a server gives.
    pub fn stand_for<'s>(&self, servers: impl IntoIterator<Item = &'s Server>) -> Result<()> {
        let address = |server: &Server| server.target().trim_start_matches("http://").parse().context("no address");
        let addresses = servers.into_iter().map(address).collect::<Result<_>>()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = addresses;
        Ok(())
    }

    /// A client that knows the name, and calls all addresses behind it in turn.
    ///
    /// # Errors
    /// Never.
    pub fn client(&self) -> Result<Client> {
        let resolver = Arc::new(self.clone());
        // The port is the resolver's business.
        Ok(Client::open(Options { target: "dns:///riposte.test:7171".to_owned(), resolver, ..Options::default() })?)
    }
}

impl Resolve for Names {
    fn resolve(&self, _: &str, _: u16) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(std::future::ready(Ok(found)))
    }
}
