//! Oracle's MySQL 9 from Debian's unstable packages, unpacked into a folder and run by chroot
//! there. The machine's own packages do not change. apt fetches and verifies the packages from the
//! mirror that the machine already uses.

use super::{Launch, Pair, Server, Setup, Single, bound_to_us, copy_folder, flags, launch};
use crate::live::{Folder, Live};
use crate::repo::Repo;
use crate::run::run;
use crate::tools;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Unpacks the server below the folder of tools unless it exists, and returns its version.
pub(crate) fn unpack(repo: &Repo, live: &Arc<Live>) -> Result<String> {
    let root = repo.tools("mysql");
    if !root.join("ready").is_file() {
        drop(std::fs::remove_dir_all(&root));
        tools::unpack_unstable(live, &PACKAGES, &root)?;
        run(live, repo.command("bash").args(["-euo", "pipefail", "-c", INITIALISE, "initialise"]).arg(&root))?;
        std::fs::write(root.join("ready"), "unpacked and initialised\n")?;
    }
    let output = crate::run::output_of(Command::new("chroot").arg(&root).args(["/usr/sbin/mysqld", "--version"]))?;
    Ok(output.split_whitespace().nth(2).unwrap_or("of unknown version").to_owned())
}

/// Starts two servers on fresh data.
pub(crate) fn start(repo: &Repo, live: &Arc<Live>) -> Result<Pair> {
    let data = Inside::fresh(repo, live)?;
    let (first, second) = (one(live, &data, 1, Setup::TESTS)?, one(live, &data, 2, Setup::TESTS)?);
    Ok(Pair { first, second, _data: data.run })
}

/// Starts one server on fresh data.
pub(crate) fn start_one(repo: &Repo, live: &Arc<Live>, setup: Setup) -> Result<Single> {
    let data = Inside::fresh(repo, live)?;
    Ok(Single { server: one(live, &data, 1, setup)?, _data: data.run })
}

/// The run's folder, which has one path outside the chroot and another inside.
struct Inside {
    root: PathBuf,
    run: Folder,
}

impl Inside {
    fn fresh(repo: &Repo, live: &Arc<Live>) -> Result<Self> {
        let root = repo.tools("mysql");
        let run = live.adopt(tempfile::Builder::new().prefix("run").tempdir_in(root.join("tmp"))?);
        Ok(Self { root, run })
    }
}

fn one(live: &Arc<Live>, data: &Inside, number: u8, setup: Setup) -> Result<Server> {
    let outside = data.run.path().join(number.to_string());
    copy_folder(&data.root.join("var/lib/mysql"), &outside)?;
    let inside = Path::new("/").join(outside.strip_prefix(&data.root).context("the data lies outside the chroot")?);
    let (root, log) = (data.root.clone(), data.run.path().join(format!("{number}.log")));
    let command = move |port| {
        let mut command = bound_to_us(Path::new("chroot"));
        command.arg(&root).arg("/usr/sbin/mysqld").args(flags(port, setup));
        command.arg(format!("--innodb-redo-log-capacity={}", setup.redo_log));
        command.arg(format!("--datadir={}", inside.display()));
        command.arg(format!("--socket={}.sock", inside.display()));
        command.arg(format!("--pid-file={}.pid", inside.display()));
        command.args(["--secure-file-priv=NULL", "--mysqlx=0", "--server-id=1"]);
        // As MariaDB has it. A test needs a batch that exceeds it.
        command.arg("--max-allowed-packet=16M");
        // Vitess expects global transaction ids, which MySQL 9.7 has by default.
        command.args(["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]);
        command
    };
    launch(live, Launch { name: "MySQL", log, command: Box::new(command) })
}

/// The packages of the server and its client.
const PACKAGES: [&str; 2] = ["mysql-server-core", "mysql-client-core"];

/// The script that initialises the server in the folder of the first argument.
const INITIALISE: &str = r#"
cd "$1"; for l in lib lib64 bin sbin; do ln -sfn "usr/$l" "$l"; done
mkdir -p tmp run dev etc var/lib/mysql; echo 'root:x:0:0:root:/root:/bin/sh' > etc/passwd
for d in "null 3" "urandom 9" "random 8"; do set -- $d; [ -e "dev/$1" ] || mknod -m 666 "dev/$1" c 1 "$2"; done
chroot . /usr/sbin/mysqld --no-defaults --initialize-insecure --user=root --datadir=/var/lib/mysql
rm -f var/lib/mysql/auto.cnf
"#;
