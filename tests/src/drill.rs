//! What the drills (`tests/drills`) need beside a shell: comments written without a pause while databases come and go, and
//! the count of those that were acknowledged and stand no more.

mod check;
mod door;
mod write;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use riposte_sdk::v1::SubjectKey;

use crate::{Names, real};

/// Subjects that are written to.
const SUBJECTS: usize = 50;

/// What to do. Acknowledged comments stand in a file, a line each: its id and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Write until standard input ends, and note what is acknowledged.
    Write(Vec<SocketAddr>, PathBuf),
    /// Look for what was acknowledged, and compare first pages from copies with those from the rows.
    Check(Vec<SocketAddr>, PathBuf),
    /// Lead whoever connects to the address that the file names at that moment.
    Door(SocketAddr, PathBuf),
}

impl Task {
    /// Reads `write HOST:PORT,… FILE`, `check HOST:PORT,… FILE` or `door HOST:PORT FILE`.
    ///
    /// # Errors
    /// Arguments that are none of these.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let arguments: Vec<_> = arguments.into_iter().collect();
        let [verb, addresses, file] = arguments.as_slice() else { bail!("write, check or door; HOST:PORT,…; FILE") };
        let addresses: Vec<SocketAddr> =
            addresses.split(',').map(str::parse).collect::<Result<_, _>>().context("no HOST:PORT,…")?;
        match verb.as_str() {
            "write" => Ok(Self::Write(addresses, file.into())),
            "check" => Ok(Self::Check(addresses, file.into())),
            "door" => Ok(Self::Door(*addresses.first().context("no HOST:PORT")?, file.into())),
            other => bail!("neither write, check nor door: {other}"),
        }
    }
}

/// Does it, and prints what came of it.
///
/// # Errors
/// When the file cannot be used, or the service does not answer a check.
pub async fn run(task: Task) -> Result<()> {
    match task {
        Task::Write(addresses, file) => write::write(&Names::of(addresses).client()?, &file).await,
        Task::Check(addresses, file) => check::check(&Names::of(addresses).client()?, &file).await,
        Task::Door(address, file) => door::open(address, &file).await,
    }
}

/// The subject of a number; numbers wrap.
fn subject(number: usize) -> SubjectKey {
    real::key("article", &format!("drill-{}", number % SUBJECTS))
}

#[cfg(test)]
mod tests {
    use super::Task;

    #[test]
    fn arguments_are_read_and_others_refused() {
        let read = |arguments: &[&str]| Task::read(arguments.iter().map(|word| (*word).to_owned()));
        let addresses = vec!["127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap()];
        assert_eq!(read(&["door", "127.0.0.1:1", "f"]).unwrap(), Task::Door(addresses[0], "f".into()));
        assert_eq!(read(&["write", "127.0.0.1:1,127.0.0.1:2", "f"]).unwrap(), Task::Write(addresses, "f".into()));
        for wrong in [&["write", "127.0.0.1:1"][..], &["check", "host", "f"], &["wipe", "127.0.0.1:1", "f"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
