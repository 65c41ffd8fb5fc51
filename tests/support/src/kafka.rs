//! Real Kafka for tests: one broker, or three that replicate each other, on free ports of
//! 127.0.0.1, each with a folder of its own. They run from the jars of a folder, with `java` of the
//! path.
//!
//! A shared broker is started by `cargo xtask test` and found by [`shared`]. A test that injects
//! faults starts its own. All functions block: a broker starts in some ten seconds.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::ports::free_port;

/// The time within which all brokers must serve; three of them share the cores of a small machine.
const READY_WITHIN: Duration = Duration::from_secs(180);
/// The maximum number of starts of brokers. Between the choice of a port and its use lie the
/// seconds in which `java` starts, so that another server may have taken it.
const STARTS: usize = 3;
/// The id of every cluster: 16 bytes in base64.
const CLUSTER_ID: &str = "MkU3OEVBNTcwNTJENDM2Qg";
/// The text in the log of a broker once it serves.
const STARTED: &str = "Kafka Server started";
/// The configuration of the log: everything of importance on standard error.
const LOG: &str = r#"<Configuration status="WARN"><Appenders><Console name="c" target="SYSTEM_ERR">
<PatternLayout pattern="%d %p %m (%c)%n"/></Console></Appenders>
<Loggers><Root level="INFO"><AppenderRef ref="c"/></Root></Loggers></Configuration>"#;

/// The command that runs a broker.
#[derive(Debug, Clone)]
pub struct Program {
    words: Vec<OsString>,
    jars: PathBuf,
    base: PathBuf,
}

impl Program {
    /// Returns the program of the jars that `RIPOSTE_TEST_KAFKA_JARS` names; `None`, with a notice
    /// on standard error, if it names none.
    #[must_use]
    pub fn find() -> Option<Self> {
        let jars = std::env::var_os("RIPOSTE_TEST_KAFKA_JARS").map(PathBuf::from).filter(|jars| jars.is_dir());
        if jars.is_none() {
            eprintln!("SKIPPED what needs a Kafka of its own: RIPOSTE_TEST_KAFKA_JARS names no folder");
        }
        jars.map(|jars| Self::new(&[] as &[&str], &jars, &std::env::temp_dir()))
    }

    /// Creates a value from the words before `java`, the folder of the jars, and the folder in
    /// which data folders are created.
    #[must_use]
    pub fn new(words: &[impl AsRef<std::ffi::OsStr>], jars: &Path, base: &Path) -> Self {
        let words = words.iter().map(|word| word.as_ref().to_owned()).collect();
        Self { words, jars: jars.to_owned(), base: base.to_owned() }
    }

    /// Returns the command of a class, with the files of a node.
    fn command(&self, class: &str, node: &Path) -> Command {
        let mut words = self.words.iter().cloned().chain(["java".into()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).arg("-Xms128m").arg("-Xmx384m");
        command.arg(format!("-Dlog4j2.configurationFile={}", node.join("log4j2.xml").display()));
        command.arg("-cp").arg(self.jars.join("*")).arg(class).current_dir(node).stdin(Stdio::null());
        command
    }
}

/// Running brokers; dropping the value kills them.
#[derive(Debug)]
pub struct Kafka {
    program: Program,
    nodes: Vec<Node>,
    data: TempDir,
}

#[derive(Debug)]
struct Node {
    port: u16,
    controller: u16,
    child: Option<Child>,
}

impl Kafka {
    /// Starts a number of brokers, and returns when they serve. Topics have as many replicas, and
    /// a record is acknowledged once most of the brokers have it.
    ///
    /// # Errors
    /// If they do not start; the error contains the end of a log.
    pub fn start(program: &Program, brokers: usize) -> Result<Self> {
        let mut kafka = Self::begin(program, brokers)?;
        kafka.ready()?;
        Ok(kafka)
    }

    /// Starts a number of brokers without waiting for them: call [`ready`](Self::ready).
    ///
    /// # Errors
    /// If their folders cannot be made, or `java` cannot be run.
    pub fn begin(program: &Program, brokers: usize) -> Result<Self> {
        let data = tempfile::Builder::new().prefix("kafka").tempdir_in(&program.base)?;
        let node = |_| Ok(Node { port: free_port()?, controller: free_port()?, child: None });
        let nodes = (0..brokers).map(node).collect::<Result<Vec<_>>>()?;
        let mut kafka = Self { program: program.clone(), nodes, data };
        for index in 0..brokers {
            kafka.prepare(index)?;
        }
        for index in 0..brokers {
            kafka.spawn(index)?;
        }
        Ok(kafka)
    }

    /// Returns when all brokers serve. Brokers that do not start are replaced by others on other
    /// ports.
    ///
    /// # Errors
    /// If they do not; the error contains the end of a log.
    pub fn ready(&mut self) -> Result<()> {
        let brokers = self.nodes.len();
        for _ in 1..STARTS {
            if (0..brokers).try_for_each(|index| self.wait(index)).is_ok() {
                return Ok(());
            }
            *self = Self::begin(&self.program, brokers)?;
        }
        (0..brokers).try_for_each(|index| self.wait(index))
    }

    /// Returns the addresses of all brokers, separated by commas.
    #[must_use]
    pub fn brokers(&self) -> String {
        let addresses: Vec<String> = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        addresses.join(",")
    }

    /// Returns the number of the broker, from 0, with this id.
    #[must_use]
    pub fn index_of(&self, id: i32) -> usize {
        usize::try_from(id - 1).unwrap_or_default()
    }

    /// Ends a broker, numbered from 0, with SIGKILL. Returns once it has ended.
    pub fn kill(&mut self, index: usize) {
        self.nodes.get_mut(index).and_then(|node| node.child.take()).into_iter().for_each(end);
    }

    /// Starts a killed broker again, on its data and its port, and returns when it serves.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self, index: usize) -> Result<()> {
        self.kill(index);
        self.spawn(index)?;
        self.wait(index)
    }

    /// Starts all killed brokers again, on their data and their ports, and returns when they serve.
    /// One alone cannot serve where most of several are needed.
    ///
    /// # Errors
    /// If one does not start.
    pub fn start_all_again(&mut self) -> Result<()> {
        let killed: Vec<usize> = (0..self.nodes.len()).filter(|index| self.is_killed(*index)).collect();
        killed.iter().try_for_each(|index| self.spawn(*index))?;
        killed.iter().try_for_each(|index| self.wait(*index))
    }

    fn is_killed(&self, index: usize) -> bool {
        self.nodes.get(index).is_some_and(|node| node.child.is_none())
    }

    fn folder(&self, index: usize) -> PathBuf {
        self.data.path().join(index.to_string())
    }

    /// Writes the files of a node, and formats its folder.
    fn prepare(&self, index: usize) -> Result<()> {
        let folder = self.folder(index);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("log4j2.xml"), LOG)?;
        fs::write(folder.join("server.properties"), self.properties(index)?)?;
        let mut format = self.program.command("kafka.tools.StorageTool", &folder);
        let formatted = format.args(["format", "-t", CLUSTER_ID, "-c", "server.properties"]).output();
        let formatted = formatted.context("java cannot be run")?;
        let output = String::from_utf8_lossy(&formatted.stderr);
        ensure!(formatted.status.success(), "the folder of a broker cannot be formatted: {output}");
        Ok(())
    }

    fn properties(&self, index: usize) -> Result<String> {
        let node = self.nodes.get(index).context("no such broker")?;
        let voter = |(index, node): (usize, &Node)| format!("{}@127.0.0.1:{}", index + 1, node.controller);
        let voters: Vec<String> = self.nodes.iter().enumerate().map(voter).collect();
        let (replicas, most) = (self.nodes.len(), self.nodes.len() / 2 + 1);
        let mut text = String::new();
        let mut set = |key: &str, value: &dyn std::fmt::Display| writeln!(text, "{key}={value}");
        set("process.roles", &"broker,controller")?;
        set("node.id", &(index + 1))?;
        set("controller.quorum.voters", &voters.join(","))?;
        let (port, controller) = (node.port, node.controller);
        set("listeners", &format!("PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}"))?;
        set("advertised.listeners", &format!("PLAINTEXT://127.0.0.1:{port}"))?;
        set("controller.listener.names", &"CONTROLLER")?;
        set("inter.broker.listener.name", &"PLAINTEXT")?;
        set("listener.security.protocol.map", &"CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT")?;
        set("log.dirs", &self.folder(index).join("data").display())?;
        set("default.replication.factor", &replicas)?;
        set("min.insync.replicas", &most)?;
        for topic in ["offsets.topic", "transaction.state.log", "share.coordinator.state.topic"] {
            set(&format!("{topic}.replication.factor"), &replicas)?;
        }
        set("offsets.topic.num.partitions", &1)?;
        set("transaction.state.log.min.isr", &most)?;
        set("share.coordinator.state.topic.min.isr", &most)?;
        set("group.initial.rebalance.delay.ms", &0)?;
        set("auto.create.topics.enable", &false)?;
        Ok(text)
    }

    fn spawn(&mut self, index: usize) -> Result<()> {
        let folder = self.folder(index);
        let log = File::create(folder.join("log"))?;
        let mut command = self.program.command("kafka.Kafka", &folder);
        command.arg("server.properties").stdout(log.try_clone()?).stderr(log);
        let child = command.spawn().context("java cannot be run")?;
        self.nodes.get_mut(index).context("no such broker")?.child = Some(child);
        Ok(())
    }

    fn wait(&mut self, index: usize) -> Result<()> {
        let log = self.folder(index).join("log");
        let deadline = Instant::now() + READY_WITHIN;
        loop {
            let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
            if text.contains(STARTED) {
                return Ok(());
            }
            let child = self.nodes.get_mut(index).and_then(|node| node.child.as_mut()).context("it was killed")?;
            let end = child.try_wait()?;
            if end.is_some() || Instant::now() > deadline {
                let from = text.len().saturating_sub(2_000);
                bail!("the broker does not serve ({end:?}): {}", text.get(from..).unwrap_or(&text));
            }
            sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Kafka {
    fn drop(&mut self) {
        (0..self.nodes.len()).for_each(|index| self.kill(index));
    }
}

/// Ends a process with SIGKILL and waits for its end.
fn end(mut child: Child) {
    // An error says that it has ended before.
    let _ = child.kill();
    let _ = child.wait();
}

/// Returns the address of the broker that the test run shares; `None`, with a notice on standard
/// error, if it is not running.
#[must_use]
pub fn shared() -> Option<String> {
    let found = std::env::var_os("RIPOSTE_TEST_KAFKA").and_then(|address| address.into_string().ok());
    let found = found.filter(|address| !address.is_empty());
    if found.is_none() {
        eprintln!("SKIPPED everything on RIPOSTE_TEST_KAFKA: it names no broker");
    }
    found
}
