//! A `riposte dev` server for the clients.

use crate::live::{Live, Process};
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::Arc;

/// A running server with an empty store in memory. Dropping its guard kills it.
pub(super) struct Dev {
    _process: Process,
    target: String,
    metrics: String,
}

/// The metric of the connections that the server closed for their control frames.
const CONTROL_FRAMES: &str = "riposte_connections_refused_total{limit=\"control_frames\"} ";

impl Dev {
    /// Starts the built server on a free port and waits until it responds.
    pub(super) fn start(repo: &Repo, live: &Arc<Live>) -> Result<Self> {
        let endpoint = repo.target().join("bench/dev.json");
        fs::create_dir_all(repo.target().join("bench"))?;
        let mut command = repo.clean(repo.dist_binary());
        // The server runs the command once it responds, and stops with it.
        command.args(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--endpoint-file"]).arg(&endpoint);
        command.args(["--exec", "--", "sh", "-c"]);
        command.arg("echo \"$RIPOSTE_TARGET\"; exec cat");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = live.spawn(&mut command)?;
        let output = process.child().stdout.take().context("the process has no standard output")?;
        let mut target = String::new();
        BufReader::new(output).read_line(&mut target)?;
        let target = target.trim().to_owned();
        ensure!(!target.is_empty(), "riposte dev ended before it answered");
        // The server writes the file before it runs the command.
        let addresses: serde_json::Value = serde_json::from_slice(&fs::read(&endpoint)?)?;
        let metrics = addresses["metrics"].as_str().context("the metrics have no address")?.to_owned();
        Ok(Self { _process: process, target, metrics })
    }

    /// Returns the number of connections that the server closed for their control frames.
    pub(super) fn closed_for_control_frames(&self) -> Result<u64> {
        let mut stream = TcpStream::connect(&self.metrics)?;
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.metrics)?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        ensure!(response.starts_with("HTTP/1.1 200"), "the metrics cannot be read: {response}");
        let count = response.lines().find_map(|line| line.strip_prefix(CONTROL_FRAMES));
        Ok(count.map(str::parse).transpose()?.unwrap_or_default())
    }

    /// Returns its address.
    pub(super) fn target(&self) -> &str {
        &self.target
    }
}
