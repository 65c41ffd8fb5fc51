//! A real server for tests.

use crate::{Client, Error, Options};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tonic::Status;

/// The variable that names the program.
const PROGRAM: &str = "RIPOSTE_DEV_BINARY";
const START: Duration = Duration::from_secs(20);
const STOP: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The number of bytes of the server's log that an error message repeats.
const TAIL: u64 = 2000;

/// A `riposte dev` process for one test: empty, on free ports of this machine. The server ends when
/// this value is dropped and when this process ends in any way, because it lives only as long as a
/// `cat` that reads from this process.
#[derive(Debug)]
pub struct DevServer {
    process: Child,
    target: String,
    admin_target: String,
    /// The folder of its endpoint file and its log.
    _folder: TempDir,
}

/// The start options of a [`DevServer`].
#[derive(Debug, Clone, Default)]
pub struct Starter {
    program: Option<PathBuf>,
}

impl Starter {
    /// Sets the program to run. Default: the one that `RIPOSTE_DEV_BINARY` names, else `riposte` on
    /// the path.
    #[must_use]
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Starts the server and waits until it responds.
    ///
    /// # Errors
    /// UNAVAILABLE if the server cannot be started or ends at once, with the end of its log;
    /// DEADLINE_EXCEEDED if it does not respond within 20 s.
    pub async fn start(self) -> Result<DevServer, Error> {
        let program = self.program.or_else(named).unwrap_or_else(|| "riposte".into());
        let failed = |error: std::io::Error| Status::unavailable(format!("{}: {error}", program.display()));
        let folder = TempDir::new().map_err(failed)?;
        let (endpoints, log) = (folder.path().join("endpoints.json"), folder.path().join("log"));
        let output = File::create(&log).map_err(failed)?;
        let mut command = Command::new(&program);
        command.args(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--endpoint-file"]).arg(&endpoints);
        command
            .args(["--exec", "--", "cat"])
            .stdin(Stdio::piped())
            .stdout(output.try_clone().map_err(failed)?)
            .stderr(output);
        let process = command.spawn().map_err(failed)?;
        let mut server = DevServer { process, target: String::new(), admin_target: String::new(), _folder: folder };
        let deadline = Instant::now() + START;
        // The server writes the file in one piece, once it responds.
        while !endpoints.is_file() {
            if let Some(status) = server.process.try_wait().map_err(failed)? {
                return Err(Status::unavailable(format!("the server ended with {status}: {}", tail(&log))).into());
            }
            if Instant::now() >= deadline {
                return Err(Status::deadline_exceeded(format!("the server does not answer: {}", tail(&log))).into());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let read = std::fs::read(&endpoints).map_err(failed)?;
        let addresses: serde_json::Value = serde_json::from_slice(&read).map_err(|error| failed(error.into()))?;
        let address =
            |key: &str| addresses[key].as_str().map(|address| format!("http://{address}")).unwrap_or_default();
        (server.target, server.admin_target) = (address("grpc"), address("admin"));
        Ok(server)
    }
}

impl DevServer {
    /// Starts the server that `RIPOSTE_DEV_BINARY` names, else `riposte` on the path, and waits
    /// until it responds.
    ///
    /// # Errors
    /// Those of [`Starter::start`].
    pub async fn start() -> Result<Self, Error> {
        Starter::default().start().await
    }

    /// Returns the address of the public services.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns the address of the admin service.
    pub fn admin_target(&self) -> &str {
        &self.admin_target
    }

    /// Returns a new client of this server.
    ///
    /// # Errors
    /// None for the addresses that a server gives.
    pub fn client(&self) -> Result<Client, Error> {
        let (target, admin_target) = (self.target.clone(), self.admin_target.clone());
        Client::open(Options { target, admin_target, ..Default::default() })
    }
}

impl Drop for DevServer {
    /// Asks the process to end by closing its input, and kills it after 5 s.
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let deadline = Instant::now() + STOP;
        while matches!(self.process.try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                drop(self.process.kill());
                drop(self.process.wait());
                return;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's server is found by its own variable")]
fn named() -> Option<PathBuf> {
    std::env::var(PROGRAM).ok().filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns the end of the server's log.
fn tail(log: &Path) -> String {
    let read = || {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        std::io::Result::Ok(String::from_utf8_lossy(&text).trim().to_owned())
    };
    read().unwrap_or_default()
}
