//! MariaDB from the machine's own packages: the servers of every run.

use super::{Launch, Pair, Server, bound_to_us, copy_folder, flags, launch};
use crate::live::{Folder, Live};
use crate::run::output_of;
use crate::tools;
use anyhow::{Context, Result};
use std::process::Command;
use std::sync::Arc;

/// Starts two servers on fresh data.
pub(crate) fn start(live: &Arc<Live>) -> Result<Pair> {
    let data = live.folder()?;
    let template = data.path().join("1");
    output_of(
        Command::new("mariadb-install-db")
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--user=root"])
            .arg(format!("--datadir={}", template.display())),
    )?;
    copy_folder(&template, &data.path().join("2"))?;
    let (first, second) = (one(live, &data, 1)?, one(live, &data, 2)?);
    Ok(Pair { first, second, _data: data })
}

fn one(live: &Arc<Live>, data: &Folder, number: u8) -> Result<Server> {
    let program = tools::on_path("mariadbd").context("MariaDB's server is not installed")?;
    let at = |name: &str| data.path().join(format!("{number}{name}"));
    launch(
        live,
        &Launch {
            name: "MariaDB",
            log: at(".log"),
            command: &|port| {
                let mut command = bound_to_us(&program);
                command.args(flags(port)).arg("--skip-name-resolve");
                command.arg(format!("--datadir={}", at("").display()));
                command.arg(format!("--socket={}", at(".sock").display()));
                command
            },
        },
    )
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
        let pair = start(&live).unwrap();
        let ports = [pair.first.port, pair.second.port];
        assert_ne!(ports[0], ports[1]);
        let folder = pair._data.path().to_owned();
        assert!(ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok()));
        drop(pair);
        assert!(ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_err()));
        assert!(!folder.exists());
    }
}
