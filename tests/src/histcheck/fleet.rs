//! Two servers over one set of databases, and the channels to them; and further processes that
//! receive no calls.

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures::future::try_join_all;
use nix::sys::signal::{Signal, kill};
use tokio::sync::mpsc::UnboundedSender;
use tonic::transport::{Channel, Endpoint};

use crate::binary::binary;
use crate::server::Server;

/// Number of servers that receive calls.
pub(crate) const SERVERS: usize = 2;

/// The channels to the servers. The channel of a killed server leads nowhere until its successor is
/// started.
#[derive(Debug)]
pub(crate) struct Doors([RwLock<Channel>; SERVERS]);

/// The command line and environment of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Launch {
    /// Its arguments.
    pub(crate) sets: Vec<String>,
    /// Variables added to the inherited environment.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// Words in front of the command: a program that executes it.
    pub(crate) before: Vec<String>,
    /// Receives the errors of its log.
    pub(crate) errors: Option<UnboundedSender<String>>,
}

/// The servers. The first [`SERVERS`] of them receive calls.
#[derive(Debug)]
pub(crate) struct Fleet {
    /// The launch of each server.
    launches: Vec<Launch>,
    servers: Vec<Option<Server>>,
    doors: Arc<Doors>,
}

impl Doors {
    /// Returns the channel to a server; the index wraps around.
    pub(crate) fn channel(&self, door: usize) -> Channel {
        self.0[door % SERVERS].read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Fleet {
    /// Starts the servers, those that receive calls first; the schema exists already.
    pub(crate) async fn start(launches: Vec<Launch>) -> Result<Self> {
        let servers = try_join_all(launches.iter().map(Launch::serve)).await?;
        let [first, second, ..] = &servers[..] else { bail!("there are {} servers", servers.len()) };
        let doors = Doors([RwLock::new(door(first)?), RwLock::new(door(second)?)]);
        Ok(Self { launches, servers: servers.into_iter().map(Some).collect(), doors: Arc::new(doors) })
    }

    /// Returns the channels.
    pub(crate) fn doors(&self) -> Arc<Doors> {
        Arc::clone(&self.doors)
    }

    /// Ends one server by SIGKILL.
    pub(crate) async fn kill(&mut self, number: usize) -> Result<()> {
        self.servers[number].take().context("it was killed before")?.crash().await
    }

    /// Stops one server as an operator does: it completes the calls in flight.
    pub(crate) async fn end(&mut self, number: usize) -> Result<()> {
        let server = self.servers[number].take().context("it was ended before")?;
        well(number, server.stop().await?)
    }

    /// Fails if a server has ended that was not stopped by this fleet.
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

    /// Starts a successor for each server that was ended, and waits until it serves.
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

    /// Returns a server that receives calls, for the reads at the end of the run.
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

/// Checks that a server that was stopped has ended with code 0.
fn well(number: usize, code: Option<i32>) -> Result<()> {
    ensure!(code == Some(0), "server {number} was asked to stop and ended with code {code:?}");
    Ok(())
}

impl Launch {
    async fn serve(&self) -> Result<Server> {
        let binary = binary()?;
        let variables: Vec<(&str, &OsStr)> = self.variables.iter().map(|(name, of)| (*name, of.as_os_str())).collect();
        let errors = self.errors.clone();
        let hears = move |line| {
            // The receiver may be dropped before the server ends.
            let _ = errors.as_ref().map(|errors| errors.send(line));
        };
        let Some((program, words)) = self.before.split_first() else {
            return Server::serve_observed(&binary, &self.sets, &variables, hears).await;
        };
        let binary = binary.to_str().context("the binary's path is no text")?.to_owned();
        let words: Vec<String> = words.iter().cloned().chain([binary]).chain(self.sets.iter().cloned()).collect();
        Server::serve_observed(program.as_ref(), &words, &variables, hears).await
    }
}

fn door(server: &Server) -> Result<Channel> {
    let endpoint = Endpoint::from_shared(server.target().to_owned())?;
    Ok(endpoint.connect_timeout(Duration::from_secs(2)).tcp_nodelay(true).connect_lazy())
}
