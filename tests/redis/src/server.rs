//! One redis-server.

use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context, Result, anyhow, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::connection::{Connection, Reply};
use crate::ports::free_port;
use crate::program::Program;
use crate::wait::{until, until_true};

/// How long a node of a cluster may be silent before the others take it for dead.
const NODE_TIMEOUT_MS: &str = "2000";

/// A running redis-server that keeps nothing on disk; dropping it kills the process.
#[derive(Debug)]
pub struct Server {
    program: Program,
    child: Option<Child>,
    port: u16,
    /// The port of the cluster's own talk, for a node of one.
    bus: Option<u16>,
    data: TempDir,
}

impl Server {
    /// Starts a server alone, and returns when it answers.
    ///
    /// # Errors
    /// When it does not come up; its log is told.
    pub fn start(program: &Program) -> Result<Self> {
        Self::start_as(program, false)
    }

    /// Starts a node that belongs to no cluster yet.
    pub(crate) fn start_node(program: &Program) -> Result<Self> {
        Self::start_as(program, true)
    }

    /// A port that was free may be taken before the server binds it, so a server that ends at once is tried again.
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

    /// Its port on 127.0.0.1, the same for as long as this value lives.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address, `redis://127.0.0.1:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The port of the cluster's own talk.
    pub(crate) fn bus(&self) -> Option<u16> {
        self.bus
    }

    /// Whether it was started and not killed since.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.child.is_some()
    }

    /// Its process.
    ///
    /// # Errors
    /// When it was killed.
    pub fn pid(&self) -> Result<i32> {
        let child = self.child.as_ref().context("this server was killed")?;
        i32::try_from(child.id()).context("a process id beyond 31 bits")
    }

    /// Sends one command on a connection of its own.
    ///
    /// # Errors
    /// As [`Connection::open`] and [`Connection::ask`].
    pub fn ask(&self, words: &[&str]) -> Result<Reply> {
        Connection::open(self.port)?.ask(words)
    }

    /// Removes every key (FLUSHALL). Functions stay: only a restart forgets them.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn flush(&self) -> Result<()> {
        self.ask(&["FLUSHALL"]).map(drop)
    }

    /// Ends it by SIGKILL, and returns once it is gone. That it was killed before is no fault.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Neither can fail for a child that was not waited for yet.
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Starts it at the port it had, empty and without functions, and returns when it answers. One that runs is killed
    /// first. A node of a cluster knows its place again.
    ///
    /// # Errors
    /// When it does not come up; its log is told.
    pub fn start_again(&mut self) -> Result<()> {
        self.kill();
        // A replica that was handed the data of its master keeps them in a file, and would come back with what they were then.
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
        let answers = until("redis-server answers", || {
            // An end is told at once and not waited for.
            if let Some(status) = child.try_wait()? {
                return Ok(Err(anyhow!("redis-server ended with {status}")));
            }
            ensure!(Connection::open(port)?.ask(&["PING"])? == Reply::Text("PONG".to_owned()), "a stranger answers");
            Ok(Ok(()))
        });
        self.child = Some(child);
        answers.and_then(|outcome| outcome).map_err(|error| error.context(end_of(&path)))
    }

    fn flags(&self) -> Vec<String> {
        let port = self.port.to_string();
        let folder = self.data.path().display().to_string();
        let mut flags =
            vec!["--port", &port, "--bind", "127.0.0.1", "--dir", &folder, "--save", "", "--appendonly", "no"];
        let bus = self.bus.map(|bus| bus.to_string());
        if let Some(bus) = &bus {
            flags.extend(["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-port", bus]);
            // Replicas are handed the data at once, without waiting for others that may want it too.
            flags.extend(["--cluster-node-timeout", NODE_TIMEOUT_MS, "--repl-diskless-sync-delay", "0"]);
        }
        flags.into_iter().map(str::to_owned).collect()
    }

    /// Stops it in the middle of whatever it does (SIGSTOP), and returns when it stands still. Connections stay open.
    ///
    /// # Errors
    /// When it was killed.
    pub fn pause(&self) -> Result<()> {
        let pid = self.pid()?;
        kill(Pid::from_raw(pid), Signal::SIGSTOP)?;
        until_true("redis-server stands still", || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
            Ok(stat.rsplit_once(") ").context("no state")?.1.starts_with('T'))
        })
    }

    /// Lets it go on (SIGCONT).
    ///
    /// # Errors
    /// When it was killed.
    pub fn resume(&self) -> Result<()> {
        Ok(kill(Pid::from_raw(self.pid()?), Signal::SIGCONT)?)
    }

    /// A field of what INFO tells in one of its sections.
    ///
    /// # Errors
    /// When the server does not answer or knows no such field.
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

/// The end of a log, for the message of an error.
fn end_of(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    format!("its log ends so:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"))
}
