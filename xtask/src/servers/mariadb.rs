//! MariaDB from the machine's own packages: the servers of every run.

use super::{Launch, Pair, Server, Setup, Single, bound_to_us, copy_folder, flags, launch};
use crate::live::{Folder, Live};
use crate::run::output_of;
use crate::tools;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Starts two servers on fresh data.
pub(crate) fn start(live: &Arc<Live>, setup: Setup) -> Result<Pair> {
    let data = fresh(live)?;
    copy_folder(&data.path().join("1"), &data.path().join("2"))?;
    let (first, second) = (one(live, &data, 1, setup)?, one(live, &data, 2, setup)?);
    Ok(Pair { first, second, _data: data })
}

/// Starts one server on fresh data.
pub(crate) fn start_one(live: &Arc<Live>, setup: Setup) -> Result<Single> {
    let data = fresh(live)?;
    Ok(Single { server: one(live, &data, 1, setup)?, _data: data })
}

/// Returns a folder with the data of a first server.
fn fresh(live: &Arc<Live>) -> Result<Folder> {
    let data = live.folder()?;
    let scratch = scratch(data.path(), 1)?;
    output_of(
        Command::new("mariadb-install-db")
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--user=root"])
            .arg(format!("--datadir={}", data.path().join("1").display()))
            .arg(format!("--tmpdir={}", scratch.display())),
    )?;
    Ok(data)
}

/// Creates a server's own folder for temporary files: a starting server removes all such files in
/// it, while others run.
fn scratch(root: &Path, number: u8) -> Result<PathBuf> {
    let folder = root.join(format!("{number}tmp"));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

fn one(live: &Arc<Live>, data: &Folder, number: u8, setup: Setup) -> Result<Server> {
    let program = tools::on_path("mariadbd").context("MariaDB's server is not installed")?;
    let root = data.path().to_owned();
    let at = move |name: &str| root.join(format!("{number}{name}"));
    let (log, scratch) = (at(".log"), scratch(data.path(), number)?);
    let command = move |port| {
        let mut command = bound_to_us(&program);
        command.args(flags(port, setup)).arg("--skip-name-resolve");
        command.arg(format!("--innodb-log-file-size={}", setup.redo_log));
        command.arg(format!("--datadir={}", at("").display()));
        command.arg(format!("--tmpdir={}", scratch.display()));
        command.arg(format!("--socket={}", at(".sock").display()));
        command
    };
    launch(live, Launch { name: "MariaDB", log, command: Box::new(command) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;

    #[test]
    fn two_servers_start_on_ports_of_their_own_and_end_with_their_guard() {
        if crate::tools::on_path("mariadbd").is_none() {
            println!("SKIPPED: no MariaDB on this machine");
            return;
        }
        let live = Arc::new(Live::default());
        let mut pair = start(&live, Setup::TESTS).unwrap();
        let ports = [pair.first.port, pair.second.port];
        assert_ne!(ports[0], ports[1]);
        let folder = pair._data.path().to_owned();
        assert!(ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok()));
        pair.kill(2).unwrap();
        assert!(TcpStream::connect(("127.0.0.1", ports[1])).is_err(), "killed, it takes no connection");
        pair.start_again(&live, 2).unwrap();
        assert!(TcpStream::connect(("127.0.0.1", ports[1])).is_ok(), "it came back at another port");
        drop(pair);
        assert!(ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_err()));
        assert!(!folder.exists());
    }
}
