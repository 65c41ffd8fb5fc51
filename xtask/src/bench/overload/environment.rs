//! A database behind a slow proxy, and the service that uses it.

use super::super::log_lines::LogLines;
use super::{DELAY_MS, hostile};
use crate::live::{Folder, Live, Process};
use crate::repo::Repo;
use crate::servers::{self, Setup, Single, bound_to_us, tail};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The kind of overload.
#[derive(Debug, Clone, Copy)]
pub(super) enum Over {
    /// A multiple of the knee's rate, for a number of seconds.
    Times { times: f64, seconds: f64 },
    /// A database that does not respond for a number of seconds.
    Stop { seconds: f64 },
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Times { times, .. } => write!(f, "{times} ×"),
            Self::Stop { .. } => f.write_str("database still"),
        }
    }
}

/// Running servers. Fields are dropped in this order: clients before the servers that they call.
pub(super) struct OverloadEnvironment<'a> {
    repo: &'a Repo,
    live: &'a Arc<Live>,
    endpoint: String,
    service: Process,
    proxy: Process,
    _database: Single,
    _logs: Folder,
}

impl<'a> OverloadEnvironment<'a> {
    /// Starts the servers on a fresh schema.
    pub(super) fn open(repo: &'a Repo, live: &'a Arc<Live>, sets: &[String]) -> Result<Self> {
        let setup =
            Setup { durable: true, plain_files: false, sync_binlog: false, buffer_pool: "256M", redo_log: "256M" };
        let (database, logs) = (servers::start_one_mariadb(live, setup)?, live.folder()?);
        let bench = repo.bench_binary();
        let url = format!("{}/riposte?ssl-mode=disabled", database.url());
        crate::run::output_of(Command::new(&bench).args(["database", "--url", &url]))?;
        let (user, address) = database.url().rsplit_once('@').map(own).context("a database without a user")?;
        let mut proxy = bound_to_us(&bench);
        proxy.args(["delay", "--ms", &DELAY_MS.to_string(), "--to", &address]);
        let (proxy, near) = start(live, proxy, &logs.path().join("proxy.log"))?;
        let near = near.trim_start_matches("http://");
        let binary = repo.dist_binary();
        let config = config(&url, sets);
        crate::run::output_of(Command::new(&binary).args(&config).args(["migrate", "up"])).context("migrate up")?;
        let config = self::config(&format!("{user}@{near}/riposte?ssl-mode=disabled"), sets);
        let mut service = bound_to_us(&binary);
        service.args(config).args(["serve", "--allow-insecure"]);
        let (service, endpoint) = start(live, service, &logs.path().join("service.log"))?;
        Ok(Self { repo, live, endpoint, service, proxy, _database: database, _logs: logs })
    }

    /// Returns the report of riposte-bench about a load.
    pub(super) fn overload(&self, what: &str, over: Over) -> Result<Value> {
        let more = match over {
            Over::Times { times, seconds } => ["--times".to_owned(), times.to_string(), seconds.to_string()],
            // A stopped proxy stops the database too: requests that were sent stay unanswered.
            Over::Stop { seconds } => ["--stop".to_owned(), self.proxy.group().to_string(), seconds.to_string()],
        };
        let [name, value, seconds] = &more;
        self.bench(&["overload", "--what", what, name, value, "--seconds", seconds])
    }

    /// Returns the report of riposte-bench about hostile clients.
    pub(super) fn hostile(&self, what: &str, seconds: f64) -> Result<Value> {
        let (pid, seconds) = (self.service.group().to_string(), seconds.to_string());
        let mut arguments = vec!["hostile", "--what", what, "--pid", &pid, "--seconds", &seconds];
        arguments.extend(hostile::connections(what));
        self.bench(&arguments)
    }

    fn bench(&self, arguments: &[&str]) -> Result<Value> {
        let mut load = bound_to_us(&self.repo.bench_binary());
        load.args(arguments).args(["--endpoint", &self.endpoint]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = self.live.spawn(&mut load)?;
        let output = std::io::read_to_string(process.child().stdout.take().context("no output")?)?;
        ensure!(process.wait()?.success(), "riposte-bench failed");
        eprintln!("{}", output.trim());
        Ok(serde_json::from_str(&output)?)
    }
}

fn own((a, b): (&str, &str)) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

fn config(url: &str, sets: &[String]) -> Vec<String> {
    let ours = [
        format!("store.sources=[{{url=\"{url}\"}}]"),
        "store.subject_tables=1".to_owned(),
        "store.index_tables=1".to_owned(),
        "server.listen=127.0.0.1:0".to_owned(),
        "server.admin_listen=127.0.0.1:0".to_owned(),
        "server.metrics_listen=127.0.0.1:0".to_owned(),
        "open_object_types=true".to_owned(),
        "log.format=json".to_owned(),
    ];
    ours.into_iter().chain(sets.iter().cloned()).flat_map(|set| ["--set".to_owned(), set]).collect()
}

/// Starts a process and waits until its log reports that it serves. Returns it with its address.
fn start(live: &Arc<Live>, mut command: Command, log: &Path) -> Result<(Process, String)> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log)?);
    let mut process = live.spawn(&mut command)?;
    let endpoint =
        LogLines::CURRENT.wait(log, &mut process).with_context(|| tail(log)).with_context(|| format!("{command:?}"))?;
    Ok((process, endpoint))
}
