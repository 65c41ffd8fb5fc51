//! The shipped binary as a separate process.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::v1::policy_service_client::PolicyServiceClient;
use riposte_sdk::{Client, Options};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::binary::binary;
use crate::mysql::Databases;
use crate::{command, settings};

/// A running server; dropping it kills the process.
#[derive(Debug)]
pub struct Server {
    child: Child,
    grpc: String,
    admin: String,
    metrics: String,
    _scratch: Option<tempfile::TempDir>,
}

impl Server {
    /// Starts `riposte dev` with no data.
    ///
    /// # Errors
    /// If the server does not start.
    pub async fn dev() -> Result<Self> {
        Self::dev_with(None, &[]).await
    }

    /// Starts `riposte dev` with its data under `data`.
    ///
    /// # Errors
    /// If the server does not start.
    pub async fn dev_on(data: &Path) -> Result<Self> {
        Self::dev_with(Some(data), &[]).await
    }

    /// Starts `riposte dev` with additional arguments.
    ///
    /// # Errors
    /// If the server does not start.
    pub async fn dev_with(data: Option<&Path>, more: &[&str]) -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let endpoint = scratch.path().join("endpoint");
        let mut command = Command::new(binary()?);
        command.args(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--endpoint-file"]).arg(&endpoint);
        if let Some(data) = data {
            command.arg("--data").arg(data);
        }
        command.args(settings::sets(settings::OBJECT_TYPES));
        command.args(more).stdout(Stdio::null()).stderr(Stdio::inherit()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let text = appears(&endpoint, &mut child).await?;
        let addresses: serde_json::Value = serde_json::from_str(&text)?;
        let at = |name: &str| addresses[name].as_str().map(|a| format!("http://{a}")).context("no address");
        // The key is absent if the metrics are not served.
        let (grpc, admin, metrics) = (at("grpc")?, at("admin")?, at("metrics").unwrap_or_default());
        Ok(Self { grpc, admin, metrics, child, _scratch: Some(scratch) })
    }

    /// Migrates the databases `name` of `servers` and starts `riposte serve` on them, with the
    /// tables of a new database.
    ///
    /// # Errors
    /// If the migration fails or the server does not start.
    pub async fn serve(servers: &[String], name: &str) -> Result<Self> {
        Self::serve_with(&Databases::named(servers, name, [""; 0]).await?.arguments).await
    }

    /// Migrates a Vitess keyspace and starts `riposte serve` on it.
    ///
    /// # Errors
    /// If the migration fails or the server does not start.
    pub async fn serve_on_vitess(keyspace: &str) -> Result<Self> {
        let arguments = settings::on_vitess(keyspace);
        command::finish(command::riposte(&arguments)?.args(["migrate", "up"])).await?.ended(0)?;
        Self::serve_with(&arguments).await
    }

    /// Starts `riposte serve` with these settings and waits until its log reports that it serves.
    ///
    /// # Errors
    /// If the process ends before that.
    pub async fn serve_with(sets: &[String]) -> Result<Self> {
        Self::serve_in(sets, &[]).await
    }

    /// Starts `riposte serve` with these settings and additional environment variables.
    ///
    /// # Errors
    /// If the process ends before it serves.
    pub async fn serve_in(sets: &[String], variables: &[(&str, &OsStr)]) -> Result<Self> {
        Self::serve_by(&binary()?, sets, variables).await
    }

    /// Does the same with another binary, usually of another version.
    ///
    /// # Errors
    /// If the process ends before it serves.
    pub async fn serve_by(binary: &Path, sets: &[String], variables: &[(&str, &OsStr)]) -> Result<Self> {
        Self::serve_observed(binary, sets, variables, |_| {}).await
    }

    /// Does the same; calls `observe` with each error of the log, and with each line that is not a
    /// log record.
    ///
    /// # Errors
    /// If the process ends before it serves.
    pub async fn serve_observed(
        binary: &Path,
        sets: &[String],
        variables: &[(&str, &OsStr)],
        observe: impl Fn(String) + Send + 'static,
    ) -> Result<Self> {
        let mut command = Command::new(binary);
        command.args(sets).arg("serve").envs(variables.iter().copied());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let log = child.stderr.take().context("no stderr")?;
        let mut lines = BufReader::new(log).lines();
        let (mut grpc, mut admin, mut metrics) = (None, None, None);
        while let Some(line) = lines.next_line().await? {
            let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            let fields = &event;
            match fields["message"].as_str() {
                Some("listening") => {
                    grpc = fields["grpc"].as_str().map(|a| format!("http://{a}"));
                    admin = fields["admin"].as_str().map(|a| format!("http://{a}"));
                    metrics = fields["metrics"].as_str().map(|a| format!("http://{a}"));
                }
                Some("serving") => break,
                Some(_) => {}
                None => eprintln!("{line}"),
            }
        }
        let (Some(grpc), Some(admin), Some(metrics)) = (grpc, admin, metrics) else {
            bail!("serve ended before it served")
        };
        // The pipe must be drained so that the server does not block, and later errors should be
        // visible.
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                if line.contains("\"ERROR\"") || !line.starts_with('{') {
                    eprintln!("{line}");
                    observe(line);
                }
            }
        });
        Ok(Self { child, grpc, admin, metrics, _scratch: None })
    }

    /// Returns the address of the public services.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.grpc
    }

    /// Returns the address of the admin service.
    #[must_use]
    pub fn admin_target(&self) -> &str {
        &self.admin
    }

    /// Returns the address of the metrics; empty if they are not served.
    #[must_use]
    pub fn metrics_target(&self) -> &str {
        &self.metrics
    }

    /// Returns the id of the process.
    ///
    /// # Panics
    /// If the process has already ended.
    #[must_use]
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().map_or(0, |id| id as i32))
    }

    /// Creates a new client.
    ///
    /// # Errors
    /// Never for the addresses that a server gives.
    pub fn client(&self) -> Result<Client> {
        Ok(Client::connect(self.grpc.clone())?)
    }

    /// Creates a client of the admin service.
    ///
    /// # Errors
    /// Never for the addresses that a server gives.
    pub fn admin(&self) -> Result<AdminServiceClient<riposte_sdk::Connection>> {
        let options = Options { admin_target: self.admin.clone(), ..Options::default() };
        Ok(Client::open(options)?.admin()?)
    }

    /// Creates a client of the moderation service.
    ///
    /// # Errors
    /// Never for the addresses that a server gives.
    pub fn moderation(&self) -> Result<ModerationServiceClient<riposte_sdk::Connection>> {
        let options = Options { admin_target: self.admin.clone(), ..Options::default() };
        Ok(Client::open(options)?.moderation()?)
    }

    /// Creates a client of the policy service.
    ///
    /// # Errors
    /// Never for the addresses that a server gives.
    pub fn policy(&self) -> Result<PolicyServiceClient<riposte_sdk::Connection>> {
        let options = Options { admin_target: self.admin.clone(), ..Options::default() };
        Ok(Client::open(options)?.policy()?)
    }

    /// Kills the process with SIGKILL, as a crash would.
    ///
    /// # Errors
    /// If the system refuses the signal.
    pub async fn crash(mut self) -> Result<()> {
        self.child.start_kill()?;
        self.child.wait().await?;
        Ok(())
    }

    /// Returns the exit status of the process, if it has ended.
    ///
    /// # Errors
    /// If the system cannot report the state of the process.
    pub fn has_ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Asks the process to stop, waits for its end and returns its exit code.
    ///
    /// # Errors
    /// If the process does not stop within 30 s.
    pub async fn stop(self) -> Result<Option<i32>> {
        kill(self.pid(), Signal::SIGTERM)?;
        self.ended().await
    }

    /// Waits for the end of a process that was asked to stop and returns its exit code.
    ///
    /// # Errors
    /// If the process does not stop within 30 s.
    pub async fn ended(mut self) -> Result<Option<i32>> {
        let status = tokio::time::timeout(Duration::from_secs(30), self.child.wait()).await??;
        Ok(status.code())
    }
}

/// Returns the content of a file that `child` writes once it serves.
async fn appears(path: &Path, child: &mut Child) -> Result<String> {
    loop {
        if let Ok(text) = tokio::fs::read_to_string(path).await {
            return Ok(text);
        }
        if let Some(status) = child.try_wait()? {
            bail!("the server ended before it served: {status}");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
