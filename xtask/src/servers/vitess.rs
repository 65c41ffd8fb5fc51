//! Vitess with keyspaces of two shards over one MySQL 9, as vtcombo runs it: its topology lies in
//! memory, its data in MySQL.

use super::{Launch, READY_WITHIN, Server, Setup, Single, launch, start_one_mysql};
use crate::live::{Folder, Live};
use crate::repo::Repo;
use crate::run::{output_of, run};
use crate::tools;
use anyhow::{Context, Result};
use riposte_test_support::free_port;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The keyspace of most tests, which they share, and one that a test has for itself.
const KEYSPACES: [&str; 2] = ["riposte", "alone"];
/// The keyspaces with their shards, each of one tablet: a second one that finds the first would
/// replicate from it, which vtcombo cannot do.
const TOPOLOGY: &str = r#"
keyspaces { name: "riposte" shards { name: "-80" } shards { name: "80-" } replica_count: 1 rdonly_count: -1 }
keyspaces { name: "alone" shards { name: "-80" } shards { name: "80-" } replica_count: 1 rdonly_count: -1 }
cells: "zone1""#;
/// The users by which Vitess reaches MySQL.
const USERS: [&str; 6] = ["vt_dba", "vt_app", "vt_allprivs", "vt_appdebug", "vt_repl", "vt_filtered"];
/// The user that runs vtcombo, since it refuses root.
const NOBODY: &str = "65534";

/// A running vtcombo and its MySQL.
#[derive(Debug)]
pub(crate) struct Vitess {
    server: Server,
    // Dropped after vtcombo, so that it finds its database to the end.
    _mysql: Single,
    _data: Folder,
}

impl Vitess {
    /// Returns the environment by which the tests find the keyspaces.
    pub(crate) fn exports(&self) -> [(&'static str, String); 2] {
        let [shared, alone] = KEYSPACES.map(|keyspace| format!("{}/{keyspace}", self.server.url()));
        [("RIPOSTE_TEST_VITESS", shared), ("RIPOSTE_TEST_VITESS_ALONE", alone)]
    }
}

/// Starts MySQL on fresh data and vtcombo on it, with the vindexes of the repository. A transaction
/// may cover one shard only.
pub(crate) fn start(repo: &Repo, live: &Arc<Live>) -> Result<Vitess> {
    super::unpack_mysql(repo, live)?;
    let program = tools::vtcombo(repo, live)?;
    let mysql = start_one_mysql(repo, live, Setup::TESTS)?;
    let mut prepare = String::new();
    for user in USERS {
        for host in ["127.0.0.1", "localhost"] {
            prepare += &format!("CREATE USER {user}@'{host}'; GRANT ALL ON *.* TO {user}@'{host}' WITH GRANT OPTION;");
        }
    }
    output_of(client(mysql.server.port).args(["--execute", &prepare]))?;
    let data = live.folder()?;
    for keyspace in KEYSPACES {
        let schema = data.path().join("schema").join(keyspace);
        std::fs::create_dir_all(&schema)?;
        std::fs::copy(repo.at("migrations/vschema.json"), schema.join("vschema.json")).context("no vschema.json")?;
    }
    std::fs::create_dir_all(data.path().join("root"))?;
    run(live, Command::new("chown").args(["-R", NOBODY]).arg(data.path()))?;
    std::fs::set_permissions(data.path(), std::fs::Permissions::from_mode(0o755))?;
    let log = data.path().join("vtcombo.log");
    let (folder, database) = (data.path().to_owned(), mysql.server.port);
    let (web, rpc) = (free_port()?, free_port()?);
    let command = move |port| vtcombo(&program, &folder, [port, web, rpc], database);
    let server = launch(live, Launch { name: "vtcombo", log, command: Box::new(command) })?;
    wait_for_shards(&server)?;
    Ok(Vitess { server, _mysql: mysql, _data: data })
}

fn vtcombo(program: &Path, folder: &Path, [port, web, rpc]: [u16; 3], database: u16) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"]);
    command.arg(program).env("VTDATAROOT", folder.join("root"));
    for (flag, value) in [("port", web), ("grpc-port", rpc), ("mysql-server-port", port), ("db-port", database)] {
        command.arg(format!("--{flag}={value}"));
    }
    for flag in ["bind-address", "grpc-bind-address", "mysql-server-bind-address", "db-host"] {
        command.arg(format!("--{flag}=127.0.0.1"));
    }
    command.args(["--db-dba-user=vt_dba", "--db-app-user=vt_app", "--db-allprivs-user=vt_allprivs"]);
    command.args(["--mysql-auth-server-impl=none", "--transaction-mode=SINGLE", "--normalize-queries=true"]);
    command.arg("--tablet-types-to-wait=PRIMARY");
    // Enough for the connections of all processes of a test run.
    command.args(["--queryserver-config-transaction-cap=200", "--queryserver-config-pool-size=50"]);
    command.args(["--proto-topo", TOPOLOGY, "--schema-dir"]).arg(folder.join("schema"));
    command
}

/// Waits until the keyspaces answer: vtcombo accepts connections before.
fn wait_for_shards(server: &Server) -> Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    let probe = KEYSPACES.map(|keyspace| format!("SHOW TABLES FROM {keyspace};")).concat();
    loop {
        match output_of(client(server.port).args(["--execute", &probe])) {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Returns the client of a server at this port, as root.
fn client(port: u16) -> Command {
    let mut client = Command::new("mariadb");
    client.args(["--no-defaults", "--protocol=tcp", "--host=127.0.0.1", "--user=root"]).arg(format!("--port={port}"));
    client
}
