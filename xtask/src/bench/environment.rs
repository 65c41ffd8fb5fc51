//! The servers of one row: a database with fresh data and the processes that serve from it. Each
//! row gets its own servers, so that no row is slowed by the data of an earlier one.

use super::figures::{CACHE, DATABASE, Figures, SERVER};
use super::log_lines::LogLines;
use super::machine::Cores;
use super::row::Row;
use super::server::{Server, ServerData};
use super::variant::{Database, Tables, Variant};
use crate::live::{Folder, Live, Process};
use crate::repo::Repo;
use crate::servers::{self, Kafka, OneRedis, Setup, Single, bound_to_us, tail};
use crate::tools;
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The topic of the rows that read it.
pub(super) const TOPIC: &str = "riposte.events.v1";

/// Running servers.
pub(super) struct Environment<'a> {
    repo: &'a Repo,
    live: &'a Arc<Live>,
    cores: Option<Cores>,
    // Fields are dropped in this order: clients before the servers that they call.
    services: Vec<Service>,
    database: Single,
    cache: Option<OneRedis>,
    kafka: Option<Kafka>,
    logs: Folder,
    /// The tables of the service.
    pub(super) tables: Tables,
    /// The version of the database server, as the server reports it.
    pub(super) version: String,
}

/// One serving process.
struct Service {
    process: Process,
    endpoint: String,
    /// The address of its metrics, if it exposes any.
    metrics: Option<String>,
}

impl<'a> Environment<'a> {
    /// Starts the servers that a row needs, creates the schema and starts the serving processes,
    /// each of them `server`.
    pub(super) fn open(
        repo: &'a Repo,
        live: &'a Arc<Live>,
        variant: Variant,
        row: Row,
        server: &Server,
    ) -> Result<Self> {
        let setup = Setup {
            durable: true,
            plain_files: false,
            sync_binlog: variant.sync_binlog,
            buffer_pool: "1G",
            redo_log: "512M",
        };
        let database = match variant.database {
            Database::MariaDb => servers::start_one_mariadb(live, setup)?,
            Database::MySql => servers::start_one_mysql(repo, live, setup)?,
        };
        let cores = variant.pinned.then(Cores::split).transpose()?;
        let cache = row.has_redis().then(|| servers::start_one_redis(&tools::redis(repo, live)?, live)).transpose()?;
        let kafka = row.has_topic().then(|| start_kafka(repo, live)).transpose()?;
        let (services, version, tables) = (Vec::new(), String::new(), variant.tables);
        let mut environment =
            Self { repo, live, cores, services, database, cache, kafka, logs: live.folder()?, tables, version };
        let made = environment.ask(&["database", "--url", &environment.url("riposte")])?;
        environment.version = made["version"].as_str().unwrap_or("?").to_owned();
        let launch = server.launch(repo, &environment.place(variant))?;
        let mut migrate = Command::new(&launch.binary);
        launch.configure(&mut migrate);
        crate::run::output_of(migrate.args(["migrate", "up"])).context("migrate up")?;
        for _ in 0..row.servers() {
            let mut command = on_cores(&launch.binary, environment.cores.as_ref().map(|cores| &cores.server));
            launch.configure(&mut command);
            command.args(["serve", "--allow-insecure"]);
            let service = environment.start(command, &launch.log)?;
            environment.services.push(service);
        }
        Ok(environment)
    }

    /// Starts riposte-bench as a server of constant bytes, on the cores of the server. Returns its
    /// address.
    pub(super) fn serve_constant(&mut self, arguments: &[String]) -> Result<String> {
        let mut command = on_cores(&self.repo.bench_binary(), self.cores.as_ref().map(|cores| &cores.server));
        command.args(arguments);
        let constant = self.start(command, &LogLines::CURRENT)?;
        let endpoint = constant.endpoint.clone();
        self.services.push(constant);
        Ok(endpoint)
    }

    /// Returns the address of a database on the server. It disables TLS, which MySQL would
    /// otherwise use on the loopback interface.
    pub(super) fn url(&self, name: &str) -> String {
        format!("{}/{name}?ssl-mode=disabled", self.database.url())
    }

    /// Returns the address of Redis, if the row has one.
    pub(super) fn redis(&self) -> Result<String> {
        Ok(self.cache.as_ref().context("a row without Redis")?.url())
    }

    /// Returns the brokers of the topic, if the row has one.
    pub(super) fn brokers(&self) -> Result<String> {
        Ok(self.kafka.as_ref().context("a row without a topic")?.brokers())
    }

    /// Returns the address of the first process's metrics.
    pub(super) fn metrics(&self) -> Result<String> {
        let first = self.services.first().context("no process serves")?;
        first.metrics.clone().context("its metrics cannot be scraped")
    }

    /// Returns the `--endpoint` arguments for the first `count` processes.
    pub(super) fn endpoints(&self, count: usize) -> Vec<String> {
        let some = self.services.iter().take(count);
        some.flat_map(|service| ["--endpoint".to_owned(), service.endpoint.clone()]).collect()
    }

    /// Takes one measurement.
    pub(super) fn measure(&self, load: &[String]) -> Result<Figures> {
        let servers = self.services.iter().map(|service| (SERVER, service.process.group()));
        let cache = self.cache.as_ref().map(OneRedis::pid).transpose()?;
        let watched =
            servers.chain(self.database.pid().map(|pid| (DATABASE, pid))).chain(cache.map(|pid| (CACHE, pid)));
        let watch = watched.flat_map(|(name, pid)| ["--watch".to_owned(), format!("{name}={pid}")]);
        let arguments: Vec<String> = load.iter().cloned().chain(watch).collect();
        Figures::parse(&self.ask_on(self.cores.as_ref().map(|cores| &cores.load), &arguments)?)
    }

    /// Runs riposte-bench for a preparation that measures nothing, on any core, and returns its
    /// output.
    pub(super) fn ask(&self, arguments: &[impl AsRef<str>]) -> Result<Value> {
        self.ask_on(None, arguments)
    }

    fn ask_on(&self, cores: Option<&String>, arguments: &[impl AsRef<str>]) -> Result<Value> {
        let mut command = on_cores(&self.repo.bench_binary(), cores);
        command.args(arguments.iter().map(AsRef::as_ref)).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = self.live.spawn(&mut command)?;
        let (mut output, mut errors) = (String::new(), String::new());
        process.child().stdout.take().context("no output")?.read_to_string(&mut output)?;
        process.child().stderr.take().context("no errors")?.read_to_string(&mut errors)?;
        ensure!(process.wait()?.success(), "riposte-bench {}: {}", arguments[0].as_ref(), errors.trim());
        eprint!("{errors}");
        Ok(serde_json::from_str(&output)?)
    }

    /// Returns the servers and tables that the processes use.
    fn place(&self, variant: Variant) -> ServerData {
        ServerData {
            database: self.url("riposte"),
            redis: self.cache.as_ref().map(OneRedis::url),
            brokers: self.kafka.as_ref().map(Kafka::brokers),
            variant,
        }
    }

    /// Starts a process and waits until its log reports that it serves.
    fn start(&self, mut command: Command, lines: &LogLines) -> Result<Service> {
        let log = self.log(self.services.len());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let mut process = self.live.spawn(&mut command)?;
        let endpoint =
            lines.wait(&log, &mut process).with_context(|| tail(&log)).with_context(|| format!("{command:?}"))?;
        let metrics = lines.metrics(&std::fs::read_to_string(&log)?);
        Ok(Service { process, endpoint, metrics })
    }

    /// Returns the end of each service's log, for an error message.
    pub(super) fn logs(&self) -> String {
        (0..self.services.len()).map(|number| tail(&self.log(number))).collect::<Vec<_>>().join("\n")
    }

    fn log(&self, number: usize) -> PathBuf {
        self.logs.path().join(format!("server-{number}.log"))
    }
}

/// Starts a Kafka broker and waits until it serves.
fn start_kafka(repo: &Repo, live: &Arc<Live>) -> Result<Kafka> {
    let jars = tools::kafka(repo, live)?.map_err(|reason| anyhow!("no Kafka: {reason}"))?;
    let mut kafka = servers::begin_kafka(&jars, live)?;
    kafka.ready()?;
    Ok(kafka)
}

/// Returns a command that is bound to cores of its own, if there are any.
fn on_cores(program: &Path, cores: Option<&String>) -> Command {
    let Some(cores) = cores else { return bound_to_us(program) };
    let mut command = bound_to_us(Path::new("taskset"));
    command.args(["--cpu-list", cores]).arg(program);
    command
}
