//! Real database servers for the tests: private processes on free ports of 127.0.0.1 with data
//! folders of their own. No service of the machine is touched. The processes end when their guards
//! are dropped.

mod disk;
mod kafka;
mod kube;
mod mariadb;
mod mysql;
mod redis;
mod vitess;

use crate::live::{Folder, Live, Process};
use crate::repo::Repo;
use crate::tools;
use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use riposte_test_support::free_port;
use std::io::Read;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use disk::{DiskFault, can_fail as can_fail_disks};
pub(crate) use kafka::{Kafka, begin as begin_kafka};
pub(crate) use kube::{Kube, start as start_kube};
pub(crate) use mariadb::{start as start_mariadb, start_one as start_one_mariadb};
pub(crate) use mysql::{start as start_mysql, start_one as start_one_mysql, unpack as unpack_mysql};
pub(crate) use redis::{OneRedis, Redis, start as start_redis, start_one as start_one_redis};
pub(crate) use vitess::{Vitess, start as start_vitess};

/// The time within which a server must send its greeting; a cold disk needs a few seconds.
const READY_WITHIN: Duration = Duration::from_secs(90);

/// The individual settings of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    /// If `true`, a commit waits until the redo log is on disk. Otherwise the flush may happen up
    /// to a second later, and a killed server loses that second.
    pub(crate) durable: bool,
    /// If `true`, threads write files by system calls, in which errors can be injected. Otherwise
    /// asynchronous I/O of the kernel writes them.
    pub(crate) plain_files: bool,
    /// If `true`, each commit flushes the binlog in addition to the redo log.
    pub(crate) sync_binlog: bool,
    /// The size of the buffer pool, in the syntax of the server's option.
    pub(crate) buffer_pool: &'static str,
    /// The size of the redo log, in the same syntax.
    pub(crate) redo_log: &'static str,
}

impl Setup {
    /// The setup for tests, which kill processes and not machines: no flush of the binlog, and
    /// small sizes, because two servers share the machine with the compiler.
    pub(crate) const TESTS: Self =
        Self { durable: true, plain_files: false, sync_binlog: false, buffer_pool: "128M", redo_log: "96M" };
}

/// One running server and the folder of its data.
#[derive(Debug)]
pub(crate) struct Single {
    server: Server,
    // Dropped after the server, so that it loses no data while it runs.
    _data: Folder,
}

impl Single {
    /// Returns its address as root without a password and without a database.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Returns the server's process id.
    pub(crate) fn pid(&self) -> Option<i32> {
        // The launcher (setpriv, chroot) is replaced by the server.
        self.server.process.as_ref().map(Process::group)
    }
}

/// Two running servers and the folder of their data.
#[derive(Debug)]
pub(crate) struct Pair {
    first: Server,
    second: Server,
    // Dropped after the servers, so that no server loses its data while it runs.
    _data: Folder,
}

impl Pair {
    /// Kills one of the servers with SIGKILL; `number` is 1 or 2.
    pub(crate) fn kill(&mut self, number: u8) -> Result<()> {
        self.server(number).map(Server::kill)
    }

    /// Starts a killed server again, at the address it had.
    pub(crate) fn start_again(&mut self, live: &Arc<Live>, number: u8) -> Result<()> {
        self.server(number)?.start_again(live)
    }

    /// Lets the disk of one of the servers fail for a moment and starts the server again, as an
    /// operator would after a disk exchange.
    pub(crate) fn fail_disk(&mut self, live: &Arc<Live>, number: u8, fault: DiskFault) -> Result<()> {
        let server = self.server(number)?;
        let process = server.process.as_mut().with_context(|| format!("database server {number} was killed"))?;
        disk::fail(live, process, fault).with_context(|| format!("{fault:?} of database server {number}"))?;
        server.start_again(live)
    }

    /// Sends a signal to one of the servers, which must be running.
    pub(crate) fn signal(&mut self, number: u8, signal: Signal) -> Result<()> {
        let process = self.server(number)?.process.as_ref();
        let group = process.with_context(|| format!("database server {number} was killed"))?.group();
        Ok(killpg(Pid::from_raw(group), signal)?)
    }

    fn server(&mut self, number: u8) -> Result<&mut Server> {
        match number {
            1 => Ok(&mut self.first),
            2 => Ok(&mut self.second),
            other => bail!("there is no database server {other}"),
        }
    }

    /// Returns the environment by which the tests find the servers.
    pub(crate) fn exports(&self) -> [(&'static str, String); 2] {
        [("RIPOSTE_TEST_MYSQL_1", self.first.url()), ("RIPOSTE_TEST_MYSQL_2", self.second.url())]
    }
}

/// One server. It runs, except between a kill and the following start.
#[derive(Debug)]
struct Server {
    process: Option<Process>,
    port: u16,
    launch: Launch,
}

impl Server {
    /// Returns its address as root without a password and without a database: each test makes a
    /// database of its own.
    fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}", self.port)
    }

    /// Kills it with SIGKILL and returns once it has ended.
    fn kill(&mut self) {
        self.process = None;
    }

    /// Starts it again on its data and its port, and waits for its greeting.
    fn start_again(&mut self, live: &Arc<Live>) -> Result<()> {
        self.process = None;
        self.process = Some(attempt(live, &self.launch, self.port)?);
        Ok(())
    }
}

/// The servers to hold besides those of every test run.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct HeldServers {
    /// MySQL 9 instead of MariaDB; fetched once and unpacked under .tools/
    #[arg(long)]
    mysql: bool,
    /// Vitess with two shards over MySQL 9 too; built once under .tools/
    #[arg(long)]
    vitess: bool,
    /// Valkey 9 instead of Redis; fetched once and unpacked under .tools/
    #[arg(long)]
    valkey: bool,
}

/// Starts two database servers, a Redis, a Redis Cluster and, where this machine can, a Kafka
/// broker; writes their addresses and waits until a signal ends the program.
pub(crate) fn hold(repo: &Repo, live: &Arc<Live>, held: HeldServers) -> Result<()> {
    let HeldServers { mysql, vitess, valkey } = held;
    let mut kafka = match tools::kafka(repo, live)? {
        Ok(jars) => Some(begin_kafka(&jars, live)?),
        Err(reason) => {
            eprintln!("SKIPPED Kafka: {reason}");
            None
        }
    };
    let pair = if mysql {
        unpack_mysql(repo, live)?;
        start_mysql(repo, live)?
    } else {
        tools::mariadb(live)?;
        start_mariadb(live, Setup::TESTS)?
    };
    let program = if valkey { tools::valkey(repo, live)?.0 } else { tools::redis(repo, live)? };
    let redis = start_redis(&program, live)?;
    let vitess = if vitess { Some(start_vitess(repo, live)?) } else { None };
    let vitess_exports = vitess.iter().flat_map(Vitess::exports);
    kafka.iter_mut().try_for_each(Kafka::ready)?;
    let more = kafka.iter().flat_map(Kafka::exports).chain(vitess_exports);
    for (name, value) in pair.exports().into_iter().chain(redis.exports()).chain(more) {
        // The values are quoted, because the address of a cluster contains special characters of
        // the shell.
        println!("export {name}='{value}'");
    }
    eprintln!("Ctrl-C stops the servers and removes their data.");
    loop {
        std::thread::park();
    }
}

/// Returns the flags of all servers: durable as in production except for the setup's settings, and
/// with enough capacity for the prepared statements of the service (docs/operate.md), which keeps
/// hundreds of them on each connection.
fn flags(port: u16, setup: Setup) -> Vec<String> {
    let mut flags: Vec<String> = [
        "--no-defaults",
        "--user=root",
        "--bind-address=127.0.0.1",
        "--log-bin=bin",
        "--performance-schema=OFF",
        "--max-connections=500",
        "--table-open-cache=4000",
        "--max-prepared-stmt-count=1000000",
    ]
    .map(str::to_owned)
    .into();
    let Setup { durable, plain_files, sync_binlog, buffer_pool, redo_log: _ } = setup;
    flags.push(format!("--innodb-use-native-aio={}", u8::from(!plain_files)));
    flags.push(format!("--innodb-flush-log-at-trx-commit={}", u8::from(durable)));
    flags.push(format!("--sync-binlog={}", u8::from(sync_binlog)));
    flags.push(format!("--innodb-buffer-pool-size={buffer_pool}"));
    flags.push(format!("--port={port}"));
    flags
}

/// The start of one server: the command for a port, and the log file.
struct Launch {
    name: &'static str,
    log: PathBuf,
    command: Box<dyn Fn(u16) -> Command>,
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch").field("name", &self.name).field("log", &self.log).finish_non_exhaustive()
    }
}

/// Starts a server and waits for its greeting. Another process may take a free port before the
/// server binds it, so a server that ends at once is started again on another port.
fn launch(live: &Arc<Live>, launch: Launch) -> Result<Server> {
    let mut last = None;
    for _ in 0..3 {
        let port = free_port()?;
        match attempt(live, &launch, port) {
            Ok(process) => return Ok(Server { process: Some(process), port, launch }),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| anyhow::anyhow!("never tried")))
}

/// Starts a server on one port and waits for its greeting.
fn attempt(live: &Arc<Live>, launch: &Launch, port: u16) -> Result<Process> {
    let log = std::fs::File::create(&launch.log)?;
    let mut command = (launch.command)(port);
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    let mut process = live.spawn(&mut command)?;
    let greets = wait_until_it_greets(&mut process, port);
    let explained = greets.map_err(|error| error.context(tail(&launch.log)));
    explained.with_context(|| format!("{} does not start", launch.name)).map(|()| process)
}

/// The command before a program that must end with this task runner, even when SIGKILL ends the
/// task runner and it cannot stop anything.
const DIES_WITH_US: [&str; 4] = ["setpriv", "--pdeathsig", "KILL", "--"];

/// Returns a command under which `program` ends with this task runner.
pub(crate) fn bound_to_us(program: &Path) -> Command {
    let [first, rest @ ..] = DIES_WITH_US;
    let mut command = Command::new(first);
    command.args(rest).arg(program);
    command
}

/// Waits for the greeting, which a server of the MySQL family sends as soon as it accepts
/// connections, and never before.
fn wait_until_it_greets(process: &mut Process, port: u16) -> Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    while Instant::now() < deadline {
        if let Some(status) = process.child().try_wait()? {
            bail!("the server ended with {status}");
        }
        if greeted(port).is_some_and(|version| version == 10) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    bail!("the server accepted no connection within {} s", READY_WITHIN.as_secs())
}

/// Returns the protocol version of the greeting: byte 5, after the packet's length and number. The
/// value 255 means an error.
fn greeted(port: u16) -> Option<u8> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let mut head = [0; 5];
    stream.read_exact(&mut head).ok()?;
    Some(head[4])
}

/// Returns the end of a log, for an error message.
pub(crate) fn tail(log: &Path) -> String {
    let text = std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    format!("the end of its log:\n{}", lines[lines.len().saturating_sub(15)..].join("\n"))
}

/// Duplicates a folder with its contents. This is faster than the initialization of a new data
/// folder.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status().context("cp cannot be run")?;
    anyhow::ensure!(status.success(), "cannot copy {} to {}", from.display(), to.display());
    Ok(())
}
