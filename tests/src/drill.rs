//! The tasks of the drills (`tests/drills`) that a shell script cannot perform: continuous writes
//! while databases fail and return, a check for acknowledged comments that are missing, and a
//! forwarder of connections.

mod check;
mod forwarder;
mod write;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use riposte_sdk::v1::SubjectKey;

use crate::{Names, real};

/// The number of subjects that are written to.
const SUBJECTS: usize = 50;

/// The task to run. Acknowledged comments are stored in a file with one line each: the id and the
/// text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Writes until standard input ends, and records the acknowledged comments.
    Write(Vec<SocketAddr>, PathBuf),
    /// Checks that acknowledged comments exist, and compares first pages from the cache with those
    /// from the rows.
    Check(Vec<SocketAddr>, PathBuf),
    /// Forwards each connection to the address that the file contains when the connection arrives.
    Forward(SocketAddr, PathBuf),
}

impl Task {
    /// Reads `write HOST:PORT,… FILE`, `check HOST:PORT,… FILE` or `forward HOST:PORT FILE`.
    ///
    /// # Errors
    /// If the arguments have another form.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let arguments: Vec<_> = arguments.into_iter().collect();
        let [verb, addresses, file] = arguments.as_slice() else {
            bail!("write, check or forward; HOST:PORT,…; FILE")
        };
        let addresses: Vec<SocketAddr> =
            addresses.split(',').map(str::parse).collect::<Result<_, _>>().context("no HOST:PORT,…")?;
        match verb.as_str() {
            "write" => Ok(Self::Write(addresses, file.into())),
            "check" => Ok(Self::Check(addresses, file.into())),
            "forward" => Ok(Self::Forward(*addresses.first().context("no HOST:PORT")?, file.into())),
            other => bail!("neither write, check nor forward: {other}"),
        }
    }
}

/// Runs a task and writes its result to standard output.
///
/// # Errors
/// If the file cannot be used, or the service does not respond to a check.
pub async fn run(task: Task) -> Result<()> {
    match task {
        Task::Write(addresses, file) => write::write(&Names::of(addresses).client()?, &file).await,
        Task::Check(addresses, file) => check::check(&Names::of(addresses).client()?, &file).await,
        Task::Forward(address, file) => forwarder::run(address, &file).await,
    }
}

/// Returns the subject of a number; numbers wrap around.
fn subject(number: usize) -> SubjectKey {
    real::key("article", &format!("drill-{}", number % SUBJECTS))
}

#[cfg(test)]
mod tests {
    use super::Task;

    #[test]
    fn arguments_are_parsed_and_unknown_ones_are_refused() {
        let read = |arguments: &[&str]| Task::read(arguments.iter().map(|word| (*word).to_owned()));
        let addresses = vec!["127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap()];
        assert_eq!(read(&["forward", "127.0.0.1:1", "f"]).unwrap(), Task::Forward(addresses[0], "f".into()));
        assert_eq!(read(&["write", "127.0.0.1:1,127.0.0.1:2", "f"]).unwrap(), Task::Write(addresses, "f".into()));
        for invalid in [&["write", "127.0.0.1:1"][..], &["check", "host", "f"], &["wipe", "127.0.0.1:1", "f"]] {
            assert!(read(invalid).is_err(), "{invalid:?}");
        }
    }
}
