//! Two servers over one set of databases, and the ways in.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use tonic::transport::{Channel, Endpoint};

use crate::Server;

/// Servers there are.
pub(super) const SERVERS: usize = 2;

/// Where the servers are reached. A killed server's door leads nowhere until the next one stands behind it.
#[derive(Debug)]
pub(super) struct Doors([RwLock<Channel>; SERVERS]);

/// The servers.
#[derive(Debug)]
pub(super) struct Fleet {
    sets: Vec<String>,
    servers: [Option<Server>; SERVERS],
    doors: Arc<Doors>,
}

impl Doors {
    /// The way to one of the servers; numbers wrap.
    pub(super) fn channel(&self, door: usize) -> Channel {
        self.0[door % SERVERS].read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Fleet {
    /// Starts all servers with these arguments; the schema stands already.
    pub(super) async fn start(sets: Vec<String>) -> Result<Self> {
        let (first, second) = tokio::try_join!(Server::serve_with(&sets), Server::serve_with(&sets))?;
        let doors = Doors([RwLock::new(door(&first)?), RwLock::new(door(&second)?)]);
        Ok(Self { sets, servers: [Some(first), Some(second)], doors: Arc::new(doors) })
    }

    /// The ways in.
    pub(super) fn doors(&self) -> Arc<Doors> {
        Arc::clone(&self.doors)
    }

    /// Ends one server by SIGKILL.
    pub(super) async fn kill(&mut self, number: usize) -> Result<()> {
        self.servers[number].take().context("it was killed before")?.crash().await
    }

    /// Starts a server in the place of each that was killed, and waits until it serves.
    pub(super) async fn replace(&mut self) -> Result<()> {
        for (number, place) in self.servers.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
            let starts = tokio::time::timeout(Duration::from_secs(60), Server::serve_with(&self.sets)).await;
            let server = starts.context("a server does not serve again within a minute")??;
            *self.doors.0[number].write().unwrap_or_else(PoisonError::into_inner) = door(&server)?;
            *place = Some(server);
        }
        Ok(())
    }

    /// A server, to read the end of it all from.
    pub(super) fn any(&self) -> Result<&Server> {
        self.servers.iter().flatten().next().context("no server stands")
    }

    /// Asks all servers to stop.
    pub(super) async fn stop(self) -> Result<()> {
        for server in self.servers.into_iter().flatten() {
            server.stop().await?;
        }
        Ok(())
    }
}

fn door(server: &Server) -> Result<Channel> {
    let endpoint = Endpoint::from_shared(server.target().to_owned())?;
    Ok(endpoint.connect_timeout(Duration::from_secs(2)).tcp_nodelay(true).connect_lazy())
}
