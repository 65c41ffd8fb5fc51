//! Two servers over one set of databases, and the ways in.

use std::ffi::OsStr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use tonic::transport::{Channel, Endpoint};

use crate::Server;

/// Servers there are.
pub(crate) const SERVERS: usize = 2;

/// Where the servers are reached. A killed server's door leads nowhere until the next one stands behind it.
#[derive(Debug)]
pub(crate) struct Doors([RwLock<Channel>; SERVERS]);

/// The servers.
#[derive(Debug)]
pub(crate) struct Fleet {
    /// The arguments of each server.
    sets: [Vec<String>; SERVERS],
    /// The bug that they are started with; empty for none.
    planted: String,
    servers: [Option<Server>; SERVERS],
    doors: Arc<Doors>,
}

impl Doors {
    /// The way to one of the servers; numbers wrap.
    pub(crate) fn channel(&self, door: usize) -> Channel {
        self.0[door % SERVERS].read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Fleet {
    /// Starts each server with its arguments; the schema stands already.
    pub(crate) async fn start(sets: [Vec<String>; SERVERS]) -> Result<Self> {
        Self::start_with(sets, "").await
    }

    /// The same with a bug of this name.
    pub(crate) async fn start_with(sets: [Vec<String>; SERVERS], planted: &str) -> Result<Self> {
        let (first, second) = tokio::try_join!(serve(&sets[0], planted), serve(&sets[1], planted))?;
        let doors = Doors([RwLock::new(door(&first)?), RwLock::new(door(&second)?)]);
        let planted = planted.to_owned();
        Ok(Self { sets, planted, servers: [Some(first), Some(second)], doors: Arc::new(doors) })
    }

    /// The ways in.
    pub(crate) fn doors(&self) -> Arc<Doors> {
        Arc::clone(&self.doors)
    }

    /// Ends one server by SIGKILL.
    pub(crate) async fn kill(&mut self, number: usize) -> Result<()> {
        self.servers[number].take().context("it was killed before")?.crash().await
    }

    /// Ends one server as an operator does: it brings what it was asked to its end.
    pub(crate) async fn end(&mut self, number: usize) -> Result<()> {
        self.servers[number].take().context("it was ended before")?.stop().await.map(drop)
    }

    /// Sends a signal to one server.
    pub(crate) fn signal(&self, number: usize, signal: Signal) -> Result<()> {
        Ok(kill(self.servers[number].as_ref().context("it was ended before")?.pid(), signal)?)
    }

    /// Starts a server in the place of each that was ended, and waits until it serves.
    pub(crate) async fn replace(&mut self) -> Result<()> {
        for (number, place) in self.servers.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
            let starts = tokio::time::timeout(Duration::from_secs(60), serve(&self.sets[number], &self.planted)).await;
            let server = starts.context("a server does not serve again within a minute")??;
            *self.doors.0[number].write().unwrap_or_else(PoisonError::into_inner) = door(&server)?;
            *place = Some(server);
        }
        Ok(())
    }

    /// A server, to read the end of it all from.
    pub(crate) fn any(&self) -> Result<&Server> {
        self.servers.iter().flatten().next().context("no server stands")
    }

    /// Asks all servers to stop.
    pub(crate) async fn stop(self) -> Result<()> {
        for server in self.servers.into_iter().flatten() {
            server.stop().await?;
        }
        Ok(())
    }
}

/// A server with a bug, if it has a name.
async fn serve(sets: &[String], planted: &str) -> Result<Server> {
    let variable = [("RIPOSTE_PLANTED", OsStr::new(planted))];
    Server::serve_in(sets, if planted.is_empty() { &[] } else { &variable }).await
}

fn door(server: &Server) -> Result<Channel> {
    let endpoint = Endpoint::from_shared(server.target().to_owned())?;
    Ok(endpoint.connect_timeout(Duration::from_secs(2)).tcp_nodelay(true).connect_lazy())
}
