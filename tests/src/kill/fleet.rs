//! Two servers over one set of databases, and the ways in; and processes beside them that nobody calls.

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures::future::try_join_all;
use nix::sys::signal::{Signal, kill};
use tokio::sync::mpsc::UnboundedSender;
use tonic::transport::{Channel, Endpoint};

use crate::server::{self, Server};

/// Servers that are called.
pub(crate) const SERVERS: usize = 2;

/// Where the servers are reached. A killed server's door leads nowhere until the next one stands behind it.
#[derive(Debug)]
pub(crate) struct Doors([RwLock<Channel>; SERVERS]);

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Launch {
    /// Its arguments.
    pub(crate) sets: Vec<String>,
    /// What its environment has beside ours.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// The words before it: a program that becomes it.
    pub(crate) before: Vec<String>,
    /// Who hears the errors of its log.
    pub(crate) errors: Option<UnboundedSender<String>>,
}

/// The servers. The first of them are called.
#[derive(Debug)]
pub(crate) struct Fleet {
    /// How each server is started.
    launches: Vec<Launch>,
    servers: Vec<Option<Server>>,
    doors: Arc<Doors>,
}

impl Doors {
    /// The way to one of the servers; numbers wrap.
    pub(crate) fn channel(&self, door: usize) -> Channel {
        self.0[door % SERVERS].read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Fleet {
    /// Starts the servers, those that are called before the others; the schema stands already.
    pub(crate) async fn start(launches: Vec<Launch>) -> Result<Self> {
        let servers = try_join_all(launches.iter().map(Launch::serve)).await?;
        let [first, second, ..] = &servers[..] else { bail!("there are {} servers", servers.len()) };
        let doors = Doors([RwLock::new(door(first)?), RwLock::new(door(second)?)]);
        Ok(Self { launches, servers: servers.into_iter().map(Some).collect(), doors: Arc::new(doors) })
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
        let server = self.servers[number].take().context("it was ended before")?;
        well(number, server.stop().await?)
    }

    /// Nobody has ended but those who were told to.
    pub(crate) fn all_run(&mut self) -> Result<()> {
        for (number, server) in self.servers.iter_mut().enumerate() {
            if let Some(status) = server.as_mut().map(Server::has_ended).transpose()?.flatten() {
                bail!("server {number} ended by itself: {status}");
            }
        }
        Ok(())
    }

    /// Sends a signal to one server.
    pub(crate) fn signal(&self, number: usize, signal: Signal) -> Result<()> {
        Ok(kill(self.servers[number].as_ref().context("it was ended before")?.pid(), signal)?)
    }

    /// Starts a server in the place of each that was ended, and waits until it serves.
    pub(crate) async fn replace(&mut self) -> Result<()> {
        for (number, place) in self.servers.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
            let starts = tokio::time::timeout(Duration::from_secs(60), self.launches[number].serve()).await;
            let server = starts.context("a server does not serve again within a minute")??;
            if let Some(way) = self.doors.0.get(number) {
                *way.write().unwrap_or_else(PoisonError::into_inner) = door(&server)?;
            }
            *place = Some(server);
        }
        Ok(())
    }

    /// A server that is called, to read the end of it all from.
    pub(crate) fn any(&self) -> Result<&Server> {
        self.servers.iter().take(SERVERS).flatten().next().context("no server stands")
    }

    /// Asks all servers to stop.
    pub(crate) async fn stop(mut self) -> Result<()> {
        self.all_run()?;
        for (number, server) in self.servers.into_iter().flatten().enumerate() {
            well(number, server.stop().await?)?;
        }
        Ok(())
    }
}

/// Whoever is asked to stop ends without a fault.
fn well(number: usize, code: Option<i32>) -> Result<()> {
    ensure!(code == Some(0), "server {number} was asked to stop and ended with code {code:?}");
    Ok(())
}

impl Launch {
    async fn serve(&self) -> Result<Server> {
        let binary = server::binary()?;
        let variables: Vec<(&str, &OsStr)> = self.variables.iter().map(|(name, of)| (*name, of.as_os_str())).collect();
        let errors = self.errors.clone();
        let hears = move |line| {
            // Whoever listens may be gone before the server is.
            let _ = errors.as_ref().map(|errors| errors.send(line));
        };
        let Some((program, words)) = self.before.split_first() else {
            return Server::serve_heard(&binary, &self.sets, &variables, hears).await;
        };
        let binary = binary.to_str().context("the binary's path is no text")?.to_owned();
        let words: Vec<String> = words.iter().cloned().chain([binary]).chain(self.sets.iter().cloned()).collect();
        Server::serve_heard(program.as_ref(), &words, &variables, hears).await
    }
}

fn door(server: &Server) -> Result<Channel> {
    let endpoint = Endpoint::from_shared(server.target().to_owned())?;
    Ok(endpoint.connect_timeout(Duration::from_secs(2)).tcp_nodelay(true).connect_lazy())
}
