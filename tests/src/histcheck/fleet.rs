//! The processes of the service: two servers over one set of databases with the channels to them,
//! and further processes that receive no calls.

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

/// The channels to the servers. Calls on the channel of a killed server fail until its successor
/// has started.
#[derive(Debug)]
pub(crate) struct ServerChannels([RwLock<Ports>; SERVERS]);

/// The channels to the ports of a server.
#[derive(Debug, Clone)]
pub(crate) struct Ports {
    pub(crate) public: Channel,
    pub(crate) admin: Channel,
}

/// The command line and environment of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Launch {
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Variables added to the inherited environment.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// A program that executes the command, with its arguments; empty for none.
    pub(crate) wrapper: Vec<String>,
    /// Receives the errors of its log.
    pub(crate) errors: Option<UnboundedSender<String>>,
}

/// All processes of the service. The first [`SERVERS`] of them receive calls.
#[derive(Debug)]
pub(crate) struct Fleet {
    /// The command line and environment of each process.
    launches: Vec<Launch>,
    servers: Vec<Option<Server>>,
    channels: Arc<ServerChannels>,
}

impl ServerChannels {
    /// Returns the channel to the public port of a server; the index wraps around.
    pub(crate) fn to(&self, server: usize) -> Channel {
        self.ports(server).public
    }

    /// Returns the channels to a server; the index wraps around.
    pub(crate) fn ports(&self, server: usize) -> Ports {
        self.0[server % SERVERS].read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Fleet {
    /// Starts the servers, those that receive calls first; the schema exists already.
    pub(crate) async fn start(launches: Vec<Launch>) -> Result<Self> {
        let servers = try_join_all(launches.iter().map(Launch::serve)).await?;
        let [first, second, ..] = &servers[..] else { bail!("there are {} servers", servers.len()) };
        let channels = ServerChannels([RwLock::new(ports(first)?), RwLock::new(ports(second)?)]);
        Ok(Self { launches, servers: servers.into_iter().map(Some).collect(), channels: Arc::new(channels) })
    }

    /// Returns the channels.
    pub(crate) fn channels(&self) -> Arc<ServerChannels> {
        Arc::clone(&self.channels)
    }

    /// Ends one server by SIGKILL.
    pub(crate) async fn kill(&mut self, number: usize) -> Result<()> {
        self.servers[number].take().context("the server was stopped before")?.crash().await
    }

    /// Stops one server as an operator does: it completes the calls in flight.
    pub(crate) async fn terminate(&mut self, number: usize) -> Result<()> {
        let server = self.servers[number].take().context("the server was stopped before")?;
        ensure_success(number, server.stop().await?)
    }

    /// Fails if a server has ended that this fleet did not stop.
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
        Ok(kill(self.servers[number].as_ref().context("the server was stopped before")?.pid(), signal)?)
    }

    /// Starts a successor for each server that was ended, and waits until it serves.
    pub(crate) async fn replace(&mut self) -> Result<()> {
        for (number, server) in self.servers.iter_mut().enumerate().filter(|(_, server)| server.is_none()) {
            let successor = tokio::time::timeout(Duration::from_secs(60), self.launches[number].serve()).await;
            let successor = successor.context("a server does not serve again within a minute")??;
            if let Some(shared) = self.channels.0.get(number) {
                *shared.write().unwrap_or_else(PoisonError::into_inner) = ports(&successor)?;
            }
            *server = Some(successor);
        }
        Ok(())
    }

    /// Returns a server that receives calls, for the reads at the end of the run.
    pub(crate) fn any_serving(&self) -> Result<&Server> {
        self.servers.iter().take(SERVERS).flatten().next().context("no server is running")
    }

    /// Stops all servers as an operator does.
    pub(crate) async fn stop(mut self) -> Result<()> {
        self.all_run()?;
        for (number, server) in self.servers.into_iter().flatten().enumerate() {
            ensure_success(number, server.stop().await?)?;
        }
        Ok(())
    }
}

/// Fails unless a stopped server ended with code 0.
fn ensure_success(number: usize, code: Option<i32>) -> Result<()> {
    ensure!(code == Some(0), "server {number} was stopped and ended with code {code:?}");
    Ok(())
}

impl Launch {
    async fn serve(&self) -> Result<Server> {
        let binary = binary()?;
        let variables: Vec<(&str, &OsStr)> =
            self.variables.iter().map(|(name, value)| (*name, value.as_os_str())).collect();
        let errors = self.errors.clone();
        let on_error = move |line| {
            // The receiver may be dropped before the server ends.
            let _ = errors.as_ref().map(|errors| errors.send(line));
        };
        let Some((program, arguments)) = self.wrapper.split_first() else {
            return Server::serve_observed(&binary, &self.arguments, &variables, on_error).await;
        };
        let binary = binary.to_str().context("the path of the binary is not UTF-8")?.to_owned();
        let arguments: Vec<String> =
            arguments.iter().cloned().chain([binary]).chain(self.arguments.iter().cloned()).collect();
        Server::serve_observed(program.as_ref(), &arguments, &variables, on_error).await
    }
}

fn ports(server: &Server) -> Result<Ports> {
    Ok(Ports { public: channel(server.target())?, admin: channel(server.admin_target())? })
}

fn channel(target: &str) -> Result<Channel> {
    let endpoint = Endpoint::from_shared(target.to_owned())?;
    Ok(endpoint.connect_timeout(Duration::from_secs(2)).tcp_nodelay(true).connect_lazy())
}
