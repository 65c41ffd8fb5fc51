//! A single redis-server process.

use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context, Result, anyhow, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::connection::{Connection, Reply};
use super::program::Program;
use super::stored_key;
use super::wait::{until, until_true};
use crate::ports::free_port;

/// The time after which the other nodes consider an unresponsive node of a cluster dead.
const NODE_TIMEOUT_MS: &str = "2000";

/// A running redis-server without persistence; dropping it kills the process.
#[derive(Debug)]
pub struct Server {
    program: Program,
    child: Option<Child>,
    port: u16,
    /// The port of the cluster bus, for a node of a cluster.
    bus: Option<u16>,
    data: TempDir,
}

impl Server {
    /// Starts a server that is not part of a cluster, and returns when it responds.
    ///
    /// # Errors
    /// If the server does not start; the error contains its log.
    pub fn start(program: &Program) -> Result<Self> {
        Self::start_as(program, false)
    }

    /// Starts a node that belongs to no cluster yet.
    pub(crate) fn start_node(program: &Program) -> Result<Self> {
        Self::start_as(program, true)
    }

    /// Retries if a server ends at once, because another process may have taken the free port
    /// before the server binds it.
    fn start_as(program: &Program, node: bool) -> Result<Self> {
        let mut last = anyhow!("never tried");
        for _ in 0..3 {
            let bus = node.then(free_port).transpose()?;
            let (port, data) = (free_port()?, program.folder()?);
            let mut server = Self { program: program.clone(), child: None, port, bus, data };
            match server.start_again() {
                Ok(()) => return Ok(server),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Returns the port on 127.0.0.1, which stays the same during the lifetime of this value.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the address, `redis://127.0.0.1:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Returns the port of the cluster bus.
    pub(crate) fn bus(&self) -> Option<u16> {
        self.bus
    }

    /// Returns true if the server was started and not killed since.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.child.is_some()
    }

    /// Returns the id of the process.
    ///
    /// # Errors
    /// If the server was killed.
    pub fn pid(&self) -> Result<i32> {
        let child = self.child.as_ref().context("this server was killed")?;
        i32::try_from(child.id()).context("a process id beyond 31 bits")
    }

    /// Sends one command on a new connection.
    ///
    /// # Errors
    /// As [`Connection::open`] and [`Connection::ask`].
    pub fn ask(&self, words: &[&str]) -> Result<Reply> {
        Connection::open(self.port)?.ask(words)
    }

    /// Returns the names of the keys that contain a text in their names or values, whatever their
    /// types.
    ///
    /// # Errors
    /// If the server does not respond.
    pub fn keys_with(&self, text: &str) -> Result<Vec<String>> {
        stored_key::with_text(self, text)
    }

    /// Removes every key (FLUSHALL). Functions stay; only a restart removes them.
    ///
    /// # Errors
    /// If the server does not respond.
    pub fn flush(&self) -> Result<()> {
        self.ask(&["FLUSHALL"]).map(drop)
    }

    /// Ends the server with SIGKILL, and returns once the process has ended. Does nothing if it was
    /// killed before.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Neither call can fail for a child that was not waited for yet.
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Restarts the server at its port, empty and without functions, and returns when it responds.
    /// A running server is killed first. A node of a cluster resumes its membership.
    ///
    /// # Errors
    /// If the server does not start; the error contains its log.
    pub fn start_again(&mut self) -> Result<()> {
        self.kill();
        // A replica stores the snapshot of its master in a file, and would restart with that old
        // data.
        match std::fs::remove_file(self.data.path().join("dump.rdb")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        let path = self.data.path().join("log");
        let log = std::fs::File::create(&path)?;
        let mut command = self.program.command();
        command.args(self.flags()).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut child = command.spawn().context("redis-server cannot be run")?;
        let port = self.port;
        let ready = until("redis-server responds", || {
            // An early end is reported at once.
            if let Some(status) = child.try_wait()? {
                return Ok(Err(anyhow!("redis-server ended with {status}")));
            }
            ensure!(Connection::open(port)?.ask(&["PING"])? == Reply::Text("PONG".to_owned()), "another program");
            Ok(Ok(()))
        });
        self.child = Some(child);
        ready.and_then(|outcome| outcome).map_err(|error| error.context(end_of(&path)))
    }

    fn flags(&self) -> Vec<String> {
        let port = self.port.to_string();
        let folder = self.data.path().display().to_string();
        let mut flags =
            vec!["--port", &port, "--bind", "127.0.0.1", "--dir", &folder, "--save", "", "--appendonly", "no"];
        let bus = self.bus.map(|bus| bus.to_string());
        if let Some(bus) = &bus {
            flags.extend(["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-port", bus]);
            // A master sends the snapshot at once, without waiting for other replicas that may
            // request it too.
            flags.extend(["--cluster-node-timeout", NODE_TIMEOUT_MS, "--repl-diskless-sync-delay", "0"]);
        }
        flags.into_iter().map(str::to_owned).collect()
    }

    /// Suspends the server (SIGSTOP), and returns when it has stopped. Connections stay open.
    ///
    /// # Errors
    /// If the server was killed.
    pub fn pause(&self) -> Result<()> {
        let pid = self.pid()?;
        kill(Pid::from_raw(pid), Signal::SIGSTOP)?;
        until_true("redis-server is suspended", || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
            Ok(stat.rsplit_once(") ").context("no state")?.1.starts_with('T'))
        })
    }

    /// Resumes the server (SIGCONT).
    ///
    /// # Errors
    /// If the server was killed.
    pub fn resume(&self) -> Result<()> {
        Ok(kill(Pid::from_raw(self.pid()?), Signal::SIGCONT)?)
    }

    /// Returns a field of a section of INFO.
    ///
    /// # Errors
    /// If the server does not respond or has no such field.
    pub fn info(&self, section: &str, field: &str) -> Result<String> {
        let text = self.ask(&["INFO", section])?.text()?;
        let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        value.map(str::to_owned).with_context(|| format!("INFO {section} has no {field}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the end of a log, for an error message.
fn end_of(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    format!("the end of its log:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"))
}
