//! A Kubernetes API server with an etcd of its own: it accepts, checks and stores objects, and no
//! workload runs.

use super::{bound_to_us, tail};
use crate::live::{Folder, Live, Process};
use crate::repo::Repo;
use crate::run::output_of;
use crate::tools;
use anyhow::{Context, Result, bail};
use riposte_test_support::free_port;
use serde_json::json;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The token of an administrator. It is valid on this machine's loopback address and for this run
/// only.
const TOKEN: &str = "riposte-checks";

/// The time within which each program must respond: the API server first prepares every kind of
/// Kubernetes, which takes minutes on a busy machine.
const READY_WITHIN: Duration = Duration::from_mins(5);

/// A running API server, its etcd, and the folder of both.
#[derive(Debug)]
pub(crate) struct Kube {
    // Fields are dropped in this order: the server before etcd, and both before their folder.
    _server: Process,
    _etcd: Process,
    folder: Folder,
    curl: PathBuf,
    port: u16,
}

impl Kube {
    /// Returns an authorized curl command for a path of the API. It writes the response's headers
    /// before the body.
    pub(crate) fn curl(&self, path: &str) -> Command {
        curl(&self.curl, self.folder.path(), &format!("https://127.0.0.1:{}{path}", self.port))
    }

    /// Returns the path of the kubeconfig file for other programs.
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }

    /// Returns a folder for request bodies.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the server's version in one line.
    pub(crate) fn version(&self) -> Result<String> {
        let output = output_of(&mut self.curl("/version"))?;
        let version = output.lines().find_map(|line| line.trim().strip_prefix("\"gitVersion\": \""));
        Ok(version.context("the API server has no version")?.trim_end_matches(['"', ',']).to_owned())
    }
}

/// Starts both programs. The server makes its certificate itself.
pub(crate) fn start(repo: &Repo, live: &Arc<Live>) -> Result<Kube> {
    let (etcd, server) = (tools::etcd(repo, live)?, tools::kube_apiserver(repo, live)?);
    let (curl_program, openssl) = (tools::curl(live)?, tools::openssl(live)?);
    let folder = live.folder()?;
    let at = |name: &str| folder.path().join(name);
    output_of(Command::new(openssl).args(["genrsa", "-out"]).arg(at("tokens.key")).arg("2048"))?;
    fs::write(at("tokens.csv"), format!("{TOKEN},checks,checks,system:masters\n"))?;
    fs::write(at("curl"), format!("header = \"Authorization: Bearer {TOKEN}\"\n"))?;
    let (store, peers, port) = (free_port()?, free_port()?, free_port()?);
    fs::write(at("kubeconfig"), kubeconfig(folder.path(), port))?;
    let mut health = Command::new(&curl_program);
    health.args(["--silent", "--fail", &format!("http://127.0.0.1:{store}/health")]);
    let etcd =
        started(live, "etcd", &at("etcd.log"), &mut etcd_command(&etcd, folder.path(), store, peers), &mut health)?;
    let mut ready = curl(&curl_program, folder.path(), &format!("https://127.0.0.1:{port}/readyz"));
    let mut command = server_command(&server, folder.path(), store, port);
    let log = at("server.log");
    let server = started(live, "kube-apiserver", &log, &mut command, ready.arg("--fail"))?;
    Ok(Kube { _server: server, _etcd: etcd, folder, curl: curl_program, port })
}

fn etcd_command(program: &Path, folder: &Path, port: u16, peers: u16) -> Command {
    let (here, others) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{peers}"));
    let mut command = bound_to_us(program);
    command.args(["--name=checks", "--data-dir"]).arg(folder.join("etcd"));
    command.args([format!("--listen-client-urls={here}"), format!("--advertise-client-urls={here}")]);
    command.args([format!("--listen-peer-urls={others}"), format!("--initial-advertise-peer-urls={others}")]);
    command.arg(format!("--initial-cluster=checks={others}"));
    command
}

fn server_command(program: &Path, folder: &Path, store: u16, port: u16) -> Command {
    let mut command = bound_to_us(program);
    command.args([format!("--etcd-servers=http://127.0.0.1:{store}"), format!("--secure-port={port}")]);
    // The server advertises no loopback address, so it gets an unassigned one and does not publish
    // it.
    command.args(["--bind-address=127.0.0.1", "--advertise-address=192.0.2.1", "--endpoint-reconciler-type=none"]);
    command.args(["--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/16"]);
    command.arg("--service-account-issuer=https://checks.example");
    let files = [
        ("cert-dir", "certificates"),
        ("token-auth-file", "tokens.csv"),
        ("service-account-key-file", "tokens.key"),
        ("service-account-signing-key-file", "tokens.key"),
    ];
    command.args(files.map(|(flag, name)| format!("--{flag}={}", folder.join(name).display())));
    command
}

/// Returns the kubeconfig: the address of the server, the trusted certificate and the credentials.
fn kubeconfig(folder: &Path, port: u16) -> String {
    let (server, trusted) = (format!("https://127.0.0.1:{port}"), folder.join("certificates/apiserver.crt"));
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "checks",
        "contexts": [{"name": "checks", "context": {"cluster": "checks", "user": "checks"}}],
        "clusters": [{"name": "checks", "cluster": {"server": server, "certificate-authority": trusted}}],
        "users": [{"name": "checks", "user": {"token": TOKEN}}],
    });
    config.to_string()
}

/// Returns a curl command with the certificate and the credentials.
fn curl(program: &Path, folder: &Path, url: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--silent", "--show-error", "--http1.1", "--max-time", "60", "--noproxy", "*", "--config"]);
    command.arg(folder.join("curl")).arg("--cacert").arg(folder.join("certificates/apiserver.crt")).arg(url);
    command
}

/// Starts a program and waits until it responds. The error contains its log.
fn started(live: &Arc<Live>, name: &str, log: &Path, command: &mut Command, asks: &mut Command) -> Result<Process> {
    let to = File::create(log)?;
    let mut process = live.spawn(command.stdin(Stdio::null()).stdout(to.try_clone()?).stderr(to))?;
    let deadline = Instant::now() + READY_WITHIN;
    while output_of(asks).is_err() {
        if let Some(status) = process.child().try_wait()? {
            eprintln!("{}", tail(log));
            bail!("{name} ended with {status}");
        }
        if Instant::now() > deadline {
            eprintln!("{}", tail(log));
            bail!("{name} does not answer within {} s", READY_WITHIN.as_secs());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(process)
}
