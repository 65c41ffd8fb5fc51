//! Real database servers for the tests: private processes on free ports of 127.0.0.1 with data folders of their own.
//! No service of the machine is touched, and what is started here ends with its guard.

mod mariadb;
mod mysql;

use crate::live::{Folder, Live, Process};
use crate::repo::Repo;
use crate::tools;
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use mariadb::start as start_mariadb;
pub(crate) use mysql::{start as start_mysql, unpack as unpack_mysql};

/// How long a server may take until it greets; a cold disk needs a few seconds.
const READY_WITHIN: Duration = Duration::from_secs(90);

/// Two running servers and the folder of their data.
#[derive(Debug)]
pub(crate) struct Pair {
    first: Server,
    second: Server,
    // Dropped after the servers, so that no server loses its data while it runs.
    _data: Folder,
}

impl Pair {
    /// The environment by which the tests find the servers.
    pub(crate) fn exports(&self) -> [(&'static str, String); 2] {
        [("RIPOSTE_TEST_MYSQL_1", self.first.url()), ("RIPOSTE_TEST_MYSQL_2", self.second.url())]
    }
}

/// One running server.
#[derive(Debug)]
struct Server {
    _process: Process,
    port: u16,
}

impl Server {
    /// Its address as root without a password and without a database: each test makes a database of its own.
    fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}", self.port)
    }
}

/// Starts two servers, prints how to reach them and waits until a signal ends the program.
pub(crate) fn hold(repo: &Repo, live: &Arc<Live>, mysql: bool) -> Result<()> {
    let pair = if mysql {
        unpack_mysql(repo, live)?;
        start_mysql(repo, live)?
    } else {
        tools::mariadb(live)?;
        start_mariadb(live)?
    };
    for (name, url) in pair.exports() {
        println!("export {name}={url}");
    }
    eprintln!("Ctrl-C stops the servers and removes their data.");
    loop {
        std::thread::park();
    }
}

/// Flags common to both servers: durable as in production but for `sync_binlog` (the tests kill processes, not
/// machines), and small, because two of them share a test machine with the compiler.
fn flags(port: u16) -> Vec<String> {
    let mut flags: Vec<String> = [
        "--no-defaults",
        "--user=root",
        "--bind-address=127.0.0.1",
        "--innodb-flush-log-at-trx-commit=1",
        "--log-bin=bin",
        "--sync-binlog=0",
        "--innodb-buffer-pool-size=128M",
        "--performance-schema=OFF",
        "--max-connections=500",
        "--table-open-cache=4000",
    ]
    .map(str::to_owned)
    .into();
    flags.push(format!("--port={port}"));
    flags
}

/// How one server is started: the command for a port, and the file its log goes to.
struct Launch<'a> {
    name: &'a str,
    log: PathBuf,
    command: &'a dyn Fn(u16) -> Command,
}

/// Starts a server and waits until it greets. A port that was free may be taken before the server binds it, so a
/// server that ends at once is tried again on another.
fn launch(live: &Arc<Live>, launch: &Launch<'_>) -> Result<Server> {
    let mut last = None;
    for _ in 0..3 {
        let port = free_port()?;
        let log = std::fs::File::create(&launch.log)?;
        let mut command = (launch.command)(port);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut process = live.spawn(&mut command)?;
        match wait_until_it_greets(&mut process, port) {
            Ok(()) => {
                return Ok(Server { _process: process, port });
            }
            Err(error) => last = Some(error.context(tail(&launch.log))),
        }
    }
    Err(last.unwrap_or_else(|| anyhow::anyhow!("never tried")).context(format!("{} does not start", launch.name)))
}

/// A command under which `program` dies with this task runner even when the runner is killed by SIGKILL and cannot
/// stop anything.
fn bound_to_us(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// A server of the MySQL family sends its greeting as soon as it takes connections, and never before.
fn wait_until_it_greets(process: &mut Process, port: u16) -> Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    while Instant::now() < deadline {
        if let Some(status) = process.child().try_wait()? {
            bail!("it ended with {status}");
        }
        if greeted(port).is_some_and(|version| version == 10) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    bail!("it took no connection within {} s", READY_WITHIN.as_secs())
}

/// The protocol version of the greeting: byte 5, after the packet's length and number. 255 there is a refusal.
fn greeted(port: u16) -> Option<u8> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let mut head = [0; 5];
    stream.read_exact(&mut head).ok()?;
    Some(head[4])
}

/// The end of a log, for the message of an error.
fn tail(log: &Path) -> String {
    let text = std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    format!("its log ends so:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"))
}

/// Copies a folder with everything in it; a prepared data folder is quicker copied than made anew.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status().context("cp cannot be run")?;
    anyhow::ensure!(status.success(), "cannot copy {} to {}", from.display(), to.display());
    Ok(())
}
