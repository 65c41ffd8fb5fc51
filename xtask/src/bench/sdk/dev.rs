//! A `riposte dev` server for the clients.

use crate::live::{Live, Process};
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;

/// A running server with an empty store in memory. Dropping its guard kills it.
pub(super) struct Dev {
    _process: Process,
    target: String,
}

impl Dev {
    /// Starts the built server on a free port and waits until it responds.
    pub(super) fn start(repo: &Repo, live: &Arc<Live>) -> Result<Self> {
        let mut command = repo.clean(repo.dist_binary());
        // The server runs the command once it responds, and stops with it.
        command.args(["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--exec", "--", "sh", "-c"]);
        command.arg("echo \"$RIPOSTE_TARGET\"; exec cat");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = live.spawn(&mut command)?;
        let output = process.child().stdout.take().context("the process has no standard output")?;
        let mut target = String::new();
        BufReader::new(output).read_line(&mut target)?;
        let target = target.trim().to_owned();
        ensure!(!target.is_empty(), "riposte dev ended before it answered");
        Ok(Self { _process: process, target })
    }

    /// Returns its address.
    pub(super) fn target(&self) -> &str {
        &self.target
    }
}
